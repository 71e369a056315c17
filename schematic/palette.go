package schematic

import (
	"hash/maphash"
	"strings"

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

// paletteText is the room for the states of nearly every palette, as one text: a
// palette is few pieces of memory and not thousands.
const paletteText = 1 << 17

func (p *sparsePalette) read(d *document) error {
	var text strings.Builder
	text.Grow(paletteText)
	seed := maphash.MakeSeed()
	seen := make(map[uint64]int32, 1<<10) // the index of the state that has a hash
	err := d.Compound(func(name []byte, t nbt.Tag) error {
		switch {
		case len(name) == 0:
			return d.Errorf("a state without a name")
		case len(name) > maxState:
			return d.Errorf("a state of %d bytes", len(name))
		case text.Len()+len(name) > maxPaletteText:
			return d.Errorf("the states have more than %d bytes in all", maxPaletteText)
		case p.entries == maxPalette:
			return d.Errorf("more than %d entries", maxPalette)
		case t != nbt.Int && (d.strict || t != nbt.Byte && t != nbt.Short):
			return d.Errorf("%s where an index belongs", t.A())
		}
		start := text.Len()
		nbt.WritePlain(&text, name)
		state := text.String()[start:]
		index, err := d.Number(t)
		if err != nil {
			return err
		}
		if index < 0 || index >= maxPalette {
			return d.Errorf("the index %d; 0 to %d are possible", index, maxPalette-1)
		}
		hash := maphash.String(seed, state)
		if other, ok := seen[hash]; ok && p.states[other] == state {
			return d.Errorf("the state %.100s stands there twice", state)
		}
		seen[hash] = int32(index)
		return p.add(d, int(index), state)
	})
	p.missing = p.entries < len(p.states)
	return err
}

// add gives a state its place.
func (p *sparsePalette) add(d *document, index int, state string) error {
	if n := index + 1 - len(p.states); n > 0 {
		p.states = append(p.states, make([]string, n)...)
	}
	if other := p.states[index]; other != absent {
		return d.Errorf("the index %d belongs to %.100s and %.100s", index, other, state)
	}
	p.states[index] = state
	p.entries++
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
