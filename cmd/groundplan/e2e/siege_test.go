package e2e

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"groundplan/plan/voxel"
)

var (
	rounds = flag.Int("rounds", 10, "how many times the siege kills the service, the world, or both")
	seed   = flag.Uint64("seed", 1, "what the siege draws its plans, victims and moments from")
)

// siege kills the real processes at random moments and compares what is left with
// what was answered.
type siege struct {
	*house
	*model
	random   *rand.Rand
	keys     int
	spare    int                      // kills that this round may still make
	lost     map[*deed]map[int]string // what cells of theirs hold since a world died, until that was asked for
	refusals map[string]bool          // keys that the gate refused
	hits     map[string]int           // what the kills hit
}

// TestKills is a client, an admin and a neighbour of a service whose process, and
// whose world's process, get SIGKILL at random moments. It checks, by a model of
// its own, that what was answered as applied is in the world (or named as lost
// with the world's unsaved tail), that one key has one effect, that edits by others
// are kept, that the gate stays shut until everything is decided, and that nothing
// but the plans' cells ever changes.
func TestKills(t *testing.T) {
	s := &siege{
		house: newHouse(t), model: newModel(), random: rand.New(rand.NewPCG(*seed, 0x6b696c6c)),
		lost: map[*deed]map[int]string{}, refusals: map[string]bool{}, hits: map[string]int{},
	}
	defer s.stop()
	defer func() {
		if t.Failed() {
			t.Logf("again: go test ./cmd/groundplan/e2e -run TestKills -rounds %d -seed %d", *rounds, *seed)
		}
	}()
	s.startService()
	s.startWorld()
	s.connected()
	began := time.Now()
	for n := range *rounds {
		s.note("round %d", n)
		s.round()
		if n%10 == 9 {
			s.door()
		}
	}
	s.door()
	s.keysHaveOneEffect()
	t.Logf("%d rounds in %v, seed %d, %d operations", *rounds, time.Since(began).Round(time.Second), *seed, len(s.ended))
	for _, what := range slices.Sorted(maps.Keys(s.hits)) {
		t.Logf("%6d  %s", s.hits[what], what)
	}
}

// round asks for a few operations, kills somebody meanwhile, and sees to it that
// everything is settled.
func (s *siege) round() {
	s.spare = 3
	early := s.random.IntN(4) == 0
	if early {
		s.armAny(200 * time.Millisecond)
	}
	var plans []*deed
	for i := range 1 + s.random.IntN(4) {
		if d := s.plan(i); d != nil {
			plans = append(plans, d)
		}
	}
	if !early {
		s.armAny(200 * time.Millisecond)
	}
	for _, d := range plans {
		if !s.submit(d) {
			break
		}
	}
	s.meddle()
	s.settle()
}

// armAny has somebody killed at some moment.
func (s *siege) armAny(within time.Duration) {
	victims := []int{killService, killService, killService, killWorld, killWorld, killService | killWorld}
	s.spare--
	s.arm(victims[s.random.IntN(len(victims))], time.Duration(s.random.Int64N(int64(within))))
}

// submit starts a plan under a key of its own, and reports whether there is
// somebody to go on with.
func (s *siege) submit(d *deed) bool {
	s.keys++
	d.key = fmt.Sprintf("key-%d", s.keys)
	s.flight = append(s.flight, d)
	for range 1 + s.random.IntN(2) { // sometimes the client repeats itself
		a, err := s.ask(s.agent, "build_apply", d.under(d.key))
		if err != nil {
			s.excuse("build_apply", err)
			return false
		}
		if !a.OK {
			if a.Error.Code == "world_unavailable" && s.victims&killWorld != 0 {
				s.flight = slices.DeleteFunc(s.flight, func(one *deed) bool { return one == d && d.id == "" })
				return true
			}
			s.fail("build_apply was refused: %+v", a.Error)
		}
		s.accept(d, decode[operation](s.t, "build_apply", a))
	}
	time.Sleep(time.Duration(s.random.IntN(20)) * time.Millisecond)
	return true
}

// accept takes what the service says of an operation.
func (s *siege) accept(d *deed, op operation) {
	s.t.Helper()
	switch {
	case d.id != "" && d.id != op.OperationID:
		s.fail("key %s was operation %s and is %s", d.key, d.id, op.OperationID)
	case d.final() && (op.Status != d.told.Status || op.Written != d.told.Written):
		s.fail("operation %s was %s with %d cells and is %s with %d", d.id, d.told.Status, d.told.Written, op.Status, op.Written)
	case d.PlanID != "" && op.PlanID != d.PlanID:
		s.fail("operation %s is of plan %s and was asked for %s", op.OperationID, op.PlanID, d.PlanID)
	}
	d.id, d.told = op.OperationID, op
	if op.Status == "recovery_required" {
		d.crash = true
	}
}

// meddle is what others do while operations run: cancel one, place a block.
func (s *siege) meddle() {
	if s.random.IntN(3) == 0 && len(s.flight) > 0 {
		d := s.flight[0] // the one at work, if any is
		if d.id != "" {
			time.Sleep(time.Duration(s.random.IntN(50)) * time.Millisecond)
			if op, ok := must[operation](s.house, s.agent, "operation_cancel", object{"operation_id": d.id}); ok {
				s.accept(d, op)
			}
		}
	}
	if s.random.IntN(3) == 0 {
		for range 1 + s.random.IntN(6) {
			s.edit(s.target())
			time.Sleep(time.Duration(s.random.IntN(15)) * time.Millisecond)
		}
	}
}

