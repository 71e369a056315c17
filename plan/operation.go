package plan

import (
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Status is where an operation stands.
type Status string

// The statuses. All but Queued, Applying and RecoveryRequired are final.
const (
	Queued           Status = "queued"            // recorded; no cell of it was touched
	Applying         Status = "applying"          // slices are being written
	Applied          Status = "applied"           // the world was seen to be as planned
	Conflicted       Status = "conflict"          // stopped at cells that are neither as before nor as after
	Cancelled        Status = "cancelled"         // stopped by request; what was written stays owned
	Failed           Status = "failed"            // stopped for another reason, or abandoned
	RecoveryRequired Status = "recovery_required" // unfinished when the service stopped; an admin decides
)

// Final reports whether no step follows the status.
func (s Status) Final() bool {
	switch s {
	case Queued, Applying, RecoveryRequired:
		return false
	default:
		return true
	}
}

// Operation is one execution of a plan under an idempotency key.
type Operation struct {
	ID        string `json:"operation_id"`
	PlanID    string `json:"plan_id"`
	Project   string `json:"project_id"`
	Key       string `json:"idempotency_key"`
	By        string `json:"by"`                // the principal that asked for it
	UndoOf    string `json:"undo_of,omitempty"` // the operation that this one takes back
	Status    Status `json:"status"`
	CreatedAt int64  `json:"created_at"`           // milliseconds since 1970
	UpdatedAt int64  `json:"updated_at"`           // milliseconds since 1970
	StartedAt int64  `json:"started_at,omitempty"` // when its turn came and it was found able to go, ms since 1970

	Next      int `json:"next_slice"`    // the first slice without a receipt
	Slices    int `json:"slices"`        // how many slices the plan has
	Written   int `json:"written"`       // cells that receipts confirm
	Skipped   int `json:"skipped"`       // cells found as planned after; not written, not owned
	Processed int `json:"processed"`     // written and skipped together
	Total     int `json:"total_changes"` // all cells of the plan, kept ones included
	Sent      int `json:"commands"`      // commands sent so far
	Weak      int `json:"weak_commands"` // commands whose filter had to drop states to fit the line

	Conflicts     []Conflict `json:"conflicts"`      // the first 32
	ConflictCount int        `json:"conflict_count"` // all of them
	Message       string     `json:"message"`        // what it is doing, or why it ended
	Code          fault.Code `json:"code,omitempty"` // why it failed
	Cancel        bool       `json:"cancel_requested,omitempty"`
	Waiting       bool       `json:"waiting_for_world"` // applying, and the world is away
	Resumed       string     `json:"resumed,omitempty"` // the decision that let it go on after a crash
	Abandoned     bool       `json:"abandoned,omitempty"`
}

// Conflict is a cell that is neither as planned before nor as planned after. For
// a dependency Expected and Desired are the same.
type Conflict struct {
	Pos      voxel.Pos   `json:"pos"`
	Reason   string      `json:"reason"`
	Expected block.State `json:"expected"`
	Current  block.State `json:"current"` // "" when its chunk is not loaded
	Desired  block.State `json:"desired"`
}

// Intent is what a slice is about to write; it is durable before the first of
// its commands is sent.
type Intent struct {
	Operation string
	Slice     int
	Write     *voxel.Mask // the cells that were Before; the slice's others were found After
	At        int64       // milliseconds since 1970
}

// Receipt is what a slice was seen to have written.
type Receipt struct {
	Operation string
	Slice     int
	Wrote     *voxel.Mask // a subset of the intent's cells
	At        int64       // milliseconds since 1970
}

// Entry is the journal's record of one slice. Receipt is nil while the intent is
// open.
type Entry struct {
	Intent  Intent
	Receipt *Receipt
}

// Part is a named exact mask of cells.
type Part struct {
	ID        string      `json:"part_id"`
	Project   string      `json:"project_id"`
	Name      string      `json:"name"`
	Operation string      `json:"operation_id"` // whose written cells it has
	Protected bool        `json:"protected"`
	WorldID   string      `json:"world_id"`
	Dimension string      `json:"dimension"`
	Mask      *voxel.Mask `json:"-"`
}

// Verdict is what an admin decides about an unfinished operation.
type Verdict string

// The verdicts (DESIGN §6).
const (
	Abandon  Verdict = "abandon"  // leave the world as it is, give up undo
	Resume   Verdict = "resume"   // finish the operation
	Rollback Verdict = "rollback" // write the mask back to before
)

// Decision is an audit record of a verdict.
type Decision struct {
	ID        string  `json:"decision_id"`
	Operation string  `json:"operation_id"`
	Verdict   Verdict `json:"verdict"`
	Digest    string  `json:"digest"` // of the review it rests on
	By        string  `json:"by"`
	Reason    string  `json:"reason"`
	At        int64   `json:"at"` // milliseconds since 1970
}
