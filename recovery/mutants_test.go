package recovery

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var mutants = flag.Bool("mutants", false, "plant the bugs of testdata/mutants.txt, one at a time, and see that the tests notice")

var only = flag.String("only", "", "of the bugs of -mutants, take those with this text in their name or tests")

// mutant is one planted bug.
type mutant struct {
	name, file, from, to string
	also                 string     // code appended to the file
	tests                [][]string // arguments of go test; each of these runs must fail
}

func readMutants(t *testing.T) []mutant {
	t.Helper()
	text, err := os.ReadFile("testdata/mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []mutant
	for _, part := range strings.Split(string(text), "\n--- ")[1:] {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		m := mutant{name: lines[0]}
		for _, line := range lines[1:] {
			verb, rest, _ := strings.Cut(line, " ")
			switch verb {
			case "file":
				m.file = rest
			case "from":
				m.from = strings.TrimSpace(rest)
			case "to":
				m.to = strings.TrimSpace(rest)
			case "test":
				m.tests = append(m.tests, strings.Fields(rest))
			case "func":
				m.also = line
			}
		}
		all = append(all, m)
	}
	return all
}

// TestMutantsAreOfCodeThatExists keeps the list alive: each bug must still fit
// into the code.
func TestMutantsAreOfCodeThatExists(t *testing.T) {
	for _, m := range readMutants(t) {
		code, err := os.ReadFile(filepath.Join("..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(code), m.from); n == 0 {
			t.Errorf("%s: %s has no line %q", m.name, m.file, m.from)
		}
	}
}

// TestMutants plants each bug in a copy of the source and expects the tests to
// fail there.
func TestMutants(t *testing.T) {
	if !*mutants {
		t.Skip("run with -mutants")
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS("..")); err != nil {
		t.Fatal(err)
	}
	for _, m := range readMutants(t) {
		tests := slices.DeleteFunc(m.tests, func(test []string) bool { return !strings.Contains(m.name+" "+strings.Join(test, " "), *only) })
		if len(tests) == 0 {
			continue
		}
		path := filepath.Join(copied, m.file)
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		broken := strings.ReplaceAll(string(code), m.from, m.to) + "\n" + m.also + "\n"
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			m.expectFailure(t, copied, test)
		}
		if err := os.WriteFile(path, code, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// expectFailure runs tests in the copy with the bug, which must fail.
func (m mutant) expectFailure(t *testing.T, dir string, test []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1"}, test...)...)
	run.Dir = dir
	out, err := run.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("nobody noticed: %s, in %v", m.name, test)
	case strings.Contains(string(out), "[build failed]"), strings.Contains(string(out), "[setup failed]"), strings.Contains(string(out), "go build: "):
		t.Errorf("%s does not build:\n%s", m.name, out)
	default:
		t.Logf("noticed: %s, in %v", m.name, test)
	}
}
