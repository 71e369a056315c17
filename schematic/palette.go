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
	seen := stateSet{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<12)}
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
		if !seen.add(p.states, state, uint32(index)) {
			return d.Errorf("the state %.100s stands there twice", state)
		}
		return p.add(d, int(index), state)
	})
	p.missing = p.entries < len(p.states)
	return err
}

// stateSet is a set of states, each by its index in a list and found by its hash.
type stateSet struct {
	seed  maphash.Seed
	slots []uint32 // index + 1, at the hash or behind; a power of two, at least half of them 0
	n     int
}

// add reports whether the list has no such state yet among those that were added; it
// will have it at the index.
func (s *stateSet) add(list []string, state string, index uint32) bool {
	if s.n++; 2*s.n > len(s.slots) {
		old := s.slots
		s.slots = make([]uint32, 2*len(old))
		for _, at := range old {
			if at != 0 {
				*s.slot(list, list[at-1]) = at
			}
		}
	}
	at := s.slot(list, state)
	if *at != 0 {
		return false
	}
	*at = index + 1
	return true
}

// slot returns the place of a state, or the free one where it belongs.
func (s *stateSet) slot(list []string, state string) *uint32 {
	for i := maphash.String(s.seed, state); ; i++ {
		at := &s.slots[i&uint64(len(s.slots)-1)]
		if *at == 0 || list[*at-1] == state {
			return at
		}
	}
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
