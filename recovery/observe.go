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
	if changes.Gap {
		r.Logger.Warn("edits by others were missed; only the comparison of states tells now", "world", world.ID)
	}
	return r.disown(world.ID, cursor, changes)
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
