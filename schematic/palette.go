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
	text    int
	missing bool // some index below the highest has no entry
}

func (p *sparsePalette) read(d *document) error {
	seen := map[string]bool{}
	err := d.Compound(func(name []byte, t nbt.Tag) error {
		if len(name) == 0 {
			return d.Errorf("a state without a name")
		}
		state, err := p.state(d, name)
		if err != nil {
			return err
		}
		if t != nbt.Int && (d.strict || t != nbt.Byte && t != nbt.Short) {
			return d.Errorf("%s where an index belongs", t.A())
		}
		index, err := d.Number(t)
		if err != nil {
			return err
		}
		if seen[state] {
			return d.Errorf("the state stands there twice")
		}
		seen[state] = true
		return p.put(d, index, state)
	})
	p.missing = p.entries < len(p.states)
	return err
}

// state copies the name of a palette entry, within the bounds.
func (p *sparsePalette) state(d *document, name []byte) (string, error) {
	if len(name) > maxState {
		return "", d.Errorf("a state of %d bytes", len(name))
	}
	p.text += len(name)
	if p.text > maxPaletteText {
		return "", d.Errorf("the states have more than %d bytes in all", maxPaletteText)
	}
	return nbt.Plain(name), nil
}

func (p *sparsePalette) put(d *document, index int64, state string) error {
	if index < 0 || index >= maxPalette {
		return d.Errorf("the index %d; 0 to %d are possible", index, maxPalette-1)
	}
	for int64(len(p.states)) <= index {
		p.states = append(p.states, absent)
	}
	if p.states[index] != absent {
		return d.Errorf("the index %d belongs to %.100s too", index, p.states[index])
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
	for i, index := range v.cells {
		if int(index) >= len(p.states) || p.states[index] == absent {
			x, z, y := i%size.X, i/size.X%size.Z, i/size.X/size.Z
			return d.Errorf("the cell %d,%d,%d has the index %d, which the palette does not have", x, y, z, index)
		}
	}
	return nil
}
