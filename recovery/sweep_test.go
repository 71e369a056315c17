package recovery

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// stride thins the second crashes out: 1 takes every one.
var stride = flag.Int("stride", usualStride, "take every n-th point of the recovery for the second crash of the sweep")

// crash says where a run of the sweep stops dead, and what is left then.
type crash struct {
	first, second int  // points of the scene and of the recovery; 0: none
	file          fate // of what the journal had not synced
	forgets       bool // the world loses its unsaved tail
	verdict       plan.Verdict
}

func (c crash) String() string {
	return fmt.Sprintf("crash at point %d, again at %d, %s, unsynced writes %s, the world forgets: %v", c.first, c.second, c.verdict, c.file, c.forgets)
}

// scene is one run of the sweep: a few operations, a crash, and the recovery from
// it, itself crashed at a later point.
type scene struct {
	*house
	crash   crash
	random  *rand.Rand
	acked   map[string]plan.Operation // final operations that a caller was told of
	keys    map[string]string         // key to operation, as told
	planned *voxel.Mask               // cells of every plan
	last    string
}

// play applies a plan of three slices, an overlapping one, and undoes that.
func (s *scene) play(cut *seam) {
	for i, wanted := range []*voxel.Volume{box(0, 64, 0, 4, 2, 3, stone), box(1, 64, 0, 4, 2, 2, bricks)} {
		if !s.try(cut, s.prepare(wanted), fmt.Sprintf("build-%d", i)) {
			return
		}
		s.world.save()
	}
	undo, err := s.prepareUndo(s.last, false)
	if err != nil || s.log.PutPlan(undo.Plan) != nil {
		return
	}
	s.try(cut, undo.Plan, "undo")
}

// try applies a plan and reports whether the service lived until its end.
func (s *scene) try(cut *seam, p *plan.Plan, key string) bool {
	for _, slice := range p.Slices {
		s.planned.Union(slice.Mask())
	}
	op, err := s.begin(p, key)
	if err != nil {
		return false
	}
	s.keys[key] = op.ID
	s.last = op.ID
	for !op.Status.Final() {
		select {
		case <-cut.crashed:
			return false
		case <-time.After(100 * time.Millisecond):
		}
		if op, err = s.runner.Log.Operation(op.ID); err != nil {
			s.t.Fatal(err)
		}
	}
	select {
	case <-cut.crashed:
		return false
	default:
	}
	s.acked[op.ID] = op
	return true
}

