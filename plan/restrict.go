package plan

import (
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// Restrict returns the slice's fills without the cells that write does not have, in
// the same order; limit bounds the cells of each.
func (s Slice) Restrict(write *voxel.Mask, limit int) []Fill {
	fills := make([]Fill, 0, len(s.Fills))
	for _, f := range s.Fills {
		inside := voxel.NewVolume()
		id := inside.Intern("write")
		n := 0
		for p := range f.Box.All() {
			if write.Has(p) {
				n++
			}
		}
		switch {
		case n == 0:
			continue
		case n == f.Box.Volume() && n <= limit:
			fills = append(fills, f)
			continue
		}
		for p := range f.Box.All() {
			if write.Has(p) {
				inside.Set(p, id)
			}
		}
		for _, part := range voxel.CoverQuick(inside, limit) {
			fills = append(fills, Fill{part.Box, f.Before, f.After})
		}
	}
	return fills
}

// Before returns all cells of the plan, kept ones included, as they were.
func (p *Plan) Before() *voxel.Volume {
	return p.paint(func(f Fill) block.State { return f.Before })
}

// After returns all cells of the plan, kept ones included, as they shall be.
func (p *Plan) After() *voxel.Volume {
	return p.paint(func(f Fill) block.State { return f.After })
}

func (p *Plan) paint(state func(Fill) block.State) *voxel.Volume {
	v := voxel.NewVolume()
	for _, s := range p.Slices {
		paintFills(v, s.Fills, state)
	}
	paintFills(v, p.Kept, state)
	return v
}

func paintFills(v *voxel.Volume, fills []Fill, state func(Fill) block.State) {
	var last block.State
	id := voxel.None
	for _, f := range fills {
		if s := state(f); s != last {
			last, id = s, v.Intern(string(s))
		}
		v.Fill(f.Box, id)
	}
}

// Before returns the slice's cells as they were.
func (s Slice) Before() *voxel.Volume {
	v := voxel.NewVolume()
	paintFills(v, s.Fills, func(f Fill) block.State { return f.Before })
	return v
}

// After returns the slice's cells as they shall be.
func (s Slice) After() *voxel.Volume {
	v := voxel.NewVolume()
	paintFills(v, s.Fills, func(f Fill) block.State { return f.After })
	return v
}

// Targets returns the positions of all cells of the plan, kept ones included.
func (p *Plan) Targets() *voxel.Mask {
	m := p.Changes()
	for _, f := range p.Kept {
		m.AddBox(f.Box)
	}
	return m
}

// Changes returns the positions of the cells that the plan writes.
func (p *Plan) Changes() *voxel.Mask {
	m := voxel.NewMask()
	for _, s := range p.Slices {
		for _, f := range s.Fills {
			m.AddBox(f.Box)
		}
	}
	return m
}

// Bounds returns the smallest box around the cells that the plan writes; false when
// it writes none.
func (p *Plan) Bounds() (voxel.Box, bool) {
	var bounds voxel.Box
	found := false
	for _, s := range p.Slices {
		for _, f := range s.Fills {
			if !found {
				bounds, found = f.Box, true
			}
			bounds = bounds.Union(f.Box)
		}
	}
	return bounds, found
}
