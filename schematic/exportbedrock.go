package schematic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	mcnbt "github.com/Tnze/go-mc/nbt"

	"groundplan/plan/block"
	"groundplan/schematic/nbt"
)

// bedrockBlockVersion is the version that every palette of the game from 1.21.60 to
// 1.26.60 gives its states: 1.21.60.33.
const bedrockBlockVersion = 18168865

// water is the state of the second layer of a waterlogged block.
const water block.State = "minecraft:water[liquid_depth=0]"

// list is a list whose elements write themselves, which go-mc's do not.
type list struct {
	element  byte
	elements []mcnbt.Marshaler
}

// TagType says that it is a list.
func (l list) TagType() byte { return mcnbt.TagList }

// MarshalNBT writes the head and the elements.
func (l list) MarshalNBT(w io.Writer) error {
	if err := listHead(w, l.element, len(l.elements)); err != nil {
		return err
	}
	for _, e := range l.elements {
		if err := e.MarshalNBT(w); err != nil {
			return err
		}
	}
	return nil
}

func listHead(w io.Writer, element byte, n int) error {
	_, err := w.Write(binary.BigEndian.AppendUint32([]byte{element}, uint32(n)))
	return err
}

// numbers is a list of ints, where go-mc would write an int array.
type numbers []int32

// TagType says that it is a list.
func (n numbers) TagType() byte { return mcnbt.TagList }

// MarshalNBT writes the head and the numbers.
func (n numbers) MarshalNBT(w io.Writer) error {
	if err := listHead(w, mcnbt.TagInt, len(n)); err != nil {
		return err
	}
	out := make([]byte, 0, 4*len(n))
	for _, v := range n {
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	_, err := w.Write(out)
	return err
}

// writeMCStructure writes the box as Bedrock's structure blocks do: little-endian,
// not compressed, the water of waterlogged blocks in a second layer. The format has
// no place for name and author.
func (e *Export) writeMCStructure(w io.Writer, d *dense) error {
	states := list{element: mcnbt.TagCompound}
	index := map[block.State]int32{}
	add := func(s block.State) int32 {
		i, ok := index[s]
		if !ok {
			i = int32(len(states.elements))
			index[s] = i
			states.elements = append(states.elements, bedrockState(s))
		}
		return i
	}
	pairs := make([][2]int32, len(d.palette))
	for i, text := range d.palette {
		state := block.State(text)
		pairs[i] = [2]int32{add(state.Dry()), -1}
		if state.Waterlogged() {
			pairs[i][1] = add(water)
		}
	}
	layers := [2]numbers{make(numbers, 0, len(d.cells)), make(numbers, 0, len(d.cells))}
	for x := range d.size.X {
		for y := range d.size.Y {
			for z := range d.size.Z {
				pair := pairs[d.cells[(y*d.size.Z+z)*d.size.X+x]]
				layers[0] = append(layers[0], pair[0])
				layers[1] = append(layers[1], pair[1])
			}
		}
	}
	document := compound{
		{"format_version", int32(1)},
		{"size", numbers{int32(d.size.X), int32(d.size.Y), int32(d.size.Z)}},
		{"structure", compound{
			{"block_indices", list{mcnbt.TagList, []mcnbt.Marshaler{layers[0], layers[1]}}},
			{"entities", none},
			{"palette", compound{{"default", compound{{"block_palette", states}, {"block_position_data", compound{}}}}}},
		}},
		{"structure_world_origin", numbers{int32(e.Box.Min.X), int32(e.Box.Min.Y), int32(e.Box.Min.Z)}},
	}
	var big bytes.Buffer
	if err := mcnbt.NewEncoder(&big).Encode(document, ""); err != nil {
		return fmt.Errorf("write structure: %w", err)
	}
	little, err := nbt.LittleEndian(big.Bytes())
	if err != nil {
		return fmt.Errorf("write structure: %w", err)
	}
	_, err = w.Write(little)
	return err
}

// bedrockState writes a state as the game's palettes have it: bytes for true and
// false, ints for numbers, strings for words.
func bedrockState(s block.State) compound {
	states := compound{}
	for name, value := range s.All() {
		if name == "waterlogged" {
			continue
		}
		var typed any = value
		if n, err := strconv.ParseInt(value, 10, 32); err == nil {
			typed = int32(n)
		} else if value == "true" || value == "false" {
			typed = map[string]int8{"true": 1}[value]
		}
		states = append(states, namedTag{name, typed})
	}
	return compound{{"name", s.ID()}, {"states", states}, {"version", int32(bedrockBlockVersion)}}
}
