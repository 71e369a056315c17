package recovery

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// sim is a world in memory that runs the commands as the game would: fill with a
// filter, and nothing else. It can go away, forget what it did not save, leave
// cells unloaded, be edited by a player, and lose an answer.
type sim struct {
	registry *block.Registry

	// mu protects everything below.
	mu       sync.Mutex
	world    plan.World
	cells    *voxel.Volume
	saved    *voxel.Volume
	unloaded *voxel.Mask
	changes  []plan.Change
	// forgotten is how many of the changes the ring has lost.
	forgotten int
	touched   *voxel.Mask // every cell that a command of ours changed
	away      bool
	back      chan struct{}
	// before is called ahead of each command; an outcome other than
	// Answered ends the command there.
	before func(command string) plan.OutcomeKind
	sent   int
	mute   int      // so many commands run and their answers are lost
	loads  bool     // ticking areas load chunks
	areas  []string // the tickingarea commands
}

func newSim(registry *block.Registry) *sim {
	s := &sim{
		registry: registry, cells: voxel.NewVolume(), unloaded: voxel.NewMask(), touched: voxel.NewMask(), back: make(chan struct{}),
		world: plan.World{ID: "world-1", Epoch: "epoch-1", Session: "session-1", Game: "1.26.50"},
	}
	s.saved = voxel.NewVolume()
	return s
}

func (s *sim) Info() (plan.World, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return plan.World{}, fault.Errorf(fault.WorldUnavailable, "no world is connected")
	}
	return s.world, nil
}

func (s *sim) Await(ctx context.Context) error {
	s.mu.Lock()
	away, back := s.away, s.back
	s.mu.Unlock()
	if !away {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-back:
		return nil
	}
}

func (s *sim) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
}

func (s *sim) comeBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = false
	close(s.back)
	s.back = make(chan struct{})
}

func (s *sim) Read(_ context.Context, _ string, boxes []voxel.Box) (*plan.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return nil, fault.Errorf(fault.WorldUnavailable, "no world is connected")
	}
	snap := &plan.Snapshot{Cells: voxel.NewVolume()}
	for _, box := range boxes {
		if box.Volume() > maxRead {
			return nil, fault.Errorf(fault.Internal, "a read of %d cells", box.Volume())
		}
		for p := range box.All() {
			if !s.unloaded.Has(p) {
				snap.Cells.Put(p, s.at(p))
			}
		}
	}
	return snap, nil
}

func (s *sim) at(p voxel.Pos) string {
	if text, ok := s.cells.At(p); ok {
		return text
	}
	return string(block.Air)
}

func (s *sim) RunAll(ctx context.Context, commands []string) []plan.Outcome {
	outcomes := make([]plan.Outcome, len(commands))
	for i, command := range commands {
		outcomes[i] = s.run(ctx, command)
	}
	return outcomes
}

// commands returns how many commands were executed, those for chunks left out.
func (s *sim) commands() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

func (s *sim) run(ctx context.Context, command string) plan.Outcome {
	if ctx.Err() != nil {
		return plan.Outcome{Kind: plan.Refused, Message: ctx.Err().Error()}
	}
	s.mu.Lock()
	hook := s.before
	s.mu.Unlock()
	if hook != nil {
		if kind := hook(command); kind != plan.Answered {
			return plan.Outcome{Kind: kind}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mute > 0 {
		s.mute--
		s.fill(command)
		return plan.Outcome{Kind: plan.Unknown, Message: "it ran, and the answer was lost"}
	}
	if s.away {
		return plan.Outcome{Kind: plan.Unknown, Message: "the world went away"}
	}
	if strings.HasPrefix(command, "tickingarea ") {
		s.area(command)
		return plan.Outcome{Kind: plan.Answered, Success: true}
	}
	s.sent++
	n := s.fill(command)
	return plan.Outcome{Kind: plan.Answered, Success: n > 0}
}

// area runs a tickingarea command; loading takes a while that the game does not
// tell.
func (s *sim) area(command string) {
	s.areas = append(s.areas, command)
	if strings.HasPrefix(command, "tickingarea add") && s.loads {
		time.AfterFunc(2*time.Second, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.unloaded = voxel.NewMask()
		})
	}
}

// fill runs one fill … replace command and returns the number of cells it
// changed. It panics on anything that the Runner must not send.
func (s *sim) fill(command string) int {
	words := strings.Fields(command)
	if len(words) != 10 || words[0] != "fill" || words[8] != "replace" {
		panic("not a compare-and-set fill: " + command)
	}
	var n [6]int
	for i := range n {
		v, err := strconv.Atoi(words[1+i])
		if err != nil {
			panic(command)
		}
		n[i] = v
	}
	box := voxel.Box{Min: voxel.Pos{X: n[0], Y: n[1], Z: n[2]}, Max: voxel.Pos{X: n[3], Y: n[4], Z: n[5]}}
	after, err := s.registry.Parse(words[7])
	if err != nil {
		panic(fmt.Sprintf("%s: %v", command, err))
	}
	changed := 0
	for p := range box.All() {
		if s.unloaded.Has(p) || !s.matches(s.at(p), words[9]) || s.at(p) == string(after) {
			continue
		}
		s.cells.Put(p, string(after))
		s.touched.Add(p)
		changed++
	}
	return changed
}

// matches compares a state with a filter: id and the listed states only.
func (s *sim) matches(text, filter string) bool {
	id, states, _ := strings.Cut(strings.TrimSuffix(filter, "]"), "[")
	if !strings.Contains(id, ":") {
		id = "minecraft:" + id
	}
	if block.State(text).ID() != id {
		return false
	}
	for pair := range strings.SplitSeq(strings.ReplaceAll(states, `"`, ""), ",") {
		if pair != "" && !strings.Contains(text, pair) {
			return false
		}
	}
	return true
}

func (s *sim) Changes(_ context.Context, cursor string) (plan.Changes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return plan.Changes{}, fault.Errorf(fault.WorldUnavailable, "no world is connected")
	}
	from, gap := len(s.changes), false
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil {
			return plan.Changes{}, err
		}
		from = max(n, s.forgotten)
		gap = from > n
	}
	return plan.Changes{Cursor: strconv.Itoa(len(s.changes)), Gap: gap, List: append([]plan.Change(nil), s.changes[from:]...)}, nil
}

// edit is a player's edit: with its event, or without one as a command or another
// pack would make it.
func (s *sim) edit(p voxel.Pos, to block.State, event bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells.Put(p, string(to))
	if event {
		s.changes = append(s.changes, plan.Change{Pos: p, Dimension: "overworld", Kind: "place", Player: "Steve"})
	}
}

// overflow makes the ring lose all that nobody asked for yet.
func (s *sim) overflow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, plan.Change{Pos: voxel.Pos{X: 1 << 20}, Dimension: "overworld", Kind: "break"})
	s.forgotten = len(s.changes)
}

// save makes what the world has now survive a crash of it; forget is that crash.
func (s *sim) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = copyOf(s.cells)
}

func (s *sim) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells = copyOf(s.saved)
	s.world.Session += "'"
}

func (s *sim) session() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world.Session
}

func (s *sim) show(p voxel.Pos) block.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return block.State(s.at(p))
}

func copyOf(v *voxel.Volume) *voxel.Volume {
	c := voxel.NewVolume()
	for p, id := range v.All() {
		c.Put(p, v.Content(id))
	}
	return c
}
