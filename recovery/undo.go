package recovery

import (
	"context"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// UndoReport says what an undo plan restores and what it leaves alone.
type UndoReport struct {
	Restored int             `json:"restored"`   // cells that the plan writes back
	Kept     int             `json:"kept"`       // cells that somebody changed since
	Cells    []plan.Conflict `json:"kept_cells"` // the first 32 of them
}

// PrepareUndo plans after → before for the cells that an operation wrote and
// still owns. Any cell that was changed since – by a later operation, by a player,
// or to another state – is an undo_conflict, or, when partial is set, is left
// alone and reported. The plan is not stored.
func (r *Runner) PrepareUndo(ctx context.Context, id string, partial bool) (*plan.Plan, UndoReport, error) {
	return r.prepareUndo(ctx, id, partial, false)
}

// PrepareLossyUndo is PrepareUndo for a caller who gives up what is in the blocks
// that the operation placed: chests that were filled since, signs that were
// written, and pots, whose contents the game does not tell.
func (r *Runner) PrepareLossyUndo(ctx context.Context, id string, partial bool) (*plan.Plan, UndoReport, error) {
	return r.prepareUndo(ctx, id, partial, true)
}

func (r *Runner) prepareUndo(ctx context.Context, id string, partial, lossy bool) (*plan.Plan, UndoReport, error) {
	op, err := r.Log.Operation(id)
	if err != nil {
		return nil, UndoReport{}, err
	}
	switch {
	case op.Abandoned:
		return nil, UndoReport{}, fault.Errorf(fault.UndoConflict, "operation %s was abandoned; its undo is gone for ever", id)
	case op.Status == plan.RecoveryRequired:
		return nil, UndoReport{}, fault.Errorf(fault.RecoveryRequired, "operation %s waits for an admin's decision", id)
	case !op.Status.Final():
		return nil, UndoReport{}, fault.Errorf(fault.Busy, "operation %s is still %s", id, op.Status)
	}
	if err := r.observe(ctx); err != nil {
		return nil, UndoReport{}, err
	}
	j, err := r.load(op)
	if err != nil {
		return nil, UndoReport{}, err
	}
	return r.undoPlan(ctx, j, partial, lossy)
}

func (r *Runner) undoPlan(ctx context.Context, j *job, partial, lossy bool) (*plan.Plan, UndoReport, error) {
	project, ok := r.Project(j.op.Project)
	if !ok {
		return nil, UndoReport{}, fault.Errorf(fault.NotFound, "no project %s", j.op.Project)
	}
	wrote := voxel.NewMask()
	for _, e := range j.entries {
		if e.Receipt != nil {
			wrote.Union(e.Receipt.Wrote)
		}
	}
	if err := r.sameWorld(j.plan); err != nil {
		return nil, UndoReport{}, err
	}
	snap, err := r.World.Read(ctx, j.plan.Dimension, wrote.Reads(maxRead))
	if err != nil {
		return nil, UndoReport{}, err
	}
	owned, err := r.Log.Owned(j.op.ID)
	if err != nil {
		return nil, UndoReport{}, err
	}
	report, wanted := j.undo(wrote, owned, snap)
	if report.Kept > 0 && !partial {
		return nil, report, fault.Errorf(fault.UndoConflict, "%d cells were changed since the operation wrote them", report.Kept).
			With("count", report.Kept).With("cells", report.Cells)
	}
	now := r.now()
	head := plan.Plan{
		ID: r.NewID(), Project: j.plan.Project, WorldID: j.plan.WorldID, WorldEpoch: j.plan.WorldEpoch, Dimension: j.plan.Dimension,
		Region: project.Region, UndoOf: j.op.ID, CreatedAt: now, ExpiresAt: now + int64(project.Limits.PlanTTL)*1000,
	}
	env := plan.Env{Registry: j.judge.registry, Limits: project.Limits, Region: project.Region, Policy: project.Policy}
	for _, e := range snap.Entities {
		if lossy {
			env.AllowLoss = append(env.AllowLoss, e.Pos)
		}
	}
	p, err := plan.Draft(wanted, snap, head, env)
	return p, report, err
}

// undo sorts the cells that the operation wrote into those to restore and those
// that are somebody else's now.
func (j *job) undo(wrote, owned *voxel.Mask, snap *plan.Snapshot) (UndoReport, *voxel.Volume) {
	var report UndoReport
	wanted := voxel.NewVolume()
	for p := range wrote.All() {
		now, loaded := snap.Cells.At(p)
		before, after := j.before.Content(j.before.ID(p)), j.after.Content(j.after.ID(p))
		reason := ""
		switch {
		case !loaded:
			reason = "In an unloaded chunk"
		case !owned.Has(p):
			reason = "Known later operation or edit prevents undo"
		case !j.judge.same(now, after):
			reason = "External change prevents undo"
		}
		if reason == "" {
			wanted.Put(p, before)
			report.Restored++
			continue
		}
		report.Kept++
		report.Cells = appendConflict(report.Cells, plan.Conflict{Pos: p, Reason: reason, Expected: state(after), Current: state(now), Desired: state(before)})
	}
	return report, wanted
}
