package block

import "cmp"

// inverse is the Java state for every Bedrock state that something translates
// to.
type inverse struct {
	dry, wet []int32 // number of the Java state, -1 for none; by number of the Bedrock state
}

// newInverse chooses, among the Java states that become a Bedrock state, the one
// nearest to its block's default; among blocks the preferred one, then the one of
// the same name.
func newInverse(r *Registry) *inverse {
	in := &inverse{dry: make([]int32, len(r.texts)), wet: make([]int32, len(r.texts))}
	for i := range in.dry {
		in.dry[i], in.wet[i] = -1, -1
	}
	for _, v := range r.java.list {
		for offset := range v.size {
			j := v.base + offset
			w := r.rows[j]
			if w.target < 0 {
				continue
			}
			slot := &in.dry[w.target]
			if w.water {
				slot = &in.wet[w.target]
			}
			if *slot < 0 || r.nearer(j, *slot, w.target) {
				*slot = j
			}
		}
	}
	return in
}

// nearer reports whether Java state a is the better answer than b for a Bedrock
// state.
func (r *Registry) nearer(a, b, bedrock int32) bool {
	va, vb := r.java.of(a), r.java.of(b)
	if va == vb {
		return va.changes(a-va.base) < vb.changes(b-vb.base)
	}
	id := r.bedrock.of(bedrock).id
	rank := func(v *variants, j int32) int {
		n := 4 * b2i(r.notes[r.rows[j].note].quality != Exact)
		switch {
		case r.preferred[v]:
			return n
		case v.id == id:
			return n + 1
		}
		return n + 2
	}
	return cmp.Or(cmp.Compare(rank(va, a), rank(vb, b)), cmp.Compare(va.id, vb.id)) < 0
}

// changes is the number of properties in which a state differs from the default.
func (v *variants) changes(offset int32) int {
	n := 0
	for i := range v.props {
		n += b2i(v.props[i].digit(offset) != v.props[i].def)
	}
	return n
}

// ToJava returns the Java state for a Bedrock state; false where Java has no such
// block. A state that nothing in Java becomes (an unused bit, a fence gate's
// in_wall_bit beside a state Java lacks) gives the nearest one of the same block.
func (r *Registry) ToJava(s State) (string, bool) {
	i, wet, ok := r.lookup(s)
	if !ok {
		return "", false
	}
	j := r.javaFor(i, wet)
	if j < 0 {
		return "", false
	}
	v := r.java.of(j)
	return string(v.appendTo(make([]byte, 0, 96), j-v.base)), true
}

// Convertible reports whether s goes to Java and back unchanged.
func (r *Registry) Convertible(s State) bool {
	i, wet, ok := r.lookup(s)
	if !ok {
		return false
	}
	in := r.inverse()
	if wet {
		return in.wet[i] >= 0
	}
	return in.dry[i] >= 0
}

// javaFor returns the number of the Java state for a Bedrock state, -1 for none.
func (r *Registry) javaFor(i int32, wet bool) int32 {
	in := r.inverse()
	first, second := in.dry, in.wet
	if wet {
		first, second = second, first
	}
	if first[i] >= 0 {
		return first[i]
	}
	if second[i] >= 0 {
		return second[i]
	}
	v := r.bedrock.of(i)
	best, fewest := int32(-1), int(^uint(0)>>1)
	for o := range v.size {
		j := first[v.base+o]
		if j < 0 {
			j = second[v.base+o]
		}
		if j < 0 {
			continue
		}
		if n := v.differences(o, i-v.base); n < fewest {
			best, fewest = j, n
		}
	}
	return best
}

// differences weighs in how many states two combinations differ; derived ones
// and bits count little.
func (v *variants) differences(a, b int32) int {
	n := 0
	for i := range v.props {
		p := &v.props[i]
		da, db := p.digit(a), p.digit(b)
		if da == db {
			continue
		}
		if p.derived {
			n++
			continue
		}
		n += 16
		if len(p.values) > 2 {
			n += max(da-db, db-da)
		}
	}
	return n
}
