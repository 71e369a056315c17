package embedded

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Faults are what can go wrong, each with its probability from 0 to 1. The zero
// value commits none. Which fault meets which message is drawn from Options.Seed;
// the same seed and the same messages meet the same faults.
type Faults struct {
	// Of every message from and to the bridge but the handshake:
	Drop      float64 // it is lost
	Duplicate float64 // it comes twice
	Reorder   float64 // it comes after the next one in its direction
	Delay     float64 // it comes late, by up to MaxDelay
	MaxDelay  time.Duration

	// Of every command that the world gets:
	Refuse     float64 // it is refused as one too many and does not run
	Disconnect float64 // the connection breaks before it runs
	Pause      float64 // the world pauses for PauseFor, without a word
	PauseFor   time.Duration
	Crash      float64 // the world ends before it runs, and forgets what it had not saved

	// Of every command of the script that spans a box:
	Unload    float64 // the chunk of one of its cells is unloaded for UnloadFor, before it runs
	UnloadFor time.Duration
	Edit      float64 // a player changes one of its cells, after it has run
	Drift     float64 // one of its cells changes, after it has run, and nobody hears of it
}

const (
	defaultMaxDelay  = 200 * time.Millisecond
	defaultPauseFor  = time.Second
	defaultUnloadFor = 500 * time.Millisecond
)

// table names the fields as ParseFaults does.
func (f *Faults) table() (chances map[string]*float64, durations map[string]*time.Duration) {
	chances = map[string]*float64{
		"drop": &f.Drop, "duplicate": &f.Duplicate, "reorder": &f.Reorder, "delay": &f.Delay,
		"refuse": &f.Refuse, "disconnect": &f.Disconnect, "pause": &f.Pause, "crash": &f.Crash,
		"unload": &f.Unload, "edit": &f.Edit, "drift": &f.Drift,
	}
	durations = map[string]*time.Duration{
		"max_delay": &f.MaxDelay, "pause_for": &f.PauseFor, "unload_for": &f.UnloadFor,
	}
	return chances, durations
}

// ParseFaults reads faults as flags give them: names and values joined by commas,
// such as "drop=0.01,delay=0.1,max_delay=2s". The names are those of the fields of
// Faults in lower case, words joined by underscores.
func ParseFaults(text string) (Faults, error) {
	var f Faults
	chances, durations := f.table()
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if to, ok := chances[name]; ok {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || n < 0 || n > 1 || n != n {
				return Faults{}, fault.Errorf(fault.InvalidRequest, "the chance of %s must be within 0 and 1, not %q", name, value)
			}
			*to = n
			continue
		}
		to, ok := durations[name]
		if !ok {
			return Faults{}, fault.Errorf(fault.InvalidRequest, "no fault %q", name)
		}
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return Faults{}, fault.Errorf(fault.InvalidRequest, "%s must be a duration such as 200ms, not %q", name, value)
		}
		*to = d
	}
	return f, nil
}

// chaos draws faults from one seed. The game's goroutine alone uses it.
type chaos struct {
	Faults
	random *rand.Rand
	held   [2][]func() // messages that wait for the next one, by direction
	counts map[string]int
}

// The directions of messages.
const (
	inward = iota
	outward
)

func newChaos(f Faults, seed uint64) *chaos {
	return &chaos{
		Faults: f.withDefaults(), random: rand.New(rand.NewPCG(seed, 0x67726f756e64)), counts: map[string]int{},
	}
}

// SetFaults changes what goes wrong from now on.
func (w *World) SetFaults(f Faults) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chaos.Faults = f.withDefaults()
}

func (f Faults) withDefaults() Faults {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&f.MaxDelay, defaultMaxDelay}, {&f.PauseFor, defaultPauseFor}, {&f.UnloadFor, defaultUnloadFor}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return f
}

// hits draws whether a fault happens.
func (c *chaos) hits(name string, chance float64) bool {
	if chance <= 0 || c.random.Float64() >= chance {
		return false
	}
	c.counts[name]++
	return true
}

// way reports whether messages can meet faults on their way.
func (c *chaos) way() bool { return c.Drop+c.Duplicate+c.Reorder+c.Delay > 0 }

// Committed returns how often each fault was committed so far.
func (w *World) Committed() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.chaos.counts)
}

