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

// section is one cube of cells; while ids is nil all its cells are fill.
type section struct {
	ids   *[SectionCells]ID
	fill  ID
	count int // cells that are not None
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

// set stores id and returns by how much the number of cells grew.
func (s *section) set(cell int, id ID) int {
	old := s.at(cell)
	if old == id {
		return 0
	}
	if s.ids == nil {
		s.spread()
	}
	s.ids[cell] = id
	grown := 0
	if old == None {
		grown++
	}
	if id == None {
		grown--
	}
	s.count += grown
	return grown
}

func (s *section) at(cell int) ID {
	if s.ids == nil {
		return s.fill
	}
	return s.ids[cell]
}

func (s *section) spread() {
	s.ids = new([SectionCells]ID)
	if s.fill != None {
		for i := range s.ids {
			s.ids[i] = s.fill
		}
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

// fillBox stores id in the cells of the box, which lies within the section, and
// returns by how much the number of cells grew.
func (s *section) fillBox(part Box, id ID) int {
	grown := 0
	for y := part.Min.Y; y <= part.Max.Y; y++ {
		for z := part.Min.Z; z <= part.Max.Z; z++ {
			row := Pos{part.Min.X, y, z}.cell()
			for i := range part.Max.X - part.Min.X + 1 {
				grown += s.set(row+i, id)
			}
		}
	}
	return grown
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
	switch {
	case s == nil:
		*ids = [SectionCells]ID{}
		return 0
	case s.ids == nil:
		for i := range ids {
			ids[i] = s.fill
		}
	default:
		*ids = *s.ids
	}
	return s.count
}

// SectionCells yields the present cells of a section in y, z, x order.
func (v *Volume) SectionCells(key Section) iter.Seq2[Pos, ID] {
	return func(yield func(Pos, ID) bool) {
		s := v.sections[key]
		if s == nil {
			return
		}
		for i := range SectionCells {
			if id := s.at(i); id != None && !yield(key.Pos(i), id) {
				return
			}
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
		own := *ids
		v.sections[key] = &section{ids: &own, count: n}
		v.count += n
	}
}

// All yields the present cells in y, z, x order.
func (v *Volume) All() iter.Seq2[Pos, ID] {
	return func(yield func(Pos, ID) bool) {
		for p := range walk(v.Sections()) {
			if id := v.sections[p.Section()].at(p.cell()); id != None {
				if !yield(p, id) {
					return
				}
			}
		}
	}
}

// walk yields every cell of the sorted sections in y, z, x order.
func walk(keys []Section) iter.Seq[Pos] {
	return func(yield func(Pos) bool) {
		for level := range chunk(keys, func(s Section) int { return s.Y }) {
			for y := range Edge {
				for row := range chunk(level, func(s Section) int { return s.Z }) {
					for z := range Edge {
						for _, key := range row {
							for x := range Edge {
								if !yield(key.Pos(y<<8 | z<<4 | x)) {
									return
								}
							}
						}
					}
				}
			}
		}
	}
}

// chunk yields the runs of keys that agree in one coordinate.
func chunk(keys []Section, coordinate func(Section) int) iter.Seq[[]Section] {
	return func(yield func([]Section) bool) {
		for start := 0; start < len(keys); {
			end := start + 1
			for end < len(keys) && coordinate(keys[end]) == coordinate(keys[start]) {
				end++
			}
			if !yield(keys[start:end]) {
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
		for i := range SectionCells {
			if s.at(i) == None {
				continue
			}
			cell := Cube(key.Pos(i))
			if !found {
				bounds, found = cell, true
			}
			bounds = bounds.Union(cell)
		}
	}
	return bounds, found
}

// Counts returns the number of cells per content.
func (v *Volume) Counts() map[string]int {
	byID := make([]int, len(v.palette))
	for _, s := range v.sections {
		if s.ids == nil {
			byID[s.fill] += SectionCells
			continue
		}
		for _, id := range s.ids {
			byID[id]++
		}
	}
	counts := map[string]int{}
	for id, n := range byID[1:] {
		if n > 0 {
			counts[v.palette[id+1]] = n
		}
	}
	return counts
}

// Mask returns the positions of the present cells.
func (v *Volume) Mask() *Mask {
	m := NewMask()
	for key, s := range v.sections {
		for i := range SectionCells {
			if s.at(i) != None {
				m.Add(key.Pos(i))
			}
		}
	}
	return m
}
