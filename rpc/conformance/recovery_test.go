package conformance

import (
	"strings"
	"testing"
	"time"
)

// C: a service that is killed while it writes. It needs a process of its own.
func TestCrash(t *testing.T) {
	if *target != "" {
		t.Skip("a service that we did not start is not ours to kill")
	}
	dir := t.TempDir()
	s, err := start(dir)
	if err != nil {
		t.Fatal(err)
	}
	blocks := []string{"minecraft:stone", "minecraft:granite", "minecraft:diorite"}
	var cells []obj
	for i := range 16 * 16 * 8 { // cells that no box joins, so that it takes a while
		x, y, z := i%16-8, i/256, i/16%16-8
		cells = append(cells, box(at(x, y, z), at(x, y, z), blocks[(i+i/16+i/256)%3], false))
	}
	plan := s.call(t, "build_prepare", obj{"recipe": recipe(cells...)})
	k := key()
	id := s.call(t, "build_apply", applyParams(plan, k))["operation_id"]
	for s.call(t, "operation_status", obj{"operation_id": id})["status"] == "queued" {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(30 * time.Millisecond)
	s.kill()
	if s, err = start(dir); err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	op := s.call(t, "operation_status", obj{"operation_id": id})
	if op["status"] == "applied" {
		t.Skip("the service was faster than the kill")
	}
	want(t, "status", op["status"], "recovery_required")
	written := op["written"]
	other := s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone")})
	s.refused(t, "build_apply", applyParams(other, key()), "recovery_required")
	want(t, "the old key still answers", s.call(t, "build_apply", applyParams(plan, k))["operation_id"], id)
	s.refused(t, "recovery_review", obj{"operation_id": id}, "permission_denied")
	review := s.asAdmin(t, "recovery_review", obj{"operation_id": id})
	for field := range strings.FieldsSeq("operationId planId positions matchesBefore matchesAfter foreignStates currentDigest sampledAtMillis") {
		if _, ok := review[field]; !ok {
			t.Errorf("the review has no %s", field)
		}
	}
	want(t, "the review has no more", len(review), 8)
	want(t, "nothing was repeated", s.call(t, "operation_status", obj{"operation_id": id})["written"], written)
	if a := s.with(t, s.admin, "recovery_abandon", obj{"operation_id": id, "expected_digest": strings.Repeat("0", 64)}); a.Error.Code != "invalid_request" {
		t.Errorf("another digest: %s", a.Body)
	}
	before := s.palette(t, at(-8, 0, -8), at(7, 7, 7))
	gone := s.asAdmin(t, "recovery_abandon", obj{"operation_id": id, "expected_digest": review["currentDigest"]})
	want(t, "abandoned", gone["status"], "failed")
	want(t, "the world stays", s.palette(t, at(-8, 0, -8), at(7, 7, 7)), before)
	s.refused(t, "operation_undo_prepare", obj{"operation_id": id}, "undo_conflict", "invalid_request")
	s.clean(t)
	s.undo(t, s.build(t, room("minecraft:stone")))
}
