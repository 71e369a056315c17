package recovery

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

var corner = voxel.Pos{X: 0, Y: 64, Z: 0}

func TestApplyWritesEveryCellAndUndoRestoresThem(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		op := h.apply(p, "k1")
		h.expect(op, plan.Applied, 64)
		h.expectCell(corner, stone)
		undone := h.apply(h.undo(op.ID), "k2")
		h.expect(undone, plan.Applied, 64)
		h.expectCell(corner, block.Air)
	})
}

func TestSameKeyIsTheSameOperationInAnyState(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 2, 2, 2, stone))
		op := h.apply(p, "k1")
		again, err := h.begin(p, "k1")
		if err != nil || again.ID != op.ID {
			t.Fatalf("the same key gave %v, %v; want %s", again.ID, err, op.ID)
		}
		other := h.prepare(box(8, 64, 0, 2, 2, 2, stone))
		_, err = h.begin(other, "k1")
		h.expectCode(err, fault.IdempotencyMismatch)
		time.Sleep(time.Hour)
		if again, err = h.begin(p, "k1"); err != nil || again.ID != op.ID {
			t.Fatalf("an expired plan's key gave %v, %v", again.ID, err)
		}
		h.restart()
		if again, err = h.begin(p, "k1"); err != nil || again.ID != op.ID {
			t.Fatalf("after a restart the key gave %v, %v", again.ID, err)
		}
	})
}

func TestExternalChangeBeforeApplyIsAConflictWithNothingWritten(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		far := voxel.Pos{X: 3, Y: 67, Z: 3}
		h.world.edit(far, gold, false)
		h.world.edit(voxel.Pos{X: 2, Y: 67, Z: 3}, gold, false)
		op := h.apply(p, "k1")
		h.expect(op, plan.Conflicted, 0)
		if op.ConflictCount != 2 || len(op.Conflicts) != 2 {
			t.Fatalf("%d conflicts of %d listed, want all 2", len(op.Conflicts), op.ConflictCount)
		}
		want := plan.Conflict{Pos: far, Reason: reasonPrepared, Expected: block.Air, Current: gold, Desired: stone}
		if !slices.Contains(op.Conflicts, want) {
			t.Fatalf("conflicts are %+v, want %+v among them", op.Conflicts, want)
		}
		h.expectCell(corner, block.Air)
		h.expectCell(far, gold)
	})
}

func TestWrongHashAndExpiredPlanAreRefused(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 2, 2, 2, stone))
		_, err := h.runner.Apply(h.project, "console", p.ID, "00", "k1")
		h.expectCode(err, fault.StaleSnapshot)
		_, err = h.runner.Apply(h.project, "console", "no-plan", p.Hash, "k1")
		h.expectCode(err, fault.NotFound)
		time.Sleep(11 * time.Minute)
		_, err = h.begin(p, "k1")
		h.expectCode(err, fault.PlanExpired)
	})
}

func TestDependencyChangedBeforeApplyIsAConflict(t *testing.T) {
	in(t, func(h *house) {
		relied := voxel.Pos{X: 50, Y: 64, Z: 0}
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone), relied)
		h.world.edit(relied, gold, false)
		op := h.apply(p, "k1")
		h.expect(op, plan.Conflicted, 0)
		if c := op.Conflicts[0]; c.Expected != block.Air || c.Desired != block.Air || c.Current != gold {
			t.Fatalf("conflict is %+v", c)
		}
	})
}

func TestDependencyChangedBetweenSlicesStopsTheRest(t *testing.T) {
	in(t, func(h *house) {
		relied := voxel.Pos{X: 50, Y: 64, Z: 0}
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone), relied)
		h.atCommand(3, func() { h.world.edit(relied, gold, false) })
		op := h.apply(p, "k1")
		if op.Status != plan.Conflicted || op.Written == 0 || op.Written == 64 {
			t.Fatalf("operation is %s with %d written", op.Status, op.Written)
		}
		h.expect(h.apply(h.undo(op.ID), "k2"), plan.Applied, op.Written)
	})
}

func TestDependencyWrittenByThePlanItselfIsNoConflict(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone), corner)
		h.expect(h.apply(p, "k1"), plan.Applied, 64)
	})
}

// atCommand runs an action ahead of the n-th command from now.
func (h *house) atCommand(n int, action func()) {
	count := 0
	h.world.mu.Lock()
	defer h.world.mu.Unlock()
	h.world.before = func(string) plan.OutcomeKind {
		if count++; count == n {
			action()
		}
		return plan.Answered
	}
}

