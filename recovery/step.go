package recovery

import (
	"context"
	"fmt"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Attempts and rounds bound how often the world may refuse what was planned.
const (
	maxAttempts = 3 // sends of one slice in a row that change nothing
	maxRounds   = 3 // audits that find cells the world forgot
)

// The reasons of conflicts, in the prototype's words where it has them
// (reference/paper-prototype.md §2.7).
const (
	reasonPrepared = "Write set changed since preparation"
	reasonSlice    = "Changed during slice"
	reasonAudit    = "Final verification differs from desired state"
)

// step takes the next step of the oldest operation that may run, and reports
// whether there was one. Each branch ends with exactly one write to the journal,
// and nothing is sent to the world but by write, whose intent is on disk.
func (r *Runner) step(ctx context.Context) (took bool, err error) {
	j, err := r.take()
	if err != nil || j == nil {
		return false, err
	}
	if cancelled, err := r.cancelled(ctx, j); cancelled || err != nil {
		return true, err
	}
	switch {
	case j.open() != nil:
		err = r.write(ctx, j)
	case j.op.Status == plan.Queued:
		err = r.preflight(ctx, j)
	case j.op.Next < len(j.plan.Slices):
		err = r.stage(ctx, j)
	default:
		err = r.audit(ctx, j)
	}
	return true, err
}

// cancelled ends the operation when that was asked for. An open slice is settled
// first: what it wrote must be known to be owned.
func (r *Runner) cancelled(ctx context.Context, j *job) (bool, error) {
	stored, err := r.Log.Operation(j.op.ID)
	if err != nil {
		return false, &logError{err}
	}
	if !stored.Cancel || j.open() != nil {
		return false, nil
	}
	return true, r.finish(ctx, j, plan.Cancelled, fault.Cancelled, "cancelled; what was written can be undone")
}

// preflight compares the whole plan with the world before anything is written,
// and records the intent of the first slice.
func (r *Runner) preflight(ctx context.Context, j *job) error {
	if err := r.permitted(j); err != nil {
		return r.finish(ctx, j, plan.Failed, fault.CodeOf(err), err.Error())
	}
	if err := r.observe(ctx); err != nil {
		return err
	}
	snap, err := r.read(ctx, j, j.targets()...)
	if err != nil {
		return err
	}
	seen := j.judge.look(j.after.Mask(), snap, reasonPrepared)
	found, total := j.relied(snap)
	lost, lostTotal, err := r.lostOwnership(j)
	if err != nil {
		return err
	}
	switch {
	case seen.unloaded > 0:
		return r.finish(ctx, j, plan.Failed, fault.ChunkNotLoaded, fmt.Sprintf("%d cells of the plan are in unloaded chunks; nothing was written", seen.unloaded))
	case seen.total+total+lostTotal > 0:
		j.conflict(firstConflicts(seen.foreign, found, lost), seen.total+total+lostTotal)
		return r.finish(ctx, j, j.op.Status, j.op.Code, j.op.Message)
	}
	j.op.Status, j.op.StartedAt = plan.Applying, r.now()
	j.op.Skipped = j.op.Total - j.plan.Changed
	j.op.Processed = j.op.Skipped
	return r.intend(j, nil, seen)
}

func firstConflicts(lists ...[]plan.Conflict) []plan.Conflict {
	var first []plan.Conflict
	for _, list := range lists {
		for _, c := range list {
			first = appendConflict(first, c)
		}
	}
	return first
}

// lostOwnership returns the cells among those an undo has still to change that the
// operation it takes back no longer owns.
func (r *Runner) lostOwnership(j *job) (found []plan.Conflict, total int, err error) {
	if j.plan.UndoOf == "" {
		return nil, 0, nil
	}
	_, j.edits = r.seenEdits()
	owned, err := r.Log.Owned(j.plan.UndoOf)
	if err != nil {
		return nil, 0, &logError{err}
	}
	lost := voxel.NewMask()
	for _, s := range j.plan.Slices[j.op.Next:] {
		lost.Union(s.Mask())
	}
	lost.Subtract(owned)
	for p := range lost.All() {
		found = appendConflict(found, plan.Conflict{
			Pos: p, Reason: "Known later operation prevents undo",
			Expected: state(j.before.Content(j.before.ID(p))), Desired: state(j.after.Content(j.after.ID(p))),
		})
	}
	return found, lost.Len(), nil
}

// permitted reports why the operation may not go on, if it may not.
func (r *Runner) permitted(j *job) error {
	if r.Allowed != nil {
		if err := r.Allowed(j.op); err != nil {
			return err
		}
	}
	return r.unprotected(j.plan)
}

// stage looks at the next slice and records its intent.
func (r *Runner) stage(ctx context.Context, j *job) error {
	if err := r.permitted(j); err != nil {
		return r.finish(ctx, j, plan.Failed, fault.CodeOf(err), err.Error())
	}
	slice := j.plan.Slices[j.op.Next]
	snap, err := r.read(ctx, j, slice.Fills)
	if err != nil {
		return err
	}
	seen := j.judge.look(slice.Mask(), snap, reasonSlice)
	if seen.unloaded > 0 {
		return errUnloaded(seen.unloaded)
	}
	return r.advance(ctx, j, nil, seen, snap)
}

func errUnloaded(n int) error {
	return fault.Errorf(fault.ChunkNotLoaded, "%d cells of the slice are in unloaded chunks", n)
}

// advance records the receipt of a slice, if there is one, and what follows from
// what was seen of the next slice: its intent, or the end of the operation.
func (r *Runner) advance(ctx context.Context, j *job, done *plan.Receipt, next faces, snap *plan.Snapshot) error {
	found, total := j.relied(snap)
	if _, edits := r.seenEdits(); edits != j.edits {
		lost, lostTotal, err := r.lostOwnership(j)
		if err != nil {
			return err
		}
		found, total = append(found, lost...), total+lostTotal
	}
	if next.total+total > 0 {
		j.conflict(firstConflicts(next.foreign, found), next.total+total)
		return r.conclude(ctx, j, done)
	}
	if j.op.Next >= len(j.plan.Slices) {
		return r.record(j, done, nil)
	}
	return r.intend(j, done, next)
}

// intend records the intent of the next slice with the receipt of the last.
func (r *Runner) intend(j *job, done *plan.Receipt, seen faces) error {
	if len(j.plan.Slices) == 0 {
		j.op.Message = "no changes"
		return r.record(j, done, nil)
	}
	slice := j.plan.Slices[j.op.Next].Mask()
	ours := j.wrote(j.op.Next)
	todo := slice.Clone()
	todo.Intersect(seen.before)
	write := todo.Clone()
	write.Union(ours)
	skipped := slice.Clone()
	skipped.Subtract(write)
	if _, again := j.entries[j.op.Next]; !again {
		j.op.Skipped += skipped.Len()
	}
	intent := &plan.Intent{Operation: j.op.ID, Slice: j.op.Next, Write: write, At: r.now()}
	j.op.Message = fmt.Sprintf("slice %d of %d", j.op.Next+1, len(j.plan.Slices))
	r.watch(j.plan.Dimension)
	if err := r.record(j, done, intent); err != nil {
		return err
	}
	j.todo = todo
	return nil
}

// record writes a receipt and an intent in one transaction and mirrors them.
func (r *Runner) record(j *job, done *plan.Receipt, next *plan.Intent) error {
	j.op.Waiting = false
	if next != nil {
		j.entries[next.Slice] = plan.Entry{Intent: *next}
	}
	j.count()
	return r.commit(j, func(op plan.Operation) error { return r.Log.Advance(op, done, next) })
}

// conclude records the last receipt of an operation that ends here.
func (r *Runner) conclude(ctx context.Context, j *job, done *plan.Receipt) error {
	if err := r.record(j, done, nil); err != nil {
		return err
	}
	r.ended(ctx, j)
	return nil
}

// write executes the open intent: it sends what is still Before, reads the slice
// back, and records the receipt together with the next intent. Whatever happens
// on the way, the intent stays open until the cells were read.
func (r *Runner) write(ctx context.Context, j *job) error {
	intent := j.open()
	slice := j.plan.Slices[intent.Slice]
	if j.todo == nil {
		snap, err := r.read(ctx, j, slice.Fills)
		if err != nil {
			return err
		}
		seen := j.judge.look(intent.Write, snap, reasonSlice)
		if done, err := r.settled(ctx, j, intent, seen, snap); done || err != nil {
			return err
		}
		j.todo = seen.before
	}
	for attempt := 1; ; attempt++ {
		todo := j.todo
		j.todo = nil // unknown from the first command on, until read
		unknown, err := r.send(ctx, j, intent, todo)
		if err != nil {
			return err
		}
		if err := r.observe(ctx); err != nil {
			return err
		}
		snap, err := r.read(ctx, j, slice.Fills, j.following(intent.Slice).Fills)
		if err != nil {
			return err
		}
		seen := j.judge.look(intent.Write, snap, reasonSlice)
		stuck := seen.before.Len() == todo.Len() && seen.total == 0 && seen.unloaded == 0 && !r.wantsCancel(j)
		switch {
		case stuck && unknown > 0 && todo.Len() > 0:
			return fault.Errorf(fault.Timeout, "%d commands were not answered; the cells will be read again", unknown)
		case stuck && attempt >= maxAttempts:
			return r.refused(ctx, j, intent, seen)
		case !stuck:
			attempt = 0
		}
		if done, err := r.settled(ctx, j, intent, seen, snap); done || err != nil {
			return err
		}
		j.todo = seen.before
	}
}

// following returns the slice after the given one, empty after the last.
func (j *job) following(slice int) plan.Slice {
	if slice+1 < len(j.plan.Slices) {
		return j.plan.Slices[slice+1]
	}
	return plan.Slice{}
}

// settled records the receipt of the open intent when nothing of it is left to
// do: all its cells are After, or foreign cells or a cancel end it here.
func (r *Runner) settled(ctx context.Context, j *job, intent *plan.Intent, seen faces, snap *plan.Snapshot) (bool, error) {
	if seen.unloaded > 0 {
		return false, errUnloaded(seen.unloaded)
	}
	if seen.total == 0 && seen.before.Len() > 0 && !r.wantsCancel(j) {
		return false, nil
	}
	receipt := r.receipt(j, intent, seen)
	j.confirm(*receipt)
	switch {
	case seen.total > 0:
		j.conflict(seen.foreign, seen.total)
		return true, r.conclude(ctx, j, receipt)
	case seen.before.Len() > 0:
		j.end(plan.Cancelled, fault.Cancelled, "cancelled; what was written can be undone")
		return true, r.conclude(ctx, j, receipt)
	}
	next := j.judge.look(j.following(intent.Slice).Mask(), snap, reasonSlice)
	if next.unloaded > 0 || ctx.Err() != nil || r.wantsCancel(j) {
		return true, r.record(j, receipt, nil)
	}
	if err := r.permitted(j); err != nil {
		j.end(plan.Failed, fault.CodeOf(err), err.Error())
		return true, r.conclude(ctx, j, receipt)
	}
	return true, r.advance(ctx, j, receipt, next, snap)
}

// receipt confirms the cells of the intent that are After, but for those that
// somebody else was seen to edit meanwhile: whose they are cannot be told.
func (r *Runner) receipt(j *job, intent *plan.Intent, seen faces) *plan.Receipt {
	wrote := seen.after.Clone()
	edited, _ := r.seenEdits()
	wrote.Subtract(edited)
	j.op.Skipped += seen.after.Len() - wrote.Len()
	return &plan.Receipt{Operation: intent.Operation, Slice: intent.Slice, Wrote: wrote, At: r.now()}
}

// confirm mirrors a receipt that is about to be recorded.
func (j *job) confirm(receipt plan.Receipt) {
	e := j.entries[receipt.Slice]
	e.Receipt = &receipt
	j.entries[receipt.Slice] = e
	j.op.Next = receipt.Slice + 1
}

// refused ends an operation whose commands the world answers without effect.
func (r *Runner) refused(ctx context.Context, j *job, intent *plan.Intent, seen faces) error {
	receipt := r.receipt(j, intent, seen)
	j.confirm(*receipt)
	j.end(plan.Failed, fault.WriteRefused, fmt.Sprintf("the world left %d cells as they were, %d times", seen.before.Len(), maxAttempts))
	return r.conclude(ctx, j, receipt)
}

func (r *Runner) wantsCancel(j *job) bool {
	stored, err := r.Log.Operation(j.op.ID)
	return err == nil && stored.Cancel
}

// send sends the commands for the cells that are still Before, in the order of
// the slice, and returns how many outcomes are unknown: only reading the cells
// settles those. It fails when the world went away meanwhile.
func (r *Runner) send(ctx context.Context, j *job, intent *plan.Intent, todo *voxel.Mask) (unknown int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.mu.Lock()
	r.halt = cancel
	r.mu.Unlock()
	if r.wantsCancel(j) {
		return 0, nil
	}
	orders := r.orders(j, intent, todo)
	j.op.Sent += len(orders)
	unknown = r.run(ctx, orders)
	if unknown > 0 {
		r.Logger.Debug("commands without an answer; the cells are read instead", "operation", j.op.ID, "commands", unknown)
		_, err = r.World.Info()
	}
	return unknown, err
}

// orders returns the compare-and-set commands for cells of a slice.
func (r *Runner) orders(j *job, intent *plan.Intent, todo *voxel.Mask) []order {
	limit := maxRead
	if project, ok := r.Project(j.op.Project); ok {
		limit = min(limit, project.Limits.SliceCells)
	}
	var orders []order
	for _, f := range j.plan.Slices[intent.Slice].Restrict(todo, limit) {
		line, weak := plan.Lines(f, j.judge.registry, j.plan.Dimension)
		orders = append(orders, order{line, f.Box.Volume()})
		if weak {
			j.op.Weak++
		}
	}
	return orders
}

// audit compares the whole plan once more. Cells that are Before again were
// forgotten by the world, which may lose what it had not saved: they are written
// again.
func (r *Runner) audit(ctx context.Context, j *job) error {
	snap, err := r.read(ctx, j, j.targets()...)
	if err != nil {
		return err
	}
	seen := j.judge.look(j.after.Mask(), snap, reasonAudit)
	found, total := j.relied(snap)
	switch {
	case seen.unloaded > 0:
		return errUnloaded(seen.unloaded)
	case seen.total+total > 0:
		j.conflict(firstConflicts(seen.foreign, found), seen.total+total)
		return r.finish(ctx, j, j.op.Status, j.op.Code, j.op.Message)
	case seen.before.Len() == 0:
		return r.finish(ctx, j, plan.Applied, "", "all requested states verified; a snapshot is not an atomic transaction of the world")
	}
	j.rounds++
	if j.rounds > maxRounds {
		return r.finish(ctx, j, plan.Failed, fault.WriteRefused, fmt.Sprintf("%d cells did not stay as they were written", seen.before.Len()))
	}
	r.Logger.Warn("the world forgot cells; they are written again", "operation", j.op.ID, "cells", seen.before.Len())
	j.op.Next = j.slicesOf(seen.before)[0]
	return r.commit(j, r.Log.Update)
}
