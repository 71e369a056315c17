package recovery

import (
	"context"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// Log is what the Runner needs of the journal. Each method that changes
// something returns only when the change is on disk.
type Log interface {
	Plan(id string) (*plan.Plan, error)
	// PutPlan stores a plan.
	PutPlan(p *plan.Plan) error
	Operation(id string) (plan.Operation, error)

	// Enqueue records a new operation under its project and key. When the key
	// is known it records nothing and returns the operation that has it; that
	// is an idempotency_mismatch error when its plan is another one.
	Enqueue(op plan.Operation) (plan.Operation, error)
	// Lookup returns the operation that a project's key belongs to.
	Lookup(project, key string) (plan.Operation, bool, error)
	// Unfinished returns the operations whose status is not final, oldest
	// first.
	Unfinished() ([]plan.Operation, error)
	// Update replaces the record of an operation.
	Update(op plan.Operation) error
	// Advance writes, in one transaction, the operation's record, the receipt
	// of the slice that is done (with the ownership of what it wrote) and the
	// intent of the next. Either of the two may be nil.
	Advance(op plan.Operation, done *plan.Receipt, next *plan.Intent) error
	// Entries returns the records of an operation's slices, in order.
	Entries(operation string) ([]plan.Entry, error)

	// Recent returns the newest operations of a project, "" for all, newest
	// first.
	Recent(project string, limit int) ([]plan.Operation, error)

	// Owned returns the cells that the operation wrote and still owns: nobody
	// known wrote them since, or whoever did was undone. The operations in
	// undone, in their order, are taken as undone already.
	Owned(operation string, undone ...string) (*voxel.Mask, error)
	// Disown ends, for good, every operation's ownership of cells that somebody
	// else edited, and keeps the cursor up to which the world's edits are known.
	Disown(worldID, dimension string, cells *voxel.Mask, cursor string) error
	// Doubt records that edits by others in a world were missed since a time
	// (milliseconds since 1970; 0: since the cursor was kept): all that is owned
	// there is in doubt until Confirm, a write or a known edit of it.
	Doubt(worldID string, since int64) error
	// Doubted returns the owned cells that are in doubt, and since when.
	Doubted(worldID, dimension string) (cells *voxel.Mask, since int64, err error)
	// Confirm ends the doubt about cells of an operation that were compared with
	// the world: the intact ones stay its own, ownership of the changed ones ends
	// for good.
	Confirm(operation string, intact, changed *voxel.Mask) error
	// Cursor returns what Disown last kept for the world.
	Cursor(worldID string) (string, error)

	// Decide records, in one transaction, a decision, the operation's new record
	// and the new operations that the decision starts. For Abandon it also voids
	// every ownership under the mask.
	Decide(d plan.Decision, op plan.Operation, mask *voxel.Mask, then ...plan.Operation) error
	// Decisions returns all decisions, oldest first.
	Decisions() ([]plan.Decision, error)

	// Parts returns the parts of a project.
	Parts(project string) ([]plan.Part, error)
}

// World is what the Runner needs of the bridge. Every method that needs the
// world fails with world_unavailable while none is connected.
type World interface {
	// Info returns the connected world.
	Info() (plan.World, error)
	// Await returns when a world is connected, or ctx ends.
	Await(ctx context.Context) error
	// Read returns the cells of the boxes, each of at most 32,768 cells.
	// Cells in unloaded chunks are absent from the snapshot.
	Read(ctx context.Context, dimension string, boxes []voxel.Box) (*plan.Snapshot, error)
	// RunAll runs the commands, sent in their order and pipelined within the
	// window of outstanding commands, and says what is known of each. When ctx ends, those not yet sent are Refused and those under way
	// are still waited for, up to the bridge's timeout.
	RunAll(ctx context.Context, commands []string) []plan.Outcome
	// Changes returns the edits by others after the cursor; "" asks for where
	// the ring stands now.
	Changes(ctx context.Context, cursor string) (plan.Changes, error)
}
