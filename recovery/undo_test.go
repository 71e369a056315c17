package recovery

import (
	"errors"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestUndoIsRefusedByAnExternalChangeBeforePreparation(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		h.world.edit(corner, gold, false)
		_, err := h.prepareUndo(op.ID, false)
		h.expectCode(err, fault.UndoConflict)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Details["count"] != 1 {
			t.Fatalf("refusal is %+v", refusal)
		}
		if cells, ok := refusal.Details["cells"].([]plan.Conflict); !ok || cells[0].Current != gold {
			t.Fatalf("cells are %+v", refusal.Details["cells"])
		}
		h.expectCell(corner, gold)
	})
}

func TestPartialUndoLeavesWhatOthersChanged(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		h.world.edit(corner, gold, false)
		undo, err := h.prepareUndo(op.ID, true)
		if err != nil || undo.Report.Kept != 1 || undo.Report.Reasons["changed"] != 1 {
			t.Fatalf("report %+v, %v", undo.Report, err)
		}
		if err := h.log.PutPlan(undo.Plan); err != nil {
			t.Fatal(err)
		}
		h.expect(h.apply(undo.Plan, "k2"), plan.Applied, 26)
		h.expectCell(corner, gold)
		h.expectCell(voxel.Pos{X: 1, Y: 64, Z: 0}, block.Air)
	})
}

func TestUndoIsRefusedByAnExternalChangeAfterPreparation(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		undo := h.undo(op.ID)
		h.world.edit(corner, gold, false)
		h.expect(h.apply(undo, "k2"), plan.Conflicted, 0)
		h.expectCell(corner, gold)
	})
}

func TestEditThatWasPutBackEndsOwnershipForGood(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		prepared := h.undo(op.ID)
		h.world.edit(corner, gold, true)
		h.world.edit(corner, stone, true)
		_, err := h.prepareUndo(op.ID, false)
		h.expectCode(err, fault.UndoConflict)
		h.expect(h.apply(prepared, "k2"), plan.Conflicted, 0)
		h.restart()
		_, err = h.prepareUndo(op.ID, false)
		h.expectCode(err, fault.UndoConflict)
	})
}

func TestEditDuringAnUndoEndsIt(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		undo := h.undo(op.ID)
		// The top goes first when blocks are removed; this cell is written last.
		h.atCommand(1, func() {
			h.world.edit(corner, gold, true)
			h.world.edit(corner, stone, true)
		})
		undone := h.apply(undo, "k2")
		if undone.Status != plan.Conflicted {
			t.Fatalf("the undo is %s with %d written", undone.Status, undone.Written)
		}
		h.expectCell(corner, stone)
	})
}

func TestLaterOperationPreventsUndoAlsoWhenTheBlockIsTheSameAgain(t *testing.T) {
	in(t, func(h *house) {
		first := h.apply(h.prepare(box(0, 64, 0, 2, 2, 2, stone)), "k1")
		h.expect(h.apply(h.prepare(box(0, 64, 0, 1, 1, 1, dirt)), "k2"), plan.Applied, 1)
		h.expect(h.apply(h.prepare(box(0, 64, 0, 1, 1, 1, stone)), "k3"), plan.Applied, 1)
		_, err := h.prepareUndo(first.ID, false)
		h.expectCode(err, fault.UndoConflict)
	})
}

func TestUndoGivesOwnershipBackToTheOperationBelow(t *testing.T) {
	in(t, func(h *house) {
		first := h.apply(h.prepare(box(0, 64, 0, 2, 2, 2, stone)), "k1")
		second := h.apply(h.prepare(box(0, 64, 0, 2, 2, 2, dirt)), "k2")
		h.expect(h.apply(h.undo(second.ID), "k3"), plan.Applied, 8)
		h.expectCell(corner, stone)
		h.expect(h.apply(h.undo(first.ID), "k4"), plan.Applied, 8)
		h.expectCell(corner, block.Air)
	})
}

func TestUndoOfAnUndoIsARedo(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 2, 2, 2, stone)), "k1")
		undone := h.apply(h.undo(op.ID), "k2")
		redone := h.apply(h.undo(undone.ID), "k3")
		h.expect(redone, plan.Applied, 8)
		h.expectCell(corner, stone)
		h.expect(h.apply(h.undo(redone.ID), "k4"), plan.Applied, 8)
		h.expectCell(corner, block.Air)
	})
}

func TestUndoTwiceRestoresOnce(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 2, 2, 2, stone)), "k1")
		one, two := h.undo(op.ID), h.undo(op.ID)
		h.expect(h.apply(one, "k2"), plan.Applied, 8)
		h.expect(h.apply(two, "k3"), plan.Conflicted, 0)
	})
}

func TestUndoOfAnUnfinishedOperationIsRefused(t *testing.T) {
	in(t, func(h *house) {
		hold := make(chan struct{})
		h.atCommand(1, func() { <-hold })
		op, err := h.begin(h.prepare(box(0, 64, 0, 2, 2, 2, stone)), "k1")
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.prepareUndo(op.ID, false)
		h.expectCode(err, fault.Busy)
		close(hold)
		h.wait(op.ID)
		_, err = h.prepareUndo("no-operation", false)
		h.expectCode(err, fault.NotFound)
	})
}

func TestProtectedPartIsNotChanged(t *testing.T) {
	in(t, func(h *house) {
		mask := voxel.NewMask()
		mask.Add(corner)
		part := plan.Part{ID: "part-1", Project: "default", Name: "altar", Protected: true, WorldID: "world-1", Dimension: "overworld", Mask: mask}
		if err := h.log.PutPart(part); err != nil {
			t.Fatal(err)
		}
		_, err := h.begin(h.prepare(box(0, 64, 0, 2, 2, 2, stone)), "k1")
		h.expectCode(err, fault.PermissionDenied)
		h.expect(h.apply(h.prepare(box(8, 64, 0, 2, 2, 2, stone)), "k2"), plan.Applied, 8)
	})
}

func TestSeveralOperationsAreUndoneInOrder(t *testing.T) {
	in(t, func(h *house) {
		first := h.apply(h.prepare(box(0, 64, 0, 3, 1, 3, stone)), "k1")
		second := h.apply(h.prepare(box(1, 64, 0, 3, 1, 3, dirt)), "k2")
		third := h.apply(h.prepare(box(2, 64, 0, 3, 1, 3, gold)), "k3")
		_, err := h.runner.PrepareUndo(t.Context(), UndoRequest{Operations: []string{first.ID, second.ID}})
		h.expectCode(err, fault.UndoConflict)
		undos, err := h.runner.PrepareUndo(t.Context(), UndoRequest{Operations: []string{third.ID, second.ID, first.ID}})
		if err != nil {
			t.Fatal(err)
		}
		for i, undo := range undos {
			if err := h.log.PutPlan(undo.Plan); err != nil {
				t.Fatal(err)
			}
			h.expect(h.apply(undo.Plan, "u"+undo.Plan.ID), plan.Applied, 9)
			if i == 0 {
				h.expectCell(voxel.Pos{X: 3, Y: 64, Z: 0}, dirt)
			}
		}
		for x := range 5 {
			h.expectCell(voxel.Pos{X: x, Y: 64, Z: 0}, block.Air)
		}
	})
}
