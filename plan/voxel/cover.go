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
// few boxes, though not for the fewest, which is NP-hard. The same volume always
// gives the same boxes, in the y, z, x order of their lowest corners.
//
// The time grows with the number of cells, not with the bounds of the volume.
func Cover(v *Volume, limit int) []Painted {
	limit = max(limit, 1)
	var out []Painted
	parts := windows(v)
	for _, part := range parts {
		out = newWindow(v, part).cover(limit, out)
	}
	if len(parts) == 1 {
		return out
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
		box, n := v.sections[key].bounds(key)
		whole.keys, whole.tight, whole.count = append(whole.keys, key), append(whole.tight, box), whole.count+n
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

// bounds returns the smallest box around the present cells, and their number.
func (s *section) bounds(key Section) (Box, int) {
	if s.ids == nil {
		return key.Box(), s.count
	}
	lo, hi := [3]int{Edge, Edge, Edge}, [3]int{-1, -1, -1}
	for i, id := range s.ids {
		if id == None {
			continue
		}
		for a, c := range [3]int{i & 15, i >> 4 & 15, i >> 8} {
			lo[a], hi[a] = min(lo[a], c), max(hi[a], c)
		}
	}
	from := key.Box().Min
	return Box{from.Add(Pos{lo[0], lo[2], lo[1]}), from.Add(Pos{hi[0], hi[2], hi[1]})}, s.count
}

// window is a dense copy of a part of a volume with a border of absent cells, so
// that no step to a neighbour leaves it. Axes are numbered x, z, y.
type window struct {
	origin Pos // of the cell at 1,1,1
	ids    []ID
	stride [3]int
	inner  [3]int // the size without the border
}

func newWindow(v *Volume, part region) *window {
	b := part.bounds()
	size := b.Size()
	w := &window{origin: b.Min, inner: [3]int{size.X, size.Z, size.Y}}
	w.stride = [3]int{1, size.X + 2, (size.X + 2) * (size.Z + 2)}
	w.ids = make([]ID, w.stride[2]*(size.Y+2))
	for i, key := range part.keys {
		s := v.sections[key]
		tight := part.tight[i]
		for y := tight.Min.Y; y <= tight.Max.Y; y++ {
			for z := tight.Min.Z; z <= tight.Max.Z; z++ {
				from := w.at(Pos{tight.Min.X, y, z})
				row := w.ids[from : from+tight.Max.X-tight.Min.X+1]
				cell := Pos{tight.Min.X, y, z}.cell()
				if s.ids != nil {
					copy(row, s.ids[cell:])
					continue
				}
				for x := range row {
					row[x] = s.fill
				}
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

// cover appends the boxes of the window's cells to out, in y, z, x order.
func (w *window) cover(limit int, out []Painted) []Painted {
	labels, ids := w.components()
	best, n := w.bestOrders(labels, len(ids), limit)
	out = slices.Grow(out, n)
	w.greedy(labels, func(label int32) [3]int { return orders[best[label]] }, limit, func(label int32, b brick) {
		out = append(out, w.paint(b, ids[label]))
	})
	return out
}

// bestOrders returns for each component the order that gives it the fewest boxes,
// and the number of boxes of all.
func (w *window) bestOrders(labels []int32, components, limit int) (best []uint8, n int) {
	best = make([]uint8, components)
	least, counts := make([]int32, components), make([]int32, components)
	for i, order := range orders {
		clear(counts)
		w.greedy(labels, func(int32) [3]int { return order }, limit, func(label int32, _ brick) { counts[label]++ })
		for label, c := range counts {
			if i == 0 || c < least[label] {
				least[label], best[label] = c, uint8(i)
			}
		}
	}
	for _, c := range least {
		n += int(c)
	}
	return best, n
}

// components numbers the connected sets of cells of equal content from 1, and
// returns each cell's number and each number's content.
func (w *window) components() (labels []int32, ids []ID) {
	labels = make([]int32, len(w.ids))
	ids = []ID{None}
	var stack []int32
	for start, id := range w.ids {
		if id == None || labels[start] != 0 {
			continue
		}
		label := int32(len(ids))
		ids = append(ids, id)
		labels[start] = label
		stack = append(stack[:0], int32(start))
		for len(stack) > 0 {
			i := int(stack[len(stack)-1])
			stack = stack[:len(stack)-1]
			for _, d := range w.stride {
				for _, j := range [2]int{i - d, i + d} {
					if labels[j] == 0 && w.ids[j] == id {
						labels[j] = label
						stack = append(stack, int32(j))
					}
				}
			}
		}
	}
	return labels, ids
}

// greedy covers every component: at the first free cell in y, z, x order it starts
// a box and grows it along one axis after another as far as the cells are free and
// the limit allows. While it runs, taken cells have the negative of their label.
func (w *window) greedy(labels []int32, order func(label int32) [3]int, limit int, emit func(label int32, b brick)) {
	for at, label := range labels {
		if label <= 0 {
			continue
		}
		b := w.grow(labels, at, order(label), limit)
		w.each(b, func(i int) { labels[i] = -label })
		emit(label, b)
	}
	for i := range labels {
		labels[i] = -labels[i]
	}
}

// grow returns the box that starts at a cell.
func (w *window) grow(labels []int32, at int, order [3]int, limit int) brick {
	b := brick{at: int32(at), size: [3]int32{1, 1, 1}}
	label := labels[at]
	volume := 1
	for _, axis := range order {
		face := volume
		for volume+face <= limit && w.free(labels, b, axis, label) {
			b.size[axis]++
			volume += face
		}
	}
	return b
}

// free reports whether the layer of cells beyond the box along an axis all have
// the label.
func (w *window) free(labels []int32, b brick, axis int, label int32) bool {
	b.at += b.size[axis] * int32(w.stride[axis])
	b.size[axis] = 1
	for y := range int(b.size[2]) {
		for z := range int(b.size[1]) {
			from := int(b.at) + y*w.stride[2] + z*w.stride[1]
			for _, l := range labels[from : from+int(b.size[0])] {
				if l != label {
					return false
				}
			}
		}
	}
	return true
}

func (w *window) each(b brick, visit func(i int)) {
	for y := range int(b.size[2]) {
		for z := range int(b.size[1]) {
			from := int(b.at) + y*w.stride[2] + z*w.stride[1]
			for x := range int(b.size[0]) {
				visit(from + x)
			}
		}
	}
}
