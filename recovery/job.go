package recovery

import (
	"context"
	"maps"
	"slices"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// maxConflicts is how many conflicts an operation lists; all are counted.
const maxConflicts = 32

// job is an operation that the loop has taken up, with its plan and with a
// mirror of what the journal has of it. Everything in it can be read again.
type job struct {
	op      plan.Operation
	plan    *plan.Plan
	before  *voxel.Volume
	after   *voxel.Volume
	judge   *judge
	entries map[int]plan.Entry

	// todo are the cells of the open intent that were just seen to be Before;
	// nil when the world has to be asked.
	todo *voxel.Mask
	// edits is how many edits by others were known when the ownership of an
	// undo's cells was last checked.
	edits int
	// areas is how many ticking areas are held for it.
	areas int
	// rounds counts how often the audit found cells that the world forgot.
	rounds int
}

// take returns the job of the oldest operation that may run, nil when there is
// none.
func (r *Runner) take() (*job, error) {
	if r.job != nil {
		return r.job, nil
	}
	unfinished, err := r.Log.Unfinished()
	if err != nil {
		return nil, &logError{err}
	}
	for _, op := range unfinished {
		if op.Status == plan.RecoveryRequired {
			continue
		}
		j, err := r.load(op)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.running = op.ID
		r.mu.Unlock()
		r.job = j
		return j, nil
	}
	return nil, nil
}

func (r *Runner) load(op plan.Operation) (*job, error) {
	p, err := r.Log.Plan(op.PlanID)
	if err != nil {
		return nil, &logError{err}
	}
	entries, err := r.Log.Entries(op.ID)
	if err != nil {
		return nil, &logError{err}
	}
	j := &job{op: op, plan: p, before: p.Before(), after: p.After(), entries: map[int]plan.Entry{}}
	j.judge = newJudge(r.Registry(), j.before, j.after)
	for _, e := range entries {
		j.entries[e.Intent.Slice] = e
	}
	return j, nil
}

// open returns the intent whose receipt is missing, nil when there is none.
func (j *job) open() *plan.Intent {
	for _, e := range j.entries {
		if e.Receipt == nil {
			return &e.Intent
		}
	}
	return nil
}

// wrote returns the cells of a slice that an earlier receipt confirms.
func (j *job) wrote(slice int) *voxel.Mask {
	if e, ok := j.entries[slice]; ok && e.Receipt != nil {
		return e.Receipt.Wrote
	}
	return voxel.NewMask()
}

// mask returns every cell that the operation wrote or may have written: what a
// review looks at (DESIGN §6).
func mask(entries []plan.Entry) *voxel.Mask {
	m := voxel.NewMask()
	for _, e := range entries {
		if e.Receipt != nil {
			m.Union(e.Receipt.Wrote)
		} else {
			m.Union(e.Intent.Write)
		}
	}
	return m
}

// count brings the operation's counters up to what its receipts say.
func (j *job) count() {
	j.op.Written = 0
	for _, e := range j.entries {
		if e.Receipt != nil {
			j.op.Written += e.Receipt.Wrote.Len()
		}
	}
	j.op.Processed = j.op.Written + j.op.Skipped
}

// end sets a final status.
func (j *job) end(status plan.Status, code fault.Code, message string) {
	j.op.Status, j.op.Code, j.op.Message, j.op.Waiting = status, code, message, false
}

// conflict ends the operation with the cells that stopped it.
func (j *job) conflict(found []plan.Conflict, total int) {
	j.op.Conflicts = found
	j.op.ConflictCount = total
	j.end(plan.Conflicted, fault.Conflict, found[0].Reason)
}

// dependencies returns the positions that the plan relies on.
func (j *job) dependencies() *voxel.Mask {
	m := voxel.NewMask()
	for _, d := range j.plan.Dependencies {
		m.Add(d.Pos)
	}
	return m
}

// relied returns the first conflicts beside the states of the plan's cells: blocks to
// be changed that were given contents, and dependencies. A dependency that the plan
// itself changes may be as before or as after.
func (j *job) relied(snap *plan.Snapshot) (found []plan.Conflict, total int) {
	found, total = j.filled(snap)
	for _, d := range j.plan.Dependencies {
		now, loaded := snap.Cells.At(d.Pos)
		switch {
		case loaded && j.judge.same(now, string(d.State)):
			continue
		case loaded && j.after.ID(d.Pos) != voxel.None && j.judge.same(now, j.after.Content(j.after.ID(d.Pos))):
			continue
		}
		total++
		found = appendConflict(found, plan.Conflict{
			Pos: d.Pos, Reason: "Read dependency changed",
			Expected: d.State, Current: state(now), Desired: d.State,
		})
	}
	return found, total
}

func appendConflict(list []plan.Conflict, c plan.Conflict) []plan.Conflict {
	if len(list) < maxConflicts {
		list = append(list, c)
	}
	return list
}

// read returns the cells of the fills, and of the dependencies with them.
func (r *Runner) read(ctx context.Context, j *job, lists ...[]plan.Fill) (*plan.Snapshot, error) {
	if err := r.sameWorld(j.plan); err != nil {
		return nil, err
	}
	return r.present(ctx, j, j.reads(lists...))
}

// worthReading is the size from which a fill is read as a box of its own: where
// the world is as planned, such a box is uniform, and one native query of the
// game tells.
const worthReading = 24

// reads returns the boxes that show every cell of the fills and the
// dependencies.
func (j *job) reads(lists ...[]plan.Fill) []voxel.Box {
	var boxes []voxel.Box
	small := j.dependencies()
	for _, fills := range lists {
		for _, f := range fills {
			if n := f.Box.Volume(); n >= worthReading && n <= maxRead {
				boxes = append(boxes, f.Box)
			} else {
				small.AddBox(f.Box)
			}
		}
	}
	return append(boxes, small.Reads(maxRead)...)
}

// targets returns every fill of the plan, those of kept cells included.
func (j *job) targets() [][]plan.Fill {
	lists := [][]plan.Fill{j.plan.Kept}
	for _, s := range j.plan.Slices {
		lists = append(lists, s.Fills)
	}
	return lists
}

// maxRead is the number of cells that one read of the bridge may have.
const maxRead = 32768

// sameWorld reports whether the connected world is the one that the plan was
// made in.
func (r *Runner) sameWorld(p *plan.Plan) error {
	world, err := r.World.Info()
	if err != nil {
		return err
	}
	if world.ID != p.WorldID || world.Epoch != p.WorldEpoch {
		return fault.Errorf(fault.VersionMismatch, "another world is connected than the one this plan was made in").
			With("planned", p.WorldID+"/"+p.WorldEpoch).With("connected", world.ID+"/"+world.Epoch)
	}
	return nil
}

// slicesOf returns the numbers of the slices that touch any of the cells.
func (j *job) slicesOf(cells *voxel.Mask) []int {
	touched := map[int]bool{}
	for i, s := range j.plan.Slices {
		part := s.Mask()
		part.Intersect(cells)
		if part.Len() > 0 {
			touched[i] = true
		}
	}
	return slices.Sorted(maps.Keys(touched))
}
