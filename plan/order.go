package plan

import (
	"cmp"
	"slices"

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
	case after.Waterlogged():
		return phaseWet
	default:
		return phaseSolid
	}
}

// maxFillCells is what the game takes in one fill.
const maxFillCells = 32768

// tile is the edge of the cubes by which boxes are grouped, so that a slice's
// boxes lie near one another and reading them back costs little.
const tile = 32

// slices covers every phase, orders the boxes and packs them.
func (d *differ) slices(limit int) []Slice {
	p := packer{limit: min(limit, maxFillCells)}
	var covered [phases][]voxel.Painted
	n := 0
	for ph, v := range d.phases {
		if v != nil && phase(ph) != phaseKept {
			covered[ph] = order(voxel.Cover(v, p.limit), phase(ph))
			n += len(covered[ph])
		}
	}
	p.fills = make([]Fill, 0, n)
	for ph, boxes := range covered {
		pairs := phase(ph) == phaseHalf || phase(ph) == phaseLoose
		for len(boxes) > 0 {
			n := 1
			if pairs {
				n = together(boxes, p.limit)
			}
			p.add(boxes[:n], d.pairs)
			boxes = boxes[n:]
		}
	}
	return p.done()
}

// order sorts the boxes of a phase, which come in y, z, x order. What could fall
// stays sorted by height; the rest goes by tiles, so that slices stay compact, and
// by height within them.
func order(boxes []voxel.Painted, ph phase) []voxel.Painted {
	if ph == phaseGravity {
		return boxes
	}
	down := ph == phaseLoose || ph == phaseRemove
	keys := make([]sortKey, len(boxes))
	tiles := rankTiles(boxes, down)
	for i, b := range boxes {
		k := sortKey{tile: tiles[tileOf(b.Box.Min)], index: int32(i)}
		switch p := b.Box.Min; ph {
		case phaseHalf, phaseLoose:
			k.major, k.minor = int32(p.Z), int32(p.X)
			if down {
				k.index = -k.index
			}
		case phaseRemove:
			k.major = -int32(b.Box.Max.Y)
		default:
		}
		keys[i] = k
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		return cmp.Or(cmp.Compare(a.tile, b.tile), cmp.Compare(a.major, b.major), cmp.Compare(a.minor, b.minor),
			cmp.Compare(a.index, b.index))
	})
	out := make([]voxel.Painted, len(boxes))
	for i, k := range keys {
		out[i] = boxes[max(k.index, -k.index)]
	}
	return out
}

// sortKey is what the order of a box depends on; coordinates are 32-bit integers.
type sortKey struct{ tile, major, minor, index int32 }

// tileOf returns the tile of a position.
func tileOf(p voxel.Pos) voxel.Pos {
	return voxel.Pos{X: floorDiv(p.X, tile), Y: floorDiv(p.Y, tile), Z: floorDiv(p.Z, tile)}
}

// rankTiles numbers the tiles of the boxes in y, z, x order, or, for down, the
// highest first.
func rankTiles(boxes []voxel.Painted, down bool) map[voxel.Pos]int32 {
	ranks := map[voxel.Pos]int32{}
	var list []voxel.Pos
	for _, b := range boxes {
		t := tileOf(b.Box.Min)
		if _, known := ranks[t]; !known {
			ranks[t] = 0
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b voxel.Pos) int {
		if down && a.Y != b.Y {
			return cmp.Compare(b.Y, a.Y)
		}
		return a.Compare(b)
	})
	for i, t := range list {
		ranks[t] = int32(i)
	}
	return ranks
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