// target is a cell to edit: mostly one that an operation is about to write.
func (s *siege) target() int {
	if len(s.flight) > 0 && s.random.IntN(5) > 0 {
		d := s.flight[s.random.IntN(len(s.flight))]
		if wanted := slices.Sorted(maps.Keys(d.want)); len(wanted) > 0 {
			return wanted[s.random.IntN(len(wanted))]
		}
	}
	return s.random.IntN(cells)
}

// edit places a block that no plan has, as somebody else in the world.
func (s *siege) edit(c int) {
	block := []string{"gold_block", "diamond_block"}[s.random.IntN(2)]
	p := at(c)
	taken, known := s.typeLine(fmt.Sprintf("setblock %d %d %d %s", p.X, p.Y, p.Z, block))
	switch {
	case taken:
		s.foreign[c] = "minecraft:" + block
		delete(s.maybe, c)
	case !known:
		s.maybe[c] = "minecraft:" + block
	}
}

// settle repairs, decides and waits until nothing is open.
func (s *siege) settle() {
	for {
		s.mend()
		gate, ok := s.gate()
		switch {
		case !ok:
			continue
		case len(gate) > 0:
			s.decide(gate)
		case s.await() && s.doomed == nil && s.look():
			s.forgotten()
			if s.doomed == nil {
				return
			}
		}
	}
}

// await waits until every operation has ended; false when somebody was killed
// first.
func (s *siege) await() bool {
	for end := time.Now().Add(patience); !s.struck(); time.Sleep(5 * time.Millisecond) {
		open := slices.IndexFunc(s.flight, (*deed).running)
		if open < 0 {
			if s.doomed != nil {
				<-s.doomed
			}
			return s.doomed == nil
		}
		d := s.flight[open]
		op, ok := must[operation](s.house, s.agent, "operation_status", object{"operation_id": d.id})
		if !ok {
			return false
		}
		s.accept(d, op)
		if time.Now().After(end) {
			s.fail("operation %s does not end: %+v", d.id, op)
		}
	}
	return false
}

// look reads the arena and compares it with the model; false when somebody was
// killed first.
func (s *siege) look() bool {
	s.t.Helper()
	now, ok := s.read()
	if !ok {
		return false
	}
	if err := s.pin(now); err != nil {
		s.fail("%v", err)
	}
	return true
}

// read reads the arena through the service.
func (s *siege) read() (now arena, ok bool) {
	type cell struct {
		Pos   pos    `json:"pos"`
		State string `json:"state"`
	}
	type page struct {
		Blocks []cell `json:"blocks"`
	}
	v, ok := must[page](s.house, s.agent, "region_inspect", object{"min": at(0), "max": at(cells - 1), "detail": "blocks"})
	if !ok {
		return now, false
	}
	for _, b := range v.Blocks {
		c, inside := cellAt(b.Pos)
		if !inside {
			s.fail("region_inspect gave %v", b.Pos)
		}
		now[c] = b.State
	}
	return now, len(v.Blocks) == cells
}

// door compares the service's view with the world's own file, once it is saved.
func (s *siege) door() {
	s.t.Helper()
	var now arena
	var stray []voxel.Pos
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var err error
		if now, stray, err = readFile(s.worldDir()); err != nil {
			s.fail("the world's file: %v", err)
		}
		if len(stray) > 0 {
			s.fail("blocks outside of every plan: %v", stray)
		}
		if now == s.base {
			break
		}
		if time.Now().After(end) {
			s.fail("the world's file does not become what the service reads")
		}
	}
	for c, text := range now {
		s.past[c] = []string{text}
	}
	s.hits["views compared with the world's file"]++
}

// keysHaveOneEffect goes through the list of all operations.
func (s *siege) keysHaveOneEffect() {
	known := map[string]*deed{}
	for _, d := range s.ended {
		known[d.id] = d
	}
	keys, plans := map[string]string{}, map[string]string{}
	for _, op := range s.list() {
		if keys[op.Key] != "" || plans[op.PlanID] != "" {
			s.fail("operation %s has the key %s of %s or the plan %s of %s", op.OperationID, op.Key, keys[op.Key], op.PlanID, plans[op.PlanID])
		}
		if s.refusals[op.Key] || known[op.OperationID] == nil {
			s.fail("operation %s under key %s was never accepted", op.OperationID, op.Key)
		}
		keys[op.Key], plans[op.PlanID] = op.OperationID, op.OperationID
	}
	if len(keys) != len(known) {
		s.fail("%d operations are listed and %d were accepted", len(keys), len(known))
	}
}

// list returns every operation of the project, the newest first.
func (s *siege) list() (all []operation) {
	type page struct {
		Operations []operation `json:"operations"`
		Next       string      `json:"next"`
	}
	for before := ""; ; {
		v, ok := must[page](s.house, s.agent, "operation_list", object{"before": before})
		if !ok {
			return nil
		}
		all = append(all, v.Operations...)
		if before = v.Next; before == "" {
			return all
		}
	}
}

// describe names a plan in the notes.
func (d *deed) describe() string {
	return fmt.Sprintf("%s %s, %d cells, plan %s, %s", d.kind, d.key, len(d.want), d.PlanID, strings.TrimSpace(d.id+" "+d.told.Status))
}
