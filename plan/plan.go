package plan

import (
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// Plan is an immutable description of a change: every cell's state before and
// after, what else the change relies on, and until when it may be started.
type Plan struct {
	ID         string    `json:"plan_id"`
	Project    string    `json:"project_id"`
	WorldID    string    `json:"world_id"`
	WorldEpoch string    `json:"world_epoch"`
	Dimension  string    `json:"dimension"`
	Region     voxel.Box `json:"region"` // the project's region when the plan was made

	// Slices are the cells to change, in the order of writing. No cell stands
	// in two fills.
	Slices []Slice `json:"-"`
	// Kept are the cells that the recipe names and that already were as
	// wanted (Before equals After). They are checked but never written.
	Kept []Fill `json:"-"`
	// Dependencies are cells outside the change that must stay as they were.
	Dependencies []Cell `json:"dependencies,omitempty"`

	CreatedAt int64  `json:"created_at"`           // milliseconds since 1970
	ExpiresAt int64  `json:"expires_at"`           // no start after this, milliseconds since 1970
	UndoOf    string `json:"undo_of,omitempty"`    // the operation that this plan takes back
	Hash      string `json:"plan_hash"`            // SHA-256 over all of the above, lower-case hex
	Content   string `json:"content_hash"`         // SHA-256 over dimension and wanted cells only
	Changed   int    `json:"changed_blocks"`       // cells whose before differs from their after
	Total     int    `json:"total_changes"`        // changed and kept cells together
	Part      string `json:"part_id,omitempty"`    // the part whose mask bounds the plan
	Commands  int    `json:"commands"`             // how many commands the plan costs when nothing is skipped
	Summary   Tally  `json:"summary"`              // what changes, per block
	Warnings  []Hint `json:"warnings,omitempty"`   // what may move or break after placing
	AllowLoss bool   `json:"allow_loss,omitempty"` // contents of some cells are given up, as the caller said
}

// Slice is the unit that is journaled and executed as one: its fills follow one
// another and together have at most the project's limit of cells.
type Slice struct {
	Fills []Fill
}

// Fill is a compare-and-set of one box: each cell that still is Before becomes
// After. Before and After are canonical states.
type Fill struct {
	Box    voxel.Box
	Before block.State
	After  block.State
}

// Cell is a position and the state that was found or is wanted there.
type Cell struct {
	Pos   voxel.Pos   `json:"pos"`
	State block.State `json:"state"`
}

// Tally counts a plan's cells per block id.
type Tally struct {
	Added     map[string]int `json:"added"`     // air before
	Removed   map[string]int `json:"removed"`   // air after
	Replaced  map[string]int `json:"replaced"`  // "old -> new", neither is air
	Unchanged map[string]int `json:"unchanged"` // kept cells
}

// Hint is a warning about what the game may do to cells after they are placed.
type Hint struct {
	Code    string      `json:"code"`    // gravity, open_fluid, unsupported, half, decay, melt, dark
	Message string      `json:"message"` // one sentence
	Count   int         `json:"count"`   // how many cells
	Cells   []voxel.Pos `json:"cells"`   // the first 32 of them
}

// Cells returns the number of cells that the slice writes at most.
func (s Slice) Cells() int {
	n := 0
	for _, f := range s.Fills {
		n += f.Box.Volume()
	}
	return n
}

// Mask returns the positions of the slice.
func (s Slice) Mask() *voxel.Mask {
	m := voxel.NewMask()
	for _, f := range s.Fills {
		m.AddBox(f.Box)
	}
	return m
}
