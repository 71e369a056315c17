package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/rpc"
	"groundplan/rpc/mcp/script"
)

// The limits of a script.
const (
	scriptSeconds = 30       // when no timeout is given, and at most
	scriptSteps   = 50 << 20 // of the interpreter
	scriptHeap    = 256 << 20
	scriptOutput  = 64 << 10 // of what it prints
	scriptCalls   = 1000     // of methods
	scriptCode    = 256 << 10
)

func scriptTool() *sdk.Tool {
	return &sdk.Tool{
		Name: "execute_code",
		Description: "Runs a Starlark script (Python-like, no imports, f-strings or try) that builds recipes. Builtins: box(min,max,block,hollow=False), line(start,end,block), " +
			"cylinder(center,radius,height,block,hollow=False), sphere(center,radius,block,hollow=False), add(type, **fields) for any other shape; positions are tuples (x,y,z). " +
			"plan(**options) prepares a plan of the shapes so far and returns build_prepare's answer; inspect(min,max,detail), context(), search(query), describe(id) read; print(). " +
			"apply(plan) executes a plan and waits for its end; it fails unless apply is true and an idempotency_key is given. Plans that were not applied change nothing. " +
			"Up to 30 s and 256 MiB; what was printed is kept when it is stopped. An error may leave plans applied that came before it.",
		InputSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"code"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"code":            {Type: "string", MaxLength: new(scriptCode)},
				"timeout_seconds": {Type: "integer", Minimum: new(1.0), Maximum: new(float64(scriptSeconds)), Default: json.RawMessage("30")},
				"apply":           {Type: "boolean", Default: json.RawMessage("false")},
				"idempotency_key": {Type: "string", MinLength: new(1), MaxLength: new(200), Description: "of the whole script; its n-th apply uses it with /n"},
			},
		},
		OutputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
			"output": {Type: "string"}, "value": {Type: "string"}, "plans": {Type: "array"}, "operations": {Type: "array"},
		}},
		Annotations: &sdk.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(false)},
	}
}

type scriptParams struct {
	Code    string `json:"code"`
	Timeout int    `json:"timeout_seconds"`
	Apply   bool   `json:"apply"`
	Key     string `json:"idempotency_key"`
}

// run is one script under way.
type run struct {
	handler *Handler
	call    *call
	params  scriptParams

	output     strings.Builder
	Plans      []string `json:"plans"`      // ids of the plans that it prepared
	Operations []string `json:"operations"` // ids of the operations that it started
	calls      int
}

// executeCode runs a script in a process of its own; one at a time in a session.
func (h *Handler) executeCode(ctx context.Context, c *call, arguments json.RawMessage) (any, error) {
	p := scriptParams{Timeout: scriptSeconds}
	if err := decode(arguments, &p); err != nil {
		return nil, err
	}
	switch {
	case p.Apply && p.Key == "":
		return nil, fault.Errorf(fault.InvalidRequest, "apply needs an idempotency_key")
	case p.Timeout < 1 || p.Timeout > scriptSeconds:
		return nil, fault.Errorf(fault.InvalidRequest, "timeout_seconds is from 1 to %d", scriptSeconds)
	case len(p.Code) > scriptCode:
		return nil, fault.Errorf(fault.BudgetExceeded, "a script has at most %d bytes", scriptCode)
	}
	if !h.enter(c.session) {
		return nil, fault.Errorf(fault.Busy, "a script of this session is still running")
	}
	defer h.leave(c.session)
	r := &run{handler: h, call: c, params: p, Plans: []string{}, Operations: []string{}}
	end, err := r.execute(ctx)
	return r.result(ctx, end, err), nil
}

func (h *Handler) enter(session string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.scripts[session] {
		return false
	}
	h.scripts[session] = true
	return true
}

func (h *Handler) leave(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.scripts, session)
}

// execute runs the child and answers its calls until its last record.
func (r *run) execute(ctx context.Context) (script.End, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.params.Timeout+2)*time.Second)
	defer cancel()
	child := exec.CommandContext(ctx, r.handler.Script[0], r.handler.Script[1:]...) //nolint:gosec // the program's own path
	child.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}
	child.WaitDelay = time.Second
	stdin, err := child.StdinPipe()
	if err != nil {
		return script.End{}, err
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return script.End{}, err
	}
	if err := child.Start(); err != nil {
		return script.End{}, err
	}
	end, err := r.converse(ctx, json.NewEncoder(stdin), stdout)
	cancel()
	_ = stdin.Close()
	_ = child.Wait() // it was told to end, or was killed
	return end, err
}

