package recovery

import (
	"context"
	"slices"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// UndoRequest names what is to be taken back.
type UndoRequest struct {
	// Operations in the order of undoing, the newest first. Each is planned
	// as if those ahead of it were undone already, so the plans are to be
	// applied in their order.
	Operations []string
	// Partial leaves cells alone that were changed since, or that were given
	// contents without AllowLoss, and reports them.
	Partial bool
	// AllowLoss gives up what is in the blocks that the operations placed:
	// chests that were filled since, signs that were written, and pots and item
	// frames, whose contents the game does not tell.
	AllowLoss bool
}

// UndoReport says what an undo plan restores and what it leaves alone.
type UndoReport struct {
	Restored int             `json:"restored"`   // cells that the plan writes back
	Kept     int             `json:"kept"`       // cells that are not the operation's any more
	Reasons  map[string]int  `json:"reasons"`    // kept cells per reason: owner, changed, contents, unloaded
	Cells    []plan.Conflict `json:"kept_cells"` // the first 32 of them
}

// Undo is the plan that takes one operation back, and what it leaves. The plan is
// not stored.
type Undo struct {
	Plan   *plan.Plan
	Report UndoReport
}

// PrepareUndo plans after → before for the cells that each operation wrote and
// still owns. Any cell that was changed since – by a later operation, by a player,
// or to another state – is an undo_conflict, or, when partial is set, is left
// alone and reported.
func (r *Runner) PrepareUndo(ctx context.Context, request UndoRequest) ([]Undo, error) {
	if len(request.Operations) == 0 {
		return nil, fault.Errorf(fault.InvalidRequest, "an undo needs at least one operation")
	}
	jobs := make([]*job, 0, len(request.Operations))
	for i, id := range request.Operations {
		if slices.Contains(request.Operations[:i], id) {
			return nil, fault.Errorf(fault.InvalidRequest, "operation %s is named twice", id)
		}
		j, err := r.undoable(id)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	if err := r.observe(ctx); err != nil {
		return nil, err
	}
	imagined := voxel.NewVolume() // what the plans ahead will have written
	undos := make([]Undo, 0, len(jobs))
	for i, j := range jobs {
		undo, err := r.undoPlan(ctx, j, imagined, request, request.Operations[:i])
		if err != nil {
			return nil, err
		}
		undos = append(undos, undo)
		after := undo.Plan.After()
		for p, id := range after.All() {
			imagined.Put(p, after.Content(id))
		}
	}
	return undos, nil
}

// undoable loads an operation that may be undone.
func (r *Runner) undoable(id string) (*job, error) {
	op, err := r.Log.Operation(id)
	switch {
	case err != nil:
		return nil, err
	case op.Abandoned:
		return nil, fault.Errorf(fault.UndoConflict, "operation %s was abandoned; its undo is gone for ever", id)
	case op.Status == plan.RecoveryRequired:
		return nil, fault.Errorf(fault.RecoveryRequired, "operation %s waits for an admin's decision", id)
	case !op.Status.Final():
		return nil, fault.Errorf(fault.Busy, "operation %s is still %s", id, op.Status)
	}
	return r.load(op)
}

// undoPlan plans the undo of one operation, as if the operations in undone were
// taken back and had left the imagined cells.
func (r *Runner) undoPlan(ctx context.Context, j *job, imagined *voxel.Volume, request UndoRequest, undone []string) (Undo, error) {
	project, ok := r.Project(j.op.Project)
	if !ok {
		return Undo{}, fault.Errorf(fault.NotFound, "no project %s", j.op.Project)
	}
	if err := r.sameWorld(j.plan); err != nil {
		return Undo{}, err
	}
	doubted, err := r.settleDoubt(ctx, j)
	if err != nil {
		return Undo{}, err
	}
	wrote := j.receipts()
	snap, err := r.World.Read(ctx, j.plan.Dimension, wrote.Reads(maxRead))
	if err != nil {
		return Undo{}, err
	}
	for p := range wrote.All() {
		if id := imagined.ID(p); id != voxel.None {
			snap.Cells.Put(p, imagined.Content(id))
		}
	}
	owned, err := r.Log.Owned(j.op.ID, undone...)
	if err != nil {
		return Undo{}, err
	}
	snap.Entities = slices.DeleteFunc(snap.Entities, func(e plan.BlockEntity) bool {
		return asPlaced(e) && !doubted.Has(e.Pos)
	})
	held := voxel.NewMask()
	if request.Partial && !request.AllowLoss {
		for _, e := range snap.Entities {
			held.Add(e.Pos)
		}
	}
	report, wanted := j.undo(wrote, owned, held, snap)
	if report.Kept > 0 && !request.Partial {
		return Undo{}, fault.Errorf(fault.UndoConflict, "%d cells were changed since operation %s wrote them", report.Kept, j.op.ID).
			With("operation_id", j.op.ID).With("count", report.Kept).With("reasons", report.Reasons).With("cells", report.Cells)
	}
	now := r.now()
	head := plan.Plan{
		ID: r.NewID(), Project: j.plan.Project, WorldID: j.plan.WorldID, WorldEpoch: j.plan.WorldEpoch, Dimension: j.plan.Dimension,
		Region: project.Region, UndoOf: j.op.ID, CreatedAt: now, ExpiresAt: now + int64(project.Limits.PlanTTL)*1000,
	}
	limits := project.Limits
	limits.PlanCells = max(limits.PlanCells, wanted.Len()) // what was allowed once can be undone
	env := plan.Env{Registry: j.judge.registry, Limits: limits, Region: project.Region, Policy: project.Policy}
	for _, e := range snap.Entities {
		if request.AllowLoss {
			env.AllowLoss = append(env.AllowLoss, e.Pos)
		}
	}
	p, err := plan.Draft(wanted, snap, head, env)
	return Undo{Plan: p, Report: report}, err
}

// asPlaced reports whether a block entity that an operation placed and still owns
// holds nothing that an undo would lose. The game shows scripts neither the pattern
// of a banner nor the colour of a cauldron's water, so that the addon says that both
// are full. But a banner is as it was placed until it is broken, and a cauldron's
// state says what is in it, which is water or lava and no item.
func asPlaced(e plan.BlockEntity) bool {
	return !e.Full || e.Kind == "banner" || e.Kind == "cauldron"
}

// filled returns the first conflicts among the cells still to be changed that were
// given contents since the plan was made: it was allowed to lose none.
func (j *job) filled(snap *plan.Snapshot) (found []plan.Conflict, total int) {
	for _, e := range snap.Entities {
		if !e.Full || j.plan.AllowLoss || j.plan.UndoOf != "" && asPlaced(e) || j.before.ID(e.Pos) == voxel.None {
			continue
		}
		now, _ := snap.Cells.At(e.Pos)
		before, after := j.before.Content(j.before.ID(e.Pos)), j.after.Content(j.after.ID(e.Pos))
		if j.judge.same(now, after) || !j.judge.same(now, before) {
			continue // done already, or a conflict as it is
		}
		total++
		found = appendConflict(found, plan.Conflict{
			Pos: e.Pos, Reason: notEmpty, Expected: state(before), Current: state(now), Desired: state(after),
		})
	}
	return found, total
}

// receipts returns the cells that the operation was seen to have written.
func (j *job) receipts() *voxel.Mask {
	wrote := voxel.NewMask()
	for _, e := range j.entries {
		if e.Receipt != nil {
			wrote.Union(e.Receipt.Wrote)
		}
	}
	return wrote
}

// The reasons for which an undo leaves a cell alone.
const (
	notOwned    = "Known later operation or edit prevents undo"
	notTheSame  = "External change prevents undo"
	notEmpty    = "Contents were put in since, or may have been"
	notReadable = "In an unloaded chunk"
)

// undo sorts the cells that the operation wrote into those to restore and those
// that are somebody else's now, or hold something of somebody else's.
func (j *job) undo(wrote, owned, held *voxel.Mask, snap *plan.Snapshot) (UndoReport, *voxel.Volume) {
	report := UndoReport{Reasons: map[string]int{}, Cells: []plan.Conflict{}}
	wanted := voxel.NewVolume()
	for p := range wrote.All() {
		now, loaded := snap.Cells.At(p)
		before, after := j.before.Content(j.before.ID(p)), j.after.Content(j.after.ID(p))
		var reason, short string
		switch {
		case !loaded:
			reason, short = notReadable, "unloaded"
		case !owned.Has(p):
			reason, short = notOwned, "owner"
		case !j.judge.same(now, after):
			reason, short = notTheSame, "changed"
		case held.Has(p):
			reason, short = notEmpty, "contents"
		default:
			wanted.Put(p, before)
			report.Restored++
			continue
		}
		report.Kept++
		report.Reasons[short]++
		report.Cells = appendConflict(report.Cells, plan.Conflict{
			Pos: p, Reason: reason, Expected: state(after), Current: state(now), Desired: state(before),
		})
	}
	return report, wanted
}
