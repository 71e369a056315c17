package recovery

import (
	"context"
	"slices"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// verifyCount is how many operations Verify looks at when none are named: those
// that a game's last autosave may have missed.
const verifyCount = 64

// Verified compares what a finished operation wrote and still owns with the world.
type Verified struct {
	Operation string          `json:"operation_id"`
	Plan      string          `json:"plan_id"`
	Owned     int             `json:"owned"`    // cells that nobody else is known to have written since
	Present   int             `json:"present"`  // as the operation wrote them
	Lost      int             `json:"lost"`     // as they were before it, or before what it was built upon
	Foreign   int             `json:"foreign"`  // something else
	Unloaded  int             `json:"unloaded"` // not to be seen now
	Cells     []plan.Conflict `json:"cells"`    // the first 32 that are lost or foreign
}

// Verify compares finished operations of a project with the world: what an
// acknowledged write lost when the game, not this service, stopped before it had
// saved. Without ids it looks at the newest. It changes nothing; Repair offers a
// plan.
func (r *Runner) Verify(ctx context.Context, project string, ids []string) ([]Verified, error) {
	if len(ids) == 0 {
		recent, err := r.Log.Recent(project, verifyCount)
		if err != nil {
			return nil, err
		}
		for _, op := range recent {
			ids = append(ids, op.ID)
		}
	}
	reports := []Verified{}
	for _, id := range ids {
		report, err := r.verify(ctx, id)
		if err != nil {
			return nil, err
		}
		if report.Owned > 0 {
			reports = append(reports, report)
		}
	}
	return reports, nil
}

// verify compares one operation with the world. One that was done in another
// world cannot be seen in this one and counts as owning nothing; another epoch of
// the world is what a restored backup is, and the time to look.
func (r *Runner) verify(ctx context.Context, id string) (Verified, error) {
	op, err := r.Log.Operation(id)
	if err != nil || !op.Status.Final() {
		return Verified{Operation: id}, err
	}
	j, err := r.load(op)
	if err != nil {
		return Verified{}, err
	}
	report := Verified{Operation: id, Plan: op.PlanID, Cells: []plan.Conflict{}}
	if world, err := r.World.Info(); err != nil || world.ID != j.plan.WorldID {
		return report, err
	}
	owned, seen, err := r.examine(ctx, j)
	if err != nil {
		return Verified{}, err
	}
	report.Owned = owned.Len()
	report.Present, report.Lost, report.Foreign, report.Unloaded = seen.after.Len(), seen.before.Len(), seen.total, seen.unloaded
	for p := range seen.before.All() {
		report.Cells = appendConflict(report.Cells, plan.Conflict{
			Pos: p, Reason: "The world lost it", Expected: state(j.after.Content(j.after.ID(p))),
			Current: state(seen.cells.Content(seen.cells.ID(p))), Desired: state(j.after.Content(j.after.ID(p))),
		})
	}
	report.Cells = firstConflicts(report.Cells, seen.foreign)
	return report, nil
}

// lookDeeper counts foreign cells as before that are as an older operation found or
// left them: the world lost, with this one, what it was built upon.
func (r *Runner) lookDeeper(j *job, owned *voxel.Mask, seen *faces) error {
	odd := owned.Clone()
	odd.Subtract(seen.before)
	odd.Subtract(seen.after)
	odd.Intersect(seen.cells.Mask())
	history, err := r.Log.Recent(j.plan.Project, verifyCount)
	if err != nil {
		return err
	}
	mine := slices.IndexFunc(history, func(op plan.Operation) bool { return op.ID == j.op.ID })
	for _, op := range history[mine+1:] {
		if mine < 0 || odd.Len() == 0 {
			break
		}
		older, err := r.Log.Plan(op.PlanID)
		if err != nil {
			return err
		}
		if older.WorldID != j.plan.WorldID || older.Dimension != j.plan.Dimension {
			continue
		}
		known := j.judge.known(older, odd, seen.cells)
		odd.Subtract(known)
		seen.before.Union(known)
	}
	seen.total = odd.Len()
	seen.foreign = slices.DeleteFunc(seen.foreign, func(c plan.Conflict) bool { return seen.before.Has(c.Pos) })
	return nil
}

// known returns those of the cells that are as a plan found or left them.
func (j *judge) known(p *plan.Plan, cells *voxel.Mask, now *voxel.Volume) *voxel.Mask {
	written := voxel.NewMask()
	for _, slice := range p.Slices {
		written.Union(slice.Mask())
	}
	written.Intersect(cells)
	if written.Len() == 0 {
		return written
	}
	seen := newJudge(j.registry, p.Before(), p.After()).look(written, &plan.Snapshot{Cells: now}, "")
	seen.before.Union(seen.after)
	return seen.before
}

// Repair plans to write again what the world lost of finished operations, the
// oldest first; cells that are somebody else's stay as they are. The plan is an
// ordinary one and is not stored. A plan without changes means that nothing is
// lost.
func (r *Runner) Repair(ctx context.Context, project plan.Project, ids []string) (*plan.Plan, error) {
	if len(ids) == 0 {
		return nil, fault.Errorf(fault.InvalidRequest, "a repair needs at least one operation")
	}
	world, err := r.World.Info()
	if err != nil {
		return nil, err
	}
	wanted := voxel.NewVolume()
	head := plan.Plan{WorldID: world.ID, WorldEpoch: world.Epoch}
	for _, id := range ids {
		j, lost, err := r.lost(ctx, world.ID, id)
		if err != nil {
			return nil, err
		}
		if j.plan.Project != project.ID {
			return nil, fault.Errorf(fault.NotFound, "no operation %s in this project", id)
		}
		if head.Dimension != "" && head.Dimension != j.plan.Dimension {
			return nil, fault.Errorf(fault.InvalidRequest, "one repair is in one dimension; %s is in %s", id, j.plan.Dimension)
		}
		head.Dimension = j.plan.Dimension
		for p := range lost.All() {
			wanted.Put(p, j.after.Content(j.after.ID(p)))
		}
	}
	snap, err := r.World.Read(ctx, head.Dimension, wanted.Mask().Reads(maxRead))
	if err != nil {
		return nil, err
	}
	now := r.now()
	head.ID, head.Project, head.Region = r.NewID(), project.ID, project.Region
	head.CreatedAt, head.ExpiresAt = now, now+int64(project.Limits.PlanTTL)*1000
	return plan.Draft(wanted, snap, head, plan.Env{
		Registry: r.Registry(), Limits: project.Limits, Region: project.Region, Policy: project.Policy,
	})
}

// lost returns the cells that the world, which is connected, lost of a finished
// operation.
func (r *Runner) lost(ctx context.Context, worldID, id string) (*job, *voxel.Mask, error) {
	j, err := r.undoable(id)
	if err != nil {
		return nil, nil, err
	}
	if j.plan.WorldID != worldID {
		return nil, nil, fault.Errorf(fault.VersionMismatch, "operation %s was done in another world than the one that is connected", id)
	}
	_, seen, err := r.examine(ctx, j)
	return j, seen.before, err
}

// greet looks, once each time the game has loaded the world anew or edits by others
// were missed, at what the world may have lost since it last saved (DESIGN §6); and
// after each operation at whether what was lost still is.
func (r *Runner) greet(ctx context.Context) error {
	world, err := r.World.Info()
	if err != nil {
		return err
	}
	r.mu.Lock()
	now := world.Session + "/" + world.Epoch
	known, again := r.greeted == now, r.recheck
	var ids []string
	if known {
		for _, report := range r.forgot {
			ids = append(ids, report.Operation)
		}
	}
	r.mu.Unlock()
	if known && (!again || len(ids) == 0) {
		return nil
	}
	reports, err := r.Verify(ctx, "", ids)
	if err != nil {
		return err
	}
	var lost []Verified
	for _, report := range reports {
		if report.Lost == 0 {
			continue
		}
		lost = append(lost, report)
		if !known {
			r.Logger.Warn("the world lost cells of an operation", "operation", report.Operation, "cells", report.Lost)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.greeted, r.forgot, r.recheck = now, lost, false
	return nil
}

// Forgotten returns the operations of which the world had lost cells when it was
// last loaded, and that were not repaired since.
func (r *Runner) Forgotten() []Verified {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.forgot
}
