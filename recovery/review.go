package recovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Review is what an admin decides on: how the cells that an unfinished operation
// wrote or may have written look now. Matching contents do not prove who put
// them there. The field names are the seed's.
type Review struct {
	Operation string `json:"operationId"`
	Plan      string `json:"planId"`
	Positions int    `json:"positions"`
	Before    int    `json:"matchesBefore"`
	After     int    `json:"matchesAfter"`
	Foreign   int    `json:"foreignStates"`
	Digest    string `json:"currentDigest"` // SHA-256, lower-case hex
	At        int64  `json:"sampledAtMillis"`
	Cells     []Seen `json:"-"` // every cell, in y, z, x order
}

// Seen is one cell of a review.
type Seen struct {
	Pos     voxel.Pos   `json:"pos"`
	Before  block.State `json:"before"`
	After   block.State `json:"after"`
	Current block.State `json:"current"`
	Face    string      `json:"face"` // before, after or foreign
}

// Review reads the cells of an operation that needs recovery: those of its
// receipts and those of its open intent; cells that were skipped are not among
// them (DESIGN §6).
func (r *Runner) Review(ctx context.Context, id string) (Review, error) {
	review, _, err := r.review(ctx, id)
	return review, err
}

func (r *Runner) review(ctx context.Context, id string) (Review, *job, error) {
	op, err := r.Log.Operation(id)
	if err != nil {
		return Review{}, nil, err
	}
	if op.Status != plan.RecoveryRequired {
		return Review{}, nil, fault.Errorf(fault.InvalidRequest, "operation %s is %s; there is nothing to decide", id, op.Status).
			With("status", op.Status)
	}
	j, err := r.load(op)
	if err != nil {
		return Review{}, nil, err
	}
	return r.compare(ctx, j)
}

// compare reads the mask of an operation and sums it up.
func (r *Runner) compare(ctx context.Context, j *job) (Review, *job, error) {
	cells := mask(slices.Collect(maps.Values(j.entries)))
	review := Review{Operation: j.op.ID, Plan: j.plan.ID, Positions: cells.Len()}
	snap := &plan.Snapshot{Cells: voxel.NewVolume()}
	if review.Positions > 0 {
		if err := r.sameWorld(j.plan); err != nil {
			return Review{}, nil, err
		}
		var err error
		if snap, err = r.World.Read(ctx, j.plan.Dimension, cells.Reads(maxRead)); err != nil {
			return Review{}, nil, err
		}
	}
	digest := newDigest(j)
	missing := 0
	for p := range cells.All() {
		now, loaded := snap.Cells.At(p)
		if !loaded {
			missing++
			continue
		}
		seen := j.see(p, now)
		switch seen.Face {
		case "before":
			review.Before++
		case "after":
			review.After++
		default:
			review.Foreign++
		}
		review.Cells = append(review.Cells, seen)
		digest.cell(seen)
	}
	if missing > 0 {
		return Review{}, nil, fault.Errorf(fault.ChunkNotLoaded, "%d cells of the operation are in unloaded chunks; go near them and review again", missing)
	}
	review.Digest = digest.sum()
	review.At = r.now()
	return review, j, nil
}

// see compares one cell with the plan.
func (j *job) see(p voxel.Pos, now string) Seen {
	seen := Seen{
		Pos: p, Before: state(j.before.Content(j.before.ID(p))), After: state(j.after.Content(j.after.ID(p))),
		Current: state(now), Face: "foreign",
	}
	switch {
	case j.judge.same(now, string(seen.After)):
		seen.Face = "after"
	case j.judge.same(now, string(seen.Before)):
		seen.Face = "before"
	}
	return seen
}

// digest binds a review to its operation, plan and world and to every cell's
// before, after and current state, so that no other review has the same.
type digest struct{ hash hash.Hash }

func newDigest(j *job) digest {
	d := digest{sha256.New()}
	d.text("groundplan recovery review 1", j.op.ID, j.plan.ID, j.plan.WorldID, j.plan.WorldEpoch, j.plan.Dimension)
	return d
}

func (d digest) text(parts ...string) {
	for _, part := range parts {
		d.hash.Write(fmt.Appendf(nil, "%d:%s,", len(part), part))
	}
}

func (d digest) cell(c Seen) {
	d.text(c.Pos.String(), string(c.Before), string(c.After), string(c.Current))
}

