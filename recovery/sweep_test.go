package recovery

import (
	"flag"
	"fmt"
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

// scene is one run of the sweep: a few operations, a crash at the k-th point,
// and the recovery from it, itself crashed at the m-th point.
type scene struct {
	*house
	acked   map[string]plan.Operation // final operations that a caller was told of
	keys    map[string]string         // key to operation, as told
	planned *voxel.Mask               // cells of every plan
	verdict plan.Verdict
	forgets bool // the world loses its unsaved tail at the crash
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
		switch s.verdict {
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
	if s.forgets {
		s.world.forget()
	}
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
	sent := s.world.sent
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
		if s.world.sent != sent {
			s.t.Fatalf("%d commands were sent while the gate was shut", s.world.sent-sent)
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

// crashAt plays a scene whose k-th point is its end, and its recovery, which ends
// at its m-th point when m is not 0. It returns how many points were passed.
func crashAt(t *testing.T, k, m int, verdict plan.Verdict, forgets bool) (first, second int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{
			house: newHouse(t), acked: map[string]plan.Operation{}, keys: map[string]string{},
			planned: voxel.NewMask(), verdict: verdict, forgets: forgets,
		}
		defer func() {
			if t.Failed() {
				t.Logf("crash at point %d, again at %d, %s, forgets %v", k, m, verdict, forgets)
			}
			s.close()
		}()
		cut := newSeam(k)
		s.open()
		s.run(tornLog{s.log, cut}, tornWorld{s.world, cut})
		s.play(cut)
		first, _ = cut.state()
		again := newSeam(m)
		if s.reopen(again) {
			if m == 0 {
				s.gated()
			}
			s.recover(again)
		}
		second, _ = again.state()
		if m > 0 {
			s.reopen(newSeam(0))
			s.recover(newSeam(0))
		}
		s.finale()
	})
	return first, second
}

// TestSweep stops the service dead at every point, with each verdict, and at
// every point of the recovery again; with and without a world that forgets.
func TestSweep(t *testing.T) {
	points, _ := crashAt(t, 0, 0, plan.Resume, false)
	runs := 0
	for k := 1; k <= points && !t.Failed(); k++ {
		for _, verdict := range []plan.Verdict{plan.Abandon, plan.Resume, plan.Rollback} {
			for _, forgets := range []bool{false, true} {
				_, again := crashAt(t, k, 0, verdict, forgets)
				runs++
				for m := 1 + k%*stride; m <= again && !t.Failed(); m += *stride {
					crashAt(t, k, m, verdict, forgets)
					runs++
				}
			}
		}
	}
	t.Logf("%d points, %d crashes", points, runs)
}
