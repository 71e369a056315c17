package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// recovery runs groundplan recovery for people and with --json, and returns both
// outputs; the second is decoded into result.
func (s *service) recovery(t *testing.T, result any, args ...string) string {
	t.Helper()
	human, stderr, code := output(t, append([]string{"--data", s.Data, "recovery"}, args...)...)
	if code != 0 {
		t.Fatalf("recovery %v: exit %d, %s", args, code, stderr)
	}
	if result == nil {
		return human
	}
	raw, stderr, code := output(t, append([]string{"--data", s.Data, "recovery", "--json"}, args...)...)
	if code != 0 || json.Unmarshal([]byte(raw), result) != nil || json.Valid([]byte(human)) {
		t.Fatalf("recovery --json %v: exit %d, %s%s; without: %s", args, code, raw, stderr, human)
	}
	return human
}

// says checks that an output has all the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("it says %q, without %q", text, word)
		}
	}
}

// An admin settles three operations from the command line, each in its own way, as
// docs/RECOVERY.md says.
func TestAnAdminDecidesOnTheCommandLine(t *testing.T) {
	s, _, first := killed(t, stripes(pos{-30, 0, -30}, 60, 40, 60)...)
	var list struct {
		Gate       string
		Operations []operation
	}
	says(t, s.recovery(t, &list, "list"), first.OperationID, "cells confirmed", "by console")
	if list.Gate != "shut" || len(list.Operations) != 1 {
		t.Fatalf("list %+v", list)
	}
	s.recoveryFails(t, "permission_denied", "list", "--project", "nobody")
	if _, stderr, code := output(t, "--data", s.Data, "project", "add", "garden", "--min=300,0,300", "--max=310,10,310", "--automation"); code != 0 {
		t.Fatal(stderr)
	}
	says(t, s.recovery(t, nil, "list", "--project", "garden"), "another project", "no new write begins")

	var r review
	says(t, s.recovery(t, &r, "review", first.OperationID), "neither", "digest "+r.CurrentDigest)
	if cells := strings.Count(s.recovery(t, nil, "review", "--cells", first.OperationID), "\n"); cells != r.Positions+2 {
		t.Errorf("--cells lists %d lines for %d cells", cells, r.Positions)
	}
	s.recoveryFails(t, "invalid_request", "rollback", first.OperationID, "--digest", strings.Repeat("0", 64))
	says(t, s.recovery(t, nil, "rollback", first.OperationID, "--digest", r.CurrentDigest, "--reason", "half a wall helps nobody"), first.OperationID+" is failed", "writes its cells back")

	for _, verdict := range []string{"resume", "abandon"} {
		plan := s.prepare(t, stripes(pos{-30, 100, -30}, 60, 40, 60)...)
		op := call[operation](t, s, "build_apply", plan.under(verdict))
		s.kill(t)
		s = start(t, s.Data, "--world", "embedded")
		s.recovery(t, &list, "list")
		for _, unfinished := range list.Operations {
			s.recovery(t, &r, "review", unfinished.OperationID)
			said := s.recovery(t, nil, verdict, unfinished.OperationID, "--digest", r.CurrentDigest, "--reason", "to "+verdict)
			says(t, said, unfinished.OperationID+" is ", map[string]string{"resume": "resumed by an admin", "abandon": "its blocks stay as they are"}[verdict])
			s.settled(t, unfinished.OperationID)
		}
		s.settled(t, op.OperationID)
	}
	says(t, s.recovery(t, &list, "list"), "Nothing waits for a decision")

	var log struct{ Decisions []decision }
	said := s.recovery(t, &log, "log")
	says(t, said, "rollback", "resume", "abandon", "half a wall helps nobody", "to resume", "to abandon")
	if len(log.Decisions) < 3 {
		t.Errorf("decisions %+v", log.Decisions)
	}
	s.lossOnTheCommandLine(t)
}

// lossOnTheCommandLine has the world forget an operation, and repairs it.
func (s *service) lossOnTheCommandLine(t *testing.T) {
	t.Helper()
	op := s.mustApply(t, s.prepare(t, box(pos{100, 0, 100}, pos{109, 0, 100}, "minecraft:stone")), "lost", 10)
	s.kill(t) // and its world with it
	s = start(t, s.Data, "--world", "embedded")
	var v struct {
		Operations []verified
		Lost       int
	}
	said := s.recovery(t, &v, "verify", op.OperationID)
	says(t, said, op.OperationID, "10 cells owned: 0 present, 10 lost", "10 cells were lost.")
	if v.Lost != 10 || len(v.Operations) != 1 {
		t.Errorf("verify %+v", v)
	}
	var plan planned
	s.recovery(t, &plan, "verify", "--repair")
	if plan.Changed < 10 {
		t.Errorf("the repair of everything has %d cells", plan.Changed)
	}
	says(t, s.recovery(t, &plan, "verify", "--repair", op.OperationID), "10 cells would be written again", "build_apply")
	s.mustApply(t, plan, "repair", 10)
	says(t, s.recovery(t, &v, "verify", op.OperationID), "0 cells were lost.")
	s.stop(t)
}

func (s *service) recoveryFails(t *testing.T, why string, args ...string) {
	t.Helper()
	out, stderr, code := output(t, append([]string{"--data", s.Data, "recovery"}, args...)...)
	if code != 1 || !strings.Contains(stderr, why) {
		t.Errorf("recovery %v: exit %d, %s%s, want %s", args, code, out, stderr, why)
	}
}
