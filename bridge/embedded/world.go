package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// World is a running embedded world. Its methods may be called from any
// goroutine, until Close returns.
type World struct {
	options Options
	log     *slog.Logger
	inbox   chan frame
	wake    chan struct{} // something asks for a tick
	done    chan struct{}
	stop    context.CancelCauseFunc
	wait    sync.WaitGroup
	saving  sync.Mutex // held while a save writes its file
	unlock  func()     // lets another process have the world

	// mu protects everything below: the world, the script and what they know of
	// the connection.
	mu       sync.Mutex
	blocks   *store.World
	catalog  *catalog
	script   *host
	link     *link // nil while not connected
	tick     int
	dirty    bool // changed since the last save
	unloaded map[chunk]bool
	forced   map[string]area // ticking areas by name
	// structures are the saved boxes by name.
	structures map[string]*structureTemplate
	moving     moving
	// due are calls that wait for a tick.
	due    []delayed
	player player
	mobs   []mob // not kept on disk
	chaos  *chaos
	paused bool
	held   []frame // commands that wait for the end of a pause
	ended  error
}

// chunk is a column of cells.
type chunk struct {
	dimension *store.Dimension
	x, z      int
}

// player is where the connected player stands.
type player struct {
	name      string
	dimension string
	pos       voxel.Pos
	items     []store.Item
}

// mob is an entity that only stands there.
type mob struct {
	kind      string // such as minecraft:cow
	dimension *store.Dimension
	pos       voxel.Pos
}

var errClosed = errors.New("the world was closed")

// Start opens the world in o.Dir and runs it until Close, Crash or the end of
// ctx. It connects to the bridge in the background, again and again; Await tells
// when it is connected.
func Start(ctx context.Context, o Options) (*World, error) {
	o = o.withDefaults()
	registry, err := o.registry()
	if err != nil {
		return nil, fault.Wrap(fault.InvalidRequest, err, "no block states for game version "+o.Game)
	}
	unlock, err := store.Lock(o.Dir)
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the embedded world cannot be opened: "+err.Error())
	}
	blocks, err := store.Open(o.Dir)
	if err != nil {
		unlock()
		return nil, fault.Wrap(fault.StorageFailed, err, "the embedded world cannot be opened: "+err.Error())
	}
	w := &World{
		options: o, log: o.Log, blocks: blocks, catalog: newCatalog(registry, blocks),
		inbox: make(chan frame, inboxSize), wake: make(chan struct{}, 1), done: make(chan struct{}),
		unloaded: map[chunk]bool{}, forced: map[string]area{}, structures: map[string]*structureTemplate{},
		player: player{name: o.Player, dimension: store.Overworld, pos: voxel.Pos{X: 0, Y: -60, Z: 0}},
		chaos:  newChaos(o.Faults, o.Seed),
	}
	if w.script, err = newHost(w); err != nil {
		unlock()
		return nil, fault.Wrap(fault.Internal, err, "the script of the behaviour pack does not run")
	}
	w.unlock = sync.OnceFunc(unlock)
	ctx, w.stop = context.WithCancelCause(ctx)
	w.wait.Go(func() { w.connect(ctx) })
	w.wait.Go(func() { w.run(ctx) })
	return w, nil
}

// Close saves the world, ends the connection and returns when nothing runs any
// more. Further calls do nothing.
func (w *World) Close() error {
	w.stop(errClosed)
	w.wait.Wait()
	<-w.done
	defer w.unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.ended, errCrashed) {
		return nil
	}
	return w.saveLocked()
}

// Crash ends the world as if its process had died: what was changed since the
// last save is lost.
func (w *World) Crash() {
	w.mu.Lock()
	if w.ended == nil {
		w.ended = errCrashed
	}
	w.mu.Unlock()
	w.stop(errCrashed)
	w.wait.Wait()
	w.unlock()
}

var errCrashed = errors.New("the world crashed")

// Done is closed when the world has ended, by Close, Crash, a fault or the end of
// its context.
func (w *World) Done() <-chan struct{} { return w.done }

// Save writes what was changed to disk.
func (w *World) Save() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saveLocked()
}

func (w *World) saveLocked() error {
	if !w.dirty {
		return nil
	}
	write := w.blocks.Save()
	w.saving.Lock()
	defer w.saving.Unlock()
	if err := write(); err != nil {
		return fault.Wrap(fault.StorageFailed, err, "the embedded world cannot be saved")
	}
	w.dirty = false
	return nil
}

