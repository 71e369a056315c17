package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// reading are the commands that run_command lets through: they tell something and
// write no block.
func reading() []string {
	return []string{"list", "testforblock", "testforblocks", "tickingarea", "time", "weather", "say", "tell", "me", "title", "locate", "help"}
}

// writing are the commands that would change blocks past the journal.
func writing() []string {
	return []string{"fill", "setblock", "clone", "structure", "place", "fillbiome", "summon", "scriptevent", "function", "replaceitem", "loot", "groundplan:fill"}
}

type commandParams struct {
	Command string `json:"command"`
}

// commandView is the answer of run_command.
type commandView struct {
	Outcome string `json:"outcome"` // answered, refused, unknown
	Success bool   `json:"success"` // answered, and the game says that it succeeded
	Message string `json:"message,omitempty"`
}

func commandTool() *sdk.Tool {
	return &sdk.Tool{
		Name: "run_command",
		Description: "Runs one Minecraft command in the project's dimension and returns its outcome: answered (success says whether the game was content), refused (it did not run), or unknown (it may have run). " +
			"Only commands that write no block: " + strings.Join(reading(), ", ") + ". To change blocks use build_prepare and build_apply, which can be undone.",
		InputSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"command"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{"command": {Type: "string", MinLength: new(1), MaxLength: new(300), Description: "with or without the leading slash"}},
		},
		OutputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
			"outcome": {Type: "string"}, "success": {Type: "boolean"}, "message": {Type: "string"},
		}},
		Annotations: &sdk.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(false)},
	}
}

// runCommand runs a command that writes no block.
func (h *Handler) runCommand(ctx context.Context, c *call, arguments json.RawMessage) (any, error) {
	var p commandParams
	if err := decode(arguments, &p); err != nil {
		return nil, err
	}
	line := strings.TrimPrefix(strings.TrimSpace(p.Command), "/")
	verb, _, _ := strings.Cut(line, " ")
	verb = strings.TrimPrefix(strings.ToLower(verb), "minecraft:")
	switch {
	case strings.ContainsAny(line, "\n\r"):
		return nil, fault.Errorf(fault.InvalidRequest, "one command at a time")
	case verb == "execute", slices.Contains(writing(), verb):
		return nil, fault.Errorf(fault.PermissionDenied, "%s may write blocks past the journal, where nothing could be undone; use build_prepare and build_apply", verb).
			With("use", "build_prepare")
	case !slices.Contains(reading(), verb):
		return nil, fault.Errorf(fault.PermissionDenied, "%s is not among the commands that may be run", verb).With("allowed", reading())
	}
	project, err := h.Service.ProjectOf(c.identity)
	if err != nil {
		return nil, err
	}
	outcome := h.Run(ctx, project.Dimension, line)
	kinds := map[plan.OutcomeKind]string{plan.Answered: "answered", plan.Refused: "refused", plan.Unknown: "unknown"}
	return commandView{Outcome: kinds[outcome.Kind], Success: outcome.Success, Message: outcome.Message}, nil
}

// decode reads a tool's arguments strictly.
func decode(arguments json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fault.Errorf(fault.InvalidRequest, "arguments: %w", err)
	}
	return nil
}
