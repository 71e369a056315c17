package schematic

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// litematicaParts are the regions of a Litematica file.
type litematicaParts struct {
	found   bool
	regions []region
	cells   int // of all regions
}

// region is one box of a Litematica file. Its size may be negative: then its
// position is the corner at the other end of that axis.
type region struct {
	name           string
	position, size [3]int64
	has            uint8 // 1 position, 2 size
	palette        listPalette
	raw            []byte // the packed indexes
	cells          cells  // unpacked
	nameless       []nameless
	box            voxel.Box
}

// nameless is a block entity without an id, which Litematica leaves out where the
// block tells it.
type nameless struct {
	at   voxel.Pos // within the region
	kept bool
}

// maxRegions bounds the regions of a file.
const maxRegions = 4096

func (d *document) litematicaReader(name string, _ nbt.Tag) func(nbt.Tag) error {
	switch name {
	case "Regions":
		return d.readRegions
	case "SubVersion":
		return d.Skip
	}
	return nil
}

func (d *document) readRegions(t nbt.Tag) error {
	if t != nbt.Compound {
		return d.Errorf("%s instead of a compound", t.A())
	}
	d.litematica.found = true
	return d.Compound(func(name []byte, t nbt.Tag) error {
		if t != nbt.Compound {
			return d.Errorf("%s instead of a compound", t.A())
		}
		if len(d.litematica.regions) == maxRegions {
			return d.Errorf("more than %d regions", maxRegions)
		}
		g := region{name: nbt.Plain(name)}
		if err := d.Compound(func(name []byte, t nbt.Tag) error { return d.regionField(&g, string(name), t) }); err != nil {
			return err
		}
		if err := d.unpack(&g); err != nil {
			return err
		}
		d.litematica.regions = append(d.litematica.regions, g)
		return nil
	})
}

func (d *document) regionField(g *region, name string, t nbt.Tag) (err error) {
	switch name {
	case "Position":
		g.has |= 1
		g.position, err = d.readTriple(t)
		return err
	case "Size":
		g.has |= 2
		g.size, err = d.readTriple(t)
		return err
	case "BlockStatePalette":
		return g.palette.read(d, t)
	case "BlockStates":
		if t != nbt.LongArray {
			return d.Errorf("%s instead of a long array", t.A())
		}
		g.raw, err = d.readRaw(t, 8, 2*d.limit+8)
		return err
	case "TileEntities":
		if t == nbt.List {
			return d.readRegionThings(func() error { return d.readRegionBlockEntity(g) })
		}
	case "Entities":
		if t == nbt.List {
			return d.readRegionThings(d.readEntity)
		}
	}
	return d.Skip(t)
}

func (d *document) readRegionThings(read func() error) error {
	return d.List(func(i int, t nbt.Tag) error {
		if t != nbt.Compound || i == maxThings {
			return d.Errorf("the element is %s; compounds belong here, at most %d", t.A(), maxThings)
		}
		return read()
	})
}

func (d *document) readRegionBlockEntity(g *region) error {
	one, err := d.nextThing()
	if err != nil {
		return err
	}
	if one.n > 0 || one.has != 7 {
		d.blockEntities.add(one.kind[:one.n], !one.full)
		return nil
	}
	at := voxel.Pos{X: int(one.pos[0]), Y: int(one.pos[1]), Z: int(one.pos[2])}
	g.nameless = append(g.nameless, nameless{at, !one.full})
	return nil
}

// nameThings counts the region's nameless block entities by the blocks they belong to.
func (d *document) nameThings(g *region) {
	size := g.box.Size()
	for _, one := range g.nameless {
		id := ""
		if p := one.at; p.X >= 0 && p.Y >= 0 && p.Z >= 0 && p.X < size.X && p.Y < size.Y && p.Z < size.Z {
			id, _ = split(g.palette.states[g.cells.at((p.Y*size.Z+p.Z)*size.X+p.X)])
		}
		d.blockEntities.add([]byte(id), one.kept)
	}
	g.nameless = nil
}

// readBlockEntityElsewhere reads a block entity whose position counts from
// somewhere else than the box, so that it cannot be checked.
func (d *document) readBlockEntityElsewhere() error {
	one, err := d.nextThing()
	if err != nil {
		return err
	}
	d.blockEntities.add(one.kind[:one.n], !one.full || one.final != "")
	return nil
}

