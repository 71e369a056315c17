package recovery

import (
	"context"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// Apply records the execution of a plan under an idempotency key and returns its
// operation. The key is looked up before every other check: a repeated call gets
// its operation back in any state of the service (DESIGN §5).
func (r *Runner) Apply(project plan.Project, principal, planID, planHash, key string) (plan.Operation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok, err := r.Log.Lookup(project.ID, key); err != nil || ok {
		if err == nil && known.PlanID != planID {
			return plan.Operation{}, fault.Errorf(fault.IdempotencyMismatch, "this idempotency_key belongs to another plan").
				With("operation_id", known.ID).With("plan_id", known.PlanID)
		}
		return known, err
	}
	unfinished, err := r.startable()
	if err != nil {
		return plan.Operation{}, err
	}
	p, err := r.Log.Plan(planID)
	if err != nil {
		return plan.Operation{}, err
	}
	if err := r.mayStart(p, project, planHash); err != nil {
		return plan.Operation{}, err
	}
	if waiting := len(unfinished); waiting > r.Queue {
		return plan.Operation{}, fault.Errorf(fault.Busy, "%d operations are waiting already", waiting-1).With("limit", r.Queue)
	}
	return r.enqueue(p, principal, key)
}

// enqueue records an operation. Call it with mu held.
func (r *Runner) enqueue(p *plan.Plan, principal, key string) (plan.Operation, error) {
	op, err := r.Log.Enqueue(r.operation(p, principal, key))
	if err != nil {
		return plan.Operation{}, err
	}
	r.announce()
	r.nudge()
	return op, nil
}

// operation returns a new operation, as it is recorded first.
func (r *Runner) operation(p *plan.Plan, principal, key string) plan.Operation {
	now := r.now()
	return plan.Operation{
		ID: r.NewID(), PlanID: p.ID, Project: p.Project, Key: key, By: principal, UndoOf: p.UndoOf,
		Status: plan.Queued, CreatedAt: now, UpdatedAt: now, Slices: len(p.Slices), Total: p.Total,
		Message: "waiting for its turn",
	}
}

// startable returns the unfinished operations, or why no new one may begin.
func (r *Runner) startable() ([]plan.Operation, error) {
	if r.broken != nil {
		return nil, fault.Wrap(fault.StorageFailed, r.broken, "the journal could not be written; nothing is written to the world until the service is restarted")
	}
	unfinished, err := r.Log.Unfinished()
	if err != nil {
		return nil, err
	}
	if undecided := undecided(unfinished); len(undecided) > 0 {
		return nil, fault.Errorf(fault.RecoveryRequired, "operations were unfinished when the service stopped; an admin must decide about each").
			With("operations", undecided)
	}
	return unfinished, nil
}

func undecided(unfinished []plan.Operation) []string {
	var ids []string
	for _, op := range unfinished {
		if op.Status == plan.RecoveryRequired {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

// mayStart reports why a plan may not be started now.
func (r *Runner) mayStart(p *plan.Plan, project plan.Project, hash string) error {
	switch {
	case p.Project != project.ID:
		return fault.Errorf(fault.NotFound, "no plan %s in this project", p.ID)
	case p.Hash != hash:
		return fault.Errorf(fault.StaleSnapshot, "plan_hash is not that of the plan").With("plan_hash", p.Hash)
	case r.now() > p.ExpiresAt:
		return fault.Errorf(fault.PlanExpired, "the plan could be started until %d; prepare it again", p.ExpiresAt).With("expires_at", p.ExpiresAt)
	}
	if err := r.sameWorld(p); err != nil {
		return err
	}
	return r.unprotected(p)
}

// unprotected reports the protected part that a plan would change, if any.
func (r *Runner) unprotected(p *plan.Plan) error {
	parts, err := r.Log.Parts(p.Project)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if !part.Protected || part.WorldID != p.WorldID || part.Dimension != p.Dimension {
			continue
		}
		for _, s := range p.Slices {
			common := s.Mask()
			common.Intersect(part.Mask)
			if n := common.Len(); n > 0 {
				return fault.Errorf(fault.PermissionDenied, "the part %q is protected and the plan would change %d of its cells or more", part.Name, n).
					With("part_id", part.ID)
			}
		}
	}
	return nil
}

// Gate returns the operations that wait for a decision; while there are any, no
// new write begins.
func (r *Runner) Gate() ([]string, error) {
	unfinished, err := r.Log.Unfinished()
	if err != nil {
		return nil, err
	}
	return undecided(unfinished), nil
}

// Broken returns the failure of the journal that ended all writing, nil while it
// works.
func (r *Runner) Broken() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.broken
}

// Cancel asks an operation to stop between two commands and returns its record
// as it is then. An operation that waits for its turn ends at once; one that has
// ended is not changed.
func (r *Runner) Cancel(id string) (plan.Operation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	op, err := r.Log.Operation(id)
	if err != nil || op.Status.Final() || op.Status == plan.RecoveryRequired || op.Cancel {
		return op, err
	}
	op.Cancel = true
	op.UpdatedAt = max(r.now(), op.UpdatedAt+1)
	if op.Status == plan.Queued && r.running != id {
		op.Status, op.Code, op.Message = plan.Cancelled, fault.Cancelled, "cancelled before it began"
	}
	if err := r.Log.Update(op); err != nil {
		return plan.Operation{}, err
	}
	if r.running == id && r.halt != nil {
		r.halt()
	}
	r.announce()
	r.nudge()
	return op, nil
}

// Wait returns an operation's record once it was changed after since (its
// UpdatedAt, milliseconds) or is final, and in any case when ctx ends.
func (r *Runner) Wait(ctx context.Context, id string, since int64) (plan.Operation, error) {
	for {
		r.mu.Lock()
		changed := r.changed
		op, err := r.Log.Operation(id)
		r.mu.Unlock()
		if err != nil || op.UpdatedAt > since || op.Status.Final() {
			return op, err
		}
		select {
		case <-ctx.Done():
			return op, nil
		case <-changed:
		}
	}
}
