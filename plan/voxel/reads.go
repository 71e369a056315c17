package voxel

// Reads returns boxes of at most limit cells that together hold every position
// of the mask, with few cells around them: the boxes around the positions of each
// section, joined with their neighbours where they fit without a gap. It is what
// a reader of the world asks for.
func (m *Mask) Reads(limit int) []Box {
	var boxes []Box
	for _, key := range m.Sections() {
		box, _ := m.Section(key).Bounds()
		boxes = append(boxes, box.split(limit)...)
	}
	for _, along := range []func(Pos) (int, Pos){alongX, alongZ, alongY} {
		boxes = join(boxes, limit, along)
	}
	return boxes
}

// split cuts a box into boxes of at most limit cells: into layers, rows and then
// cells.
func (b Box) split(limit int) []Box {
	if b.Volume() <= limit {
		return []Box{b}
	}
	low, high := b, b
	switch s := b.Size(); {
	case s.Y > 1:
		low.Max.Y = b.Min.Y + s.Y/2 - 1
		high.Min.Y = low.Max.Y + 1
	case s.Z > 1:
		low.Max.Z = b.Min.Z + s.Z/2 - 1
		high.Min.Z = low.Max.Z + 1
	default:
		low.Max.X = b.Min.X + s.X/2 - 1
		high.Min.X = low.Max.X + 1
	}
	return append(low.split(limit), high.split(limit)...)
}

// Each along function splits a position into the coordinate on one axis and the
// rest.
func alongX(p Pos) (int, Pos) { return p.X, Pos{0, p.Y, p.Z} }
func alongY(p Pos) (int, Pos) { return p.Y, Pos{p.X, 0, p.Z} }
func alongZ(p Pos) (int, Pos) { return p.Z, Pos{p.X, p.Y, 0} }

// join unites boxes that continue one another on one axis.
func join(boxes []Box, limit int, along func(Pos) (int, Pos)) []Box {
	type face struct {
		at       int
		min, max Pos
	}
	open := map[face]int{} // where a box may continue: its index in joined
	var joined []Box
	for _, box := range boxes {
		from, lo := along(box.Min)
		to, hi := along(box.Max)
		start := face{from, lo, hi}
		if i, ok := open[start]; ok && joined[i].Union(box).Volume() <= limit {
			delete(open, start)
			joined[i] = joined[i].Union(box)
			open[face{to + 1, lo, hi}] = i
			continue
		}
		joined = append(joined, box)
		open[face{to + 1, lo, hi}] = len(joined) - 1
	}
	return joined
}
