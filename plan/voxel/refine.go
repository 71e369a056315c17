package voxel

// The bounds of the search for fewer boxes. Work counts cells and boxes looked at;
// on the machine it was tuned on a million of it takes four to seven milliseconds.
const (
	refineWork = 24_000_000 // per volume
	refineEach = 100_000    // per box that takes part
	refineHeat = 1 << 20 / 50
	refineSeed = 0x62f425f185c70c2f // the best of 800 for the oracle's shapes; most take about four boxes more
)

// refiner looks for a cover of fewer boxes by moves of one kind: a box A grows
// through a neighbour B that is at least as wide as A across the common face, and
// what is left of B becomes boxes of its own.
//
//	┌──┬───────┐   ┌──┬───────┐
//	│A │   B   │ → │     A    │   nothing of B is left: one box less
//	└──┴───────┘   └──────────┘
//	   ┌───────┐   ┌──────────┐
//	┌──┤   B   │ → │     A    │   one rest: as many as before
//	│A ├       │   └──┬───────┤
//	└──┴───────┘      └───────┘
//
// Moves that cost nothing are always made, so that the cover wanders among those of
// equal number until a pair fits. A move that leaves two rests costs a box: it is
// made when a pair then fits, and else by chance, ever more rarely (simulated
// annealing). One that leaves more is never made. The chances come from a fixed
// sequence and work is counted instead of time, so the same volume always gives the
// same boxes.
//
// Little is left to find. For the oracle's spheres of radius 6 and 20 hollow and 8
// solid, integer programs over all boxes give the numbers found here as the fewest
// there are, for noise one box less; programs over the boxes that forty searches
// have seen give the same numbers for the sphere of radius 20 and the terrain.
//
// Among the things tried that were no better: taking out a few neighbours and
// covering them anew, exact search in neighbourhoods of up to nine boxes, cutting
// boxes at random, letting a box grow into several that tile its face, and taking
// of two covers the better one in each region where they differ.
type refiner struct {
	limit  int
	stride [3]int32
	owner  []int32  // by cell: the index of its box + 1, 0 for none that takes part
	boxes  []cuboid // with gaps
	open   []int32  // the indices of the boxes
	place  []int32  // by index of a box: where it stands in open
	spare  []int32  // the gaps
	rests  [2]cuboid
	state  uint64 // of the random sequence
	work   int    // that is left
	heat   uint64 // how often of 1<<20 a move that costs a box is made by chance
}

// cuboid is a box of a window by its first and last cell along each axis.
type cuboid struct {
	lo, hi [3]int32
	label  int32 // the component; 0 for a gap
	shut   uint8 // the ways at which the component is known to end
}

func (c *cuboid) volume() int {
	return int(c.hi[0]-c.lo[0]+1) * int(c.hi[1]-c.lo[1]+1) * int(c.hi[2]-c.lo[2]+1)
}

// refine returns the boxes, with those of the components that are not settled
// improved as far as the work allows, and the work done.
func (w *window) refine(parts []component, limit, work int, bricks []brick) (better []brick, done int) {
	rest := 0 // the settled ones move to the front
	for i, b := range bricks {
		if parts[w.labels[b.at]].settled() {
			bricks[i], bricks[rest] = bricks[rest], b
			rest++
		}
	}
	some := bricks[rest:]
	if len(some) == 0 {
		return bricks, 0
	}
	work = min(work, refineEach*len(some))
	r := newRefiner(w, limit, some)
	r.run(work)
	if len(r.open) >= len(some) {
		return bricks, work
	}
	better = bricks[:rest]
	for i := range r.boxes {
		if c := &r.boxes[i]; c.label != 0 {
			b := brick{at: r.index(&c.lo)}
			for a := range 3 {
				b.size[a] = c.hi[a] - c.lo[a] + 1
			}
			better = append(better, b)
		}
	}
	return better, work
}

