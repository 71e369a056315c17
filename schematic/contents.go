package schematic

import (
	"slices"

	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// maxThings bounds the block entities and the entities of a list, and the positions
// that are kept to be checked. The most that was seen is 98,304.
const maxThings = 1 << 20

// positions counts block entities and remembers where they are.
type positions struct {
	tally
	at      []uint64 // packed, for those within any possible box
	outside int
	nowhere int
}

// thing is one block entity or entity while it is read.
type thing struct {
	kind  [128]byte
	n     int // bytes of kind
	pos   [3]int32
	has   uint8  // which of x, y, z are known
	full  bool   // it has data that would be lost
	outer bool   // it is the outer compound: its Id and Pos count
	skull skull  // kind -1 unless the data names one
	final string // what a jigsaw block becomes; read for structures only
}

func (d *document) readBlockEntities(t nbt.Tag) error {
	return d.readThings(t, "block entities", d.readBlockEntity)
}

func (d *document) readEntities(t nbt.Tag) error { return d.readThings(t, "entities", d.readEntity) }

// readThings reads a list of compounds, which a strict reader wants to be empty.
func (d *document) readThings(t nbt.Tag, what string, read func() error) error {
	if t != nbt.List {
		return d.Errorf("%s instead of a list", t.A())
	}
	return d.List(func(i int, t nbt.Tag) error {
		if t != nbt.Compound || i == maxThings {
			return d.Errorf("the element is %s; compounds belong here, at most %d", t.A(), maxThings)
		}
		if d.strict {
			return d.Errorf("%s are not accepted", what)
		}
		return read()
	})
}

// readBlockEntity reads a block entity of any format: version 1 and 2 have Id, Pos
// and the data side by side, version 3 has the data under Data, the older formats
// have id, x, y and z.
func (d *document) readBlockEntity() error {
	one, err := d.nextThing()
	if err != nil {
		return err
	}
	d.addBlockEntity(one)
	return nil
}

func (d *document) addBlockEntity(one *thing) {
	if one.skull.kind >= 0 && one.has == 7 && len(d.mcedit.skulls) < maxThings {
		one.skull.at = one.pos
		d.mcedit.skulls = append(d.mcedit.skulls, one.skull)
	}
	d.blockEntities.add(one.kind[:one.n], !one.full)
	p := &d.blockEntities
	switch x, y, z := one.pos[0], one.pos[1], one.pos[2]; {
	case one.has != 7:
		p.nowhere++
	case x < 0 || y < 0 || z < 0 || x > 0xffff || y > 0xffff || z > 0xffff:
		p.outside++
	case len(p.at) < maxThings:
		p.at = append(p.at, uint64(y)<<32|uint64(z)<<16|uint64(x))
	}
}

// nextThing reads a compound into the one thing that the document has room for.
func (d *document) nextThing() (*thing, error) {
	one := &d.thing
	one.n, one.has, one.full, one.outer, one.skull, one.final = 0, 0, false, true, skull{kind: -1}, ""
	return one, d.readThing(one)
}

// readThing reads one compound into one.
func (d *document) readThing(one *thing) error {
	return d.Compound(func(name []byte, t nbt.Tag) error {
		switch string(name) {
		case "Id", "id", "identifier":
			if t == nbt.String {
				id, err := d.Bytes()
				if one.n == 0 {
					one.n = copy(one.kind[:], id)
				}
				return err
			}
		case "Pos", "pos", "blockPos":
			if one.outer && t == nbt.IntArray {
				return d.readPosition(one, t)
			}
			return d.Skip(t)
		case "final_state":
			if (d.structure.listed || d.bedrock.found) && t == nbt.String {
				return d.text(&one.final)(t)
			}
		case "x", "y", "z":
			if one.outer && t == nbt.Int {
				axis := name[0] - 'x'
				n, err := d.Number(t)
				one.pos[axis] = int32(n)
				one.has |= 1 << axis
				return err
			}
		case "Data", "nbt", "block_entity_data":
			if one.outer && t == nbt.Compound {
				one.outer = false
				err := d.readThing(one)
				one.outer = true
				return err
			}
		}
		return d.weigh(one, name, t)
	})
}

func (d *document) readPosition(one *thing, t nbt.Tag) error {
	n, err := d.ArrayHeader(t)
	if err != nil {
		return err
	}
	if n != 3 { // its contents are dropped anyway: no reason to refuse the blocks
		return d.skipInts(n)
	}
	one.has = 7
	return d.Ints(one.pos[:])
}

func (d *document) skipInts(n int) error {
	var numbers [64]int32
	for n > 0 {
		step := min(n, len(numbers))
		if err := d.Ints(numbers[:step]); err != nil {
			return err
		}
		n -= step
	}
	return nil
}

// weigh passes over a field and marks the thing as full when the field says
// something: a number other than 0, a text, a list with elements. What only
// repeats the block or changes by itself says nothing.
func (d *document) weigh(one *thing, name []byte, t nbt.Tag) error {
	switch string(name) {
	case "keepPacked", "OutputSignal", "isMovable", "findable", "x", "y", "z", "Lock", "components",
		"TransferCooldown", "last_vibration_frequency", "ticks_since_last_song", "listener", "Packages",
		"RecordItem", "CustomNameVisible", "PublicBukkitValues", "Levels", "Findable", "LootTableSeed":
		return d.Skip(t)
	}
	if t == nbt.Byte {
		switch string(name) {
		case "SkullType":
			return d.small(&one.skull.kind)
		case "Rot":
			return d.small(&one.skull.turn)
		}
	}
	before := d.Offset()
	switch t {
	case nbt.Byte, nbt.Short, nbt.Int, nbt.Long:
		n, err := d.Number(t)
		one.full = one.full || n != 0
		return err
	case nbt.Float, nbt.Double:
		n, err := d.Float(t)
		one.full = one.full || n != 0
		return err
	case nbt.Compound:
		err := d.Skip(t)
		one.full = one.full || d.Offset() > before+1
		return err
	case nbt.String:
		text, err := d.Bytes()
		one.full = one.full || len(text) > 0 && string(text) != `{"text":""}` && string(text) != `""`
		return err
	case nbt.List:
		err := d.Skip(t)
		one.full = one.full || d.Offset() > before+5
		return err
	default:
		err := d.Skip(t)
		one.full = one.full || d.Offset() > before+4
		return err
	}
}

func (d *document) readEntity() error {
	one, err := d.nextThing()
	if err != nil {
		return err
	}
	d.entities.add(one.kind[:one.n], false)
	return nil
}

// small reads a byte.
func (d *document) small(into *int8) error {
	n, err := d.Number(nbt.Byte)
	*into = int8(n)
	return err
}

// report warns about block entities at places where there can be none.
func (p *positions) report(d *document, size voxel.Pos) {
	slices.Sort(p.at)
	twice := 0
	for i, at := range p.at {
		x, z, y := int(at&0xffff), int(at>>16&0xffff), int(at>>32)
		if x >= size.X || y >= size.Y || z >= size.Z {
			p.outside++
		}
		if i > 0 && at == p.at[i-1] {
			twice++
		}
	}
	if p.nowhere > 0 {
		d.warn("%d block entities do not say where they are", p.nowhere)
	}
	if p.outside > 0 {
		d.warn("%d block entities lie outside of the box", p.outside)
	}
	if twice > 0 {
		d.warn("%d block entities share their cell with another", twice)
	}
	p.at = nil
}
