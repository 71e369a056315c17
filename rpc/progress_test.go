package rpc

import (
	"fmt"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

func TestProgressIsToldWhileAnOperationIsApplying(t *testing.T) {
	s := openWorld(t, func(p *plan.Project) { p.Limits.SliceCells = 512 })
	p := ok[PlanView](s, "build_prepare", boxRecipe("stone", false, voxel.Box{Max: voxel.Pos{X: 63, Y: 15, Z: 63}}))
	op := ok[plan.Operation](s, "build_apply", applyOf(p, "k1"))
	told := 0
	for {
		v := ok[StatusView](s, "operation_status", fmt.Sprintf(`{"operation_id":%q,"wait_ms":5000,"since":%d}`, op.ID, op.UpdatedAt))
		if op = v.Operation; op.Status.Final() {
			if v.Progress != nil {
				t.Errorf("it has ended and %+v", v.Progress)
			}
			break
		}
		if v.Progress == nil {
			continue
		}
		if v.Progress.Commands != p.Commands || op.StartedAt < op.CreatedAt {
			t.Fatalf("%+v", v)
		}
		if v.Progress.Rate > 0 {
			told++
			if v.Progress.Left < 0 || op.Processed > op.Total {
				t.Fatalf("%+v", v)
			}
		}
	}
	if op.Status != plan.Applied || told == 0 {
		t.Errorf("operation is %s; a rate was told %d times", op.Status, told)
	}
}

func TestLongPollAnswersAtTheNextChangeOrInTime(t *testing.T) {
	s := openWorld(t)
	p := ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room))
	s.world.Pause(true)
	defer s.world.Pause(false)
	op := ok[plan.Operation](s, "build_apply", applyOf(p, "k1"))
	start := time.Now()
	v := ok[StatusView](s, "operation_status", fmt.Sprintf(`{"operation_id":%q,"wait_ms":300,"since":%d}`, op.ID, op.UpdatedAt+3_600_000))
	if took := time.Since(start); took < 300*time.Millisecond || took > 20*time.Second || v.Status.Final() {
		t.Errorf("nothing changed, and after %v it is %s", took, v.Status)
	}
	s.world.Pause(false)
	if op = s.wait(op.ID); op.Status != plan.Applied {
		t.Errorf("operation is %s", op.Status)
	}
}

func TestOperationsAreListedByStatusAndPrincipal(t *testing.T) {
	s := openWorld(t)
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room)), "k1")
	undo := ok[UndoView](s, "operation_undo_prepare", `{"operation_id":"`+op.ID+`"}`)
	undone := s.apply(undo.PlanView, "k2")
	for params, want := range map[string]int{
		`{}`: 2, `{"by":"` + op.By + `"}`: 2, `{"by":"nobody"}`: 0, `{"status":"applied","by":"` + op.By + `"}`: 2, `{"status":"failed"}`: 0, `{"before":"` + undone.ID + `"}`: 1,
	} {
		if v := ok[OperationsView](s, "operation_list", params); len(v.Operations) != want {
			t.Errorf("%s: %d operations, want %d", params, len(v.Operations), want)
		}
	}
}
