package rpc

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"groundplan/plan/fault"
)

func TestEveryCodeHasAnHTTPStatus(t *testing.T) {
	allowed := []int{400, 403, 404, 405, 409, 413, 423, 429, 500, 503}
	for _, code := range fault.Codes() {
		m, ok := mappings()[code]
		if !ok {
			t.Errorf("%s is missing from the table", code)
		}
		if !slices.Contains(allowed, m.status) {
			t.Errorf("%s has the status %d", code, m.status)
		}
		if code.Retryable() != (m.retry > 0) {
			t.Errorf("%s: retryable is %v, advice %v", code, code.Retryable(), m.retry)
		}
		if (m.status == 500) != (code == fault.Internal) {
			t.Errorf("%s answers %d", code, m.status)
		}
	}
	if n := len(mappings()); n != len(fault.Codes()) {
		t.Errorf("the table has %d codes, the vocabulary %d", n, len(fault.Codes()))
	}
}

func TestInternalErrorsShowNothing(t *testing.T) {
	p := problemOf(errors.New("open /secret/path: no"), "id-1")
	if strings.Contains(p.Message, "secret") || !strings.Contains(p.Message, "id-1") {
		t.Errorf("message %q", p.Message)
	}
}

func TestMessagesAreCutBetweenCharacters(t *testing.T) {
	p := problemOf(fault.Errorf(fault.InvalidRequest, "%s", strings.Repeat("ж", 500)), "")
	if len(p.Message) > maxMessage || strings.ContainsRune(p.Message, '\uFFFD') || !strings.HasSuffix(p.Message, "ж") {
		t.Errorf("%d bytes, ends in %q", len(p.Message), p.Message[len(p.Message)-4:])
	}
}
