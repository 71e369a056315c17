package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
)

// hollow is a 3×3×3 box without its centre.
func hollow(lo pos) object {
	o := box(lo, pos{lo.X + 2, lo.Y + 2, lo.Z + 2}, "minecraft:stone")
	o["hollow"] = true
	return o
}

func TestBuildApplyRepeatUndo(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	lo, hi := pos{10, -50, 10}, pos{12, -48, 12}

	plan := s.prepare(t, hollow(lo))
	if plan.Changed != 26 {
		t.Fatalf("changed_blocks %d, want 26", plan.Changed)
	}
	if got := s.palette(t, lo, hi); !sameCounts(got, map[string]int{"minecraft:air": 27}) {
		t.Fatalf("preparing changed the world: %v", got)
	}
	op := s.mustApply(t, plan, "key-1", 26)
	if got := s.palette(t, lo, hi); !sameCounts(got, map[string]int{"minecraft:stone": 26, "minecraft:air": 1}) {
		t.Fatalf("after applying: %v", got)
	}

	again := call[operation](t, s, "build_apply", plan.under("key-1"))
	if again.OperationID != op.OperationID || again.Status != "applied" {
		t.Errorf("the same key gave %+v, want operation %s", again, op.OperationID)
	}
	other := s.prepare(t, hollow(pos{20, -50, 20}))
	s.refused(t, "build_apply", other.under("key-1"), "idempotency_mismatch")
	wrong := other.under("key-2")
	wrong["plan_hash"] = plan.PlanHash
	s.refused(t, "build_apply", wrong, "stale_snapshot")

	undo := call[planned](t, s, "operation_undo_prepare", object{"operation_id": op.OperationID})
	if undo.Changed != 26 {
		t.Errorf("undo changes %d, want 26", undo.Changed)
	}
	s.mustApply(t, undo, "key-3", 26)
	if got := s.palette(t, lo, hi); !sameCounts(got, map[string]int{"minecraft:air": 27}) {
		t.Errorf("after undo: %v", got)
	}
	s.stop(t)
}

// Two plans over the same cell: whichever comes second finds a world that is
// neither as it read it nor as it wants it.
func TestAPlanThatAnotherOvertookIsAConflict(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	lo, hi := pos{-20, 0, -20}, pos{-18, 2, -18}
	slow := s.prepare(t, hollow(lo))
	quick := s.prepare(t, box(lo, lo, "minecraft:gold_block"))
	s.mustApply(t, quick, "quick", 1)

	op := s.apply(t, slow, "slow")
	checkOneConflict(t, op, lo, "minecraft:gold_block")
	want := map[string]int{"minecraft:gold_block": 1, "minecraft:air": 26}
	if got := s.palette(t, lo, hi); !sameCounts(got, want) {
		t.Errorf("after the conflict: %v, want %v", got, want)
	}
	s.stop(t)
}

// The same with the program's own door for it, with and without the event that
// the addon would see.
func TestACellEditedByAnotherPlayerIsAConflict(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	for i, unseen := range [][]string{nil, {"--unseen"}} {
		lo := pos{30 * i, 0, 30}
		plan := s.prepare(t, hollow(lo))
		at := fmt.Sprintf("--at=%d,%d,%d", lo.X, lo.Y, lo.Z)
		if _, stderr, code := output(t, append([]string{"world", "edit", "--data", s.Data, at, "minecraft:gold_block"}, unseen...)...); code != 0 {
			t.Fatalf("world edit: exit code %d, %s", code, stderr)
		}
		checkOneConflict(t, s.apply(t, plan, at), lo, "minecraft:gold_block")
		want := map[string]int{"minecraft:gold_block": 1, "minecraft:air": 26}
		if got := s.palette(t, lo, pos{lo.X + 2, 2, 32}); !sameCounts(got, want) {
			t.Errorf("after the conflict: %v, want %v", got, want)
		}
	}
	s.stop(t)
}

// checkOneConflict checks that an operation stopped before its first write
// because of one cell.
func checkOneConflict(t *testing.T, op operation, at pos, current string) {
	t.Helper()
	if op.Status != "conflict" || op.Written != 0 || len(op.Conflicts) != 1 {
		t.Fatalf("%+v, want one conflict and nothing written", op)
	}
	c := op.Conflicts[0]
	if c.Current != current || c.Expected != "minecraft:air" || c.Desired != "minecraft:stone" {
		t.Errorf("conflict %+v", c)
	}
	var got pos
	if err := json.Unmarshal(c.Pos, &got); err != nil || got != at {
		t.Errorf("conflict at %s, want %v", c.Pos, at)
	}
}

func TestCancelKeepsWhatWasWrittenAndOffersItsUndo(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	const edge = 100
	plan := s.prepare(t, stripes(pos{-100, 0, -100}, edge, 40, edge)...)
	op := call[operation](t, s, "build_apply", plan.under("long"))
	s.await(t, op.OperationID, func(op operation) bool { return op.Written > 0 })
	call[operation](t, s, "operation_cancel", object{"operation_id": op.OperationID})
	end := s.settled(t, op.OperationID)
	if end.Status != "cancelled" || end.Written == 0 || end.Written >= plan.Changed {
		t.Fatalf("%+v, want a part of %d written and cancelled", end, plan.Changed)
	}
	undo := call[planned](t, s, "operation_undo_prepare", object{"operation_id": op.OperationID})
	if undo.Changed != end.Written {
		t.Errorf("undo changes %d of %d written", undo.Changed, end.Written)
	}
	s.mustApply(t, undo, "undo", end.Written)
	for y := range 40 {
		if got := s.palette(t, pos{-100, y, -100}, pos{edge - 101, y, edge - 101}); !sameCounts(got, map[string]int{"minecraft:air": edge * edge}) {
			t.Fatalf("layer %d after undo: %v", y, got)
		}
	}
	s.stop(t)
}

// eight are the blocks of the big builds.
var eight = []string{
	"minecraft:stone", "minecraft:oak_planks", "minecraft:sandstone", "minecraft:brick_block",
	"minecraft:cobblestone", "minecraft:glass", "minecraft:iron_block", "minecraft:white_concrete",
}

// stripes returns operations that fill a box with stripes of eight blocks, two
// cells wide and one high, so that no two neighbouring stripes are equal. Width
// must be even and height a multiple of four.
func stripes(lo pos, width, height, length int) []object {
	const rows = 4
	var operations []object
	for i := range width / 2 {
		inner := make([]object, 0, rows)
		for j := range rows {
			at := pos{lo.X + 2*i, lo.Y + j, lo.Z}
			inner = append(inner, box(at, pos{at.X + 1, at.Y, lo.Z + length - 1}, eight[(3*i+j)%len(eight)]))
		}
		operations = append(operations, object{
			"type": "repeat", "count": height / rows, "offset": pos{0, rows, 0}, "operations": inner,
		})
	}
	return operations
}