// run is the game: it alone runs commands, ticks and the script.
func (w *World) run(ctx context.Context) {
	defer close(w.done)
	defer w.stop(errClosed)
	save := time.NewTicker(max(w.options.Autosave, time.Millisecond))
	defer save.Stop()
	if w.options.Autosave < 0 {
		save.Stop()
	}
	var ticks <-chan time.Time
	inbox, wake := w.inbox, w.wake
	if w.options.Tick > 0 {
		ticker := time.NewTicker(w.options.Tick)
		defer ticker.Stop()
		ticks, inbox, wake = ticker.C, nil, nil // everything waits for the tick
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-save.C:
			w.autosave()
		case <-ticks:
			w.step(w.pendingFrames())
		case f := <-inbox:
			w.step(append([]frame{f}, w.pendingFrames()...))
		case <-wake:
			w.step(nil)
		}
		if w.halted() {
			return
		}
	}
}

// pendingFrames takes what waits in the inbox, up to one tick's worth.
func (w *World) pendingFrames() []frame {
	var frames []frame
	for len(frames) < maxPending {
		select {
		case f := <-w.inbox:
			frames = append(frames, f)
		default:
			return frames
		}
	}
	return frames
}

// step runs frames and then a tick, if one is due.
func (w *World) step(frames []frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range frames {
		w.arrive(f)
		if w.options.Tick == 0 {
			w.script.flush()
		}
	}
	w.script.flush()
	if w.paused {
		return
	}
	if w.options.Tick > 0 || w.busy() {
		w.runTick()
	}
	if w.options.Tick == 0 && w.busy() {
		w.poke()
	}
}

// delayed is something that happens at a tick.
type delayed struct {
	tick int
	run  func()
}

// later runs f after some ticks.
func (w *World) later(ticks int, f func()) {
	w.due = append(w.due, delayed{w.tick + ticks, f})
	w.poke()
}

// busy reports whether something waits for a tick.
func (w *World) busy() bool { return len(w.due) > 0 || len(w.moving.queue) > 0 || w.script.busy() }

func (w *World) runTick() {
	w.tick++
	due := w.due
	w.due = nil
	for _, d := range due {
		if d.tick > w.tick {
			w.due = append(w.due, d)
			continue
		}
		d.run()
	}
	w.settle()
	w.script.tick(w.tick)
	w.script.flush()
}

// poke makes the game take a step soon.
func (w *World) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *World) halted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended != nil
}

// autosave saves beside the game, which goes on meanwhile.
func (w *World) autosave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dirty || !w.saving.TryLock() {
		return
	}
	write := w.blocks.Save()
	w.dirty = false
	w.wait.Go(func() {
		err := write()
		w.saving.Unlock() // before mu: whoever holds mu may wait for it
		if err != nil {
			w.log.Error("the world could not be saved", "error", err)
			w.mu.Lock()
			w.dirty = true
			w.mu.Unlock()
		}
	})
}

// Set writes one cell as somebody else in the world would: with asPlayer a
// player, whose edit the script is told about; without, something that nobody
// hears of, such as another add-on. state is any text that the registry reads.
func (w *World) Set(dimension string, p voxel.Pos, state string, asPlayer bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.place(dimension, p)
	if err != nil {
		return err
	}
	s, err := w.catalog.parse(state)
	if err != nil {
		return err
	}
	w.edit(d, p, s, asPlayer)
	w.poke()
	return nil
}

// edit writes a cell and tells the script, if a player did it.
func (w *World) edit(d *store.Dimension, p voxel.Pos, s store.State, asPlayer bool) {
	old := d.At(p)
	if w.put(d, p, s) {
		w.changed(d, voxel.Cube(p))
	}
	if asPlayer && old != s {
		w.script.edited(d, p, old, s)
	}
}

// place checks that a position can hold a block.
func (w *World) place(dimension string, p voxel.Pos) (*store.Dimension, error) {
	d := w.blocks.Dimension(dimension)
	if d == nil {
		return nil, fault.Errorf(fault.NotFound, "no dimension %q", dimension)
	}
	if !inside(d, p) {
		return nil, fault.Errorf(fault.OutOfBounds, "%v is outside of the world", p)
	}
	return d, nil
}

// worldEdge is how far the world reaches along x and z, in both directions.
const worldEdge = 30_000_000