func (r *run) converse(ctx context.Context, to *json.Encoder, from io.Reader) (script.End, error) {
	request := script.Request{Code: r.params.Code, Steps: scriptSteps, Seconds: r.params.Timeout, Heap: scriptHeap}
	if err := to.Encode(request); err != nil {
		return script.End{}, err
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), 8<<20)
	for lines.Scan() {
		var record script.Record
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			return script.End{}, fmt.Errorf("script record: %w", err)
		}
		switch {
		case record.Print != nil:
			r.print(*record.Print)
		case record.Call != nil:
			if err := to.Encode(r.answer(ctx, record.Call)); err != nil {
				return script.End{}, err
			}
		case record.End != nil:
			return *record.End, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return script.End{}, err
	}
	return script.End{}, errors.New("killed: the script's process ended; it asked for too much memory at once")
}

// print keeps a line, up to the limit of all output.
func (r *run) print(text string) {
	if room := scriptOutput - r.output.Len(); room <= len(text) {
		text = text[:max(0, min(room, len(text)))]
	}
	if text != "" || r.output.Len() < scriptOutput {
		r.output.WriteString(text)
		r.output.WriteByte('\n')
	}
}

// answer calls a method for the script.
func (r *run) answer(ctx context.Context, c *script.Call) script.Reply {
	result, err := r.method(ctx, c)
	if err == nil {
		var raw json.RawMessage
		if raw, err = json.Marshal(result); err == nil {
			return script.Reply{ID: c.ID, Result: raw}
		}
	}
	p := rpc.ProblemOf(err)
	return script.Reply{ID: c.ID, Error: string(p.Code) + ": " + p.Message}
}

func (r *run) method(ctx context.Context, c *script.Call) (any, error) {
	r.calls++
	if r.calls > scriptCalls {
		return nil, fault.Errorf(fault.BudgetExceeded, "a script makes at most %d calls", scriptCalls)
	}
	switch {
	case c.Method == "build_apply":
		return r.apply(ctx, c.Params)
	case c.Method == "build_prepare":
		result, err := r.handler.Service.Call(ctx, r.call.identity, c.Method, c.Params)
		r.Plans = appendID(r.Plans, result, "plan_id")
		return result, err
	case slices.Contains([]string{"region_inspect", "project_context", "material_search", "material_describe"}, c.Method):
		return r.handler.Service.Call(ctx, r.call.identity, c.Method, c.Params)
	default:
		return nil, fault.Errorf(fault.PermissionDenied, "a script may not call %s", c.Method)
	}
}

// appendID appends a text field of a result.
func appendID(list []string, result any, field string) []string {
	raw, err := json.Marshal(result)
	if err != nil {
		return list
	}
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return list
	}
	if id, ok := fields[field].(string); ok {
		return append(list, id)
	}
	return list
}

// apply starts a plan under the script's key and waits for its end.
func (r *run) apply(ctx context.Context, params json.RawMessage) (any, error) {
	if !r.params.Apply {
		return nil, fault.Errorf(fault.PermissionDenied, "apply() needs the call to have apply: true and an idempotency_key")
	}
	var p map[string]any
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	p["idempotency_key"] = fmt.Sprintf("%s/%d", r.params.Key, len(r.Operations)+1)
	with, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	status, err := r.handler.Service.Call(ctx, r.call.identity, "build_apply", with)
	for err == nil {
		op, ok := status.(plan.Operation)
		if !ok {
			return nil, fmt.Errorf("build_apply answered a %T", status)
		}
		if !slices.Contains(r.Operations, op.ID) {
			r.Operations = append(r.Operations, op.ID)
		}
		if op.Status.Final() {
			return op, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ask, marshal := json.Marshal(map[string]any{"operation_id": op.ID, "since": op.UpdatedAt, "wait_ms": 5000})
		if marshal != nil {
			return nil, marshal
		}
		status, err = r.handler.Service.Call(ctx, r.call.identity, "operation_status", ask)
		if v, ok := status.(rpc.StatusView); ok {
			status = v.Operation
		}
	}
	return nil, err
}

// result puts the end of a script into words: what it printed, then its value, or
// how it was stopped (reference/mcp-server.md §2.1).
func (r *run) result(ctx context.Context, end script.End, err error) *sdk.CallToolResult {
	text := r.output.String()
	failed := true
	switch {
	case ctx.Err() != nil:
		text += "(cancelled)"
	case errors.Is(err, context.DeadlineExceeded):
		text += fmt.Sprintf("killed: the script took longer than %d s", r.params.Timeout)
	case err != nil:
		text += err.Error()
	case end.Error != "":
		text += end.Error
	case end.Value != "":
		failed, text = false, text+"=> "+end.Value
	case text == "":
		failed, text = false, "(no output)"
	default:
		failed = false
	}
	structured := map[string]any{"output": r.output.String(), "value": end.Value, "plans": r.Plans, "operations": r.Operations}
	return &sdk.CallToolResult{IsError: failed, Content: []sdk.Content{&sdk.TextContent{Text: strings.TrimSuffix(text, "\n")}}, StructuredContent: structured}
}
