package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/tools/txtar"

	"groundplan/plan/fault"
)

// Page returns docs/PROTOCOL.md, made of the table and of the transcripts that the
// tests replay: the first exchange of METHOD.txtar is the method's example.
func Page(transcripts fs.FS) (string, error) {
	var p page
	p.line("# The protocol")
	p.line("")
	p.line("Made by `go generate ./rpc` from the table of methods in `rpc/table.go`; a test fails when it is not fresh.")
	p.intro()
	p.errors()
	p.contents()
	for _, m := range Methods() {
		if err := p.method(m, transcripts); err != nil {
			return "", fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return p.text.String(), nil
}

type page struct{ text strings.Builder }

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.text, format+"\n", args...)
}

func (p *page) intro() {
	p.line(`
## Calling

` + "`POST /v1/rpc`" + ` on the loopback address, with ` + "`Authorization: Bearer TOKEN`" + ` and a JSON body:

    {"method": "project_context", "params": {}, "requestId": "yours, echoed"}

Success is ` + "`{\"ok\":true,\"result\":…}`" + `, failure ` + "`{\"ok\":false,\"error\":{\"code\",\"message\",\"details\"?,\"retryable\",\"retry_after_ms\"?}}`" + `. JSON is
read strictly: names are exact, stand once, and nothing follows the value. Positions are integers; boxes are inclusive; times are milliseconds
since 1970. The body has at most 1 MiB.

The tokens stand in ` + "`tokens.json`" + ` of the data directory: ` + "`admin`" + ` may call everything, ` + "`agent`" + ` everything that is not for admins. A token
speaks for one principal: the agent's for ` + "`console`" + ` where the project allows local automation, otherwise for the project's owner; a token under
` + "`players`" + ` for that player. ` + "`player_id`" + ` in the parameters must be that principal; ` + "`project_id`" + ` names the project, ` + "`default`" + ` when it is left
out. Both are parameters of every method and not repeated below.

` + "`GET /health`" + ` says in what state the service is, ` + "`GET /metrics`" + ` counts, ` + "`GET /v1/schema`" + ` has the schemas of this page as JSON. Requests with
an ` + "`Origin`" + ` or a foreign ` + "`Host`" + ` are refused.`)
}

func (p *page) errors() {
	p.line("\n## Errors\n")
	p.line("| code | HTTP | repeat it | \n|---|---|---|")
	for _, code := range fault.Codes() {
		again := ""
		if code.Retryable() {
			again = fmt.Sprintf("after %d ms", mappings()[code].retry.Milliseconds())
		}
		p.line("| `%s` | %d %s | %s |", code, Status(code), http.StatusText(Status(code)), again)
	}
	p.line("\nEvery method may give %s.", list(CommonErrors()))
}

func list(all []fault.Code) string {
	words := make([]string, len(all))
	for i, code := range all {
		words[i] = "`" + string(code) + "`"
	}
	return strings.Join(words, ", ")
}

func (p *page) contents() {
	p.line("\n## Methods\n")
	for _, m := range Methods() {
		p.line("* [%s](#%s) – %s", m.Name, m.Name, firstSentence(m.Doc))
	}
}

func firstSentence(text string) string {
	head, _, found := strings.Cut(text, ". ")
	if found {
		return head + "."
	}
	return text
}

func (p *page) method(m Method, transcripts fs.FS) error {
	p.line("\n### %s\n", m.Name)
	p.line("%s\n", m.Doc)
	var traits []string
	if m.Role == Admin {
		traits = append(traits, "Needs the admin token.")
	}
	switch {
	case !m.Writes:
		traits = append(traits, "Changes nothing.")
	case m.Idempotent:
		traits = append(traits, "Repeating it changes nothing more.")
	}
	if len(traits) > 0 {
		p.line("%s\n", strings.Join(traits, " "))
	}
	p.fields("parameter", m.Params, true)
	p.fields("result", m.Result, false)
	if len(m.Errors) > 0 {
		p.line("Errors: %s.\n", list(m.Errors))
	}
	return p.example(m, transcripts)
}

// fields prints a table of an object's fields.
func (p *page) fields(what string, s *jsonschema.Schema, params bool) {
	var rows []string
	for _, name := range s.PropertyOrder {
		if params && (name == "project_id" || name == "player_id") {
			continue
		}
		f := s.Properties[name]
		need := ""
		if params && slices.Contains(s.Required, name) {
			need = "**needed**"
		}
		if !params && !slices.Contains(s.Required, name) {
			need = "sometimes"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", name, typeOf(f), need, strings.TrimSpace(f.Description+bounds(f))))
	}
	if len(rows) == 0 {
		return
	}
	p.line("| %s | type | | |\n|---|---|---|---|", what)
	p.line("%s\n", strings.Join(rows, "\n"))
}

// typeOf names a type in a word or two.
func typeOf(s *jsonschema.Schema) string {
	name := s.Type
	if name == "" && len(s.Types) > 0 {
		name = s.Types[len(s.Types)-1]
	}
	switch {
	case is(s, "array") && s.Items != nil:
		return "list of " + typeOf(s.Items)
	case is(s, "object") && len(s.PropertyOrder) > 0:
		return "{" + strings.Join(s.PropertyOrder, ", ") + "}"
	case is(s, "object") && s.AdditionalProperties != nil && (s.AdditionalProperties.Type != "" || s.AdditionalProperties.Types != nil):
		return "name → " + typeOf(s.AdditionalProperties)
	default:
		return name
	}
}

// bounds says what a schema bounds, in brackets.
func bounds(s *jsonschema.Schema) string {
	var parts []string
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, one := range s.Enum {
			words[i] = fmt.Sprintf("`%v`", one)
			if one == "" {
				words[i] = "empty"
			}
		}
		parts = append(parts, "one of "+strings.Join(words, ", "))
	}
	if s.Minimum != nil || s.Maximum != nil {
		parts = append(parts, between(s.Minimum, s.Maximum))
	}
	if s.MaxLength != nil {
		parts = append(parts, fmt.Sprintf("at most %d characters", *s.MaxLength))
	}
	if s.MaxItems != nil {
		parts = append(parts, fmt.Sprintf("at most %d", *s.MaxItems))
	}
	if s.Default != nil {
		parts = append(parts, "default `"+string(s.Default)+"`")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// example prints the first exchange of the method's transcript.
func (p *page) example(m Method, transcripts fs.FS) error {
	data, err := fs.ReadFile(transcripts, m.Name+".txtar")
	if err != nil {
		return err
	}
	for _, file := range txtar.Parse(data).Files {
		lines := strings.Split(string(file.Data), "\n")
		for i, line := range lines[:len(lines)-1] {
			call, ok := strings.CutPrefix(line, "> "+m.Name+" ")
			answer, answered := strings.CutPrefix(lines[i+1], "< 200 ")
			if !ok || !answered {
				continue
			}
			p.line("```json\n%s\n```\n```json\n%s\n```", indent(call), indent(answer))
			return nil
		}
	}
	return fmt.Errorf("the transcript has no success")
}

// indent lays JSON out, short values on one line.
func indent(text string) string {
	const wide = 140
	if len(text) <= wide {
		return text
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		return text
	}
	const most = 60
	lines := strings.Split(out.String(), "\n")
	if len(lines) > most {
		return text[:min(len(text), 2000)] + ellipsis(text)
	}
	return out.String()
}

func ellipsis(text string) string {
	if len(text) > 2000 {
		return " …"
	}
	return ""
}
