package plan

import (
	"cmp"
	"slices"
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// phase is a step of writing: all changes of one come before those of the next,
// so that nothing falls, breaks off or flows while its support is on its way.
type phase uint8

// The phases in their order.
const (
	phaseLoose   phase = iota // remove what leans on other blocks, top-down
	phaseRemove               // remove the rest, top-down
	phaseSolid                // place what stays where it is, bottom-up
	phaseGravity              // place what falls, bottom-up
	phaseWet                  // place solid blocks with water in them
	phaseAttached
	phaseHalf  // doors, beds, tall plants: both halves next to one another
	phaseFluid // place fluids once their vessel stands
	phaseKept  // not written
	phases
)

// phaseOf returns the phase of a change.
func (d *differ) phaseOf(before, after block.State) phase {
	r := d.env.Registry
	if r.Same(before, after) {
		return phaseKept
	}
	if after == block.Air {
		if r.Class(before)&(block.Attached|block.Half) != 0 {
			return phaseLoose
		}
		return phaseRemove
	}
	switch class := r.Class(after); {
	case class&block.Half != 0:
		return phaseHalf
	case class&block.Attached != 0:
		return phaseAttached
	case class&block.Fluid != 0:
		return phaseFluid
	case class&block.Gravity != 0:
		return phaseGravity
	case waterlogged(after):
		return phaseWet
	default:
		return phaseSolid
	}
}

const wetSuffix = "waterlogged=true]"

// waterlogged reports whether the cell has water in its second layer.
func waterlogged(s block.State) bool { return strings.HasSuffix(string(s), wetSuffix) }

// maxFillCells is what the game takes in one fill.
const maxFillCells = 32768

// tile is the edge of the cubes by which boxes are grouped, so that a slice's
// boxes lie near one another and reading them back costs little.
const tile = 32

// slices orders the boxes of every phase and packs them.
func (d *differ) slices(limit int) []Slice {
	p := packer{limit: min(limit, maxFillCells)}
	for ph, v := range d.phases {
		if v == nil || phase(ph) == phaseKept {
			continue
		}
		covered := voxel.Cover(v, p.limit)
		order(covered, phase(ph))
		pairs := phase(ph) == phaseHalf || phase(ph) == phaseLoose
		for len(covered) > 0 {
			n := 1
			if pairs {
				n = together(covered, p.limit)
			}
			p.add(covered[:n], d.pairs)
			covered = covered[n:]
		}
	}
	return p.done()
}

// order sorts the boxes of a phase. What could fall is strictly sorted by height;
// the rest by tiles, so that slices stay compact, and by height within them.
func order(boxes []voxel.Painted, ph phase) {
	down := ph == phaseLoose || ph == phaseRemove
	slices.SortFunc(boxes, func(a, b voxel.Painted) int {
		p, q := a.Box.Min, b.Box.Min
		height := cmp.Compare(p.Y, q.Y)
		if down {
			height = cmp.Compare(b.Box.Max.Y, a.Box.Max.Y)
		}
		flat := cmp.Or(cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
		switch ph {
		case phaseGravity:
			return cmp.Or(height, flat)
		case phaseHalf, phaseLoose:
			return cmp.Or(tileOrder(p, q, down), flat, height)
		default:
			return cmp.Or(tileOrder(p, q, down), height, flat)
		}
	})
}

func tileOrder(p, q voxel.Pos, down bool) int {
	levels := cmp.Compare(floorDiv(p.Y, tile), floorDiv(q.Y, tile))
	if down {
		levels = -levels
	}
	return cmp.Or(levels,
		cmp.Compare(floorDiv(p.Z, tile), floorDiv(q.Z, tile)), cmp.Compare(floorDiv(p.X, tile), floorDiv(q.X, tile)))
}

// together returns how many of the first boxes touch one another in turn and fit
// into one slice.
func together(boxes []voxel.Painted, limit int) int {
	n, cells := 1, boxes[0].Box.Volume()
	for n < len(boxes) {
		cells += boxes[n].Box.Volume()
		if cells > limit || !touch(boxes[n-1].Box, boxes[n].Box) {
			break
		}
		n++
	}
	return n
}

// touch reports whether two boxes have cells that are neighbours.
func touch(a, b voxel.Box) bool {
	one := voxel.Pos{X: 1, Y: 1, Z: 1}
	return voxel.Box{Min: a.Min.Sub(one), Max: a.Max.Add(one)}.Intersect(b).Valid()
}

// packer collects fills into slices of at most limit cells.
type packer struct {
	limit int
	out   []Slice
	fills []Fill
	start int // the first fill that is in no slice yet
	cells int
}

// add puts the boxes into one slice if they fit into one.
func (p *packer) add(boxes []voxel.Painted, pairs []pair) {
	n := 0
	for _, b := range boxes {
		n += b.Box.Volume()
	}
	if p.cells+n > p.limit {
		p.cut()
	}
	p.cells += n
	for _, b := range boxes {
		p.fills = append(p.fills, Fill{b.Box, pairs[b.ID].before, pairs[b.ID].after})
	}
}

func (p *packer) cut() {
	if p.start < len(p.fills) {
		p.out = append(p.out, Slice{p.fills[p.start:len(p.fills):len(p.fills)]})
	}
	p.start, p.cells = len(p.fills), 0
}

func (p *packer) done() []Slice {
	p.cut()
	return p.out
}
