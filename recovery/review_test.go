package recovery

import (
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// stopDuring starts an operation of 64 cells in slices of 8 and stops the
// service dead ahead of its n-th command.
func (h *house) stopDuring(n int) plan.Operation {
	h.t.Helper()
	return h.stopPlan(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), n)
}

func (h *house) stopPlan(p *plan.Plan, n int) plan.Operation {
	h.t.Helper()
	cut := newSeam(0)
	h.runner.Close()
	h.run(tornLog{h.log, cut}, tornWorld{h.world, cut})
	count := 0
	h.world.before = func(string) plan.OutcomeKind {
		if count++; count < n {
			return plan.Answered
		}
		cut.crash()
		return plan.Unknown
	}
	op, err := h.begin(p, "stopped "+p.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	<-cut.crashed
	h.world.mu.Lock()
	h.world.before = nil
	h.world.mu.Unlock()
	h.restart()
	if op, err = h.log.Operation(op.ID); err != nil {
		h.t.Fatal(err)
	}
	if op.Status != plan.RecoveryRequired {
		h.t.Fatalf("after the restart the operation is %s", op.Status)
	}
	return op
}

func (h *house) review(id string) Review {
	h.t.Helper()
	review, err := h.runner.Review(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	if review.Before+review.After+review.Foreign != review.Positions {
		h.t.Fatalf("the counts of %+v do not add up", review)
	}
	return review
}

func (h *house) ruling(id string) Ruling {
	return Ruling{Operation: id, Digest: h.review(id).Digest, By: "admin", Reason: "test"}
}

func TestUnfinishedOperationShutsTheGateAndIsNotContinued(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(3)
		sent := h.world.commands()
		_, err := h.begin(h.prepare(box(40, 64, 0, 1, 1, 1, stone)), "k2")
		h.expectCode(err, fault.RecoveryRequired)
		time.Sleep(time.Minute)
		if h.world.commands() != sent {
			t.Fatalf("%d commands were sent while the gate was shut", h.world.commands()-sent)
		}
		again, err := h.runner.Apply(h.project, "console", op.PlanID, "", "stopped "+op.PlanID)
		if err != nil || again.ID != op.ID {
			t.Fatalf("the key of the unfinished operation gave %v, %v", again.ID, err)
		}
	})
}

func TestReviewCountsReceiptsAndTheOpenIntentOnly(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(3) // two slices written, the third only intended
		review := h.review(op.ID)
		if review.Positions != 24 || review.After != 16 || review.Before != 8 || review.Foreign != 0 {
			t.Fatalf("review is %+v, want 24 positions, 16 after, 8 before", review)
		}
		if review.Operation != op.ID || review.Plan != op.PlanID || len(review.Digest) != 64 {
			t.Fatalf("review is %+v", review)
		}
		h.world.edit(review.Cells[0].Pos, gold, false)
		changed := h.review(op.ID)
		if changed.Foreign != 1 || changed.Digest == review.Digest {
			t.Fatalf("after an edit the review is %+v", changed)
		}
	})
}

func TestSkippedCellsAreNotInTheReview(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 1, 4, stone))
		h.world.edit(voxel.Pos{X: 0, Y: 64, Z: 0}, stone, false)
		op := h.stopPlan(p, 1)
		if review := h.review(op.ID); review.Positions != 7 {
			t.Fatalf("review has %d positions, want the 7 of the first slice that were not skipped", review.Positions)
		}
	})
}

