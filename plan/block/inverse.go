package block

import "cmp"

// inverse is the Java state for every Bedrock state that something translates
// to.
type inverse struct {
	dry, wet []int32 // number of the Java state, -1 for none; by number of the Bedrock state
}

// newInverse chooses, among the Java states that become a Bedrock state, a
// preferred one, then one that loses nothing, then the one nearest to its block's
// default; among blocks the one of the same name.
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
	wa, wb := r.rows[a], r.rows[b]
	same := func(v *variants) int { return b2i(v.id != r.bedrock.of(bedrock).id) }
	return cmp.Or(
		cmp.Compare(b2i(wb.prefer), b2i(wa.prefer)),
		cmp.Compare(b2i(r.notes[wa.note].quality != Exact), b2i(r.notes[wb.note].quality != Exact)),
		cmp.Compare(same(va), same(vb)),
		cmp.Compare(va.id, vb.id),
		cmp.Compare(va.changes(a-va.base), vb.changes(b-vb.base)),
	) < 0
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
// block. A state that nothing in Java becomes (an unused bit, running water)
// gives the nearest one.
func (r *Registry) ToJava(s State) (string, bool) {
	i, wet, ok := r.lookup(s)
	if !ok {
		return "", false
	}
	j := r.javaFor(i, wet)
	if j < 0 {
		return "", false
	}
	return r.javaText(j), true
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
	v := r.bedrock.of(i)
	if v.id == namespace+"structure_void" {
		return r.java.byID[v.id].base // translates to "keep", so it is nobody's target
	}
	j := closest(r, first, second, r.usual(v, i-v.base))
	if j < 0 {
		return -1
	}
	return r.restore(j, i)
}

// closest returns the Java state of the Bedrock state of the same block that
// differs least from i, with the same water if there is one.
func closest(r *Registry, first, second []int32, i int32) int32 {
	v := r.bedrock.of(i)
	j, fewest := int32(-1), 0
	for o := range v.size {
		k := first[v.base+o]
		if k < 0 {
			k = second[v.base+o]
		}
		if n := v.differences(o, i-v.base); k >= 0 && (j < 0 || n < fewest) {
			j, fewest = k, n
		}
	}
	return j
}

// differences weighs in how many states two combinations differ; derived ones
// count little.
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
