package block_test

import (
	"os"
	"strings"
	"testing"

	"groundplan/plan/block"
)

// TestHandCheckedStatesTranslateAsTheGamesRulesSay reads testdata/hand-checked.txt.
func TestHandCheckedStatesTranslateAsTheGamesRulesSay(t *testing.T) {
	text, err := os.ReadFile("testdata/hand-checked.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := load(t, block.Profile60)
	n := 0
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		java, want, exact := strings.Cut(line, " => ")
		if !exact {
			java, want, _ = strings.Cut(line, " ~> ")
		}
		if !strings.Contains(java, ":") {
			java = "minecraft:" + java
		}
		got := r.Translate(java)
		switch want {
		case "keep":
			if !got.Keep {
				t.Errorf("line %d: %s is %+v, want keep", i+1, java, got)
			}
			continue
		case "unknown":
			if got.Quality != block.Unmapped || got.State != "" || got.Note == "" {
				t.Errorf("line %d: %s is %+v, want unknown", i+1, java, got)
			}
			continue
		}
		state, err := r.Parse(want)
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		quality := block.Approximate
		if exact {
			quality = block.Exact
		}
		if got.State != state || got.Quality != quality {
			t.Errorf("line %d: %s is %s (%s, %s), want %s (%s)", i+1, java, got.State, got.Quality, got.Note, state, quality)
		}
	}
	if n < 150 {
		t.Errorf("%d states, want 150", n)
	}
	t.Logf("%d states", n)
}
