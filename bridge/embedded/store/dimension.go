package store

import (
	"maps"
	"slices"

	"groundplan/plan/voxel"
)

// State is the index of a cell's content in the palette of its World.
type State uint16

// Dimension holds the cells of one dimension.
type Dimension struct {
	Name string
	Min  int // lowest y that can hold a block
	Max  int // highest y that can hold a block

	ground   []State // what a cell holds that nobody wrote, by y - Min
	sections map[voxel.Section]*section
	entities map[voxel.Pos]Entity
}

// Entity is the data of a block beside its state.
type Entity struct {
	Items []Item    `json:"items,omitempty"` // contents of a container, by slot
	Slots int       `json:"slots,omitempty"` // size of a container
	Text  [2]string `json:"text,omitzero"`   // front and back of a sign
}

// Item is a stack in a container. An empty ID is an empty slot.
type Item struct {
	ID    string `json:"id"`
	Count int    `json:"count"`
}

// section is one cube of cells; while cells is nil all of them are fill.
type section struct {
	cells  *[voxel.SectionCells]State
	fill   State
	frozen bool   // a save is reading it: replace it, do not change it
	coded  []byte // its encoding, if it has not changed since
}

func (s *section) at(cell int) State {
	if s.cells == nil {
		return s.fill
	}
	return s.cells[cell]
}

func index(p voxel.Pos) int { return (p.Y&15)<<8 | (p.Z&15)<<4 | p.X&15 }

// Has reports whether y can hold a block.
func (d *Dimension) Has(y int) bool { return d.Min <= y && y <= d.Max }

// At returns what the cell at p holds; p.Y must be within the dimension.
func (d *Dimension) At(p voxel.Pos) State {
	if s := d.sections[p.Section()]; s != nil {
		return s.at(index(p))
	}
	return d.ground[p.Y-d.Min]
}

// Set writes one cell and forgets the data of the block that was there. It
// returns what the cell held before.
func (d *Dimension) Set(p voxel.Pos, state State) State {
	s := d.writable(p.Section())
	i := index(p)
	old := s.at(i)
	if old == state {
		return old
	}
	s.spread()
	s.cells[i] = state
	delete(d.entities, p)
	return old
}

// writable returns the section at key, ready to be changed.
func (d *Dimension) writable(key voxel.Section) *section {
	s := d.sections[key]
	switch {
	case s == nil:
		s = d.generate(key)
	case s.frozen:
		copied := &section{fill: s.fill}
		if s.cells != nil {
			cells := *s.cells
			copied.cells = &cells
		}
		s = copied
	default:
		s.coded = nil
		return s
	}
	d.sections[key] = s
	return s
}

func (s *section) spread() {
	if s.cells != nil {
		return
	}
	s.cells = new([voxel.SectionCells]State)
	if s.fill != 0 {
		for i := range s.cells {
			s.cells[i] = s.fill
		}
	}
}

// generate returns the section as nobody wrote it yet.
func (d *Dimension) generate(key voxel.Section) *section {
	first, uniform := d.groundOf(key)
	if uniform {
		return &section{fill: first}
	}
	s := &section{cells: new([voxel.SectionCells]State)}
	for i := range s.cells {
		s.cells[i] = d.groundAt(key.Y<<4 | i>>8)
	}
	return s
}

func (d *Dimension) groundAt(y int) State {
	if !d.Has(y) {
		return 0
	}
	return d.ground[y-d.Min]
}

// groundOf returns the ground of a section's lowest layer and whether all its
// layers are the same.
func (d *Dimension) groundOf(key voxel.Section) (State, bool) {
	first := d.groundAt(key.Y << 4)
	for y := key.Y << 4; y < key.Y<<4+voxel.Edge; y++ {
		if d.groundAt(y) != first {
			return first, false
		}
	}
	return first, true
}

