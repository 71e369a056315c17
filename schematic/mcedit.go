package schematic

import (
	"fmt"
	"strconv"

	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// mceditParts are the fields of the schematics of Java up to 1.12.
type mceditParts struct {
	blocks []byte // the low eight bits of the ids, in y, z, x order
	data   []byte // the data values, of which four bits count
	high   []byte // the high four bits of the ids, two in a byte
	add    []byte // the same, one in a byte

	names     map[int]string // of ids, where the file has them
	schematic bool           // the names are Schematica's, which packs high nibbles the other way round
	offset    [3]int64
	skulls    []skull
}

// skull is what a block entity says about a head and the block does not.
type skull struct {
	at         [3]int32
	kind, turn int8
}

func (d *document) mceditReader(name string, t nbt.Tag) func(nbt.Tag) error {
	p := &d.mcedit
	array := func(into *[]byte, most int) func(nbt.Tag) error {
		return func(t nbt.Tag) (err error) {
			if t != nbt.ByteArray {
				return d.Errorf("%s instead of a byte array", t.A())
			}
			*into, err = d.readRaw(t, 1, most)
			return err
		}
	}
	switch name {
	case "Blocks":
		return array(&p.blocks, d.limit)
	case "Data":
		return array(&p.data, d.limit)
	case "AddBlocks":
		return array(&p.high, (d.limit+1)/2)
	case "Add":
		return array(&p.add, d.limit)
	case "SchematicaMapping":
		if t == nbt.Compound {
			p.schematic = true
			return d.readIDNames
		}
	case "BlockIDs":
		if t == nbt.Compound {
			return d.readIDNames
		}
	case "WEOffsetX":
		return d.number(&p.offset[0], nbt.Int)
	case "WEOffsetY":
		return d.number(&p.offset[1], nbt.Int)
	case "WEOffsetZ":
		return d.number(&p.offset[2], nbt.Int)
	case "Materials":
		if t == nbt.String {
			return d.readMaterials
		}
	case "Biomes", "Icon", "ItemIDs", "itemStackVersion", "WEOriginX", "WEOriginY", "WEOriginZ", "TileTicks",
		"ExtendedMetadata", "PaletteMax":
		return d.Skip
	}
	return nil
}

func (d *document) readMaterials(t nbt.Tag) error {
	materials := ""
	if err := d.text(&materials)(t); err != nil {
		return err
	}
	if materials != "Alpha" {
		d.warn("the materials are those of %.40q; they are read as those of Java 1.12", materials)
	}
	return nil
}

// readIDNames reads a table of ids: by name (Schematica) or by number (MCEdit).
func (d *document) readIDNames(nbt.Tag) error {
	p := &d.mcedit
	p.names = map[int]string{}
	return d.Compound(func(name []byte, t nbt.Tag) error {
		if len(p.names) == 1<<12 || len(name) > 256 {
			return d.Skip(t)
		}
		key := nbt.Plain(name)
		if t == nbt.String {
			text, err := d.Text()
			if id, bad := strconv.Atoi(key); bad == nil && len(text) <= 256 {
				p.names[id] = text
			}
			return err
		}
		id, err := d.Number(t)
		p.names[int(id)] = key
		return err
	})
}

func (d *document) assembleMCEdit(s *Schematic) error {
	p := &d.mcedit
	size, err := d.size()
	if err != nil {
		return err
	}
	s.Version, s.DataVersion, s.Size = 1, 0, size
	s.Game = "before 1.13"
	s.Offset = voxel.Pos{X: int(p.offset[0]), Y: int(p.offset[1]), Z: int(p.offset[2])}
	n := size.X * size.Y * size.Z
	switch {
	case len(p.blocks) != n:
		return d.Errorf("%d blocks in a box of %d cells", len(p.blocks), n)
	case len(p.data) != n:
		return d.Errorf("%d data values in a box of %d cells", len(p.data), n)
	case p.high != nil && len(p.high) < n/2:
		return d.Errorf("%d bytes of high ids in a box of %d cells", len(p.high), n)
	case p.add != nil && len(p.add) < n/2:
		return d.Errorf("%d bytes of high ids in a box of %d cells", len(p.add), n)
	}
	old, err := readLegacy()
	if err != nil {
		return err
	}
	all := states{}
	known := map[int]uint16{}
	s.cells = newCells(n)
	for i := range n {
		key := p.id(i)<<4 | int(p.data[i]&15)
		id, ok := known[key]
		if !ok {
			if id, err = all.add(d, p.state(d, old, key>>4, key&15)); err != nil {
				return err
			}
			known[key] = id
		}
		s.cells.set(i, id)
	}
	s.palette = all.list
	p.blocks, p.data, p.high, p.add = nil, nil, nil, nil
	return mend(d, s, &all)
}

// id returns the block id of a cell, of twelve bits.
func (p *mceditParts) id(i int) int {
	id := int(p.blocks[i])
	switch {
	case len(p.high)*2 > i && (i&1 == 0) != p.schematic:
		id |= int(p.high[i>>1]&15) << 8
	case len(p.high)*2 > i:
		id |= int(p.high[i>>1]>>4) << 8
	case len(p.add) > i:
		id |= int(p.add[i]&15) << 8
	}
	return id
}

// state returns the state of 1.13 for an id and a data value. One that no vanilla
// game has is written as name:data or id:data, for a mapping to name it.
func (p *mceditParts) state(d *document, old legacy, id, data int) string {
	if values, ok := old[id]; ok {
		if state, ok := values[data]; ok {
			return state
		}
		if state, ok := values[0]; ok {
			d.warn("block %d has no data value %d; it is read as 0", id, data)
			return state
		}
	}
	if name, ok := p.names[id]; ok {
		return fmt.Sprintf("%s:%d", name, data)
	}
	return fmt.Sprintf("%d:%d", id, data)
}