func inside(d *store.Dimension, p voxel.Pos) bool {
	return d.Has(p.Y) && -worldEdge <= p.X && p.X <= worldEdge && -worldEdge <= p.Z && p.Z <= worldEdge
}

// At returns what the cell at p holds; false when its chunk is not loaded or p is
// outside of the world.
func (w *World) At(dimension string, p voxel.Pos) (block.State, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.place(dimension, p)
	if err != nil || !w.loaded(d, p) {
		return "", false
	}
	return block.State(w.blocks.Text(d.At(p))), true
}

// Volume returns a copy of the cells of a box, whether loaded or not.
func (w *World) Volume(dimension string, box voxel.Box) (*voxel.Volume, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range []voxel.Pos{box.Min, box.Max} {
		if _, err := w.place(dimension, p); err != nil {
			return nil, err
		}
	}
	d := w.blocks.Dimension(dimension)
	v := voxel.NewVolume()
	for p := range box.All() {
		v.Put(p, w.blocks.Text(d.At(p)))
	}
	return v, nil
}

// Paint writes the cells of a volume exactly as given: nobody hears of it, and
// neither derived states nor physics react.
func (w *World) Paint(dimension string, v *voxel.Volume) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	states := make([]store.State, len(v.Palette()))
	for i, text := range v.Palette() {
		if i == int(voxel.None) {
			continue
		}
		s, err := w.catalog.parse(text)
		if err != nil {
			return err
		}
		states[i] = s
	}
	for p, id := range v.All() {
		d, err := w.place(dimension, p)
		if err != nil {
			return err
		}
		w.put(d, p, states[id])
	}
	w.poke()
	return nil
}

// Explode empties a box as an explosion does, and tells the script of every block.
func (w *World) Explode(dimension string, box voxel.Box) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range []voxel.Pos{box.Min, box.Max} {
		if _, err := w.place(dimension, p); err != nil {
			return err
		}
	}
	d := w.blocks.Dimension(dimension)
	for _, p := range d.Find(box, func(s store.State) bool { return !w.isAir(s) }) {
		old := d.At(p)
		w.put(d, p, 0)
		w.script.exploded(d, p, old)
	}
	w.changed(d, box)
	w.poke()
	return nil
}

// Give replaces what the connected player carries, slot by slot.
func (w *World) Give(items ...store.Item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.player.items = items
}

// SetEntity gives the block at p data beside its state: the contents of a
// container, the text of a sign.
func (w *World) SetEntity(dimension string, p voxel.Pos, e store.Entity) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.place(dimension, p)
	if err != nil {
		return err
	}
	d.SetEntity(p, e)
	w.dirty = true
	return nil
}

// Summon puts an entity, such as minecraft:cow, into a cell. It stands there and does
// nothing until the world is closed.
func (w *World) Summon(dimension, kind string, p voxel.Pos) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.place(dimension, p)
	if err != nil {
		return err
	}
	w.mobs = append(w.mobs, mob{kind, d, p})
	return nil
}

// Load loads or unloads the chunk that holds p. Everything is loaded at first.
func (w *World) Load(dimension string, p voxel.Pos, loaded bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.blocks.Dimension(dimension)
	if d == nil {
		return fault.Errorf(fault.NotFound, "no dimension %q", dimension)
	}
	c := chunk{d, p.X >> 4, p.Z >> 4}
	if loaded {
		delete(w.unloaded, c)
	} else {
		w.unloaded[c] = true
	}
	return nil
}

func (w *World) loaded(d *store.Dimension, p voxel.Pos) bool {
	return len(w.unloaded) == 0 || !w.unloaded[chunk{d, p.X >> 4, p.Z >> 4}]
}

// boxLoaded reports whether every chunk that the box touches is loaded.
func (w *World) boxLoaded(d *store.Dimension, box voxel.Box) bool {
	if len(w.unloaded) == 0 {
		return true
	}
	for x := box.Min.X >> 4; x <= box.Max.X>>4; x++ {
		for z := box.Min.Z >> 4; z <= box.Max.Z>>4; z++ {
			if w.unloaded[chunk{d, x, z}] {
				return false
			}
		}
	}
	return true
}

// put writes one cell and lets the world react to it.
func (w *World) put(d *store.Dimension, p voxel.Pos, s store.State) bool {
	if d.Set(p, s) == s {
		return false
	}
	w.dirty = true
	return true
}

// String names the world in logs.
func (w *World) String() string { return fmt.Sprintf("embedded world in %q", w.options.Dir) }
