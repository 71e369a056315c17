package schematic

import (
	"fmt"

	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// spongeParts are the fields of the Sponge formats.
type spongeParts struct {
	found      bool
	version3   bool // the blocks stand in a compound of their own
	paletteMax int64
	palette    *sparsePalette
	blocks     *varints
}

// spongeReader returns what reads a field of the Sponge formats.
func (d *document) spongeReader(name string, t nbt.Tag) func(nbt.Tag) error {
	switch name {
	case "PaletteMax":
		return d.number(&d.sponge.paletteMax, nbt.Int)
	case "Palette":
		return d.readSpongePalette
	case "BlockData":
		return d.readBlockData
	case "Blocks":
		if t == nbt.Compound {
			return d.readSpongeBlocks
		}
	case "BiomePalette":
		if t == nbt.Compound {
			return d.readBiomes
		}
		return d.Skip
	case "BiomeData", "BiomePaletteMax", "BiomeDataMax":
		return d.Skip
	case "Biomes":
		if t == nbt.Compound {
			return func(nbt.Tag) error {
				return d.Compound(func(name []byte, t nbt.Tag) error {
					if string(name) == "Palette" && t == nbt.Compound {
						return d.readBiomes(t)
					}
					return d.Skip(t)
				})
			}
		}
	}
	return nil
}

func (d *document) readSpongePalette(t nbt.Tag) error {
	if t != nbt.Compound {
		return d.Errorf("%s instead of a compound", t.A())
	}
	d.sponge.found = true
	d.sponge.palette = &sparsePalette{}
	return d.sponge.palette.read(d)
}

func (d *document) readBlockData(t nbt.Tag) error {
	if t != nbt.ByteArray {
		return d.Errorf("%s instead of a byte array", t.A())
	}
	d.sponge.found = true
	expect := 0
	if d.width > 0 && d.height > 0 && d.length > 0 {
		size, err := d.size()
		if err != nil {
			return err
		}
		expect = size.X * size.Y * size.Z
	}
	v, err := readVarints(d, expect)
	d.sponge.blocks = v
	return err
}

// readSpongeBlocks reads the compound in which version 3 keeps its blocks.
func (d *document) readSpongeBlocks(nbt.Tag) error {
	d.sponge.found, d.sponge.version3 = true, true
	seen := map[string]bool{}
	return d.Compound(func(name []byte, t nbt.Tag) error {
		key := nbt.Plain(name)
		if seen[key] {
			return d.Errorf("the field stands there twice")
		}
		if len(seen) < 100 {
			seen[key] = true
		}
		switch key {
		case "Palette":
			return d.readSpongePalette(t)
		case "Data":
			return d.readBlockData(t)
		case "BlockEntities":
			return d.readBlockEntities(t)
		}
		d.unknown = append(d.unknown[:min(len(d.unknown), 20)], "Blocks."+key)
		return d.Skip(t)
	})
}

// readBiomes keeps the names of a palette of biomes.
func (d *document) readBiomes(nbt.Tag) error {
	return d.Compound(func(name []byte, t nbt.Tag) error {
		if len(d.biomes) < 256 {
			d.biomes = append(d.biomes, fmt.Sprintf("%.100s", nbt.Plain(name)))
		}
		return d.Skip(t)
	})
}

func (d *document) assembleSponge(s *Schematic) error {
	size, err := d.size()
	if err != nil {
		return err
	}
	s.Size = size
	p := &d.sponge
	switch {
	case !d.seen["Version"]:
		s.Version = 1
		if p.version3 {
			s.Version = 3
		} else if d.seen["DataVersion"] {
			s.Version = 2
		}
		d.warn("the file does not say its version; it is read as version %d", s.Version)
	case d.version < 1 || d.version > 3:
		return fault.Errorf(fault.UnsupportedFormat, "a Sponge schematic of version %d; 1, 2 and 3 are known", d.version)
	case p.version3 != (d.version == 3):
		d.warn("the file says that it is version %d, its blocks are written as another version does", d.version)
	}
	if d.version == 3 && !d.wrapped {
		d.warn("the fields do not stand in a compound named Schematic, as version 3 wants")
	}
	if !d.seen["DataVersion"] {
		s.DataVersion = 1631 // what WorldEdit takes version 1 for: 1.13.2
		s.Game = "1.13.2 (assumed)"
		if s.Version > 1 {
			d.warn("the file does not say its DataVersion; it is read as that of 1.13.2")
		}
	}
	if p.palette == nil {
		return d.Errorf("the palette is missing")
	}
	if p.blocks == nil {
		return d.Errorf("the block data is missing")
	}
	if d.seen["PaletteMax"] && p.paletteMax != int64(p.palette.entries) {
		d.warn("PaletteMax is %d, the palette has %d entries", p.paletteMax, p.palette.entries)
	}
	s.Offset = d.spongeOffset(s.Version)
	return d.spongeCells(s)
}

// spongeOffset returns the way from the anchor to the box. In versions 1 and 2
// WorldEdit writes the place where the box stood in its world as Offset, and the way
// from who copied it, which it uses when it pastes, into the metadata. The prototype
// knew only Offset.
func (d *document) spongeOffset(version int) voxel.Pos {
	if w := d.worldEdit; w.has == 7 && version < 3 && !d.strict {
		return voxel.Pos{X: w.offset[0], Y: w.offset[1], Z: w.offset[2]}
	}
	if d.offset == nil {
		return voxel.Pos{}
	}
	return voxel.Pos{X: int(d.offset[0]), Y: int(d.offset[1]), Z: int(d.offset[2])}
}

// spongeCells checks the block data against size and palette.
func (d *document) spongeCells(s *Schematic) error {
	v, p := d.sponge.blocks, d.sponge.palette
	want := s.Size.X * s.Size.Y * s.Size.Z
	if v.cells.n != want {
		return d.Errorf("the block data has %d cells, the box %d", v.cells.n, want)
	}
	if err := p.check(d, v, s.Size); err != nil {
		return err
	}
	if v.overlong > 0 {
		if d.strict {
			return d.Errorf("%d numbers of the block data are longer than they need to be", v.overlong)
		}
		d.warn("%d numbers of the block data are longer than they need to be", v.overlong)
	}
	s.cells, s.palette = v.cells, p.states
	if v.counts != nil {
		s.counted = v.counts[:len(p.states)]
	}
	return nil
}
