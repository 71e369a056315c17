package plan

import (
	"slices"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// maxListed is how many cells an error or a warning lists; it counts all of them.
const maxListed = 32

// Draft compares the wanted cells with what the world showed and returns the plan
// that makes the difference. head carries the ids, the times, the dimension, the
// part, UndoOf and the positions of the dependencies; Draft fills in everything
// else, hashes included. before must show the wanted cells and the dependencies;
// what it shows of their neighbours makes the warnings better.
//
// Errors: budget_exceeded over a limit, out_of_bounds for cells outside the region
// or the part, chunk_not_loaded for cells that before does not show,
// unsupported_block for what the policy does not allow, unsupported_block_entity
// for contents that would be lost, stale_snapshot and invalid_request for expected
// blocks that differ or do not cover the cells, and, when Env.Strict is set,
// invalid_request for warnings.
func Draft(wanted *voxel.Volume, before *Snapshot, head Plan, env Env) (*Plan, error) {
	limits := env.limits()
	if n := wanted.Len(); n > limits.PlanCells {
		return nil, fault.Errorf(fault.BudgetExceeded, "the plan has %d cells, %d are allowed", n, limits.PlanCells).
			With("limit", limits.PlanCells).With("got", n)
	}
	if err := inBounds(wanted, &env); err != nil {
		return nil, err
	}
	p := head
	p.Region = env.Region
	var err error
	if p.Dependencies, err = dependencies(head.Dependencies, before.Cells, &env); err != nil {
		return nil, err
	}
	d := &differ{env: &env, wanted: wanted, before: before.Cells}
	if err := d.run(); err != nil {
		return nil, err
	}
	if err := matchExpected(d, &env); err != nil {
		return nil, err
	}
	if p.UndoOf == "" {
		if err := d.allowed(); err != nil {
			return nil, err
		}
	}
	if p.AllowLoss, err = d.losses(before.Entities); err != nil {
		return nil, err
	}
	p.Slices, p.Kept = d.slices(limits.SliceCells), d.kept()
	p.Summary, p.Changed, p.Total = d.tally()
	for _, s := range p.Slices {
		p.Commands += len(s.Fills)
	}
	p.Warnings = warnings(d, &env)
	if env.Strict && len(p.Warnings) > 0 {
		return nil, fault.Errorf(fault.InvalidRequest, "strict: the plan has warnings: %s", p.Warnings[0].Message).
			With("warnings", p.Warnings)
	}
	p.Content = contentHash(p.Dimension, wanted)
	p.Hash = p.hash()
	return &p, nil
}

// places collects cells for an error or a warning.
type places struct {
	count int
	cells []voxel.Pos
}

func (l *places) add(p voxel.Pos) {
	l.count++
	if len(l.cells) < maxListed {
		l.cells = append(l.cells, p)
	}
}

// fault adds the cells to an error.
func (l *places) fault(err *fault.Error) *fault.Error {
	return err.With("count", l.count).With("cells", l.cells)
}

// inBounds checks that all cells lie in the region and in the part.
func inBounds(wanted *voxel.Volume, env *Env) error {
	var outside places
	for _, key := range wanted.Sections() {
		if env.Region.Contains(key.Box()) {
			continue
		}
		for p := range wanted.SectionCells(key) {
			if !env.Region.Has(p) {
				outside.add(p)
			}
		}
	}
	if outside.count > 0 {
		bounds, _ := wanted.Bounds()
		return outside.fault(fault.Errorf(fault.OutOfBounds, "%d of the cells lie outside the project's region %v, such as %v",
			outside.count, env.Region, outside.cells[0])).With("region", env.Region).With("bounds", bounds)
	}
	if env.Part == nil || env.Part.Mask == nil {
		return nil
	}
	for p := range wanted.All() {
		if !env.Part.Mask.Has(p) {
			outside.add(p)
		}
	}
	if outside.count > 0 {
		return outside.fault(fault.Errorf(fault.OutOfBounds, "%d of the cells lie outside the part %q, such as %v",
			outside.count, env.Part.ID, outside.cells[0]))
	}
	return nil
}

// dependencies returns the cells at the positions, each once, in order.
func dependencies(list []Cell, before *voxel.Volume, env *Env) ([]Cell, error) {
	if most := env.limits().Dependencies; len(list) > most {
		return nil, fault.Errorf(fault.BudgetExceeded, "%d dependencies, %d are allowed", len(list), most).
			With("limit", most).With("got", len(list))
	}
	if len(list) == 0 {
		return nil, nil
	}
	var outside, missing places
	out := make([]Cell, 0, len(list))
	for _, cell := range list {
		s, ok := before.At(cell.Pos)
		switch {
		case !env.Region.Has(cell.Pos):
			outside.add(cell.Pos)
		case !ok:
			missing.add(cell.Pos)
		}
		out = append(out, Cell{cell.Pos, block.State(s)})
	}
	if outside.count > 0 {
		return nil, outside.fault(fault.Errorf(fault.OutOfBounds, "dependency %v lies outside the project's region %v",
			outside.cells[0], env.Region))
	}
	if missing.count > 0 {
		return nil, missing.fault(notLoaded(missing))
	}
	slices.SortFunc(out, func(a, b Cell) int { return a.Pos.Compare(b.Pos) })
	return slices.CompactFunc(out, func(a, b Cell) bool { return a.Pos == b.Pos }), nil
}

func notLoaded(l places) *fault.Error {
	return fault.Errorf(fault.ChunkNotLoaded,
		"%d cells are in chunks that are not loaded, such as %v: a player or a ticking area must be near", l.count, l.cells[0])
}

// matchExpected compares what the caller believes of the world with what it shows.
func matchExpected(d *differ, env *Env) error {
	if env.Expected == nil {
		return nil
	}
	seen := voxel.NewMask()
	var stale places
	for _, cell := range env.Expected {
		want, err := env.Registry.Parse(string(cell.State))
		if err != nil {
			return err
		}
		if d.wanted.ID(cell.Pos) == voxel.None || seen.Has(cell.Pos) {
			return fault.Errorf(fault.InvalidRequest, "expected_blocks must name each cell of the recipe once; %v is %s",
				cell.Pos, map[bool]string{true: "named twice", false: "not in the recipe"}[seen.Has(cell.Pos)]).
				With("pos", cell.Pos)
		}
		seen.Add(cell.Pos)
		if got, _ := d.before.At(cell.Pos); !env.Registry.Same(block.State(got), want) {
			stale.add(cell.Pos)
		}
	}
	if n := seen.Len(); n != d.wanted.Len() {
		return fault.Errorf(fault.InvalidRequest, "expected_blocks must name each cell of the recipe once: %d of %d are named",
			n, d.wanted.Len())
	}
	if stale.count > 0 {
		got, _ := d.before.At(stale.cells[0])
		return stale.fault(fault.Errorf(fault.StaleSnapshot, "%d cells are not as expected_blocks says; %v is %s",
			stale.count, stale.cells[0], got))
	}
	return nil
}
