package voxel

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"math/bits"
	"slices"
)

// Mask is a set of positions. The zero value is not ready; use NewMask.
type Mask struct {
	sections map[Section]*Bits
}

// NewMask returns an empty set.
func NewMask() *Mask { return &Mask{sections: map[Section]*Bits{}} }

// Add puts p into the set.
func (m *Mask) Add(p Pos) {
	b := m.sections[p.Section()]
	if b == nil {
		b = new(Bits)
		m.sections[p.Section()] = b
	}
	i := p.cell()
	b[i>>6] |= 1 << (i & 63)
}

// AddBox puts every cell of the box into the set.
func (m *Mask) AddBox(box Box) {
	for key := range box.Sections() {
		part := box.Intersect(key.Box())
		b := m.sections[key]
		if b == nil {
			b = new(Bits)
			m.sections[key] = b
		}
		row := uint64(1)<<(part.Max.X-part.Min.X+1) - 1
		for y := part.Min.Y; y <= part.Max.Y; y++ {
			for z := part.Min.Z; z <= part.Max.Z; z++ {
				i := Pos{part.Min.X, y, z}.cell()
				b[i>>6] |= row << (i & 63)
			}
		}
	}
}

// SectionBits returns the positions of m within one section.
func (m *Mask) SectionBits(key Section) Bits {
	if b := m.sections[key]; b != nil {
		return *b
	}
	return Bits{}
}

// SetSection replaces the positions of m within one section.
func (m *Mask) SetSection(key Section, bits Bits) {
	if bits == (Bits{}) {
		delete(m.sections, key)
		return
	}
	m.sections[key] = &bits
}

// Remove takes p out of the set.
func (m *Mask) Remove(p Pos) {
	b := m.sections[p.Section()]
	if b == nil {
		return
	}
	i := p.cell()
	b[i>>6] &^= 1 << (i & 63)
	if *b == (Bits{}) {
		delete(m.sections, p.Section())
	}
}

// Has reports whether p is in the set.
func (m *Mask) Has(p Pos) bool {
	b := m.sections[p.Section()]
	i := p.cell()
	return b != nil && b[i>>6]&(1<<(i&63)) != 0
}

// Len returns the number of positions.
func (m *Mask) Len() int {
	n := 0
	for _, b := range m.sections {
		n += b.Len()
	}
	return n
}

// Clone returns a copy.
func (m *Mask) Clone() *Mask {
	c := NewMask()
	c.Union(m)
	return c
}

// Union adds the positions of o.
func (m *Mask) Union(o *Mask) {
	for key, theirs := range o.sections {
		ours := m.sections[key]
		if ours == nil {
			ours = new(Bits)
			m.sections[key] = ours
		}
		for i := range ours {
			ours[i] |= theirs[i]
		}
	}
}

// Subtract removes the positions of o.
func (m *Mask) Subtract(o *Mask) {
	m.combine(o, func(ours, theirs uint64) uint64 { return ours &^ theirs })
}

// Intersect keeps only the positions that o has too.
func (m *Mask) Intersect(o *Mask) {
	m.combine(o, func(ours, theirs uint64) uint64 { return ours & theirs })
}

func (m *Mask) combine(o *Mask, op func(ours, theirs uint64) uint64) {
	for key, ours := range m.sections {
		var theirs Bits
		if b := o.sections[key]; b != nil {
			theirs = *b
		}
		for i := range ours {
			ours[i] = op(ours[i], theirs[i])
		}
		if *ours == (Bits{}) {
			delete(m.sections, key)
		}
	}
}

// Sections returns the sections that have positions, in y, z, x order.
func (m *Mask) Sections() []Section {
	return slices.SortedFunc(maps.Keys(m.sections), Section.Compare)
}

// Section returns the positions of m within one section.
func (m *Mask) Section(key Section) *Mask {
	part := NewMask()
	if b := m.sections[key]; b != nil {
		c := *b
		part.sections[key] = &c
	}
	return part
}

// All yields the positions in y, z, x order.
func (m *Mask) All() iter.Seq[Pos] {
	return func(yield func(Pos) bool) {
		walk(m.Sections(), func(key Section) *Bits { return m.sections[key] }, func(key Section, b *Bits, row int) bool {
			for left := b[row>>2] >> (row & 3 << 4) & 0xffff; left != 0; left &= left - 1 {
				if !yield(key.Pos(row<<4 | bits.TrailingZeros64(left))) {
					return false
				}
			}
			return true
		})
	}
}

// Bounds returns the smallest box around the positions; false for the empty set.
func (m *Mask) Bounds() (Box, bool) {
	var bounds Box
	found := false
	for key, b := range m.sections {
		for word, left := range b {
			for ; left != 0; left &= left - 1 {
				cell := Cube(key.Pos(word<<6 | bits.TrailingZeros64(left)))
				if !found {
					bounds, found = cell, true
				}
				bounds = bounds.Union(cell)
			}
		}
	}
	return bounds, found
}

// AppendBinary appends the set's encoding: for each section, in order, its three
// coordinates as zig-zag varints and then the lengths of the alternating runs of
// absent and present cells, ending where the section does.
func (m *Mask) AppendBinary(out []byte) ([]byte, error) {
	keys := m.Sections()
	out = binary.AppendUvarint(out, uint64(len(keys)))
	for _, key := range keys {
		out = binary.AppendVarint(out, int64(key.X))
		out = binary.AppendVarint(out, int64(key.Y))
		out = binary.AppendVarint(out, int64(key.Z))
		out = m.sections[key].AppendRuns(out)
	}
	return out, nil
}

// MarshalBinary returns the set's encoding.
func (m *Mask) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

var errMask = errors.New("voxel: malformed mask")

// UnmarshalBinary replaces m by the set that data encodes.
func (m *Mask) UnmarshalBinary(data []byte) error {
	in := maskReader{data: data}
	m.sections = map[Section]*Bits{}
	for range in.uvarint() {
		key := Section{X: in.varint(), Y: in.varint(), Z: in.varint()}
		b, rest, ok := ReadRuns(in.data)
		if in.bad || !ok {
			return errMask
		}
		in.data = rest
		m.sections[key] = &b
	}
	if in.bad || len(in.data) > 0 {
		return errMask
	}
	return nil
}

// maskReader takes varints off data and remembers the first failure.
type maskReader struct {
	data []byte
	bad  bool
}

func (r *maskReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *maskReader) varint() int {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}
