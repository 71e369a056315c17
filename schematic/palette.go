package schematic

import (
	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

const (
	maxPalette     = 65_535  // entries: what an index of 16 bits can tell apart
	maxState       = 1024    // bytes of one state
	maxPaletteText = 8 << 20 // bytes of all states of a file
)

// sparsePalette is the palette of the Sponge formats: states by index. Every
// writer seen numbers them densely, but the format does not ask for it.
type sparsePalette struct {
	states  []string // absent where no entry has the index
	entries int
	missing bool // some index below the highest has no entry
}

// entry is a palette entry while the palette is read: its state is a part of one
// text, so that a palette is two pieces of memory and not thousands.
type entry struct {
	index      int
	start, end int
}

func (p *sparsePalette) read(d *document) error {
	text := make([]byte, 0, 1<<12)
	entries := make([]entry, 0, 1<<6)
	highest := -1
	err := d.Compound(func(name []byte, t nbt.Tag) error {
		switch {
		case len(name) == 0:
			return d.Errorf("a state without a name")
		case len(name) > maxState:
			return d.Errorf("a state of %d bytes", len(name))
		case len(text)+len(name) > maxPaletteText:
			return d.Errorf("the states have more than %d bytes in all", maxPaletteText)
		case len(entries) == maxPalette:
			return d.Errorf("more than %d entries", maxPalette)
		case t != nbt.Int && (d.strict || t != nbt.Byte && t != nbt.Short):
			return d.Errorf("%s where an index belongs", t.A())
		}
		one := entry{start: len(text)}
		text = nbt.AppendPlain(text, name)
		one.end = len(text)
		index, err := d.Number(t)
		if err != nil {
			return err
		}
		if index < 0 || index >= maxPalette {
			return d.Errorf("the index %d; 0 to %d are possible", index, maxPalette-1)
		}
		one.index = int(index)
		highest = max(highest, one.index)
		entries = append(entries, one)
		return nil
	})
	if err != nil {
		return err
	}
	p.entries = len(entries)
	p.missing = p.entries < highest+1
	p.states = make([]string, highest+1)
	return p.fill(d, string(text), entries)
}

// fill gives the states their places.
func (p *sparsePalette) fill(d *document, text string, entries []entry) error {
	seen := make(map[string]struct{}, len(entries))
	for _, e := range entries {
		state := text[e.start:e.end]
		if _, twice := seen[state]; twice {
			return d.Errorf("the state %.100s stands there twice", state)
		}
		seen[state] = struct{}{}
		if p.states[e.index] != absent {
			return d.Errorf("the index %d belongs to %.100s and %.100s", e.index, p.states[e.index], state)
		}
		p.states[e.index] = state
	}
	return nil
}

// check finds the first cell whose index has no entry.
func (p *sparsePalette) check(d *document, v *varints, size voxel.Pos) error {
	if !p.missing && v.bound < len(p.states) {
		return nil
	}
	for index, n := range v.counts {
		if n > 0 && (index >= len(p.states) || p.states[index] == absent) {
			return d.Errorf("%d cells have the index %d, which the palette does not have", n, index)
		}
	}
	for k, piece := range v.cells.pieces {
		for i, index := range piece {
			if int(index) < len(p.states) && (!p.missing || p.states[index] != absent) {
				continue
			}
			i += k * pieceCells
			x, z, y := i%size.X, i/size.X%size.Z, i/size.X/size.Z
			return d.Errorf("the cell %d,%d,%d has the index %d, which the palette does not have", x, y, z, index)
		}
	}
	return nil
}
