package voxel

import (
	"slices"
)

// Painted is a box of cells that all have the same content.
type Painted struct {
	Box Box
	ID  ID
}

// Cover returns boxes of at most limit cells, none of them overlapping, that
// together are exactly the volume's cells, each box of one content. It looks for
// few boxes, though not for the fewest, which is NP-hard: a greedy cover is improved
// for a time that is bounded whatever the volume. The same volume always gives the
// same boxes, in the y, z, x order of their lowest corners.
//
// The time grows with the number of cells, not with the bounds of the volume.
func Cover(v *Volume, limit int) []Painted { return cover(v, limit, refineWork) }

// CoverQuick is Cover without the search for fewer boxes than the greedy ones.
func CoverQuick(v *Volume, limit int) []Painted { return cover(v, limit, 0) }

func cover(v *Volume, limit, work int) []Painted {
	limit = max(limit, 1)
	var out []Painted
	parts := windows(v)
	for i, part := range parts {
		var done int
		out, done = newWindow(v, part).cover(limit, work/(len(parts)-i), out)
		work -= done
	}
	slices.SortFunc(out, func(a, b Painted) int { return a.Box.Min.Compare(b.Box.Min) })
	return out
}

// The bounds of one window, the array in which boxes are looked for.
const (
	windowCells  = 8 << 20 // cells of a window at most
	windowSparse = 64      // cells of a window per present cell at most, beyond a section's
)

// region is a set of sections that are covered together.
type region struct {
	keys  []Section
	tight []Box // the bounds of the present cells of each
	count int
}

func (r region) bounds() Box {
	b := r.tight[0]
	for _, t := range r.tight[1:] {
		b = b.Union(t)
	}
	return b
}

// windows splits the volume where it is too large or too sparse for one array.
func windows(v *Volume) []region {
	var whole region
	for _, key := range v.Sections() {
		s := v.sections[key]
		whole.keys, whole.tight = append(whole.keys, key), append(whole.tight, s.bounds(key))
		whole.count += s.count
	}
	if len(whole.keys) == 0 {
		return nil
	}
	return split(v, whole, nil)
}

func split(v *Volume, r region, out []region) []region {
	size := r.bounds().Size().Add(Pos{2, 2, 2})
	most := min(windowCells, max(2*SectionCells, windowSparse*r.count))
	if len(r.keys) == 1 || size.X*size.Y*size.Z <= most {
		return append(out, r)
	}
	axis, lo, hi := longest(r.keys)
	middle := lo + (hi-lo+1)/2
	var halves [2]region
	for i, key := range r.keys {
		h := &halves[0]
		if coordinate(Pos(key), axis) >= middle {
			h = &halves[1]
		}
		h.keys, h.tight = append(h.keys, key), append(h.tight, r.tight[i])
		h.count += v.sections[key].count
	}
	for _, h := range halves {
		if len(h.keys) > 0 {
			out = split(v, h, out)
		}
	}
	return out
}

// longest returns the axis along which the sections reach farthest, and from
// where to where.
func longest(keys []Section) (axis, lo, hi int) {
	for a := range 3 {
		least, most := coordinate(Pos(keys[0]), a), coordinate(Pos(keys[0]), a)
		for _, key := range keys[1:] {
			c := coordinate(Pos(key), a)
			least, most = min(least, c), max(most, c)
		}
		if a == 0 || most-least > hi-lo {
			axis, lo, hi = a, least, most
		}
	}
	return axis, lo, hi
}

// coordinate returns the value along an axis, which are numbered x, z, y.
func coordinate(p Pos, axis int) int {
	switch axis {
	case 0:
		return p.X
	case 1:
		return p.Z
	default:
		return p.Y
	}
}

// window is a dense copy of a part of a volume with a border of absent cells, so
// that no step to a neighbour leaves it. Axes are numbered x, z, y.
type window struct {
	origin Pos // of the cell at 1,1,1
	ids    []ID
	labels []int32 // the number of each cell's component
	stack  []int32 // of flood
	stride [3]int
}

func newWindow(v *Volume, part region) *window {
	b := part.bounds()
	size := b.Size()
	w := &window{origin: b.Min}
	w.stride = [3]int{1, size.X + 2, (size.X + 2) * (size.Z + 2)}
	w.ids = make([]ID, w.stride[2]*(size.Y+2))
	var ids [SectionCells]ID
	for i, key := range part.keys {
		v.sections[key].copyTo(&ids)
		tight := part.tight[i]
		for y := tight.Min.Y; y <= tight.Max.Y; y++ {
			for z := tight.Min.Z; z <= tight.Max.Z; z++ {
				from := w.at(Pos{tight.Min.X, y, z})
				cell := Pos{tight.Min.X, y, z}.cell()
				copy(w.ids[from:], ids[cell:cell+tight.Max.X-tight.Min.X+1])
			}
		}
	}
	return w
}

// at returns the index of a position.
func (w *window) at(p Pos) int {
	d := p.Sub(w.origin)
	return (d.X+1)*w.stride[0] + (d.Z+1)*w.stride[1] + (d.Y+1)*w.stride[2]
}

// pos returns the position of an index.
func (w *window) pos(i int) Pos {
	return w.origin.Add(Pos{
		X: i%w.stride[1] - 1,
		Y: i/w.stride[2] - 1,
		Z: i%w.stride[2]/w.stride[1] - 1,
	})
}

// brick is a box of a window.
type brick struct {
	at   int32    // the index of its lowest corner
	size [3]int32 // along x, z, y
}