func TestForeignCellDuringASliceIsKept(t *testing.T) {
	in(t, func(h *house) {
		foreign := voxel.Pos{X: 1, Y: 65, Z: 1}
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		h.atCommand(1, func() { h.world.edit(foreign, gold, true) })
		op := h.apply(p, "k1")
		if op.Status != plan.Conflicted || op.Written == 0 {
			t.Fatalf("operation is %s with %d written", op.Status, op.Written)
		}
		h.expectCount(op.Written, stone)
		h.expectCell(foreign, gold)
		h.expect(h.apply(h.undo(op.ID), "k2"), plan.Applied, op.Written)
		h.expectCell(foreign, gold)
	})
}

func TestBlockAlreadyAsWantedIsSkippedAndNotUndone(t *testing.T) {
	in(t, func(h *house) {
		ready := voxel.Pos{X: 1, Y: 64, Z: 1}
		p := h.prepare(box(0, 64, 0, 4, 1, 4, stone))
		h.world.edit(ready, stone, false)
		op := h.apply(p, "k1")
		h.expect(op, plan.Applied, 15)
		if op.Skipped != 1 || op.Processed != 16 || op.Total != 16 {
			t.Fatalf("skipped %d, processed %d of %d; want 1, 16 of 16", op.Skipped, op.Processed, op.Total)
		}
		h.expect(h.apply(h.undo(op.ID), "k2"), plan.Applied, 15)
		h.expectCell(ready, stone)
	})
}

func TestKeptCellsAreCheckedButNotWritten(t *testing.T) {
	in(t, func(h *house) {
		kept := voxel.Pos{X: 1, Y: 64, Z: 1}
		h.world.edit(kept, stone, false)
		p := h.prepare(box(0, 64, 0, 4, 1, 4, stone))
		if p.Changed != 15 || p.Total != 16 {
			t.Fatalf("plan changes %d of %d, want 15 of 16", p.Changed, p.Total)
		}
		h.world.edit(kept, gold, false)
		h.expect(h.apply(p, "k1"), plan.Conflicted, 0)
	})
}

func TestPlanWithoutChangesIsAppliedAtOnce(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 1, 4, block.Air))
		h.expect(h.apply(p, "k1"), plan.Applied, 0)
	})
}

func TestCancelStopsBetweenCommandsAndStaysUndoable(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 8, 8, 8, stone))
		begun := make(chan string, 1)
		h.atCommand(5, func() {
			if _, err := h.runner.Cancel(<-begun); err != nil {
				t.Error(err)
			}
		})
		op, err := h.begin(p, "k1")
		if err != nil {
			t.Fatal(err)
		}
		id := op.ID
		begun <- id
		op = h.wait(id)
		if op.Status != plan.Cancelled || op.Written == 0 || op.Written == 512 {
			t.Fatalf("operation is %s with %d written", op.Status, op.Written)
		}
		h.expectCount(op.Written, stone)
		h.expect(h.apply(h.undo(id), "k2"), plan.Applied, op.Written)
		h.expectCell(corner, block.Air)
		again, err := h.runner.Cancel(id)
		if err != nil || again.Status != plan.Cancelled {
			t.Fatalf("cancel of an ended operation: %s, %v", again.Status, err)
		}
	})
}

