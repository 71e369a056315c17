package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// FAWE#2679, FAWE#1127, WE#979, WE#1540: limits hold for every verb, through tools as
// well as through the RPC.
func TestEveryVerbKeepsToTheLimitOfCellsAsATool(t *testing.T) {
	s := openSite(t)
	session := s.client()
	data, err := os.ReadFile("../testdata/too_large.json")
	s.must(err)
	var recipes map[string]object
	s.must(json.Unmarshal(data, &recipes))
	if len(recipes) < 13 {
		t.Fatalf("%d verbs", len(recipes))
	}
	for verb, operation := range recipes {
		text, failed := tool(t, session, "build_prepare", object{"recipe": object{"version": 1, "operations": []object{operation}}})
		if !failed || !strings.Contains(text, "budget_exceeded") {
			t.Errorf("%s: %.300s", verb, text)
		}
	}
}
