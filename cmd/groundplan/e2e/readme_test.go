package e2e

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// readmeLines returns the lines of the README's shell blocks.
func readmeLines(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range shellBlock.FindAllStringSubmatch(string(raw), -1) {
		lines = append(lines, strings.Split(strings.TrimSpace(m[1]), "\n")...)
	}
	return lines
}

func TestReadmeHasTheTwoCommandsAndTheTestCommand(t *testing.T) {
	lines := readmeLines(t)
	for _, want := range []string{"go run ./cmd/groundplan demo", "go run ./cmd/groundplan serve", "go test ./..."} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in a shell block of the README", want)
		}
	}
}

// The README's lines for a service that stays up are pasted into a shell, one
// after the other, exactly as they stand; only the port and the way to the
// program are those of this test.
func TestReadmeLinesWorkAsPasted(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on this machine", tool)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(root, "testdata"))); err != nil {
		t.Fatal(err)
	}
	s := start(t, filepath.Join(dir, "groundplan-data"), "--world", "embedded")
	u, err := url.Parse(s.RPC)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("set -e -o pipefail\n")
	for _, line := range readmeLines(t) {
		if strings.HasPrefix(line, "go test") || strings.HasPrefix(line, "make") || strings.HasPrefix(line, "git clone") || strings.HasPrefix(line, "cd ") ||
			strings.HasSuffix(line, "groundplan demo") || strings.HasSuffix(line, "groundplan serve") {
			continue
		}
		line = strings.ReplaceAll(line, "go run ./cmd/groundplan", program)
		script.WriteString(strings.ReplaceAll(line, "127.0.0.1:8765", u.Host) + "\n")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s\n%s", err, script.String(), tail(out.String()), tail(errs.String()))
	}
	t.Logf("%s\n%s", script.String(), tail(out.String()))
	if strings.Contains(out.String(), `"ok":false`) || strings.Count(out.String(), `"ok":true`) < 4 {
		t.Errorf("not every call was answered with ok:\n%s", tail(out.String()))
	}
	for _, want := range []string{`"plan_id"`, `"operation_id"`, `"status":"applied"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in what the lines print", want)
		}
	}
}

var (
	inProse = regexp.MustCompile("(?:`|/cmd/)groundplan ([a-z]+)(?: ([a-z]+))?")
	inBlock = regexp.MustCompile("^(?:[$] )?(?:.*/)?groundplan (?:--[a-z]+ [a-z]+ )?([a-z]+)(?: ([a-z]+))?")
)

// namedCommands returns the subcommands that a Markdown text names, in code of
// either kind.
func namedCommands(text string) []string {
	var list []string
	block := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			block = !block
			continue
		}
		pattern := inProse
		if block {
			pattern = inBlock
		}
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			list = append(list, strings.TrimSpace(m[1]+" "+m[2]))
		}
	}
	return list
}

func TestDocumentsNameOnlyCommandsThatExist(t *testing.T) {
	seen := map[string]bool{}
	files, err := fs.Glob(os.DirFS(root), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range namedCommands(string(raw)) {
			if seen[command] {
				continue
			}
			seen[command] = true
			words := strings.Fields(command)
			_, message, code := output(t, append(words, "--help")...)
			if code != 0 && len(words) > 1 {
				_, message, code = output(t, words[0], "--help") // the second word was an argument
			}
			if code != 0 {
				t.Errorf("%s names groundplan %s: %s", name, command, tail(message))
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("only %v were found", seen)
	}
}
