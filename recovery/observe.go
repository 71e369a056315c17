package recovery

import (
	"context"
	"maps"
	"slices"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// observe reads what others edited since the last look and ends, durably, our
// ownership of those cells (DESIGN §5): also of one that was put back as it was.
// A world whose addon cannot tell leaves the comparison of states as the only
// witness.
func (r *Runner) observe(ctx context.Context) error {
	r.observing.Lock()
	defer r.observing.Unlock()
	world, err := r.World.Info()
	if err != nil {
		return err
	}
	cursor, err := r.Log.Cursor(world.ID)
	if err != nil {
		return &logError{err}
	}
	changes, err := r.World.Changes(ctx, cursor)
	if fault.CodeOf(err) == fault.UnsupportedCapability {
		return nil
	}
	if err != nil {
		return err
	}
	now := r.now()
	if changes.Gap { // on disk before the cursor passes the gap: a crash must see it again
		r.Logger.Warn("edits by others were missed; what is owned is in doubt until it is compared", "world", world.ID)
		if err := r.Log.Doubt(world.ID, r.looked[world.ID]); err != nil {
			return &logError{err}
		}
		r.mu.Lock()
		r.greeted = "" // compare the newest operations as soon as there is time
		r.mu.Unlock()
	}
	if err := r.disown(world.ID, cursor, changes); err != nil {
		return err
	}
	r.looked[world.ID] = now
	return nil
}

// examine reads the cells that an operation owns and compares them with what it
// wrote. What edits by others that were missed left in doubt is decided by that: a
// cell that is as the operation wrote it, or as it or an older one found it, stays its
// own, and any other is somebody else's from now on. Data beside the state (items,
// text, patterns) cannot be compared, so that a cell with some stays in doubt.
func (r *Runner) examine(ctx context.Context, j *job) (owned *voxel.Mask, seen faces, err error) {
	// No gap may be noticed between the reading and the decision.
	r.observing.Lock()
	defer r.observing.Unlock()
	if owned, err = r.Log.Owned(j.op.ID); err != nil {
		return nil, faces{}, err
	}
	snap, err := r.World.Read(ctx, j.plan.Dimension, owned.Reads(maxRead))
	if err != nil {
		return nil, faces{}, err
	}
	seen = j.judge.look(owned, snap, "Not as the operation wrote it")
	if seen.total > 0 {
		if err := r.lookDeeper(j, owned, &seen); err != nil {
			return nil, faces{}, err
		}
	}
	if doubted, _, err := r.Log.Doubted(j.plan.WorldID, j.plan.Dimension); err != nil || doubted.Len() == 0 {
		return owned, seen, err
	}
	intact := seen.after.Clone()
	intact.Union(seen.before)
	changed := snap.Cells.Mask()
	changed.Intersect(owned)
	changed.Subtract(intact)
	for _, e := range snap.Entities {
		if e.Full {
			intact.Remove(e.Pos)
		}
	}
	return owned, seen, r.Log.Confirm(j.op.ID, intact, changed)
}

// settleDoubt decides about those cells of an operation that are in doubt, and returns
// those that stay so.
func (r *Runner) settleDoubt(ctx context.Context, j *job) (*voxel.Mask, error) {
	doubted, _, err := r.Log.Doubted(j.plan.WorldID, j.plan.Dimension)
	if err != nil || doubted.Len() == 0 {
		return doubted, err
	}
	if _, _, err := r.examine(ctx, j); err != nil {
		return nil, err
	}
	doubted, _, err = r.Log.Doubted(j.plan.WorldID, j.plan.Dimension)
	return doubted, err
}

// disown records a page of edits. A cursor that moved without edits is kept too,
// so that a restart does not take it for a gap.
func (r *Runner) disown(worldID, cursor string, changes plan.Changes) error {
	byDimension := map[string]*voxel.Mask{}
	for _, c := range changes.List {
		if byDimension[c.Dimension] == nil {
			byDimension[c.Dimension] = voxel.NewMask()
		}
		byDimension[c.Dimension].Add(c.Pos)
	}
	if len(byDimension) == 0 && changes.Cursor != cursor {
		byDimension[""] = voxel.NewMask()
	}
	dimensions := slices.Sorted(maps.Keys(byDimension))
	for i, dimension := range dimensions {
		cells, until := byDimension[dimension], cursor
		if i == len(dimensions)-1 {
			until = changes.Cursor // not before the whole page is on disk: a crash must see the rest again
		}
		if err := r.Log.Disown(worldID, dimension, cells, until); err != nil {
			return &logError{err}
		}
		r.mu.Lock()
		r.edits += cells.Len()
		if dimension == r.watched {
			r.edited.Union(cells)
		}
		r.mu.Unlock()
	}
	return nil
}

// watch starts to collect what others edit in a dimension.
func (r *Runner) watch(dimension string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched, r.edited = dimension, voxel.NewMask()
}

// seenEdits returns what was collected since watch, and how many edits are known
// in all.
func (r *Runner) seenEdits() (*voxel.Mask, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.edited.Clone(), r.edits
}