func TestAbandonLeavesTheWorldAndEndsUndoForEver(t *testing.T) {
	in(t, func(h *house) {
		below := h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, dirt)), "k0")
		op := h.stopDuring(3)
		before := copyOf(h.world.cells)
		stale := h.ruling(op.ID)
		stale.Digest = "00" + stale.Digest[2:]
		_, err := h.runner.Abandon(t.Context(), stale)
		h.expectCode(err, fault.InvalidRequest)
		abandoned, err := h.runner.Abandon(t.Context(), h.ruling(op.ID))
		if err != nil || abandoned.Status != plan.Failed || !abandoned.Abandoned {
			t.Fatalf("abandoned operation is %+v, %v", abandoned, err)
		}
		for p, id := range before.All() {
			h.expectCell(p, block.State(before.Content(id)))
		}
		h.restart()
		_, err = h.prepareUndo(op.ID, true)
		h.expectCode(err, fault.UndoConflict)
		undo, err := h.prepareUndo(below.ID, true)
		if err != nil || undo.Report.Kept != 24 || undo.Report.Restored != 40 {
			t.Fatalf("undo of the older operation: %+v, %v; want 24 cells void", undo.Report, err)
		}
		h.expect(h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, gold)), "k3"), plan.Applied, 64)
	})
}

func TestAbandonRefusesADigestFromBeforeAnEdit(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(3)
		ruling := h.ruling(op.ID)
		h.world.edit(corner, gold, false)
		_, err := h.runner.Abandon(t.Context(), ruling)
		h.expectCode(err, fault.InvalidRequest)
		if gate, err := h.runner.Gate(); err != nil || len(gate) != 1 {
			t.Fatalf("gate is %v, %v", gate, err)
		}
		if _, err := h.runner.Abandon(t.Context(), h.ruling(op.ID)); err != nil {
			t.Fatal(err)
		}
		h.expectCell(corner, gold)
	})
}

func TestQueuedOperationWithoutIntentHasNoPositionsAndCanBeAbandoned(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		cut := newSeam(0)
		h.runner.Close()
		h.run(tornLog{h.log, cut}, tornWorld{h.world, cut})
		cut.mu.Lock()
		cut.stopAt = cut.passed + 3 // after Enqueue, ahead of what follows
		cut.mu.Unlock()
		op, err := h.begin(p, "k1")
		if err != nil {
			t.Fatal(err)
		}
		<-cut.crashed
		h.restart()
		h.world.leave() // nothing has to be read
		if review := h.review(op.ID); review.Positions != 0 {
			t.Fatalf("review has %d positions", review.Positions)
		}
		if _, err := h.runner.Abandon(t.Context(), h.ruling(op.ID)); err != nil {
			t.Fatal(err)
		}
		h.world.comeBack()
	})
}

func TestGateOpensOnlyWhenAllAreDecided(t *testing.T) {
	in(t, func(h *house) {
		first := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		second := h.prepare(box(8, 64, 0, 4, 4, 4, stone))
		cut := newSeam(0)
		h.runner.Close()
		h.run(tornLog{h.log, cut}, tornWorld{h.world, cut})
		var other plan.Operation
		h.atCommand(3, func() {
			var err error
			if other, err = h.begin(second, "second"); err != nil {
				t.Error(err)
			}
			cut.crash()
		})
		op, err := h.begin(first, "first")
		if err != nil {
			t.Fatal(err)
		}
		<-cut.crashed
		h.restart()
		if _, err := h.runner.Abandon(t.Context(), h.ruling(op.ID)); err != nil {
			t.Fatal(err)
		}
		_, err = h.begin(h.prepare(box(40, 64, 0, 1, 1, 1, stone)), "third")
		h.expectCode(err, fault.RecoveryRequired)
		if _, err := h.runner.Abandon(t.Context(), h.ruling(other.ID)); err != nil {
			t.Fatal(err)
		}
		h.expect(h.apply(h.prepare(box(40, 64, 0, 1, 1, 1, stone)), "third"), plan.Applied, 1)
	})
}

func TestResumeFinishesTheOperation(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(3)
		if _, err := h.runner.Resume(t.Context(), h.ruling(op.ID)); err != nil {
			t.Fatal(err)
		}
		h.expect(h.wait(op.ID), plan.Applied, 64)
		h.expect(h.apply(h.undo(op.ID), "k2"), plan.Applied, 64)
	})
}