// pass lets a message through, or does to it what the faults say.
func (w *World) pass(direction int, l *link, deliver func()) {
	c := w.chaos
	if c.hits("drop", c.Drop) {
		return
	}
	times := 1
	if c.hits("duplicate", c.Duplicate) {
		times = 2
	}
	for range times {
		switch {
		case c.hits("delay", c.Delay):
			w.delayed(l, time.Duration(c.random.Int64N(int64(c.MaxDelay))), deliver)
		case c.hits("reorder", c.Reorder):
			c.held[direction] = append(c.held[direction], deliver)
			// Without a next message it comes all the same.
			w.delayed(l, c.MaxDelay, func() { w.release(direction) })
		default:
			deliver()
			w.release(direction)
		}
	}
}

// release delivers the messages that waited for the next one.
func (w *World) release(direction int) {
	held := w.chaos.held[direction]
	w.chaos.held[direction] = nil
	for _, deliver := range held {
		deliver()
	}
}

// delayed runs f under the world's lock after a time, if the connection is still
// there. The caller holds mu.
func (w *World) delayed(l *link, d time.Duration, f func()) {
	w.wait.Go(func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-l.gone:
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		f()
		w.script.flush()
		w.poke()
	})
}

// befall commits the faults that a command can meet. It reports whether the
// command is done with.
func (w *World) befall(f frame) bool {
	c := w.chaos
	switch {
	case c.hits("crash", c.Crash):
		w.log.Warn("fault: the world crashes")
		w.ended = errCrashed
		return true
	case c.hits("disconnect", c.Disconnect):
		w.log.Warn("fault: the connection breaks")
		_ = f.link.conn.CloseNow() // nobody waits for its outcome
		return true
	case c.hits("refuse", c.Refuse):
		f.link.send(errorFrame(f.Header.RequestID, codeTooMany, textTooMany))
		f.link.pending.Add(-1)
		return true
	case c.hits("pause", c.Pause):
		w.log.Warn("fault: the world pauses", "duration", c.PauseFor)
		w.paused = true
		w.delayed(f.link, c.PauseFor, w.resume)
	}
	return false
}

// before commits the faults that come before a command of the script runs.
func (w *World) before(d *store.Dimension, box voxel.Box) {
	c := w.chaos
	if w.link == nil || !c.hits("unload", c.Unload) {
		return
	}
	p := c.cell(box)
	at := chunk{d, p.X >> 4, p.Z >> 4}
	w.unloaded[at] = true
	w.delayed(w.link, c.UnloadFor, func() { delete(w.unloaded, at) })
}

// after commits the faults that come after a command of the script has run.
func (w *World) after(d *store.Dimension, box voxel.Box) {
	c := w.chaos
	for _, seen := range []bool{true, false} {
		name, chance := "drift", c.Drift
		if seen {
			name, chance = "edit", c.Edit
		}
		if !c.hits(name, chance) {
			continue
		}
		p := c.cell(box)
		s, err := w.catalog.parse(visitorBlocks()[c.random.IntN(len(visitorBlocks()))])
		if err == nil && inside(d, p) && w.loaded(d, p) {
			w.edit(d, p, s, seen)
		}
	}
}

// visitorBlocks are what somebody else places.
func visitorBlocks() []string { return []string{"air", "stone", "cobblestone", "oak_planks"} }

// cell draws one cell of a box.
func (c *chaos) cell(box voxel.Box) voxel.Pos {
	size := box.Size()
	return box.Min.Add(voxel.Pos{X: c.random.IntN(size.X), Y: c.random.IntN(size.Y), Z: c.random.IntN(size.Z)})
}

// Pause stops the world, as the game does behind its menu, until it is called
// again with false: commands of the world get no answer, those of the client do.
func (w *World) Pause(paused bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if paused {
		w.paused = true
		return
	}
	w.resume()
	w.poke()
}

// resume goes on after a pause; what was held runs now.
func (w *World) resume() {
	w.paused = false
	held := w.held
	w.held = nil
	for _, f := range held {
		w.receive(f)
	}
}

// String tells the faults in the form that ParseFaults reads.
func (f Faults) String() string {
	chances, durations := f.table()
	var parts []string
	for _, name := range []string{"drop", "duplicate", "reorder", "delay", "refuse", "disconnect", "pause", "crash", "unload", "edit", "drift"} {
		if n := *chances[name]; n != 0 {
			parts = append(parts, fmt.Sprintf("%s=%v", name, n))
		}
	}
	for _, name := range []string{"max_delay", "pause_for", "unload_for"} {
		if d := *durations[name]; d != 0 {
			parts = append(parts, fmt.Sprintf("%s=%v", name, d))
		}
	}
	return strings.Join(parts, ",")
}
