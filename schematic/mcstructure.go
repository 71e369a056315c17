package schematic

import (
	"fmt"
	"strconv"
	"strings"

	"groundplan/plan/block"
	"groundplan/schematic/nbt"
)

// mcstructureParts are the fields of Bedrock's structure files; the size stands
// among those of Java's.
type mcstructureParts struct {
	found   bool
	version int64
	layers  [2][]int32 // index into palette or -1, in x, y, z order
	palette *listPalette
	game    int64 // the highest version of a block, one byte for each part of it
}

func (d *document) mcstructureReader(name string, t nbt.Tag) func(nbt.Tag) error {
	switch name {
	case "format_version":
		return d.number(&d.bedrock.version, nbt.Int)
	case "structure":
		if t == nbt.Compound {
			return d.readStructure
		}
	case "structure_world_origin":
		return d.Skip
	}
	return nil
}

func (d *document) readStructure(nbt.Tag) error {
	d.bedrock.found = true
	return d.Compound(func(name []byte, t nbt.Tag) error {
		switch string(name) {
		case "block_indices":
			if t != nbt.List {
				return d.Errorf("%s instead of a list", t.A())
			}
			return d.readLayers()
		case "entities":
			if t == nbt.List {
				return d.readEntities(t)
			}
		case "palette":
			if t != nbt.Compound {
				return d.Errorf("%s instead of a compound", t.A())
			}
			return d.Compound(d.bedrockPalettes)
		}
		return d.Skip(t)
	})
}

// bedrockPalettes reads the one palette that the game writes, default.
func (d *document) bedrockPalettes(name []byte, t nbt.Tag) error {
	if string(name) != "default" || t != nbt.Compound {
		return d.Skip(t)
	}
	return d.Compound(func(name []byte, t nbt.Tag) error {
		switch string(name) {
		case "block_palette":
			d.bedrock.palette = &listPalette{}
			return d.bedrock.palette.read(d, t)
		case "block_position_data":
			if t == nbt.Compound {
				return d.Compound(d.positionData)
			}
		}
		return d.Skip(t)
	})
}

// positionData reads what the game keeps for one cell beside its block.
func (d *document) positionData(name []byte, t nbt.Tag) error {
	if t != nbt.Compound {
		return d.Skip(t)
	}
	index, err := strconv.Atoi(string(name))
	if err != nil {
		index = -1
	}
	return d.Compound(func(name []byte, t nbt.Tag) error {
		if string(name) == "block_entity_data" && t == nbt.Compound {
			err := d.readBlockEntityElsewhere()
			d.keepFinal(index)
			return err
		}
		return d.Skip(t)
	})
}

// readLayers reads the indexes of the blocks and those of the second layer, which
// has the water of a waterlogged block.
func (d *document) readLayers() error {
	return d.List(func(i int, t nbt.Tag) error {
		if t != nbt.List {
			return d.Errorf("%s instead of a list", t.A())
		}
		if i >= len(d.bedrock.layers) {
			return d.Skip(t)
		}
		layer, err := d.readLayer()
		d.bedrock.layers[i] = layer
		return err
	})
}

func (d *document) readLayer() ([]int32, error) {
	element, n, err := d.ListHeader()
	if err != nil {
		return nil, err
	}
	defer d.EndList()
	if n > 0 && element != nbt.Int {
		return nil, d.Errorf("a list of %v", element)
	}
	if n > d.limit {
		return nil, d.overCells(d.limit)
	}
	layer := make([]int32, 0, min(n, 1<<14))
	var piece [1 << 10]int32
	for len(layer) < n {
		start := d.Offset()
		part := piece[:min(len(piece), n-len(layer))]
		if err := d.Ints(part); err != nil {
			return nil, err
		}
		d.Free(start)
		layer = append(layer, part...)
	}
	return layer, nil
}

func (d *document) assembleMCStructure(s *Schematic) error {
	p := &d.bedrock
	if !d.structure.hasSize {
		return d.Errorf("the size is missing")
	}
	if p.palette == nil {
		return d.Errorf("the palette is missing")
	}
	size, err := d.triple(d.structure.size)
	if err != nil {
		return err
	}
	s.Version, s.Size, s.bedrock, s.Game = int(p.version), size, true, bedrockVersion(p.game)
	n := size.X * size.Y * size.Z
	if len(p.layers[0]) != n || len(p.layers[1]) != n && len(p.layers[1]) != 0 {
		return d.Errorf("layers of %d and %d cells in a box of %d", len(p.layers[0]), len(p.layers[1]), n)
	}
	s.cells = newCells(n)
	all := states{}
	known := map[[2]int32]uint16{}
	lost := 0
	for x, from := 0, 0; x < size.X; x++ {
		for y := range size.Y {
			for z := range size.Z {
				pair := [2]int32{p.layers[0][from], -1}
				if len(p.layers[1]) > 0 {
					pair[1] = p.layers[1][from]
				}
				from++
				id, ok := known[pair]
				if !ok {
					state, whole, err := p.state(d, pair)
					if err != nil {
						return err
					}
					if !whole {
						lost++
					}
					if id, err = all.add(d, state); err != nil {
						return err
					}
					known[pair] = id
				}
				s.cells.set((y*size.Z+z)*size.X+x, id)
			}
		}
	}
	if lost > 0 {
		d.warn("%d kinds of blocks have something else than water in their second layer, which was dropped", lost)
	}
	s.palette = all.list
	p.layers = [2][]int32{}
	return d.finishJigsaws(s, func(index int) int {
		if index < 0 || index >= n {
			return -1
		}
		x, y, z := index/size.Z/size.Y, index/size.Z%size.Y, index%size.Z
		return (y*size.Z+z)*size.X + x
	})
}

// state returns the text of what the two layers have; false when the second one
// has something that a state cannot say.
func (p *mcstructureParts) state(d *document, pair [2]int32) (string, bool, error) {
	var text [2]string
	for i, index := range pair {
		if index == -1 {
			continue
		}
		if index < 0 || int(index) >= len(p.palette.states) {
			return "", false, d.Errorf("the index %d, which the palette does not have", index)
		}
		text[i] = p.palette.states[index]
	}
	block, second := text[0], text[1]
	id, _ := split(second)
	switch {
	case second == "" || isAir(second):
		return block, true, nil
	case id != "minecraft:water" && id != "minecraft:flowing_water":
		return block, false, nil
	case block == "" || isAir(block):
		return second, true, nil
	case strings.HasSuffix(block, "]"):
		return strings.TrimSuffix(block, "]") + ",waterlogged=true]", true, nil
	default:
		return block + "[waterlogged=true]", true, nil
	}
}

// fromBedrock translates a state of a Bedrock structure, which is as old as the game
// that wrote it.
func fromBedrock(reg *block.Registry, state string) block.Translation {
	if id, _ := split(state); id == "minecraft:structure_void" {
		return block.Translation{Keep: true, Quality: block.Exact}
	}
	now, err := reg.ParseOld(state)
	if err != nil {
		return block.Translation{Quality: block.Unmapped, Note: err.Error()}
	}
	t := block.Translation{State: now, Quality: block.Exact}
	if today, err := reg.Parse(state); err != nil || today != now {
		t.Note = "a state of an older game"
	}
	return t
}

// bedrockVersion writes the version of a block as text: one byte for each part.
func bedrockVersion(n int64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", n>>24&0xff, n>>16&0xff, n>>8&0xff, n&0xff)
}