// unpack checks a region and spreads its indexes: as many bits each as the palette
// needs, at least two, one after the other across the longs.
func (d *document) unpack(g *region) error {
	if g.has != 3 {
		return d.Errorf("position or size is missing")
	}
	low, high := [3]int{}, [3]int{}
	for i := range 3 {
		at, n := g.position[i], g.size[i]
		if n == 0 || n > 0xffff || n < -0xffff || at > 1<<31 || at < -1<<31 {
			return d.Errorf("a region of %d cells at %d", n, at)
		}
		first, last := at, at+n-1
		if n < 0 {
			first, last = at+n+1, at
		}
		low[i], high[i] = int(first), int(last)
	}
	g.box = voxel.Box{Min: voxel.Pos{X: low[0], Y: low[1], Z: low[2]}, Max: voxel.Pos{X: high[0], Y: high[1], Z: high[2]}}
	if err := d.checkSize(g.box.Size()); err != nil {
		return err
	}
	n := g.box.Volume()
	if d.litematica.cells += n; d.litematica.cells > d.limit {
		return d.overCells(d.limit)
	}
	if len(g.palette.states) == 0 {
		return d.Errorf("the palette is missing")
	}
	width := max(2, bits.Len(uint(len(g.palette.states)-1)))
	if want := (n*width + 63) / 64; len(g.raw)/8 != want {
		return d.Errorf("%d longs of block states; %d cells of %d bits have %d", len(g.raw)/8, n, width, want)
	}
	g.cells = newCells(n)
	mask := uint64(1)<<width - 1
	for i := range n {
		at := i * width
		word, shift := at>>6, at&63
		index := d.long(g.raw, word) >> shift
		if shift+width > 64 {
			index |= d.long(g.raw, word+1) << (64 - shift)
		}
		index &= mask
		if index >= uint64(len(g.palette.states)) {
			return d.Errorf("the cell %d has the index %d, which the palette does not have", i, index)
		}
		g.cells.set(i, uint16(index))
	}
	g.raw = nil
	d.nameThings(g)
	return nil
}

func (d *document) long(raw []byte, i int) uint64 {
	if d.IsLittle() {
		return binary.LittleEndian.Uint64(raw[8*i:])
	}
	return binary.BigEndian.Uint64(raw[8*i:])
}

// assembleLitematica joins the regions in the box around them all. Where two of
// them overlap, air does not replace another block.
func (d *document) assembleLitematica(s *Schematic) error {
	if d.version < 1 || d.version > 7 {
		d.warn("a Litematica file of version %d; 4 to 7 are known", d.version)
	}
	regions := d.litematica.regions
	if len(regions) == 0 {
		return d.Errorf("there is no region")
	}
	box := regions[0].box
	for _, g := range regions {
		box = box.Union(g.box)
	}
	s.Size, s.Offset = box.Size(), box.Min
	if err := d.checkSize(s.Size); err != nil {
		return err
	}
	if s.Name == "" {
		s.Name = clean(regions[0].name)
	}
	if len(regions) == 1 {
		s.palette, s.cells = regions[0].palette.states, regions[0].cells
		return nil
	}
	return d.joinRegions(s, box)
}

func (d *document) joinRegions(s *Schematic, box voxel.Box) error {
	all := states{}
	if _, err := all.add(d, absent); err != nil {
		return err
	}
	s.cells = newCells(box.Volume())
	overlaps := 0
	for _, g := range d.litematica.regions {
		becomes := make([]uint16, len(g.palette.states))
		air := make([]bool, len(g.palette.states))
		for i, state := range g.palette.states {
			id, err := all.add(d, state)
			if err != nil {
				return nbt.Within(g.name, err)
			}
			becomes[i], air[i] = id, isAir(state)
		}
		i := 0
		for p := range g.box.All() {
			q := p.Sub(box.Min)
			at := (q.Y*s.Size.Z+q.Z)*s.Size.X + q.X
			index := g.cells.at(i)
			i++
			if s.cells.at(at) != 0 {
				overlaps++
				if air[index] {
					continue
				}
			}
			s.cells.set(at, becomes[index])
		}
	}
	s.palette = all.list
	if overlaps > 0 {
		d.warn("the regions overlap in %d cells", overlaps)
	}
	d.warnings = append([]string{fmt.Sprintf("%d regions were joined", len(d.litematica.regions))}, d.warnings...)
	return nil
}