// Change calls f with what each cell of the box holds and writes what f returns.
// It returns how many cells changed; the box must be within the dimension. When
// changed is not nil it is called after each change.
func (d *Dimension) Change(box voxel.Box, f func(State) State, changed func(voxel.Pos)) int {
	count := 0
	for key := range box.Sections() {
		part := box.Intersect(key.Box())
		count += d.changeSection(key, part, f, changed)
	}
	return count
}

func (d *Dimension) changeSection(key voxel.Section, part voxel.Box, f func(State) State, changed func(voxel.Pos)) int {
	s := d.sections[key]
	if s == nil {
		s = d.generate(key)
	}
	if s.cells == nil && part == key.Box() && changed == nil && len(d.entities) == 0 {
		state := f(s.fill)
		if state == s.fill {
			return 0
		}
		d.sections[key] = &section{fill: state}
		return voxel.SectionCells
	}
	count := 0
	var w *section
	for p := range part.All() {
		i := index(p)
		old := s.at(i)
		state := f(old)
		if state == old {
			continue
		}
		if w == nil {
			w = d.writable(key)
			w.spread()
			s = w
		}
		w.cells[i] = state
		delete(d.entities, p)
		count++
		if changed != nil {
			changed(p)
		}
	}
	return count
}

// All reports whether f holds for every cell of the box. The box must be within
// the dimension.
func (d *Dimension) All(box voxel.Box, f func(State) bool) bool {
	for key := range box.Sections() {
		if !d.sectionAll(key, box.Intersect(key.Box()), f) {
			return false
		}
	}
	return true
}

func (d *Dimension) sectionAll(key voxel.Section, part voxel.Box, f func(State) bool) bool {
	s := d.sections[key]
	if s == nil {
		for y := part.Min.Y; y <= part.Max.Y; y++ {
			if !f(d.ground[y-d.Min]) {
				return false
			}
		}
		return true
	}
	if s.cells == nil {
		return f(s.fill)
	}
	good := s.cells[index(part.Min)]
	if !f(good) {
		return false
	}
	for y := part.Min.Y; y <= part.Max.Y; y++ {
		for z := part.Min.Z; z <= part.Max.Z; z++ {
			row := s.cells[index(voxel.Pos{X: part.Min.X, Y: y, Z: z}):]
			for _, state := range row[:part.Max.X-part.Min.X+1] {
				if state == good {
					continue
				}
				if !f(state) {
					return false
				}
				good = state
			}
		}
	}
	return true
}

// Entity returns the data of the block at p.
func (d *Dimension) Entity(p voxel.Pos) (Entity, bool) {
	e, ok := d.entities[p]
	return e, ok
}

// SetEntity gives the block at p data beside its state, until the block is
// replaced.
func (d *Dimension) SetEntity(p voxel.Pos, e Entity) { d.entities[p] = e }

// keys returns the stored sections in y, z, x order.
func (d *Dimension) keys() []voxel.Section {
	return slices.SortedFunc(maps.Keys(d.sections), voxel.Section.Compare)
}

// Find yields the cells of the box for which f holds, in the order of sections.
// f is asked once for each run of equal cells; the box must be within the
// dimension. The cells must not be changed meanwhile.
func (d *Dimension) Find(box voxel.Box, f func(State) bool) []voxel.Pos {
	var found []voxel.Pos
	for key := range box.Sections() {
		part := box.Intersect(key.Box())
		s := d.sections[key]
		if s == nil {
			if !d.groundHas(part, f) {
				continue
			}
			s = d.generate(key)
		}
		if s.cells == nil && !f(s.fill) {
			continue
		}
		last := s.at(index(part.Min))
		good := f(last)
		for p := range part.All() {
			if state := s.at(index(p)); state != last {
				last, good = state, f(state)
			}
			if good {
				found = append(found, p)
			}
		}
	}
	return found
}

// groundHas reports whether f holds for a layer of the ground in the box.
func (d *Dimension) groundHas(part voxel.Box, f func(State) bool) bool {
	for y := part.Min.Y; y <= part.Max.Y; y++ {
		if f(d.ground[y-d.Min]) {
			return true
		}
	}
	return false
}
