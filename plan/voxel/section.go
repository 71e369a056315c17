package voxel

import "slices"

// section is one cube of cells in one of three forms: all cells are fill; or few
// cells are present, listed in few; or ids has them all. The second is for lines
// across a large region, of which a section holds some twenty cells.
type section struct {
	fill  ID
	few   []spot
	ids   *[SectionCells]ID
	count int // cells that are not None
}

// spot is one cell of a section.
type spot struct {
	cell uint16
	id   ID
}

// maxFew is how many cells are listed, in order.
const maxFew = 40

// newSection returns a section of n given cells.
func newSection(ids *[SectionCells]ID, n int) *section {
	s := &section{count: n}
	if n > maxFew {
		own := *ids
		s.ids = &own
		return s
	}
	s.few = make([]spot, 0, n)
	for i, id := range ids {
		if id != None {
			s.few = append(s.few, spot{uint16(i), id})
		}
	}
	return s
}

func (s *section) at(cell int) ID {
	if s.ids != nil {
		return s.ids[cell]
	}
	if s.fill != None {
		return s.fill
	}
	for _, f := range s.few {
		if int(f.cell) >= cell {
			if int(f.cell) == cell {
				return f.id
			}
			break
		}
	}
	return None
}

// set stores id and returns by how much the number of cells grew.
func (s *section) set(cell int, id ID) int {
	old := s.at(cell)
	if old == id {
		return 0
	}
	if s.ids == nil && (s.fill != None || len(s.few) >= maxFew) {
		s.spread()
	}
	if s.ids != nil {
		s.ids[cell] = id
	} else {
		s.list(cell, id)
	}
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

// list stores id in the list, which is not full.
func (s *section) list(cell int, id ID) {
	i, found := slices.BinarySearchFunc(s.few, cell, func(f spot, cell int) int { return int(f.cell) - cell })
	switch {
	case !found:
		s.few = slices.Insert(s.few, i, spot{uint16(cell), id})
	case id == None:
		s.few = slices.Delete(s.few, i, i+1)
	default:
		s.few[i].id = id
	}
}

// spread gives the section its third form.
func (s *section) spread() {
	ids := new([SectionCells]ID)
	s.copyTo(ids)
	s.ids, s.few, s.fill = ids, nil, None
}

// copyTo writes all cells.
func (s *section) copyTo(ids *[SectionCells]ID) {
	if s.ids != nil {
		*ids = *s.ids
		return
	}
	for i := range ids {
		ids[i] = s.fill
	}
	for _, f := range s.few {
		ids[f.cell] = f.id
	}
}

// fillBox stores id in the cells of the box, which lies within the section, and
// returns by how much the number of cells grew.
func (s *section) fillBox(part Box, id ID) int {
	if s.ids == nil && part.Volume() > maxFew {
		s.spread()
	}
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

// cells visits the present cells in order until visit returns false.
func (s *section) cells(visit func(i int, id ID) bool) {
	if s.ids == nil && s.fill == None {
		for _, f := range s.few {
			if !visit(int(f.cell), f.id) {
				return
			}
		}
		return
	}
	for i := range SectionCells {
		if id := s.at(i); id != None && !visit(i, id) {
			return
		}
	}
}

// hasRow reports whether the list has a cell of a row of 16.
func (s *section) hasRow(row int) bool {
	return slices.ContainsFunc(s.few, func(f spot) bool { return int(f.cell)>>4 == row })
}

// bounds returns the smallest box around the present cells of the section at key.
func (s *section) bounds(key Section) Box {
	if s.fill != None {
		return key.Box()
	}
	lo, hi := [3]int{Edge, Edge, Edge}, [3]int{-1, -1, -1}
	s.cells(func(i int, _ ID) bool {
		for a, c := range [3]int{i & 15, i >> 4 & 15, i >> 8} {
			lo[a], hi[a] = min(lo[a], c), max(hi[a], c)
		}
		return true
	})
	from := key.Box().Min
	return Box{from.Add(Pos{lo[0], lo[2], lo[1]}), from.Add(Pos{hi[0], hi[2], hi[1]})}
}
