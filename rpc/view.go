package rpc

import (
	"crypto/sha256"
	"encoding/hex"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// Region is a box of a world, as the protocol shows it.
type Region struct {
	World string    `json:"worldId"`
	Min   voxel.Pos `json:"min"`
	Max   voxel.Pos `json:"max"`
}

func regionOf(world string, b voxel.Box) Region { return Region{World: world, Min: b.Min, Max: b.Max} }

// PlanView is what build_prepare and its like answer: the prototype's five
// fields, and what one needs to judge a plan before applying it.
type PlanView struct {
	ID       string      `json:"plan_id"`
	Hash     string      `json:"plan_hash" jsonschema:"pass it to build_apply"`
	Changed  int         `json:"changed_blocks" jsonschema:"cells whose before differs from their after"`
	Region   Region      `json:"region" jsonschema:"the project's region"`
	Expires  int64       `json:"expires_at" jsonschema:"no start after this, milliseconds since 1970"`
	Bounds   *voxel.Box  `json:"bounds,omitempty" jsonschema:"the box around the cells of the plan"`
	Total    int         `json:"total_changes" jsonschema:"changed and kept cells together"`
	Commands int         `json:"commands" jsonschema:"how many commands the plan costs"`
	Slices   int         `json:"slices"`
	Content  string      `json:"content_hash" jsonschema:"equal for plans that want the same cells"`
	Summary  plan.Tally  `json:"summary"`
	Warnings []plan.Hint `json:"warnings" jsonschema:"what may move or break after placing"`

	Materials []plan.Material `json:"materials" jsonschema:"what a player would need to build it by hand"`
	Loss      bool            `json:"allow_loss,omitempty" jsonschema:"contents of some cells are given up"`

	UndoOf string `json:"undo_of,omitempty"`
	Part   string `json:"part_id,omitempty"`
}

func viewOf(p *plan.Plan) PlanView {
	v := PlanView{
		ID: p.ID, Hash: p.Hash, Changed: p.Changed, Region: regionOf(p.WorldID, p.Region), Expires: p.ExpiresAt,
		Total: p.Total, Commands: p.Commands, Slices: len(p.Slices), Content: p.Content, Summary: p.Summary,
		Warnings: p.Warnings, UndoOf: p.UndoOf, Part: p.Part, Materials: p.Materials(), Loss: p.AllowLoss,
	}
	if v.Warnings == nil {
		v.Warnings = []plan.Hint{}
	}
	if b, ok := p.Bounds(); ok {
		v.Bounds = &b
	}
	return v
}

// statusOf returns an operation as operation_status shows it: its lists are never
// null.
func statusOf(op plan.Operation) plan.Operation {
	if op.Conflicts == nil {
		op.Conflicts = []plan.Conflict{}
	}
	return op
}

// digestOf returns 16 hex characters that tell texts apart.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
