package journal

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"

	"groundplan/plan/voxel"
)

// bitmap has one bit for each cell of a section, in y, z, x order. It is a value:
// assignment copies.
type bitmap [voxel.SectionCells / 64]uint64

func (b *bitmap) empty() bool { return *b == bitmap{} }

func (b *bitmap) len() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

func (b *bitmap) union(o *bitmap) {
	for i := range b {
		b[i] |= o[i]
	}
}

func (b *bitmap) subtract(o *bitmap) {
	for i := range b {
		b[i] &^= o[i]
	}
}

// and returns the cells that both have.
func (b *bitmap) and(o *bitmap) bitmap {
	var out bitmap
	for i := range b {
		out[i] = b[i] & o[i]
	}
	return out
}

// within reports whether o has every cell of b.
func (b *bitmap) within(o *bitmap) bool {
	for i := range b {
		if b[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

// fill sets the cells from start up to end.
func (b *bitmap) fill(start, end int) {
	for start < end {
		word, bit := start>>6, start&63
		n := min(64-bit, end-start)
		b[word] |= (math.MaxUint64 >> (64 - n)) << bit
		start += n
	}
}

// appendRuns appends the lengths of the alternating runs of absent and present
// cells, ending where the section does: the form that voxel.Mask uses.
func (b *bitmap) appendRuns(out []byte) []byte {
	for start, present := 0, uint64(0); start < voxel.SectionCells; present ^= math.MaxUint64 {
		end := start
		for end < voxel.SectionCells {
			rest := (b[end>>6] ^ present) >> (end & 63) // zero bits are of the run
			n := min(bits.TrailingZeros64(rest), 64-end&63)
			end += n
			if end&63 != 0 || n == 0 {
				break
			}
		}
		out = binary.AppendUvarint(out, uint64(end-start))
		start = end
	}
	return out
}

var errRuns = errors.New("malformed runs")

// readRuns is the inverse of appendRuns.
func (r *reader) readRuns() (bitmap, error) {
	var b bitmap
	data, at := r.data, 0 // most runs are one byte, and there are thousands of them
	for start, present := 0, false; start < voxel.SectionCells; present = !present {
		if at >= len(data) {
			return b, errRuns
		}
		run, n := uint64(data[at]), 1
		if run >= 0x80 {
			if run, n = binary.Uvarint(data[at:]); n <= 0 {
				return b, errRuns
			}
		}
		at += n
		if run > uint64(voxel.SectionCells-start) || run == 0 && start > 0 {
			return b, errRuns
		}
		end := start + int(run)
		if present {
			b.fill(start, end)
		}
		start = end
	}
	r.data = data[at:]
	return b, nil
}

// area is a set of cells by section: what a voxel.Mask is, in a form that can be
// combined a word at a time.
type area map[voxel.Section]*bitmap

// areaOf reads a mask's binary form.
func areaOf(encoded []byte) (area, error) {
	in := reader{data: encoded}
	n := in.uvarint()
	if n > uint64(len(encoded)) {
		return nil, errRuns
	}
	a := make(area, n)
	for range n {
		key := voxel.Section{X: int(in.varint()), Y: int(in.varint()), Z: int(in.varint())}
		b, err := in.readRuns()
		if err != nil || a[key] != nil || !inRange(key) {
			return nil, errRuns
		}
		if !b.empty() {
			a[key] = &b
		}
	}
	if in.bad || len(in.data) > 0 {
		return nil, errRuns
	}
	return a, nil
}

// areaOfMask converts a mask; nil is the empty one.
func areaOfMask(m *voxel.Mask) (area, error) {
	if m == nil {
		return area{}, nil
	}
	encoded, err := m.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return areaOf(encoded)
}

// inRange reports whether a section's coordinates fit its key.
func inRange(s voxel.Section) bool {
	fits := func(v int) bool { return v >= math.MinInt32>>4 && v <= math.MaxInt32>>4 }
	return fits(s.X) && fits(s.Y) && fits(s.Z)
}

func (a area) sections() []voxel.Section {
	keys := make([]voxel.Section, 0, len(a))
	for key := range a {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, voxel.Section.Compare)
	return keys
}

func (a area) len() int {
	n := 0
	for _, b := range a {
		n += b.len()
	}
	return n
}

func (a area) union(o area) {
	for key, theirs := range o {
		if ours := a[key]; ours != nil {
			ours.union(theirs)
			continue
		}
		c := *theirs
		a[key] = &c
	}
}

// within reports whether o has every cell of a.
func (a area) within(o area) bool {
	for key, ours := range a {
		theirs := o[key]
		if theirs == nil {
			theirs = &bitmap{}
		}
		if !ours.within(theirs) {
			return false
		}
	}
	return true
}

// without returns the cells of a that o does not have.
func (a area) without(o area) area {
	rest := area{}
	for key, ours := range a {
		c := *ours
		if theirs := o[key]; theirs != nil {
			c.subtract(theirs)
		}
		if !c.empty() {
			rest[key] = &c
		}
	}
	return rest
}

// and returns the cells that both have.
func (a area) and(o area) area {
	both := area{}
	for key, ours := range a {
		if theirs := o[key]; theirs != nil {
			if c := ours.and(theirs); !c.empty() {
				both[key] = &c
			}
		}
	}
	return both
}

func (a area) equal(o area) bool { return a.within(o) && o.within(a) }

// encode returns the binary form of voxel.Mask.
func (a area) encode() []byte {
	keys := a.sections()
	keys = slices.DeleteFunc(keys, func(k voxel.Section) bool { return a[k].empty() })
	out := binary.AppendUvarint(nil, uint64(len(keys)))
	for _, key := range keys {
		out = binary.AppendVarint(out, int64(key.X))
		out = binary.AppendVarint(out, int64(key.Y))
		out = binary.AppendVarint(out, int64(key.Z))
		out = a[key].appendRuns(out)
	}
	return out
}

// mask converts back to a voxel.Mask.
func (a area) mask() (*voxel.Mask, error) {
	m := voxel.NewMask()
	if err := m.UnmarshalBinary(a.encode()); err != nil {
		return nil, err
	}
	return m, nil
}

// addBox adds the cells of a box.
func (a area) addBox(box voxel.Box) {
	for key := range box.Sections() {
		b := a[key]
		if b == nil {
			b = new(bitmap)
			a[key] = b
		}
		part := box.Intersect(key.Box())
		for y := part.Min.Y & 15; y <= part.Max.Y&15; y++ {
			for z := part.Min.Z & 15; z <= part.Max.Z&15; z++ {
				row := y<<8 | z<<4
				b.fill(row|part.Min.X&15, row|part.Max.X&15+1)
			}
		}
	}
}

// sectionKey orders sections by y, z, x as bytes.
func sectionKey(s voxel.Section) []byte {
	key := make([]byte, 0, 12)
	for _, v := range [...]int{s.Y, s.Z, s.X} {
		key = binary.BigEndian.AppendUint32(key, uint32(int32(v))^1<<31)
	}
	return key
}

// sectionOf is the inverse of sectionKey.
func sectionOf(key []byte) (voxel.Section, bool) {
	if len(key) != 12 {
		return voxel.Section{}, false
	}
	at := func(i int) int { return int(int32(binary.BigEndian.Uint32(key[i:]) ^ 1<<31)) }
	return voxel.Section{Y: at(0), Z: at(4), X: at(8)}, true
}
