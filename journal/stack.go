package journal

import (
	"encoding/binary"
	"maps"
	"slices"

	"groundplan/plan/voxel"
)

// seq numbers what is recorded, in the order of recording. 0 is nothing.
type seq uint64

func (s seq) key() []byte { return binary.BigEndian.AppendUint64(nil, uint64(s)) }

// seqOf reads a key or the beginning of one; 0 when it is too short.
func seqOf(key []byte) seq {
	if len(key) < 8 {
		return 0
	}
	return seq(binary.BigEndian.Uint64(key))
}

// maxLayers bounds how many layers a section's stack keeps. The oldest go first:
// what they wrote can no longer be undone.
const maxLayers = 1024

// version tells the states of one cell apart. It has a meaning only within its
// section; 0 is what was there before anything known was written.
type version uint64

// layer says that an operation wrote cells of one section that had all the same
// version before.
type layer struct {
	op      seq
	undoOf  seq        // the operation that op takes back, 0 for none
	created bool       // after is a new version; otherwise op went back to an older one
	before  version    // of the cells when op wrote them
	after   version    // what op gave them
	cells   voxel.Bits // never empty
}

// stack is who wrote the cells of one section, oldest first. The version of a
// cell is that of the newest layer that has it.
type stack []layer

// tops returns the cells of each version.
func (s stack) tops() map[version]*voxel.Bits {
	var seen voxel.Bits
	tops := map[version]*voxel.Bits{}
	for i := range slices.Backward(s) {
		fresh := s[i].cells
		fresh.Subtract(&seen)
		if fresh.Empty() {
			continue
		}
		seen.Union(&fresh)
		if tops[s[i].after] == nil {
			tops[s[i].after] = new(voxel.Bits)
		}
		tops[s[i].after].Union(&fresh)
	}
	return tops
}

// owned returns the cells that are as op left them.
func (s stack) owned(op seq) voxel.Bits {
	var owned voxel.Bits
	tops := s.tops()
	for i := range s {
		if top := tops[s[i].after]; s[i].op == op && top != nil {
			part := s[i].cells.And(top)
			owned.Union(&part)
		}
	}
	return owned
}

// write records that op was seen to have written cells, and returns the new
// stack. Cells that already are op's are left as they are, so that the same
// receipt may come twice.
func (s stack) write(op, undoOf seq, cells voxel.Bits) stack {
	had := s.owned(op)
	cells.Subtract(&had)

	fresh := version(1)
	for i := range s {
		fresh = max(fresh, s[i].after+1, s[i].before+1)
	}
	var added stack
	rest := cells
	tops := s.tops()
	for _, now := range slices.Sorted(maps.Keys(tops)) {
		group := tops[now].And(&cells)
		rest.Subtract(&group)
		for i := range s {
			if undoOf == 0 || s[i].op != undoOf || s[i].after != now {
				continue
			}
			back := s[i].cells.And(&group)
			group.Subtract(&back)
			added = added.add(layer{op: op, undoOf: undoOf, before: now, after: s[i].before, cells: back})
		}
		added = added.add(layer{op: op, undoOf: undoOf, created: true, before: now, after: fresh, cells: group})
	}
	added = added.add(layer{op: op, undoOf: undoOf, created: true, after: fresh, cells: rest})

	s = slices.Clone(s)
	for i := range added {
		if added[i].created {
			s.keepAncestors(&added[i])
		} else {
			s.replaceReturns(&added[i])
		}
	}
	return s.compact().push(added)
}

func (s stack) add(l layer) stack {
	if l.cells.Empty() {
		return s
	}
	return append(s, l)
}

// keepAncestors drops what a new version buries: under it only the chain of
// versions that it grew out of can ever come back.
func (s stack) keepAncestors(l *layer) {
	wanted := map[version]*voxel.Bits{}
	want := func(v version, cells *voxel.Bits) {
		if v == 0 || cells.Empty() {
			return
		}
		if wanted[v] == nil {
			wanted[v] = new(voxel.Bits)
		}
		wanted[v].Union(cells)
	}
	want(l.before, &l.cells)
	for i := range slices.Backward(s) {
		buried := s[i].cells.And(&l.cells)
		if w := wanted[s[i].after]; s[i].created && w != nil {
			kept := buried.And(w)
			buried.Subtract(&kept)
			w.Subtract(&kept)
			want(s[i].before, &kept)
		}
		s[i].cells.Subtract(&buried)
	}
}

