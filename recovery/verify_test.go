package recovery

import (
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestVerifyTellsLostCellsFromForeignOnes(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		reports, err := h.runner.Verify(t.Context(), "default", nil)
		if err != nil || len(reports) != 1 || reports[0].Present != 27 {
			t.Fatalf("reports are %+v, %v", reports, err)
		}
		h.world.edit(corner, block.Air, false)
		h.world.edit(voxel.Pos{X: 1, Y: 64, Z: 0}, gold, false)
		h.world.unloaded.Add(voxel.Pos{X: 2, Y: 64, Z: 0})
		reports, err = h.runner.Verify(t.Context(), "default", []string{op.ID})
		if err != nil {
			t.Fatal(err)
		}
		r := reports[0]
		if r.Owned != 27 || r.Present != 24 || r.Lost != 1 || r.Foreign != 1 || r.Unloaded != 1 || len(r.Cells) != 2 {
			t.Fatalf("report is %+v", r)
		}
	})
}

func TestWorldThatForgotIsNoticedWhenItIsLoadedAgainAndRepaired(t *testing.T) {
	in(t, func(h *house) {
		saved := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		h.world.save()
		lost := h.apply(h.prepare(box(8, 64, 0, 3, 3, 3, stone)), "k2")
		time.Sleep(5 * time.Second)
		if forgotten := h.runner.Forgotten(); len(forgotten) != 0 {
			t.Fatalf("nothing was lost, but %+v", forgotten)
		}
		h.world.forget()
		time.Sleep(5 * time.Second)
		forgotten := h.runner.Forgotten()
		if len(forgotten) != 1 || forgotten[0].Operation != lost.ID || forgotten[0].Lost != 27 {
			t.Fatalf("forgotten are %+v, want operation %s and not %s", forgotten, lost.ID, saved.ID)
		}
		h.world.edit(voxel.Pos{X: 8, Y: 64, Z: 0}, gold, false)
		repair, err := h.runner.Repair(t.Context(), h.project, []string{lost.ID})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.log.PutPlan(repair); err != nil {
			t.Fatal(err)
		}
		h.expect(h.apply(repair, "k3"), plan.Applied, 26)
		h.expectCell(voxel.Pos{X: 8, Y: 64, Z: 0}, gold)
		h.expectCell(voxel.Pos{X: 9, Y: 64, Z: 0}, stone)
		time.Sleep(5 * time.Second)
		if forgotten := h.runner.Forgotten(); len(forgotten) != 0 {
			t.Fatalf("all was repaired, and %+v are still named", forgotten)
		}
	})
}

// A world that forgot two operations at once shows the cells of the second as they
// were before the first: neither as the second found them nor as it left them.
func TestCellsThatTheWorldLostWithWhatTheyWereBuiltUponAreLost(t *testing.T) {
	in(t, func(h *house) {
		h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, bricks)), "k2")
		h.world.forget()
		h.world.edit(corner, gold, false)
		time.Sleep(5 * time.Second)
		if forgotten := h.runner.Forgotten(); len(forgotten) != 1 || forgotten[0].Operation != op.ID || forgotten[0].Lost != 26 || forgotten[0].Foreign != 1 {
			t.Fatalf("forgotten are %+v, want 26 cells of %s", forgotten, op.ID)
		}
		repair, err := h.runner.Repair(t.Context(), h.project, []string{op.ID})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.log.PutPlan(repair); err != nil {
			t.Fatal(err)
		}
		h.expect(h.apply(repair, "k3"), plan.Applied, 26)
		h.expectCell(corner, gold)
		h.expectCell(voxel.Pos{X: 1, Y: 64, Z: 0}, bricks)
	})
}

func TestWhatARestoredBackupLacksIsNoticedAndRepaired(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		time.Sleep(5 * time.Second)
		h.world.forget()
		h.world.mu.Lock()
		h.world.world.Session, h.world.world.Epoch = "session-1", "epoch-2" // the host said so: /groundplan:new_epoch
		h.world.mu.Unlock()
		time.Sleep(5 * time.Second)
		if forgotten := h.runner.Forgotten(); len(forgotten) != 1 || forgotten[0].Operation != op.ID || forgotten[0].Lost != 27 {
			t.Fatalf("forgotten are %+v, want 27 cells of %s", forgotten, op.ID)
		}
		repair, err := h.runner.Repair(t.Context(), h.project, []string{op.ID})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.log.PutPlan(repair); err != nil {
			t.Fatal(err)
		}
		h.expect(h.apply(repair, "k2"), plan.Applied, 27)
	})
}

func TestRepairIsRefusedInAnotherWorld(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		h.world.mu.Lock()
		h.world.world.ID = "world-2"
		h.world.mu.Unlock()
		_, err := h.runner.Repair(t.Context(), h.project, []string{op.ID})
		h.expectCode(err, fault.VersionMismatch)
		if reports, err := h.runner.Verify(t.Context(), "default", nil); err != nil || len(reports) != 0 {
			t.Fatalf("reports are %+v, %v", reports, err)
		}
	})
}