func (w *window) paint(b brick, id ID) Painted {
	lo := w.pos(int(b.at))
	return Painted{Box{lo, lo.Add(Pos{int(b.size[0]) - 1, int(b.size[2]) - 1, int(b.size[1]) - 1})}, id}
}

// orders are the six ways to grow a box along one axis after another.
var orders = [6][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// cover appends the boxes of the window's cells to out. It may do some work to find
// fewer, and returns how much it did.
func (w *window) cover(limit, work int, out []Painted) (more []Painted, done int) {
	parts := w.components(limit)
	w.bestOrders(parts, limit)
	n := 0
	for _, p := range parts {
		n += int(p.boxes)
	}
	bricks := make([]brick, 0, n)
	w.greedy(parts, nil, limit, func(_ int32, b brick) { bricks = append(bricks, b) })
	if work > 0 {
		bricks, done = w.refine(parts, limit, work, bricks)
	}
	out = slices.Grow(out, len(bricks))
	for _, b := range bricks {
		out = append(out, w.paint(b, w.ids[b.at]))
	}
	return out, done
}

// component is a connected set of cells of equal content.
type component struct {
	least int32 // no cover has fewer boxes, for their limited size
	boxes int32 // of the best greedy cover
	order uint8 // that gives it, an index into orders
}

// settled reports whether the greedy cover cannot be improved: one box is one box,
// and what is no box needs two.
func (c component) settled() bool { return c.boxes > 0 && c.boxes <= max(c.least, 2) }

// bestOrders finds for each component the order that gives it the fewest boxes.
func (w *window) bestOrders(parts []component, limit int) {
	counts := make([]int32, len(parts))
	for i := range orders {
		open := false
		for label := range parts {
			open = open || label > 0 && !parts[label].settled()
		}
		if !open {
			return
		}
		clear(counts)
		w.greedy(parts, &orders[i], limit, func(label int32, _ brick) { counts[label]++ })
		for label, n := range counts {
			if p := &parts[label]; n > 0 && (p.boxes == 0 || n < p.boxes) {
				p.boxes, p.order = n, uint8(i)
			}
		}
	}
}

// components numbers the connected sets of cells of equal content from 1 in labels,
// and returns them by number.
func (w *window) components(limit int) []component {
	w.labels = make([]int32, len(w.ids))
	parts := []component{{}}
	for start, id := range w.ids {
		if id != None && w.labels[start] == 0 {
			size := w.flood(start, int32(len(parts)))
			parts = append(parts, component{least: int32((size + limit - 1) / limit)})
		}
	}
	return parts
}

// flood gives the component of a cell its label, run by run along x, and returns
// its size.
func (w *window) flood(start int, label int32) int {
	id, size := w.ids[start], 0
	w.stack = append(w.stack[:0], int32(start))
	for len(w.stack) > 0 {
		at := int(w.stack[len(w.stack)-1])
		w.stack = w.stack[:len(w.stack)-1]
		if w.labels[at] != 0 {
			continue
		}
		from, to := at, at+1
		for w.ids[from-1] == id {
			from--
		}
		for w.ids[to] == id {
			to++
		}
		run := w.labels[from:to]
		for i := range run {
			run[i] = label
		}
		size += to - from
		for _, d := range [4]int{-w.stride[1], w.stride[1], -w.stride[2], w.stride[2]} {
			ids, labels := w.ids[from+d:to+d], w.labels[from+d:to+d]
			inside := false
			for i := range ids {
				free := ids[i] == id && labels[i] == 0
				if free && !inside {
					w.stack = append(w.stack, int32(from+d+i))
				}
				inside = free
			}
		}
	}
	return size
}

// greedy covers components: at the first free cell in y, z, x order it starts a box
// and grows it along one axis after another as far as the cells are free and the
// limit allows. With an order it covers those that are not settled; without one all,
// each in its own. While it runs, taken cells have the negative of their label.
func (w *window) greedy(parts []component, order *[3]int, limit int, emit func(label int32, b brick)) {
	labels := w.labels
	for at, label := range labels {
		if label <= 0 || order != nil && parts[label].settled() {
			continue
		}
		by := order
		if by == nil {
			by = &orders[parts[label].order]
		}
		b := w.grow(at, by, limit)
		w.mark(b, -label)
		emit(label, b)
	}
	for i, label := range labels {
		if label < 0 {
			labels[i] = -label
		}
	}
}

// grow returns the box that starts at a cell.
func (w *window) grow(at int, order *[3]int, limit int) brick {
	b := brick{at: int32(at), size: [3]int32{1, 1, 1}}
	volume := 1
	for _, axis := range order {
		face := volume
		for volume+face <= limit && w.free(b, axis) {
			b.size[axis]++
			volume += face
		}
	}
	return b
}

// free reports whether the layer of cells beyond the box along an axis all have its
// label.
func (w *window) free(b brick, axis int) bool {
	label := w.labels[b.at]
	b.at += b.size[axis] * int32(w.stride[axis])
	b.size[axis] = 1
	for y := range int(b.size[2]) {
		for z := range int(b.size[1]) {
			from := int(b.at) + y*w.stride[2] + z*w.stride[1]
			for _, l := range w.labels[from : from+int(b.size[0])] {
				if l != label {
					return false
				}
			}
		}
	}
	return true
}

// mark gives the cells of the box a label.
func (w *window) mark(b brick, label int32) {
	for y := range int(b.size[2]) {
		for z := range int(b.size[1]) {
			from := int(b.at) + y*w.stride[2] + z*w.stride[1]
			row := w.labels[from : from+int(b.size[0])]
			for i := range row {
				row[i] = label
			}
		}
	}
}