// replaceReturns drops the undo that l takes back, and those that went the same
// way as l before it, so that undo and redo in turn do not make the stack grow.
func (s stack) replaceReturns(l *layer) {
	for i := range s {
		if s[i].created {
			continue
		}
		if s[i].op == l.undoOf || s[i].before == l.before && s[i].after == l.after {
			s[i].cells.Subtract(&l.cells)
		}
	}
}

// all returns the cells that have an owner.
func (s stack) all() voxel.Bits {
	var all voxel.Bits
	for i := range s {
		all.Union(&s[i].cells)
	}
	return all
}

// clear forgets all that is known of the cells.
func (s stack) clear(cells *voxel.Bits) stack {
	s = slices.Clone(s)
	for i := range s {
		s[i].cells.Subtract(cells)
	}
	return s.compact()
}

func (s stack) compact() stack {
	return slices.DeleteFunc(s, func(l layer) bool { return l.cells.Empty() })
}

// push puts layers on top, into one that is there where that says the same.
func (s stack) push(added stack) stack {
	for _, l := range added {
		if i := s.home(&l); i >= 0 {
			s[i].cells.Union(&l.cells)
			continue
		}
		s = append(s, l)
	}
	if len(s) > maxLayers {
		s = slices.Clone(s[len(s)-maxLayers:])
	}
	return s
}

// home returns the layer that may take l's cells too, -1 for none: an operation
// writes a section in several slices, and all that it does to it in the same way
// shares a layer. For the cells that layer must come to lie on top, and its
// version must be new to them.
func (s stack) home(l *layer) int {
	for i := range slices.Backward(s) {
		t := &s[i]
		same := t.op == l.op && t.undoOf == l.undoOf && t.created == l.created && t.before == l.before
		if same && (l.created && s[:i].lacks(t.after, &l.cells) || !l.created && t.after == l.after) {
			return i
		}
		if overlap := t.cells.And(&l.cells); !overlap.Empty() {
			return -1
		}
	}
	return -1
}

// lacks reports whether no layer knows the version for any of the cells.
func (s stack) lacks(v version, cells *voxel.Bits) bool {
	for i := range s {
		if s[i].before == v || s[i].after == v {
			if overlap := s[i].cells.And(cells); !overlap.Empty() {
				return false
			}
		}
	}
	return true
}

// encode returns the payload of the stack's record.
func (s stack) encode() []byte {
	out := binary.AppendUvarint(nil, uint64(len(s)))
	for i := range s {
		l := &s[i]
		out = binary.AppendUvarint(out, uint64(l.op))
		out = binary.AppendUvarint(out, uint64(l.undoOf))
		flags := byte(0)
		if l.created {
			flags = 1
		}
		out = append(out, flags)
		out = binary.AppendUvarint(out, uint64(l.before))
		out = binary.AppendUvarint(out, uint64(l.after))
		out = l.cells.AppendRuns(out)
	}
	return out
}

// decodeStack is the inverse of encode.
func decodeStack(payload []byte) (stack, error) {
	in := reader{data: payload}
	n := in.uvarint()
	if n > maxLayers || n > uint64(len(payload)) {
		return nil, damaged(kindStack, "count")
	}
	s := make(stack, 0, n)
	for range n {
		l := layer{op: seq(in.uvarint()), undoOf: seq(in.uvarint())}
		flags := in.byte()
		l.created = flags == 1
		l.before, l.after = version(in.uvarint()), version(in.uvarint())
		cells, err := in.readRuns()
		if err != nil || in.bad || flags > 1 || l.op == 0 || cells.Empty() {
			return nil, damaged(kindStack, "layer")
		}
		l.cells = cells
		s = append(s, l)
	}
	if in.bad || len(in.data) > 0 {
		return nil, damaged(kindStack, "length")
	}
	return s, nil
}

// broken says what of a stack cannot be, "" when all can.
func (s stack) broken() string {
	created := map[version]voxel.Bits{}
	for i := range s {
		l := &s[i]
		switch {
		case l.before == l.after:
			return "a layer that changes no version"
		case l.created && l.after == 0:
			return "a layer that creates version 0"
		case !l.created && l.undoOf == 0:
			return "a layer that goes back without being an undo"
		}
		if l.created {
			before := created[l.after]
			if twice := before.And(&l.cells); !twice.Empty() {
				return "a version that was created twice"
			}
			before.Union(&l.cells)
			created[l.after] = before
		}
	}
	return ""
}

// ownersName is the name of the bucket for the sections of a dimension.
func ownersName(worldID, dimension string) []byte { return []byte(worldID + "\x00" + dimension) }
