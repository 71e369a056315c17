package recovery

import (
	"errors"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestAllConflictsAreCountedAndTheFirst32Listed(t *testing.T) {
	in(t, func(h *house) {
		p := h.prepare(box(0, 64, 0, 5, 4, 5, stone))
		for x := range 5 {
			for z := range 5 {
				h.world.edit(voxel.Pos{X: x, Y: 65, Z: z}, gold, false)
				h.world.edit(voxel.Pos{X: x, Y: 67, Z: z}, dirt, false)
			}
		}
		op := h.apply(p, "k1")
		h.expect(op, plan.Conflicted, 0)
		if op.ConflictCount != 50 || len(op.Conflicts) != maxConflicts {
			t.Fatalf("%d conflicts counted, %d listed", op.ConflictCount, len(op.Conflicts))
		}
		for _, c := range op.Conflicts {
			if c.Expected != block.Air || c.Desired != stone || c.Current != h.world.show(c.Pos) {
				t.Fatalf("conflict is %+v", c)
			}
		}
	})
}

// TestChunksThatGoMeanwhileAreWaitedFor: what an open slice did must be read, so that
// the operation says what it waits for until its chunks are there again.
func TestChunksThatGoMeanwhileAreWaitedFor(t *testing.T) {
	in(t, func(h *house) {
		h.atCommand(1, h.unloadCorner)
		op, err := h.begin(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if op, err = h.log.Operation(op.ID); err != nil || op.Status != plan.Applying || !op.Waiting || op.Message != "1 cells of the slice are in unloaded chunks" {
			t.Fatalf("operation is %s, waiting %v, %q, %v", op.Status, op.Waiting, op.Message, err)
		}
		h.world.mu.Lock()
		h.world.unloaded.Remove(corner)
		h.world.mu.Unlock()
		h.expect(h.wait(op.ID), plan.Applied, 64)
	})
}

func (h *house) unloadCorner() {
	h.world.mu.Lock()
	defer h.world.mu.Unlock()
	h.world.unloaded.Add(corner)
}

// TestChunksThatAreGoneAtTheEndAreSaid: what was written is known and can be undone,
// but nobody can say that it is all there.
func TestChunksThatAreGoneAtTheEndAreSaid(t *testing.T) {
	in(t, func(h *house) {
		h.atCommand(2, h.unloadCorner)
		op := h.apply(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		h.expect(op, plan.Failed, 64)
		if op.Code != fault.ChunkNotLoaded {
			t.Fatalf("code is %s", op.Code)
		}
		h.world.mu.Lock()
		h.world.unloaded.Remove(corner)
		h.world.mu.Unlock()
		h.expect(h.apply(h.undo(op.ID), "k2"), plan.Applied, 64)
	})
}

// fullLog is a journal on a disk that is full from the n-th receipt on.
type fullLog struct {
	Log
	left int
}

func (l *fullLog) Advance(op plan.Operation, done *plan.Receipt, next *plan.Intent) error {
	if l.left--; l.left < 0 {
		return fault.Errorf(fault.StorageFailed, "no space left on device")
	}
	return l.Log.Advance(op, done, next)
}

func TestAJournalThatFailsEndsAllWritingUntilTheNextStart(t *testing.T) {
	in(t, func(h *house) {
		h.runner.Close()
		h.run(&fullLog{h.log, 3}, h.world)
		other := h.prepare(box(20, 64, 0, 2, 2, 2, dirt))
		op, err := h.begin(h.prepare(box(0, 64, 0, 4, 4, 4, stone)), "k1")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		sent := h.world.commands()
		if err := h.runner.Broken(); fault.CodeOf(err) != fault.StorageFailed && !errors.As(err, new(*logError)) {
			t.Fatalf("broken is %v", err)
		}
		_, err = h.begin(other, "k2")
		h.expectCode(err, fault.StorageFailed)
		time.Sleep(time.Minute)
		if h.world.commands() != sent || sent == 0 {
			t.Fatalf("%d commands, then %d", sent, h.world.commands())
		}
		h.restart()
		if ids, err := h.runner.Gate(); err != nil || len(ids) != 1 || ids[0] != op.ID {
			t.Fatalf("the gate waits for %v, %v", ids, err)
		}
		if _, err := h.runner.Resume(t.Context(), h.ruling(op.ID)); err != nil {
			t.Fatal(err)
		}
		h.expect(h.wait(op.ID), plan.Applied, 64)
		h.expectCount(64, stone)
	})
}
