package journal

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"groundplan/plan/voxel"
)

var errRuns = errors.New("malformed runs")

// readRuns takes the runs of one section.
func (r *reader) readRuns() (voxel.Bits, error) {
	b, rest, ok := voxel.ReadRuns(r.data)
	if !ok {
		return b, errRuns
	}
	r.data = rest
	return b, nil
}

// area is a set of cells by section: what a voxel.Mask is, in a form that can be
// combined a word at a time.
type area map[voxel.Section]*voxel.Bits

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
		if !b.Empty() {
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
	a := area{}
	for _, key := range m.Sections() {
		if !inRange(key) {
			return nil, errRuns
		}
		if b := m.SectionBits(key); !b.Empty() {
			a[key] = &b
		}
	}
	return a, nil
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
		n += b.Len()
	}
	return n
}

func (a area) union(o area) {
	for key, theirs := range o {
		if ours := a[key]; ours != nil {
			ours.Union(theirs)
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
			theirs = &voxel.Bits{}
		}
		if !ours.Within(theirs) {
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
			c.Subtract(theirs)
		}
		if !c.Empty() {
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
			if c := ours.And(theirs); !c.Empty() {
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
	keys = slices.DeleteFunc(keys, func(k voxel.Section) bool { return a[k].Empty() })
	out := binary.AppendUvarint(nil, uint64(len(keys)))
	for _, key := range keys {
		out = binary.AppendVarint(out, int64(key.X))
		out = binary.AppendVarint(out, int64(key.Y))
		out = binary.AppendVarint(out, int64(key.Z))
		out = a[key].AppendRuns(out)
	}
	return out
}

// mask converts back to a voxel.Mask.
func (a area) mask() *voxel.Mask {
	m := voxel.NewMask()
	for key, b := range a {
		m.SetSection(key, *b)
	}
	return m
}

// addBox adds the cells of a box.
func (a area) addBox(box voxel.Box) {
	for key := range box.Sections() {
		b := a[key]
		if b == nil {
			b = new(voxel.Bits)
			a[key] = b
		}
		part := box.Intersect(key.Box())
		for y := part.Min.Y & 15; y <= part.Max.Y&15; y++ {
			for z := part.Min.Z & 15; z <= part.Max.Z&15; z++ {
				row := y<<8 | z<<4
				b.Fill(row|part.Min.X&15, row|part.Max.X&15+1)
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