// inspect asserts what must hold in the file and the world at any moment.
func (s *scene) inspect() {
	s.t.Helper()
	if err := s.log.Check(); err != nil {
		s.t.Fatalf("journal check: %v", err)
	}
	intended := voxel.NewMask()
	operations, err := s.log.Operations(journal.Filter{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, op := range operations {
		entries, err := s.log.Entries(op.ID)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			intended.Union(e.Intent.Write)
		}
	}
	decisions, err := s.log.Decisions()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range decisions {
		if _, ok, err := s.log.Lookup(s.project.ID, "rollback "+d.ID); err != nil || ok != (d.Verdict == plan.Rollback) {
			s.t.Fatalf("%s of %s was decided; an operation that writes back: %v, %v", d.Verdict, d.Operation, ok, err)
		}
	}
	s.without(s.world.touched, intended, "was written without a durable intent")
	s.without(s.world.touched, s.planned, "is in no plan and was written")
	for id, told := range s.acked {
		now, err := s.log.Operation(id)
		if err != nil || now.Status != told.Status || now.Written != told.Written {
			s.t.Fatalf("an acknowledged operation was %s with %d and is %s with %d, %v", told.Status, told.Written, now.Status, now.Written, err)
		}
	}
	for key, id := range s.keys {
		if op, ok, err := s.log.Lookup(s.project.ID, key); err != nil || !ok || op.ID != id {
			s.t.Fatalf("key %s gives %s, was %s, %v", key, op.ID, id, err)
		}
	}
}

func (s *scene) without(cells, allowed *voxel.Mask, what string) {
	s.t.Helper()
	rest := cells.Clone()
	rest.Subtract(allowed)
	for p := range rest.All() {
		s.t.Fatalf("%v %s", p, what)
	}
}

func (s *scene) unfinished() []plan.Operation {
	s.t.Helper()
	list, err := s.log.Unfinished()
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// recover decides about everything that is unfinished.
func (s *scene) recover(cut *seam) {
	for _, op := range s.unfinished() {
		ruling := Ruling{Operation: op.ID, By: "admin", Reason: "sweep"}
		review, err := s.runner.Review(s.t.Context(), op.ID)
		if err != nil {
			return
		}
		ruling.Digest = review.Digest
		follow := op.ID
		switch s.crash.verdict {
		case plan.Resume:
			_, err = s.runner.Resume(s.t.Context(), ruling)
		case plan.Rollback:
			var undo plan.Operation
			_, undo, err = s.runner.Rollback(s.t.Context(), ruling)
			follow = undo.ID
		case plan.Abandon:
			_, err = s.runner.Abandon(s.t.Context(), ruling)
		}
		if err != nil {
			return
		}
		for {
			now, err := s.runner.Log.Operation(follow)
			if err != nil {
				s.t.Fatal(err)
			}
			if now.Status.Final() {
				break
			}
			select {
			case <-cut.crashed:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// reopen starts a new process on what the crash left, and reports whether it came
// up.
func (s *scene) reopen(cut *seam) bool {
	s.t.Helper()
	if s.runner != nil {
		s.runner.Close()
	}
	if err := s.log.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.disk.leave(s.t, s.crash.file, s.random)
	if s.crash.forgets {
		s.world.forget()
	}
	s.disk = &disk{path: s.path, cut: cut}
	s.open()
	s.inspect()
	err := s.launch(tornLog{s.log, cut}, tornWorld{s.world, cut})
	if _, dead := cut.state(); err != nil && !dead {
		s.t.Fatal(err)
	}
	return err == nil
}

// gated asserts that an undecided operation keeps everything else out.
func (s *scene) gated() {
	s.t.Helper()
	sent := s.world.commands()
	gate, err := s.runner.Gate()
	if err != nil {
		s.t.Fatal(err)
	}
	s.planned.Add(voxel.Pos{X: 40, Y: 64, Z: 0})
	op, err := s.begin(s.prepare(box(40, 64, 0, 1, 1, 1, stone)), "gated")
	if err == nil {
		s.keys["gated"] = op.ID
		s.expect(s.wait(op.ID), plan.Applied, 1)
	}
	if len(gate) > 0 {
		s.expectCode(err, fault.RecoveryRequired)
		time.Sleep(10 * time.Second)
		if s.world.commands() != sent {
			s.t.Fatalf("%d commands were sent while the gate was shut", s.world.commands()-sent)
		}
	} else if err != nil {
		s.t.Fatalf("the gate is open, but: %v", err)
	}
}

// finale asserts that everything is decided and work goes on.
func (s *scene) finale() {
	s.t.Helper()
	s.inspect()
	if gate, err := s.runner.Gate(); err != nil || len(gate) > 0 {
		s.t.Fatalf("gate is %v, %v", gate, err)
	}
	s.planned.Add(voxel.Pos{X: 60, Y: 64, Z: 0})
	op := s.apply(s.prepare(box(60, 64, 0, 1, 1, 1, stone)), "after")
	s.keys["after"] = op.ID
	s.expect(op, plan.Applied, 1)
	s.expectCell(voxel.Pos{X: 60, Y: 64, Z: 0}, stone)
	for p := range s.planned.All() {
		switch got := s.world.show(p); got {
		case block.Air, stone, bricks:
		default:
			s.t.Fatalf("%v is %s", p, got)
		}
	}
}

// passed is how far a run of the sweep came.
type passed struct {
	first, second int  // points of the scene and of the recovery
	inCommit      bool // the first crash was in a commit, so what is synced matters
}

// run plays a scene with its crashes.
func (c crash) run(t *testing.T) (p passed) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{
			house: newHouse(t), crash: c, random: rand.New(rand.NewPCG(uint64(c.first), uint64(c.second))),
			acked: map[string]plan.Operation{}, keys: map[string]string{}, planned: voxel.NewMask(),
		}
		defer func() {
			if t.Failed() {
				t.Log(c)
			}
			s.close()
		}()
		cut := newSeam(c.first)
		s.disk = &disk{path: s.path, cut: cut}
		s.open()
		s.run(tornLog{s.log, cut}, tornWorld{s.world, cut})
		s.play(cut)
		p.first, _ = cut.state()
		p.inCommit = s.disk.written != nil
		again := newSeam(c.second)
		if s.reopen(again) {
			if c.second == 0 {
				s.gated()
			}
			s.recover(again)
		}
		p.second, _ = again.state()
		if c.second > 0 {
			s.reopen(newSeam(0))
			s.recover(newSeam(0))
		}
		s.finale()
	})
	return p
}

// TestSweep stops the service dead at every point, with each verdict, and at
// every point of the recovery again; with and without a world that forgets; and,
// where that is within a commit, with the writes that were not synced in the
// journal's file, lost, and in it in part.
func TestSweep(t *testing.T) {
	points := crash{verdict: plan.Resume, file: kept}.run(t).first
	runs, within := map[fate]int{}, map[int]bool{}
	for k := 1; k <= points && !t.Failed(); k++ {
		for _, verdict := range []plan.Verdict{plan.Abandon, plan.Resume, plan.Rollback} {
			for _, forgets := range []bool{false, true} {
				for _, file := range []fate{kept, dropped, torn} {
					c := crash{first: k, file: file, forgets: forgets, verdict: verdict}
					p := c.run(t)
					runs[file]++
					for c.second = 1 + k%*stride; c.second <= p.second && !t.Failed(); c.second += *stride {
						c.run(t)
						runs[file]++
					}
					if !p.inCommit {
						break // nothing was unsynced
					}
					within[k] = true
				}
			}
		}
	}
	t.Logf("%d points, %d of them within a commit; crashes by what became of unsynced writes: %v", points, len(within), runs)
	if len(within) == 0 {
		t.Error("no crash was within a commit")
	}
}