func newRefiner(w *window, limit int, bricks []brick) *refiner {
	r := &refiner{
		limit: limit, state: refineSeed, owner: make([]int32, len(w.ids)),
		boxes: make([]cuboid, len(bricks)), place: make([]int32, len(bricks)), open: make([]int32, len(bricks)),
	}
	for a := range 3 {
		r.stride[a] = int32(w.stride[a])
	}
	for i, b := range bricks {
		at := int(b.at)
		c := &r.boxes[i]
		c.label = w.labels[at]
		c.lo = [3]int32{int32(at % w.stride[1]), int32(at % w.stride[2] / w.stride[1]), int32(at / w.stride[2])}
		for a := range 3 {
			c.hi[a] = c.lo[a] + b.size[a] - 1
		}
		r.place[i], r.open[i] = int32(i), int32(i)
		r.own(&c.lo, &c.hi, int32(i)+1)
	}
	return r
}

// random returns the next 64 bits of a xorshift sequence.
func (r *refiner) random() uint64 {
	r.state ^= r.state << 13
	r.state ^= r.state >> 7
	r.state ^= r.state << 17
	return r.state
}

func (r *refiner) index(p *[3]int32) int32 {
	return p[0]*r.stride[0] + p[1]*r.stride[1] + p[2]*r.stride[2]
}

// own writes the owner of the cells of a box.
func (r *refiner) own(lo, hi *[3]int32, owner int32) {
	n := int(hi[0]-lo[0]) + 1
	for y := lo[2]; y <= hi[2]; y++ {
		for z := lo[1]; z <= hi[1]; z++ {
			from := int(r.index(&[3]int32{lo[0], z, y}))
			row := r.owner[from : from+n]
			for i := range row {
				row[i] = owner
			}
			r.work -= 2 + n/4
		}
	}
}

// run makes moves until the work is used up.
func (r *refiner) run(work int) {
	const batch, perTry = 1024, 4
	r.work = work
	for r.work > 0 && len(r.open) > 1 {
		left := float64(r.work) / float64(work)
		r.heat = uint64(refineHeat * (left * left * left * left * left))
		for range batch {
			r.try()
		}
		r.work -= batch * perTry
	}
}

// try draws a box and a way and makes the move, if it is one.
func (r *refiner) try() {
	x := r.random()
	ai := r.open[(x>>32)*uint64(len(r.open))>>32]
	a := &r.boxes[ai]
	way := int((x & 0xffff) * 6 >> 16)
	if a.shut>>way&1 != 0 {
		return
	}
	bi := r.beyond(a, way)
	if bi < 0 {
		a.shut |= 1 << way
		return
	}
	b := &r.boxes[bi]
	axis := way >> 1
	u, v := across(axis)
	if b.lo[u] > a.lo[u] || b.hi[u] < a.hi[u] || b.lo[v] > a.lo[v] || b.hi[v] < a.hi[v] {
		return
	}
	n := beside(a, b, u) + beside(a, b, v)
	if n > 2 {
		return
	}
	grown := *a
	grown.shut = 0
	grown.lo[axis], grown.hi[axis] = min(a.lo[axis], b.lo[axis]), max(a.hi[axis], b.hi[axis])
	if grown.volume() > r.limit {
		return
	}
	if x>>16&1 != 0 {
		u, v = v, u
	}
	r.cut(a, b, u, v)
	if n == 2 && r.random()&(1<<20-1) >= r.heat && !r.pairs(&grown, ai, bi) {
		return
	}
	r.move(ai, bi, &grown, n)
}

// across returns the other two axes.
func across(axis int) (u, v int) { return (axis + 1) % 3, (axis + 2) % 3 }

// beyond returns the box at the far side of the face at which way looks, at the
// face's lowest cell; -1 when none of the component is there. Ways are numbered by
// axis, down before up.
func (r *refiner) beyond(c *cuboid, way int) int32 {
	axis := way >> 1
	at := r.index(&c.lo)
	if way&1 == 1 {
		at += (c.hi[axis] - c.lo[axis] + 1) * r.stride[axis]
	} else {
		at -= r.stride[axis]
	}
	b := r.owner[at] - 1
	if b < 0 || r.boxes[b].label != c.label {
		return -1
	}
	return b
}

