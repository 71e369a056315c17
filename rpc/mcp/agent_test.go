package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"
)

// lookup follows a path such as results.0.id through a result.
func lookup(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// agent is one scripted run.
type agent struct {
	t       *testing.T
	session *sdk.ClientSession
	known   map[string]any
	bytes   int // of all results
}

var reference = regexp.MustCompile(`\$\{([a-z]+)\.([a-z_0-9.]+)\}`)

// fill puts what earlier calls answered into a text.
func (a *agent) fill(text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		return fmt.Sprint(lookup(a.known[m[1]], m[2]))
	})
}

// call makes one call of the script and checks what it wants.
func (a *agent) call(file txtar.File) {
	a.t.Helper()
	name := strings.Fields(file.Name)
	var arguments strings.Builder
	var wants []string
	for line := range strings.Lines(string(file.Data)) {
		if want, ok := strings.CutPrefix(line, "want "); ok {
			wants = append(wants, strings.TrimSpace(want))
		} else {
			arguments.WriteString(line)
		}
	}
	result, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name[1], Arguments: json.RawMessage(a.fill(arguments.String()))})
	if err != nil {
		a.t.Fatalf("%s: %v", file.Name, err)
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok || result.IsError {
		a.t.Fatalf("%s: %+v", file.Name, result.Content[0])
	}
	a.bytes += len(text.Text)
	a.known[name[2]] = result.StructuredContent
	for _, want := range wants {
		path, value, _ := strings.Cut(want, " ")
		if got := strings.TrimSpace(fmt.Sprint(lookup(result.StructuredContent, path))); got != a.fill(value) {
			a.t.Fatalf("%s: %s is %q, want %q", file.Name, path, got, a.fill(value))
		}
	}
}

// TestAgentBuildsAHouseFromToolResultsAlone also counts what it costs to read.
func TestAgentBuildsAHouseFromToolResultsAlone(t *testing.T) {
	files, err := filepath.Glob("testdata/agent/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range files {
		script, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &agent{t: t, session: openSite(t).client(), known: map[string]any{}}
		for _, file := range script.Files {
			a.call(file)
		}
		t.Logf("%s: %d calls, %d bytes of results, about %d tokens", filepath.Base(path), len(script.Files), a.bytes, a.bytes/4)
	}
}
