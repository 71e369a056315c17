package voxel

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// ID is the index of a cell's content in the palette of its Volume.
type ID uint16

// None is the ID of a cell that the Volume says nothing about.
const None ID = 0

// Volume holds the contents of a set of cells. A cell is either absent or has one
// of the palette's texts. The zero value is not ready; use NewVolume.
type Volume struct {
	palette  []string // palette[0] is "", the absent cell
	index    map[string]ID
	sections map[Section]*section
	count    int
}

// NewVolume returns a Volume with no cells.
func NewVolume() *Volume {
	return &Volume{palette: []string{""}, index: map[string]ID{"": None}, sections: map[Section]*section{}}
}

// Intern returns the ID of content, adding it to the palette at its first use. It
// panics beyond 65,535 distinct contents, more than the game has states.
func (v *Volume) Intern(content string) ID {
	if id, ok := v.index[content]; ok {
		return id
	}
	if len(v.palette) > 0xffff {
		panic(fmt.Sprintf("voxel: more than %d distinct contents", 0xffff))
	}
	id := ID(len(v.palette))
	v.palette = append(v.palette, content)
	v.index[content] = id
	return id
}

// Content returns the text of an ID; "" for None.
func (v *Volume) Content(id ID) string { return v.palette[id] }

// Palette returns the texts by ID, the absent cell's "" first. The caller must
// not change it.
func (v *Volume) Palette() []string { return v.palette }

// Len returns the number of cells that have content.
func (v *Volume) Len() int { return v.count }

// Set gives the cell at p the content of id; None removes the cell.
func (v *Volume) Set(p Pos, id ID) {
	key := p.Section()
	s := v.sections[key]
	if s == nil {
		if id == None {
			return
		}
		s = &section{}
		v.sections[key] = s
	}
	v.count += s.set(p.cell(), id)
	if s.count == 0 {
		delete(v.sections, key)
	}
}

// Put gives the cell at p the given content; "" removes the cell.
func (v *Volume) Put(p Pos, content string) { v.Set(p, v.Intern(content)) }

// Fill gives every cell of the box the content of id.
func (v *Volume) Fill(b Box, id ID) {
	for key := range b.Sections() {
		part := b.Intersect(key.Box())
		if part == key.Box() {
			v.fillSection(key, id)
			continue
		}
		s := v.sections[key]
		if s == nil {
			if id == None {
				continue
			}
			s = &section{}
			v.sections[key] = s
		}
		v.count += s.fillBox(part, id)
		if s.count == 0 {
			delete(v.sections, key)
		}
	}
}

func (v *Volume) fillSection(key Section, id ID) {
	if s := v.sections[key]; s != nil {
		v.count -= s.count
	}
	if id == None {
		delete(v.sections, key)
		return
	}
	v.sections[key] = &section{fill: id, count: SectionCells}
	v.count += SectionCells
}

// ID returns what the cell at p holds, None when it is absent.
func (v *Volume) ID(p Pos) ID {
	if s := v.sections[p.Section()]; s != nil {
		return s.at(p.cell())
	}
	return None
}

// At returns the content of the cell at p and whether it is present.
func (v *Volume) At(p Pos) (string, bool) {
	id := v.ID(p)
	return v.palette[id], id != None
}

// Sections returns the sections that have cells, in y, z, x order.
func (v *Volume) Sections() []Section {
	return slices.SortedFunc(maps.Keys(v.sections), Section.Compare)
}

// SectionIDs copies the IDs of a section's cells in y, z, x order and returns how
// many of them are present.
func (v *Volume) SectionIDs(key Section, ids *[SectionCells]ID) int {
	s := v.sections[key]
	if s == nil {
		*ids = [SectionCells]ID{}
		return 0
	}
	s.copyTo(ids)
	return s.count
}

// SectionCells yields the present cells of a section in y, z, x order.
func (v *Volume) SectionCells(key Section) iter.Seq2[Pos, ID] {
	return func(yield func(Pos, ID) bool) {
		if s := v.sections[key]; s != nil {
			s.cells(func(i int, id ID) bool { return yield(key.Pos(i), id) })
		}
	}
}

// SetSection replaces all cells of a section, given in y, z, x order; None is an
// absent cell.
func (v *Volume) SetSection(key Section, ids *[SectionCells]ID) {
	if s := v.sections[key]; s != nil {
		v.count -= s.count
		delete(v.sections, key)
	}
	n := 0
	for _, id := range ids {
		if id != None {
			n++
		}
	}
	if n > 0 {
		v.sections[key] = newSection(ids, n)
		v.count += n
	}
}

// All yields the present cells in y, z, x order.
func (v *Volume) All() iter.Seq2[Pos, ID] {
	return func(yield func(Pos, ID) bool) {
		walk(v.Sections(), func(key Section) *section { return v.sections[key] }, func(key Section, s *section, row int) bool {
			if s.few != nil && !s.hasRow(row) {
				return true
			}
			for x := range Edge {
				if id := s.at(row<<4 | x); id != None && !yield(key.Pos(row<<4|x), id) {
					return false
				}
			}
			return true
		})
	}
}

// walk visits every row of the sorted sections in y, z, x order; rows are numbered
// by their first cell divided by 16. It stops when visit returns false.
func walk[T any](keys []Section, get func(Section) T, visit func(key Section, s T, row int) bool) {
	list := make([]T, len(keys))
	for i, key := range keys {
		list[i] = get(key)
	}
	for level := range chunk(0, len(keys), func(i int) int { return keys[i].Y }) {
		for y := range Edge {
			for line := range chunk(level[0], level[1], func(i int) int { return keys[i].Z }) {
				for z := range Edge {
					for i := line[0]; i < line[1]; i++ {
						if !visit(keys[i], list[i], y<<4|z) {
							return
						}
					}
				}
			}
		}
	}
}

// chunk yields the ranges within from..to of indices that agree in one coordinate.
func chunk(from, to int, coordinate func(i int) int) iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		for start := from; start < to; {
			end := start + 1
			for end < to && coordinate(end) == coordinate(start) {
				end++
			}
			if !yield([2]int{start, end}) {
				return
			}
			start = end
		}
	}
}

// Bounds returns the smallest box around the present cells; false when there are
// none.
func (v *Volume) Bounds() (Box, bool) {
	var bounds Box
	found := false
	for key, s := range v.sections {
		box := s.bounds(key)
		if !found {
			bounds, found = box, true
		}
		bounds = bounds.Union(box)
	}
	return bounds, found
}

// Counts returns the number of cells per content.
func (v *Volume) Counts() map[string]int {
	byID := make([]int, len(v.palette))
	for _, s := range v.sections {
		if s.fill != None {
			byID[s.fill] += SectionCells
			continue
		}
		s.cells(func(_ int, id ID) bool {
			byID[id]++
			return true
		})
	}
	counts := map[string]int{}
	for id, n := range byID {
		if n > 0 {
			counts[v.palette[id]] = n
		}
	}
	return counts
}

// Mask returns the positions of the present cells.
func (v *Volume) Mask() *Mask {
	m := NewMask()
	for key, s := range v.sections {
		b := new(Bits)
		s.cells(func(i int, _ ID) bool {
			b[i>>6] |= 1 << (i & 63)
			return true
		})
		m.sections[key] = b
	}
	return m
}
