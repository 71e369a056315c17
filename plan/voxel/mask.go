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
	sections map[Section]*bitmap
}

// bitmap has one bit for each cell of a section, in y, z, x order.
type bitmap [SectionCells / 64]uint64

func (b *bitmap) len() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// NewMask returns an empty set.
func NewMask() *Mask { return &Mask{sections: map[Section]*bitmap{}} }

// Add puts p into the set.
func (m *Mask) Add(p Pos) {
	b := m.sections[p.Section()]
	if b == nil {
		b = new(bitmap)
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
			b = new(bitmap)
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

// Bits has one bit for each cell of a section, in y, z, x order.
type Bits [SectionCells / 64]uint64

// Has reports whether the section's i-th cell is set.
func (b *Bits) Has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }

// Set sets the section's i-th cell.
func (b *Bits) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// SectionBits returns the positions of m within one section.
func (m *Mask) SectionBits(key Section) Bits {
	if b := m.sections[key]; b != nil {
		return Bits(*b)
	}
	return Bits{}
}

// SetSection replaces the positions of m within one section.
func (m *Mask) SetSection(key Section, bits Bits) {
	if bits == (Bits{}) {
		delete(m.sections, key)
		return
	}
	b := bitmap(bits)
	m.sections[key] = &b
}

// Remove takes p out of the set.
func (m *Mask) Remove(p Pos) {
	b := m.sections[p.Section()]
	if b == nil {
		return
	}
	i := p.cell()
	b[i>>6] &^= 1 << (i & 63)
	if *b == (bitmap{}) {
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
		n += b.len()
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
			ours = new(bitmap)
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
		var theirs bitmap
		if b := o.sections[key]; b != nil {
			theirs = *b
		}
		for i := range ours {
			ours[i] = op(ours[i], theirs[i])
		}
		if *ours == (bitmap{}) {
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
		walk(m.Sections(), func(key Section) *bitmap { return m.sections[key] }, func(key Section, b *bitmap, row int) bool {
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
		b := m.sections[key]
		for start, present := 0, uint64(0); start < SectionCells; present ^= 1 {
			end := start
			for end < SectionCells && b[end>>6]>>(end&63)&1 == present {
				end++
			}
			out = binary.AppendUvarint(out, uint64(end-start))
			start = end
		}
	}
	return out, nil
}

// MarshalBinary returns the set's encoding.
func (m *Mask) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

var errMask = errors.New("voxel: malformed mask")

// UnmarshalBinary replaces m by the set that data encodes.
func (m *Mask) UnmarshalBinary(data []byte) error {
	in := maskReader{data: data}
	m.sections = map[Section]*bitmap{}
	for range in.uvarint() {
		key := Section{X: in.varint(), Y: in.varint(), Z: in.varint()}
		b := new(bitmap)
		for start, present := 0, false; start < SectionCells && !in.bad; present = !present {
			run := in.uvarint()
			if run > uint64(SectionCells-start) || run == 0 && start > 0 {
				return errMask
			}
			end := start + int(run)
			for i := start; present && i < end; i++ {
				b[i>>6] |= 1 << (i & 63)
			}
			start = end
		}
		if in.bad {
			return errMask
		}
		m.sections[key] = b
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
