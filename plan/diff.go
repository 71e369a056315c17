package plan

import (
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// pair is a change that cells have in common.
type pair struct {
	before, after block.State
	phase         phase
	cells         int
}

// differ compares wanted cells with the world. Each change gets a number; the
// cells of a phase are kept as a volume of such numbers.
type differ struct {
	env    *Env
	wanted *voxel.Volume
	before *voxel.Volume

	pairs  []pair // pairs[0] is no change, so that a number is a voxel.ID
	index  map[uint32]voxel.ID
	phases [phases]*voxel.Volume
}

// run fills pairs and phases.
func (d *differ) run() error {
	d.pairs, d.index = make([]pair, 1), map[uint32]voxel.ID{}
	var want, have [voxel.SectionCells]voxel.ID
	var missing places
	for _, key := range d.wanted.Sections() {
		d.wanted.SectionIDs(key, &want)
		d.before.SectionIDs(key, &have)
		for i, id := range want {
			if id != voxel.None && have[i] == voxel.None {
				missing.add(key.Pos(i))
			}
		}
		if missing.count > 0 {
			continue
		}
		if err := d.section(key, &want, &have); err != nil {
			return err
		}
	}
	if missing.count > 0 {
		return missing.fault(notLoaded(missing))
	}
	return nil
}

// section numbers the changes of one section and puts them into the volumes of
// their phases.
func (d *differ) section(key voxel.Section, want, have *[voxel.SectionCells]voxel.ID) error {
	var byPhase [phases]*[voxel.SectionCells]voxel.ID
	last, lastKey := voxel.None, uint32(0)
	for i, id := range want {
		if id == voxel.None {
			continue
		}
		if k := uint32(have[i])<<16 | uint32(id); k != lastKey {
			var err error
			if last, err = d.number(k); err != nil {
				return err
			}
			lastKey = k
		}
		change := &d.pairs[last]
		change.cells++
		if byPhase[change.phase] == nil {
			byPhase[change.phase] = new([voxel.SectionCells]voxel.ID)
		}
		byPhase[change.phase][i] = last
	}
	for ph, ids := range byPhase {
		if ids == nil {
			continue
		}
		if d.phases[ph] == nil {
			d.phases[ph] = voxel.NewVolume()
		}
		d.phases[ph].SetSection(key, ids)
	}
	return nil
}

// number returns the number of the change from have to want, two palette indices.
func (d *differ) number(k uint32) (voxel.ID, error) {
	if id, ok := d.index[k]; ok {
		return id, nil
	}
	if len(d.pairs) > 0xffff {
		return 0, fault.Errorf(fault.BudgetExceeded, "the plan has more than %d different changes", 0xffff)
	}
	before := block.State(d.before.Content(voxel.ID(k >> 16)))
	after := block.State(d.wanted.Content(voxel.ID(k & 0xffff)))
	id := voxel.ID(len(d.pairs))
	d.pairs = append(d.pairs, pair{before, after, d.phaseOf(before, after), 0})
	d.index[k] = id
	return id, nil
}

// change returns what happens at a cell; nil when it is not in the plan.
func (d *differ) change(p voxel.Pos) *pair {
	want := d.wanted.ID(p)
	if want == voxel.None {
		return nil
	}
	return &d.pairs[d.index[uint32(d.before.ID(p))<<16|uint32(want)]]
}

// kept returns the cells that already are as wanted.
func (d *differ) kept() []Fill {
	if d.phases[phaseKept] == nil {
		return nil
	}
	covered := voxel.CoverQuick(d.phases[phaseKept], maxFillCells)
	fills := make([]Fill, len(covered))
	for i, c := range covered {
		s := d.pairs[c.ID].before
		fills[i] = Fill{c.Box, s, s}
	}
	return fills
}

// tally counts cells per block.
func (d *differ) tally() (t Tally, changed, total int) {
	t = Tally{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	for _, c := range d.pairs[1:] {
		total += c.cells
		if c.phase != phaseKept {
			changed += c.cells
		}
		switch {
		case c.phase == phaseKept:
			t.Unchanged[c.before.ID()] += c.cells
		case c.before == block.Air:
			t.Added[c.after.ID()] += c.cells
		case c.after == block.Air:
			t.Removed[c.before.ID()] += c.cells
		default:
			t.Replaced[c.before.ID()+" -> "+c.after.ID()] += c.cells
		}
	}
	return t, changed, total
}

// losses checks that no contents are lost without the caller's word, and reports
// whether any are lost with it.
func (d *differ) losses(entities []BlockEntity) (bool, error) {
	allowed := voxel.NewMask()
	for _, p := range d.env.AllowLoss {
		allowed.Add(p)
	}
	lost := false
	var refused places
	var kinds []BlockEntity
	for _, e := range entities {
		c := d.change(e.Pos)
		if !e.Full || c == nil || c.phase == phaseKept {
			continue
		}
		if allowed.Has(e.Pos) {
			lost = true
			continue
		}
		refused.add(e.Pos)
		if len(kinds) < maxListed {
			kinds = append(kinds, e)
		}
	}
	if refused.count > 0 {
		return false, refused.fault(fault.Errorf(fault.UnsupportedBlockEntity,
			"%d cells hold contents that would be lost for good, such as the %s at %v; list them in allow_loss to give them up",
			refused.count, kinds[0].Kind, refused.cells[0])).With("block_entities", kinds)
	}
	return lost, nil
}
