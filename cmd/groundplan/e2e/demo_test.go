package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// demonstration is the line that demo prints.
type demonstration struct {
	Asset    any     `json:"asset"`
	Cells    int     `json:"cells"`
	Changed  int     `json:"changed_blocks"`
	Commands int     `json:"commands"`
	Applied  bool    `json:"applied"`
	Verified bool    `json:"verified"`
	Undone   bool    `json:"undone"`
	Seconds  float64 `json:"seconds"`
}

// demo runs demo and returns its line, or the sentence with which it refused.
func demo(t *testing.T, args ...string) (d demonstration, sentence string) {
	t.Helper()
	stdout, stderr, code := output(t, append([]string{"demo"}, args...)...)
	noTrace(t, stderr)
	if code != 0 {
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if stdout != "" || len(strings.Fields(lines[len(lines)-1])) < 3 {
			t.Errorf("exit code %d, standard output %q, standard error:\n%s", code, stdout, tail(stderr))
		}
		return d, lines[len(lines)-1]
	}
	if strings.Count(stdout, "\n") != 1 {
		t.Errorf("standard output has more than one line:\n%s", tail(stdout))
	}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if !d.Applied || !d.Verified || !d.Undone || d.Asset == nil || d.Cells <= 0 || d.Changed <= 0 || d.Commands <= 0 || d.Seconds <= 0 {
		t.Errorf("demo %v: %s", args, stdout)
	}
	return d, ""
}

func TestDemoNeedsNothing(t *testing.T) {
	d, sentence := demo(t)
	if sentence != "" {
		t.Fatal(sentence)
	}
	t.Logf("%+v", d)
}

func TestDemoTakesRealFiles(t *testing.T) {
	if raceEnabled {
		t.Skip("takes time and finds no races; .ci/run has a step for it without the race detector")
	}
	corpus := filepath.Join("..", "..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no corpus beside the repository: ", err)
	}
	imported, refused := 0, 0
	for _, pattern := range []string{
		"schem/SandroHc__*.schem", "schem/kaboomserver__[1ahoT]*.schem", "schem/ryandw11__*.schem", "schem/Iridium*.schem",
		"schem/Intellectual*.schem", "schem/rlf__*.schem", "synthetic/*",
	} {
		files, err := filepath.Glob(filepath.Join(corpus, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files[:min(len(files), 6)] {
			t.Run(filepath.Base(file), func(t *testing.T) {
				began := time.Now()
				d, sentence := demo(t, "--file", file)
				if sentence == "" {
					imported++
					t.Logf("%d cells, %d changed, %d commands, %s", d.Cells, d.Changed, d.Commands, time.Since(began).Round(time.Millisecond))
				} else {
					refused++
					t.Logf("refused: %s", sentence)
				}
			})
		}
	}
	t.Logf("%d files imported, %d refused", imported, refused)
	if imported < 10 {
		t.Errorf("only %d files could be imported", imported)
	}
}
