package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/rpc"
)

// offered are the methods that are tools: what an agent needs, and nothing that
// only an admin or the chat may do.
func offered() []string {
	return []string{
		"project_context", "region_inspect", "region_changes", "material_search", "material_describe",
		"build_prepare", "build_apply", "operation_status", "operation_list", "operation_cancel", "operation_undo_prepare",
		"part_define", "part_get", "part_list", "part_delete",
		"asset_list", "schematic_inspect", "schematic_import_prepare", "schematic_export",
	}
}

// instructions teach the way.
const instructions = `groundplan builds in a Minecraft Bedrock world through plans. Nothing you send changes the world but build_apply.

The way: project_context (region, limits, world, gate) → region_inspect (detail "layers" is the cheapest exact read) → build_prepare (recipe → plan: what will change, what it costs, warnings) → look at the answer: summary, warnings, bounds → build_apply with plan_id, plan_hash and an idempotency_key of your own that you keep → operation_status with wait_ms until the status is final.

Rules
- Keep one idempotency_key per intended change and repeat the same call with it when an answer is lost: it gives the same operation. Never invent a second key for a change whose outcome you do not know.
- status "conflict" means that cells are other people's work now: conflicts lists them with expected, current and desired. Nothing foreign was overwritten. Inspect again and plan around it; do not plan to overwrite it unless you are asked to.
- A cancelled, failed or conflicted operation may have written part of its cells. They stay yours: operation_undo_prepare plans the way back, build_apply runs it.
- waiting_for_world means that the game is away; the operation goes on by itself when it is back.
- recovery_required means that an admin must decide first. You cannot; say so.
- Warnings (falling sand, open water, half doors) are about what the game does after placing; mend the recipe rather than ignore them.
- Coordinates are absolute, boxes inclusive, y is up, north is -z. Blocks are Bedrock ids; use material_search when unsure.
- Small change, small recipe: use repeat, palette, layers and transform instead of thousands of single blocks. execute_code runs a Starlark script that builds recipes for you.
- A result over 64 KiB comes in pages: read the rest with result_page.`

// server builds the SDK's server with all tools.
func (h *Handler) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "groundplan", Version: h.Service.Version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	s.AddReceivingMiddleware(h.recovering)
	offer := offered()
	for _, m := range rpc.Methods() {
		if slices.Contains(offer, m.Name) {
			s.AddTool(toolOf(m), h.method(m.Name))
		}
	}
	for _, t := range []struct {
		tool *sdk.Tool
		run  func(context.Context, *call, json.RawMessage) (any, error)
	}{{commandTool(), h.runCommand}, {scriptTool(), h.executeCode}, {pageTool(), h.resultPage}} {
		s.AddTool(t.tool, h.own(t.run))
	}
	return s
}

// recovering turns a panic in a tool into an error of that call. It would
// otherwise end the process: the SDK runs tools on goroutines of its own.
func (h *Handler) recovering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				h.Log.Error("a tool panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = failure(fmt.Errorf("internal error in %s", method)), nil
			}
		}()
		return next(ctx, method, req)
	}
}

// toolOf describes a method as a tool.
func toolOf(m rpc.Method) *sdk.Tool {
	return &sdk.Tool{
		Name: m.Name, Description: m.Doc, InputSchema: inputOf(m.Params), OutputSchema: outputOf(m.Result),
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: !m.Writes, DestructiveHint: new(m.Name == "build_apply"), IdempotentHint: m.Idempotent, OpenWorldHint: new(false),
		},
	}
}

// inputOf returns the parameters without the scope, which follows from the token.
func inputOf(s *jsonschema.Schema) *jsonschema.Schema {
	own := s.CloneSchemas()
	own.Properties = maps.Clone(own.Properties)
	for _, name := range []string{"project_id", "player_id"} {
		delete(own.Properties, name)
	}
	own.PropertyOrder = slices.DeleteFunc(slices.Clone(own.PropertyOrder), func(name string) bool {
		return name == "project_id" || name == "player_id"
	})
	trim(own)
	return own
}

// trim takes out the bounds that every coordinate has: they are in
// project_context's region, and agents pay for them in every position.
func trim(s *jsonschema.Schema) {
	if s.Minimum != nil && s.Maximum != nil && *s.Minimum == math.MinInt32 && *s.Maximum == math.MaxInt32 {
		s.Minimum, s.Maximum = nil, nil
	}
	for _, p := range s.Properties {
		trim(p)
	}
	if s.Items != nil {
		trim(s.Items)
	}
}

// outlined is how many fields the outline of a result names.
const outlined = 12

// outputOf returns the outline of a result: its first fields and their types. The
// whole schema is at /v1/schema; agents pay for every word of a tool list.
func outputOf(s *jsonschema.Schema) *jsonschema.Schema {
	outline := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, name := range s.PropertyOrder[:min(outlined, len(s.PropertyOrder))] {
		p := s.Properties[name]
		kind := &jsonschema.Schema{Type: p.Type, Types: p.Types}
		if p.Type == "" && len(p.Types) == 0 {
			kind.Description = "any" // an empty schema is true, which the TypeScript client refuses
		}
		outline.Properties[name] = kind
	}
	return outline
}

// method returns the handler of a tool that is a method of the table.
func (h *Handler) method(name string) sdk.ToolHandler {
	return h.own(func(ctx context.Context, c *call, arguments json.RawMessage) (any, error) {
		return h.Service.Call(ctx, c.identity, name, arguments)
	})
}

// own wraps a tool: it gets the call's own context, and its result or error is
// put into content.
func (h *Handler) own(run func(context.Context, *call, json.RawMessage) (any, error)) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return failure(fmt.Errorf("the call came past the guard")), nil
		}
		arguments := req.Params.Arguments
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		result, err := run(c.ctx, c, arguments)
		if done, ok := result.(*sdk.CallToolResult); ok && err == nil {
			return done, nil
		}
		if err != nil {
			h.Log.Debug("a tool failed", "tool", req.Params.Name, "error", err)
			return failure(err), nil
		}
		return h.success(result), nil
	}
}

// success puts a result into text and structured content; one over 64 KiB comes
// as its first page.
func (h *Handler) success(result any) *sdk.CallToolResult {
	text, err := json.Marshal(result)
	if err != nil {
		return failure(err)
	}
	if len(text) > pageBytes {
		result = h.pages.keep(text)
	}
	done, err := content(result)
	if err != nil {
		return failure(err)
	}
	return done
}

// content returns a result as text and as structured content.
func content(result any) (*sdk.CallToolResult, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
}

// failure is the result of a call that failed, with the error as the RPC has it.
func failure(err error) *sdk.CallToolResult {
	text, marshal := json.Marshal(rpc.ProblemOf(err))
	if marshal != nil {
		text = []byte(`{"code":"internal","message":"internal error"}`)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
}