func TestCancelOfAWaitingOperationEndsItAtOnce(t *testing.T) {
	in(t, func(h *house) {
		first := h.prepare(box(0, 64, 0, 2, 2, 2, stone))
		second := h.prepare(box(8, 64, 0, 2, 2, 2, stone))
		h.world.leave()
		h.world.mu.Lock()
		h.world.away = false
		h.world.mu.Unlock()
		hold := make(chan struct{})
		h.atCommand(1, func() { <-hold })
		if _, err := h.begin(first, "k1"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		op, err := h.begin(second, "k2")
		if err != nil {
			t.Fatal(err)
		}
		if op, err = h.runner.Cancel(op.ID); err != nil || op.Status != plan.Cancelled {
			t.Fatalf("cancel of a waiting operation: %s, %v", op.Status, err)
		}
		close(hold)
		h.expectCell(voxel.Pos{X: 8, Y: 64, Z: 0}, block.Air)
	})
}

func TestQueueIsBounded(t *testing.T) {
	in(t, func(h *house) {
		hold := make(chan struct{})
		h.atCommand(1, func() { <-hold })
		var err error
		for i := range 17 {
			p := h.prepare(box(i*4, 64, 0, 2, 2, 2, stone))
			if _, err = h.begin(p, p.ID); err != nil {
				t.Fatalf("operation %d: %v", i, err)
			}
			synctest.Wait()
		}
		p := h.prepare(box(100, 64, 0, 2, 2, 2, stone))
		_, err = h.begin(p, p.ID)
		h.expectCode(err, fault.Busy)
		close(hold)
	})
}

func TestLostAnswerIsSettledByReading(t *testing.T) {
	in(t, func(h *house) {
		count := 0
		h.world.before = func(string) plan.OutcomeKind {
			if count++; count%3 == 0 {
				return plan.Unknown
			}
			return plan.Answered
		}
		h.expect(h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1"), plan.Applied, 64)
	})
}

func TestWorldThatRefusesEndsTheOperationWithWhatItWrote(t *testing.T) {
	in(t, func(h *house) {
		count := 0
		h.world.before = func(string) plan.OutcomeKind {
			if count++; count > 3 {
				return plan.Refused
			}
			return plan.Answered
		}
		op := h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		if op.Status != plan.Failed || op.Code != fault.WriteRefused || op.Written == 0 {
			t.Fatalf("operation is %s (%s) with %d written", op.Status, op.Code, op.Written)
		}
		h.expectCount(op.Written, stone)
	})
}

func TestOperationWaitsForItsWorldAndGoesOn(t *testing.T) {
	in(t, func(h *house) {
		h.atCommand(4, h.world.leave)
		op, err := h.begin(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if op, err = h.log.Operation(op.ID); err != nil || op.Status != plan.Applying || !op.Waiting {
			t.Fatalf("operation is %s, waiting %v, %v", op.Status, op.Waiting, err)
		}
		_, err = h.begin(h.prepareAway(), "k2")
		h.expectCode(err, fault.WorldUnavailable)
		h.world.comeBack()
		op = h.wait(op.ID)
		h.expect(op, plan.Applied, 64)
		if op.Waiting {
			t.Fatal("the ended operation still says that it waits")
		}
	})
}

// prepareAway stores a plan while the world is away.
func (h *house) prepareAway() *plan.Plan {
	h.t.Helper()
	h.world.mu.Lock()
	h.world.away = false
	h.world.mu.Unlock()
	p := h.prepare(box(40, 64, 0, 1, 1, 1, stone))
	h.world.leave()
	return p
}

func TestOtherWorldIsNotWritten(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		h.atCommand(4, func() {
			h.world.mu.Lock()
			defer h.world.mu.Unlock()
			h.world.world.ID = "world-2"
		})
		op, err := h.begin(p, "k1")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if op, err = h.log.Operation(op.ID); err != nil || op.Status != plan.Applying || !op.Waiting || h.world.commands() > 5 {
			t.Fatalf("operation is %s with %d commands sent, %v; want it to wait after 4", op.Status, h.world.commands(), err)
		}
		h.world.mu.Lock()
		h.world.world.ID = "world-1"
		h.world.mu.Unlock()
		h.expect(h.wait(op.ID), plan.Applied, 64)
	})
}

func TestCellsThatTheWorldForgotAreWrittenAgain(t *testing.T) {
	in(t, func(h *house) {
		h.atCommand(6, h.world.forget)
		op := h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		h.expect(op, plan.Applied, 64)
		h.expectCount(64, stone)
		h.expect(h.apply(h.undo(op.ID), "k2"), plan.Applied, 64)
	})
}

func TestUnloadedCellsFailTheOperationBeforeItWrites(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		h.world.unloaded.Add(voxel.Pos{X: 3, Y: 67, Z: 3})
		op := h.apply(p, "k1")
		h.expect(op, plan.Failed, 0)
		if op.Code != fault.ChunkNotLoaded {
			t.Fatalf("code is %s", op.Code)
		}
	})
}

func TestUnloadedChunksAreLoadedForTheOperationAndGivenBack(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 4, 4, 4, stone))
		h.world.unloaded.Add(voxel.Pos{X: 3, Y: 67, Z: 3})
		h.world.loads = true
		h.expect(h.apply(p, "k1"), plan.Applied, 64)
		want := []string{"tickingarea remove groundplan0", "tickingarea add 0 0 0 15 0 15 groundplan0 true", "tickingarea remove groundplan0"}
		if !slices.Equal(h.world.areas, want) {
			t.Fatalf("areas: %q, want %q", h.world.areas, want)
		}
	})
}

func TestPaceKeepsToItsCeilings(t *testing.T) {
	in(t, func(h *house) {
		h.runner.Close()
		h.launchWith(Pace{Commands: 4})
		start := time.Now()
		h.expect(h.apply(h.prepare(box(0, 64, 0, 8, 8, 4, stone)), "k1"), plan.Applied, 256)
		if took := time.Since(start); took < 7*time.Second {
			t.Fatalf("32 commands at 4 a second took %v", took)
		}
	})
}

func TestGovernorSlowsDownForAStrugglingWorld(t *testing.T) {
	g := governor{}
	if rest := g.rest(100, 100, time.Second); rest != 0 {
		t.Fatalf("the first batch rests %v", rest)
	}
	if rest := g.rest(100, 100, 3*time.Second); rest != 0 {
		t.Fatalf("three times as slow rests %v", rest)
	}
	if rest := g.rest(100, 100, 5*time.Second); rest != longRest {
		t.Fatalf("five times as slow rests %v, want %v", rest, longRest)
	}
	if rest := g.rest(1, 1, 200*time.Millisecond); rest != 0 {
		t.Fatalf("one tick rests %v", rest)
	}
}