func TestRollbackWritesTheCellsBack(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(4)
		rolled, undo, err := h.runner.Rollback(t.Context(), h.ruling(op.ID))
		if err != nil || rolled.Status != plan.Failed {
			t.Fatalf("rolled back operation is %s, %v", rolled.Status, err)
		}
		h.expect(h.wait(undo.ID), plan.Applied, 24)
		for p := range (voxel.Box{Min: corner, Max: corner.Add(voxel.Pos{X: 3, Y: 3, Z: 3})}).All() {
			h.expectCell(p, block.Air)
		}
		if decisions, err := h.log.Decisions(); err != nil || len(decisions) != 1 || decisions[0].Reason != "test" {
			t.Fatalf("decisions are %+v, %v", decisions, err)
		}
	})
}

// lastWords is a journal whose process dies right after its first decision.
type lastWords struct {
	Log
	cut *seam
}

func (l lastWords) Decide(d plan.Decision, op plan.Operation, mask *voxel.Mask, then ...plan.Operation) error {
	if err := l.Log.Decide(d, op, mask, then...); err != nil {
		return err
	}
	l.cut.crash()
	return nil
}

// A kill between the decision and the start of the operation that writes the cells
// back left a rollback that was decided, listed, and never done.
func TestARollbackThatWasDecidedIsNotForgottenByACrash(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(4)
		h.runner.Close()
		cut := newSeam(0)
		h.run(lastWords{tornLog{h.log, cut}, cut}, tornWorld{h.world, cut})
		_, _, err := h.runner.Rollback(t.Context(), h.ruling(op.ID))
		if _, dead := cut.state(); !dead {
			t.Fatalf("nothing was decided: %v", err)
		}
		h.restart()
		decisions, err := h.log.Decisions()
		if err != nil || len(decisions) != 1 {
			t.Fatalf("decisions are %+v, %v", decisions, err)
		}
		undo, ok, err := h.log.Lookup(h.project.ID, "rollback "+decisions[0].ID)
		if err != nil || !ok || undo.Status != plan.RecoveryRequired {
			t.Fatalf("the operation that writes the cells back is %+v, %v", undo, err)
		}
		if _, err := h.runner.Resume(t.Context(), h.ruling(undo.ID)); err != nil {
			t.Fatal(err)
		}
		h.expect(h.wait(undo.ID), plan.Applied, 24)
		h.expectCell(corner, block.Air)
	})
}

func TestResumeAndRollbackAreRefusedWhileACellIsForeign(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(3)
		h.world.edit(h.review(op.ID).Cells[0].Pos, gold, false)
		_, err := h.runner.Resume(t.Context(), h.ruling(op.ID))
		h.expectCode(err, fault.Conflict)
		_, _, err = h.runner.Rollback(t.Context(), h.ruling(op.ID))
		h.expectCode(err, fault.Conflict)
	})
}

func TestDigestOfAnotherOperationNeverMatches(t *testing.T) {
	in(t, func(h *house) {
		op := h.stopDuring(3)
		ruling := h.ruling(op.ID)
		if _, err := h.runner.Abandon(t.Context(), ruling); err != nil {
			t.Fatal(err)
		}
		next := h.stopPlan(h.prepare(box(0, 70, 0, 4, 4, 4, stone)), 3)
		ruling.Operation = next.ID
		_, err := h.runner.Abandon(t.Context(), ruling)
		h.expectCode(err, fault.InvalidRequest)
	})
}

func TestDigestDependsOnEveryPartOfACell(t *testing.T) {
	sum := func(c Seen) string {
		j := &job{plan: &plan.Plan{}}
		d := newDigest(j)
		d.cell(c)
		return d.sum()
	}
	base := Seen{Pos: corner, Before: stone, After: dirt, Current: gold}
	for name, change := range map[string]func(*Seen){
		"position": func(c *Seen) { c.Pos.X++ },
		"before":   func(c *Seen) { c.Before = gold },
		"after":    func(c *Seen) { c.After = gold },
		"current":  func(c *Seen) { c.Current = stone },
	} {
		other := base
		change(&other)
		if sum(base) == sum(other) {
			t.Errorf("the digest does not tell another %s", name)
		}
	}
}
