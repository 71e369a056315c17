package recovery

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// TestTheWorldForgetsAtEveryStep lets the game, and not the service, die at every
// point of the scene and come back without its unsaved tail. Whatever was told of
// as applied is there at the end, or is named as lost and can be repaired.
func TestTheWorldForgetsAtEveryStep(t *testing.T) {
	points := crash{verdict: plan.Resume, file: kept}.run(t).first
	losses := 0
	for k := 1; k <= points && !t.Failed(); k++ {
		losses += forgetAt(t, k)
	}
	t.Logf("%d points, %d of them lost something that had ended", points, losses)
	if losses == 0 {
		t.Error("nothing was ever lost")
	}
}

// forgetAt plays the scene with a world that forgets at the k-th point, and
// returns 1 when an operation that had ended lost cells.
func forgetAt(t *testing.T, k int) (losses int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{
			house: newHouse(t), random: rand.New(rand.NewPCG(1, uint64(k))),
			acked: map[string]plan.Operation{}, keys: map[string]string{}, planned: voxel.NewMask(),
		}
		defer func() {
			if t.Failed() {
				t.Logf("the world forgot at point %d", k)
			}
			s.close()
		}()
		cut := newSeam(k)
		cut.instead = s.world.forget
		s.open()
		s.run(tornLog{s.log, cut}, tornWorld{s.world, cut})
		s.play(cut)
		time.Sleep(10 * time.Second) // the Runner looks at the world when it is idle
		s.inspect()
		lost := s.missing()
		for _, report := range s.runner.Forgotten() {
			if !slices.Contains(lost, report.Operation) {
				t.Errorf("%s is named and lacks nothing", report.Operation)
			}
		}
		if len(lost) > 0 {
			losses = 1
			s.mend(lost)
		}
	})
	return losses
}

// missing returns the operations whose cells are not all there, the newest first,
// and asserts that each is named. A cell that an undo gave back to an operation
// counts for the undo.
func (s *scene) missing() (lost []string) {
	s.t.Helper()
	named := map[string]int{}
	for _, report := range s.runner.Forgotten() {
		named[report.Operation] = report.Lost
	}
	newer := voxel.NewMask()
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(s.acked))) {
		op := s.acked[id]
		p, err := s.log.Plan(op.PlanID)
		if err != nil {
			s.t.Fatal(err)
		}
		owned, err := s.log.Owned(id)
		if err != nil {
			s.t.Fatal(err)
		}
		after, absent, covered := p.After(), 0, 0
		for at := range owned.All() {
			switch {
			case string(s.world.show(at)) == after.Content(after.ID(at)):
			case newer.Has(at):
				covered++
			default:
				absent++
			}
		}
		newer.Union(owned)
		if named[id] < absent || named[id] > absent+covered {
			s.t.Errorf("%s (%s) lacks %d cells and %d that a newer one has too, and %d are named", id, op.Status, absent, covered, named[id])
		}
		if absent > 0 {
			lost = append(lost, id)
		}
	}
	return lost
}

// mend repairs operations and asserts that nothing is missing any more.
func (s *scene) mend(lost []string) {
	s.t.Helper()
	repair, err := s.runner.Repair(s.t.Context(), s.project, lost)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.log.PutPlan(repair); err != nil {
		s.t.Fatal(err)
	}
	s.expect(s.apply(repair, "repair"), plan.Applied, repair.Changed)
	time.Sleep(10 * time.Second)
	if left := s.missing(); len(left) > 0 {
		s.t.Errorf("after the repair %v still lack cells", left)
	}
}