func (d digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// Ruling is what an admin says about an unfinished operation.
type Ruling struct {
	Operation string
	Digest    string // currentDigest of the last review
	By        string // who says it
	Reason    string // why, kept with the decision
}

// decide reviews the operation again and returns the decision to record, or an
// error when the cells changed since the review that the ruling rests on.
func (r *Runner) decide(ctx context.Context, ruling Ruling, verdict plan.Verdict) (plan.Decision, Review, *job, error) {
	var none plan.Decision
	if raw, err := hex.DecodeString(ruling.Digest); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != ruling.Digest {
		return none, Review{}, nil, fault.Errorf(fault.InvalidRequest, "expected_digest must be 64 lower-case hex digits")
	}
	review, j, err := r.review(ctx, ruling.Operation)
	if err != nil {
		return none, Review{}, nil, err
	}
	if review.Digest != ruling.Digest {
		return none, Review{}, nil, fault.Errorf(fault.InvalidRequest, "the cells changed since the review; review again").
			With("currentDigest", review.Digest)
	}
	if verdict != plan.Abandon && review.Foreign > 0 {
		return none, Review{}, nil, fault.Errorf(fault.Conflict, "%d cells are neither as before nor as after; only abandon leaves them as they are", review.Foreign)
	}
	return plan.Decision{
		ID: r.NewID(), Operation: ruling.Operation, Verdict: verdict,
		Digest: ruling.Digest, By: ruling.By, Reason: ruling.Reason, At: r.now(),
	}, review, j, nil
}

// rule records a decision with the operation's new record and with the operations
// that it starts.
func (r *Runner) rule(d plan.Decision, op plan.Operation, cells *voxel.Mask, then ...plan.Operation) (plan.Operation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return plan.Operation{}, fault.Wrap(fault.StorageFailed, r.broken, "the journal could not be written; restart the service")
	}
	stored, err := r.Log.Operation(op.ID)
	if err != nil {
		return plan.Operation{}, err
	}
	if stored.Status != plan.RecoveryRequired {
		return plan.Operation{}, fault.Errorf(fault.InvalidRequest, "operation %s was decided meanwhile", op.ID).With("status", stored.Status)
	}
	op.UpdatedAt = max(r.now(), stored.UpdatedAt+1)
	if err := r.Log.Decide(d, op, cells, then...); err != nil {
		return plan.Operation{}, err
	}
	r.announce()
	r.nudge()
	r.Logger.Info("recovery decided", "operation", op.ID, "verdict", d.Verdict, "by", d.By, "reason", d.Reason)
	return op, nil
}

// Abandon gives an unfinished operation up: every block stays as it is, the
// operation becomes failed, its undo is gone for ever, and the ownership of
// older operations under its mask is void. The decision is durable before the
// call returns.
func (r *Runner) Abandon(ctx context.Context, ruling Ruling) (plan.Operation, error) {
	decision, review, j, err := r.decide(ctx, ruling, plan.Abandon)
	if err != nil {
		return plan.Operation{}, err
	}
	j.end(plan.Failed, fault.RecoveryRequired, "abandoned by an admin; its blocks stay as they are")
	j.op.Abandoned = true
	return r.rule(decision, j.op, review.mask())
}

// Resume lets an unfinished operation go on from where its cells are. It is
// refused while any of them is foreign.
func (r *Runner) Resume(ctx context.Context, ruling Ruling) (plan.Operation, error) {
	decision, review, j, err := r.decide(ctx, ruling, plan.Resume)
	if err != nil {
		return plan.Operation{}, err
	}
	j.op.Status, j.op.Resumed, j.op.Message = plan.Applying, decision.ID, "resumed by an admin"
	if len(j.entries) == 0 {
		j.op.Status = plan.Queued
	}
	return r.rule(decision, j.op, review.mask())
}

// Rollback ends an unfinished operation and writes its cells back to before, as
// an operation of its own that the answer names second. It is refused while any
// cell is foreign.
func (r *Runner) Rollback(ctx context.Context, ruling Ruling) (rolledBack, undo plan.Operation, err error) {
	decision, review, j, err := r.decide(ctx, ruling, plan.Rollback)
	if err != nil {
		return plan.Operation{}, plan.Operation{}, err
	}
	if intent := j.open(); intent != nil {
		after := review.after()
		after.Intersect(intent.Write)
		receipt := plan.Receipt{Operation: j.op.ID, Slice: intent.Slice, Wrote: after, At: r.now()}
		j.confirm(receipt)
		j.count()
		if err := r.Log.Advance(j.op, &receipt, nil); err != nil {
			return plan.Operation{}, plan.Operation{}, err
		}
	}
	// What an unfinished operation placed has nothing in it that an admin who
	// rolls it back would want to keep; pots would otherwise forbid every rollback.
	back, err := r.undoPlan(ctx, j, voxel.NewVolume(), UndoRequest{Partial: true, AllowLoss: true}, nil)
	if err != nil {
		return plan.Operation{}, plan.Operation{}, err
	}
	if err := r.Log.PutPlan(back.Plan); err != nil {
		return plan.Operation{}, plan.Operation{}, err
	}
	j.end(plan.Failed, fault.RecoveryRequired, "rolled back by an admin")
	undo = r.operation(back.Plan, ruling.By, "rollback "+decision.ID)
	if rolledBack, err = r.rule(decision, j.op, review.mask(), undo); err != nil {
		return plan.Operation{}, plan.Operation{}, err
	}
	return rolledBack, undo, nil
}

func (v Review) mask() *voxel.Mask {
	m := voxel.NewMask()
	for _, c := range v.Cells {
		m.Add(c.Pos)
	}
	return m
}

func (v Review) after() *voxel.Mask {
	m := voxel.NewMask()
	for _, c := range v.Cells {
		if c.Face == "after" {
			m.Add(c.Pos)
		}
	}
	return m
}
