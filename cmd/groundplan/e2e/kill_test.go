package e2e

import (
	"maps"
	"testing"
	"time"
)

// review is the result of recovery_review.
type review struct {
	OperationID   string `json:"operationId"`
	PlanID        string `json:"planId"`
	Positions     int    `json:"positions"`
	MatchesBefore int    `json:"matchesBefore"`
	MatchesAfter  int    `json:"matchesAfter"`
	ForeignStates int    `json:"foreignStates"`
	CurrentDigest string `json:"currentDigest"`
	SampledAt     int64  `json:"sampledAtMillis"`
}

// killed starts an operation, kills the service while it is applying, and
// starts it again over the same data.
func killed(t *testing.T, operations ...object) (*service, planned, operation) {
	t.Helper()
	data := t.TempDir()
	s := start(t, data, "--world", "embedded")
	plan := s.prepare(t, operations...)
	op := call[operation](t, s, "build_apply", plan.under("doomed"))
	s.await(t, op.OperationID, func(op operation) bool { return op.Status == "applying" })
	s.kill(t)
	return start(t, data, "--world", "embedded"), plan, op
}

// layers counts the blocks of a box, layer by layer.
func (s *service) layers(t *testing.T, lo, hi pos) []map[string]int {
	t.Helper()
	var list []map[string]int
	for y := lo.Y; y <= hi.Y; y++ {
		list = append(list, s.palette(t, pos{lo.X, y, lo.Z}, pos{hi.X, y, hi.Z}))
	}
	return list
}

func sameLayers(a, b []map[string]int) bool {
	for y := range a {
		if !maps.Equal(a[y], b[y]) {
			return false
		}
	}
	return len(a) == len(b)
}

func TestAfterAKillTheGateIsShutUntilAnAdminDecides(t *testing.T) {
	lo, hi := pos{-30, 0, -30}, pos{29, 39, 29}
	s, plan, op := killed(t, stripes(lo, 60, 40, 60)...)
	if got := s.status(t, op.OperationID); got.Status != "recovery_required" {
		t.Fatalf("after the restart: %+v", got)
	}
	found := s.layers(t, lo, hi)

	small := s.prepare(t, box(pos{100, 0, 100}, pos{100, 0, 100}, "minecraft:stone"))
	s.refused(t, "build_apply", small.under("small"), "recovery_required")
	s.refused(t, "build_apply", plan.under("again"), "recovery_required")
	if same := call[operation](t, s, "build_apply", plan.under("doomed")); same.OperationID != op.OperationID || same.Status != "recovery_required" {
		t.Errorf("the old key gave %+v", same)
	}
	checkRefusal(t, "recovery_review with the agent's token",
		s.send(t, s.agent, "recovery_review", object{"operation_id": op.OperationID}), "permission_denied")

	time.Sleep(time.Second) // long enough for a Runner that goes on by itself to be seen
	if !sameLayers(found, s.layers(t, lo, hi)) {
		t.Fatal("something was written after the restart")
	}

	r := callAdmin[review](t, s, "recovery_review", object{"operation_id": op.OperationID})
	if r.OperationID != op.OperationID || r.PlanID != plan.PlanID || len(r.CurrentDigest) != 64 || r.SampledAt == 0 {
		t.Errorf("review %+v", r)
	}
	if r.MatchesBefore+r.MatchesAfter != r.Positions || r.ForeignStates != 0 {
		t.Errorf("review %+v: nobody else wrote", r)
	}
	stale := object{"operation_id": op.OperationID, "expected_digest": "00" + r.CurrentDigest[2:]}
	checkRefusal(t, "recovery_abandon with a stale digest", s.send(t, s.admin, "recovery_abandon", stale), "invalid_request", "stale_snapshot")
	end := callAdmin[operation](t, s, "recovery_abandon", object{"operation_id": op.OperationID, "expected_digest": r.CurrentDigest})
	if end.Status != "failed" {
		t.Errorf("abandoned: %+v", end)
	}
	if !sameLayers(found, s.layers(t, lo, hi)) {
		t.Error("abandoning changed the world")
	}
	s.refused(t, "operation_undo_prepare", object{"operation_id": op.OperationID}, "undo_conflict", "invalid_request", "conflict")
	s.mustApply(t, small, "small", 1)
	s.stop(t)
}

// The decision is durable before its answer: a kill right after it does not
// bring the gate down again.
func TestADecisionSurvivesAKill(t *testing.T) {
	s, _, op := killed(t, stripes(pos{-30, 0, -30}, 60, 40, 60)...)
	r := callAdmin[review](t, s, "recovery_review", object{"operation_id": op.OperationID})
	callAdmin[operation](t, s, "recovery_abandon", object{"operation_id": op.OperationID, "expected_digest": r.CurrentDigest})
	s.kill(t)
	s = start(t, s.Data, "--world", "embedded")
	if got := s.status(t, op.OperationID); got.Status != "failed" {
		t.Errorf("after the second kill: %+v", got)
	}
	s.mustApply(t, s.prepare(t, box(pos{100, 0, 100}, pos{101, 0, 100}, "minecraft:stone")), "later", 2)
	s.stop(t)
}

// What was acknowledged as applied is still there after a kill, and so is its
// idempotency key.
func TestAnAppliedOperationSurvivesAKill(t *testing.T) {
	data := t.TempDir()
	s := start(t, data, "--world", "embedded")
	plan := s.prepare(t, box(pos{0, 0, 0}, pos{1, 1, 1}, "minecraft:stone"))
	op := s.mustApply(t, plan, "done", 8)
	s.kill(t)
	s = start(t, data, "--world", "embedded")
	again := call[operation](t, s, "build_apply", plan.under("done"))
	if again.OperationID != op.OperationID || again.Status != "applied" || again.Written != 8 {
		t.Errorf("after the kill the key gives %+v", again)
	}
	s.stop(t)
}