// beside returns how many boxes are left beside a along an axis when it grows
// through b.
func beside(a, b *cuboid, axis int) int {
	n := 0
	if b.lo[axis] < a.lo[axis] {
		n++
	}
	if b.hi[axis] > a.hi[axis] {
		n++
	}
	return n
}

// cut sets rests to what is left of b, at most two boxes, when a grows through it,
// split along u first.
func (r *refiner) cut(a, b *cuboid, u, v int) {
	n := 0
	rest := *b
	rest.shut = 0
	for _, t := range [2]int{u, v} {
		if rest.lo[t] < a.lo[t] {
			r.rests[n] = rest
			r.rests[n].hi[t] = a.lo[t] - 1
			n++
		}
		if rest.hi[t] > a.hi[t] {
			r.rests[n] = rest
			r.rests[n].lo[t] = a.hi[t] + 1
			n++
		}
		rest.lo[t], rest.hi[t] = a.lo[t], a.hi[t]
	}
}

// pairs reports whether one of the three boxes after a move would fit to a
// neighbour that the move does not touch.
func (r *refiner) pairs(grown *cuboid, ai, bi int32) bool {
	r.work -= 40
	return r.fit(grown, ai, bi) >= 0 || r.fit(&r.rests[0], ai, bi) >= 0 || r.fit(&r.rests[1], ai, bi) >= 0
}

// fit returns the box, other than the two, that makes one box with c; -1 when there
// is none.
func (r *refiner) fit(c *cuboid, ai, bi int32) int32 {
	for way := range 6 {
		oi := r.beyond(c, way)
		if oi < 0 || oi == ai || oi == bi {
			continue
		}
		o := &r.boxes[oi]
		u, v := across(way >> 1)
		if o.lo[u] == c.lo[u] && o.hi[u] == c.hi[u] && o.lo[v] == c.lo[v] && o.hi[v] == c.hi[v] &&
			o.volume()+c.volume() <= r.limit {
			return oi
		}
	}
	return -1
}

// move lets the box ai become grown, bi the n rests, and joins what then fits.
func (r *refiner) move(ai, bi int32, grown *cuboid, n int) {
	slab := r.boxes[bi]
	for t := range 3 {
		slab.lo[t], slab.hi[t] = max(grown.lo[t], slab.lo[t]), min(grown.hi[t], slab.hi[t])
	}
	r.boxes[ai] = *grown
	r.own(&slab.lo, &slab.hi, ai+1)
	more := bi
	if n == 0 {
		r.drop(bi)
	} else {
		r.boxes[bi] = r.rests[0]
	}
	if n == 2 {
		more = r.add(r.rests[1])
	}
	r.join(ai)
	r.join(bi)
	r.join(more)
}

// join makes one box of i and a neighbour, if one fits.
func (r *refiner) join(i int32) {
	c := &r.boxes[i]
	if c.label == 0 {
		return
	}
	r.work -= 16
	oi := r.fit(c, i, i)
	if oi < 0 {
		return
	}
	o := r.boxes[oi]
	for t := range 3 {
		c.lo[t], c.hi[t] = min(c.lo[t], o.lo[t]), max(c.hi[t], o.hi[t])
	}
	c.shut = 0
	r.own(&o.lo, &o.hi, i+1)
	r.drop(oi)
}

func (r *refiner) drop(i int32) {
	last := r.open[len(r.open)-1]
	r.open[r.place[i]], r.place[last] = last, r.place[i]
	r.open = r.open[:len(r.open)-1]
	r.boxes[i].label = 0
	r.spare = append(r.spare, i)
}

func (r *refiner) add(c cuboid) int32 {
	if len(r.spare) == 0 {
		r.spare = append(r.spare, int32(len(r.boxes)))
		r.boxes, r.place = append(r.boxes, cuboid{}), append(r.place, 0)
	}
	i := r.spare[len(r.spare)-1]
	r.spare = r.spare[:len(r.spare)-1]
	r.boxes[i], r.place[i] = c, int32(len(r.open))
	r.open = append(r.open, i)
	r.own(&c.lo, &c.hi, i+1)
	return i
}
