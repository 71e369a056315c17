package schematic

import (
	"maps"
	"slices"

	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// structureParts are the fields of Java's structure files.
type structureParts struct {
	size    [3]int64
	hasSize bool
	palette *listPalette
	blocks  []uint64 // packed y, z, x and state, 16 bits each
	listed  bool     // the list of blocks was there

	// finals are what jigsaw blocks become when the game builds a structure: by
	// the index of the block in blocks or, for Bedrock, by that of the cell.
	finals map[int]string
}

func (p *structureParts) found() bool { return p.hasSize && p.listed }

func (d *document) structureReader(name string, t nbt.Tag) func(nbt.Tag) error {
	p := &d.structure
	switch name {
	case "size":
		return func(t nbt.Tag) (err error) {
			p.hasSize = true
			p.size, err = d.readTriple(t)
			return err
		}
	case "palette":
		if t == nbt.List {
			return func(t nbt.Tag) error {
				p.palette = &listPalette{}
				return p.palette.read(d, t)
			}
		}
	case "palettes":
		if t == nbt.List {
			return d.readPalettes
		}
	case "blocks":
		if t == nbt.List {
			return d.readStructureBlocks
		}
	}
	return nil
}

// readPalettes reads the first of several palettes: the game picks one at random.
func (d *document) readPalettes(nbt.Tag) error {
	return d.List(func(i int, t nbt.Tag) error {
		if i > 0 {
			if i == 1 {
				d.warn("the file has several palettes, of which the game picks one; the first was taken")
			}
			return d.Skip(t)
		}
		d.structure.palette = &listPalette{}
		return d.structure.palette.read(d, t)
	})
}

func (d *document) readStructureBlocks(nbt.Tag) error {
	p := &d.structure
	p.listed = true
	return d.List(func(_ int, t nbt.Tag) error {
		if t != nbt.Compound {
			return d.Errorf("%s instead of a compound", t.A())
		}
		if len(p.blocks) >= d.limit {
			return d.overCells(d.limit)
		}
		one := structureBlock{state: -1}
		start, spared := d.Offset(), int64(0)
		err := d.Compound(func(name []byte, t nbt.Tag) error {
			switch string(name) {
			case "state":
				n, err := d.Number(t)
				one.state = n
				return err
			case "pos":
				one.placed = true
				at, err := d.readTriple(t)
				one.at = at
				return err
			case "nbt":
				if t == nbt.Compound {
					before := d.Offset()
					err := d.readBlockEntityElsewhere()
					spared += d.Offset() - before
					d.keepFinal(len(p.blocks))
					return err
				}
			}
			before := d.Offset()
			err := d.Skip(t)
			spared += d.Offset() - before
			return err
		})
		if err != nil {
			return err
		}
		d.Free(start + spared)
		packed, err := one.pack(d)
		p.blocks = append(p.blocks, packed)
		return err
	})
}

// structureBlock is an element of the list of blocks.
type structureBlock struct {
	state  int64
	at     [3]int64
	placed bool
}

func (b *structureBlock) pack(d *document) (uint64, error) {
	if !b.placed || b.state < 0 || b.state >= maxPalette {
		return 0, d.Errorf("a block without position, or of the state %d", b.state)
	}
	for _, n := range b.at {
		if n < 0 || n > 0xffff {
			return 0, d.Errorf("a block at %d,%d,%d", b.at[0], b.at[1], b.at[2])
		}
	}
	return uint64(b.at[1])<<48 | uint64(b.at[2])<<32 | uint64(b.at[0])<<16 | uint64(b.state), nil
}

func (d *document) assembleStructure(s *Schematic) error {
	p := &d.structure
	if p.palette == nil {
		return d.Errorf("the palette is missing")
	}
	s.Version = 1
	size, err := d.triple(p.size)
	if err != nil {
		return err
	}
	s.Size = size
	s.cells = newCells(size.X * size.Y * size.Z)
	s.palette = append([]string{absent}, p.palette.states...)
	if len(s.palette) > maxPalette {
		return d.Errorf("more than %d states", maxPalette)
	}
	for _, b := range p.blocks {
		at := voxel.Pos{X: int(b >> 16 & 0xffff), Y: int(b >> 48), Z: int(b >> 32 & 0xffff)}
		state := int(b & 0xffff)
		if at.X >= size.X || at.Y >= size.Y || at.Z >= size.Z {
			return d.Errorf("a block at %v, outside of the box of %v", at, size)
		}
		if state >= len(p.palette.states) {
			return d.Errorf("the block at %v has the index %d, which the palette does not have", at, state)
		}
		s.cells.set((at.Y*size.Z+at.Z)*size.X+at.X, uint16(state+1))
	}
	if err := d.finishJigsaws(s, func(block int) int {
		b := p.blocks[block]
		return (int(b>>48)*size.Z+int(b>>32&0xffff))*size.X + int(b>>16&0xffff)
	}); err != nil {
		return err
	}
	p.blocks = nil
	return nil
}

// keepFinal remembers what the block entity that was read last becomes.
func (d *document) keepFinal(index int) {
	p := &d.structure
	if d.thing.final == "" || len(d.thing.final) > maxState || len(p.finals) == maxThings {
		return
	}
	if p.finals == nil {
		p.finals = map[int]string{}
	}
	p.finals[index] = d.thing.final
}

// finishJigsaws replaces jigsaw blocks by what the game makes of them when it builds
// the structure; cell gives the cell of an index of finals.
func (d *document) finishJigsaws(s *Schematic, cell func(index int) int) error {
	all := states{list: s.palette, index: map[string]uint16{}}
	for i, state := range s.palette {
		all.index[state] = uint16(i)
	}
	done := 0
	for _, index := range slices.Sorted(maps.Keys(d.structure.finals)) {
		state := d.structure.finals[index]
		at := cell(index)
		if at < 0 || at >= s.cells.n {
			continue
		}
		if id, _ := split(s.palette[s.cells.at(at)]); id != "minecraft:jigsaw" {
			continue
		}
		id, err := all.add(d, state)
		if err != nil {
			return err
		}
		s.cells.set(at, id)
		done++
	}
	s.palette = all.list
	if done > 0 {
		d.warn("%d jigsaw blocks were read as what the game makes of them", done)
	}
	return nil
}

// triple checks three numbers that are the size of a box.
func (d *document) triple(v [3]int64) (voxel.Pos, error) {
	for _, n := range v {
		if n < 1 || n > 0xffff {
			return voxel.Pos{}, d.Errorf("a box of %d×%d×%d cells", v[0], v[1], v[2])
		}
	}
	size := voxel.Pos{X: int(v[0]), Y: int(v[1]), Z: int(v[2])}
	return size, d.checkSize(size)
}
