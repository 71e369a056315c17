package block

import (
	"slices"
	"strconv"
	"strings"
)

// javaMover is the mover of Java properties.
func javaMover(m motion, _ string, p *property) (string, func(string) string) {
	switch p.name {
	case "facing", "orientation":
		return p.name, m.word
	case "axis":
		return p.name, m.axis
	case "rotation":
		return p.name, m.number(16)
	case "shape": // of rails and of stairs
		return p.name, func(w string) string { return m.hand(m.word(w)) }
	case "hinge", "type", "side_chain":
		return p.name, m.hand
	}
	return m.direction(p.name), nil
}

// bedrockMover is the mover of Bedrock states. Numbers that stand for directions
// are listed in the order of the numbers.
func bedrockMover(m motion, id string, p *property) (string, func(string) string) {
	if id == namespace+"pumpkin" {
		return p.name, nil // looks the same from all sides, and Java has no direction
	}
	switch p.name {
	case "minecraft:cardinal_direction", "minecraft:block_face", "minecraft:facing_direction", "torch_facing_direction", "orientation", "lever_direction":
		return p.name, m.word
	case "pillar_axis", "portal_axis":
		return p.name, m.axis
	case "minecraft:corner":
		return p.name, m.hand
	case "door_hinge_bit":
		return p.name, m.flip
	case "facing_direction":
		return p.name, m.listed("down", "up", "north", "south", "west", "east")
	case "weirdo_direction":
		return p.name, m.listed("east", "west", "south", "north")
	case "direction":
		switch {
		case len(p.values) == 16:
			return p.name, m.number(16)
		case strings.HasSuffix(id, "trapdoor"):
			return p.name, m.listed("east", "west", "south", "north")
		}
		return p.name, m.listed("south", "west", "north", "east")
	case "coral_direction":
		return p.name, m.listed("west", "east", "north", "south")
	case "ground_sign_direction":
		return p.name, m.number(16)
	case "rail_direction":
		return p.name, m.listed("north_south", "east_west", "ascending_east", "ascending_west", "ascending_north", "ascending_south",
			"south_east", "south_west", "north_west", "north_east")
	case "vine_direction_bits":
		return p.name, m.bits("south", "west", "north", "east")
	case "multi_face_direction_bits":
		return p.name, m.bits("down", "up", "south", "west", "north", "east")
	case "huge_mushroom_bits":
		return p.name, m.listed("", "north_west", "north", "north_east", "west", "up", "east", "south_west", "south", "south_east")
	case "powered_shelf_type":
		return p.name, m.handed("unconnected", "right", "center", "left")
	}
	for _, prefix := range [...]string{"minecraft:connection_", "redstone_", "wall_connection_type_", "pale_moss_carpet_side_"} {
		if d, ok := strings.CutPrefix(p.name, prefix); ok {
			return prefix + m.direction(d), nil
		}
	}
	return p.name, nil
}

func (m motion) flip(value string) string {
	if m == clockwise {
		return value
	}
	return map[string]string{"true": "false", "false": "true"}[value]
}

func (m motion) number(n int) func(string) string {
	return func(value string) string {
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= n {
			return value
		}
		return strconv.Itoa(m.sixteenth(i))
	}
}

// listed moves numbers that stand for the words of a list.
func (m motion) listed(words ...string) func(string) string { return renumber(words, m.word) }

func (m motion) handed(words ...string) func(string) string { return renumber(words, m.hand) }

func renumber(words []string, f func(string) string) func(string) string {
	return func(value string) string {
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(words) {
			return value
		}
		return strconv.Itoa(slices.Index(words, f(words[i])))
	}
}

// bits moves a set of directions, the first of which is bit 0.
func (m motion) bits(directions ...string) func(string) string {
	return func(value string) string {
		set, err := strconv.Atoi(value)
		if err != nil {
			return value
		}
		out := 0
		for i, d := range directions {
			if set&(1<<i) != 0 {
				out |= 1 << slices.Index(directions, m.direction(d))
			}
		}
		return strconv.Itoa(out)
	}
}

// jointly returns what a motion does to a block whose properties do not move one
// by one: it takes the state's number before and after the others moved. nil for
// all other blocks.
func jointly(v *variants, m motion) func(before, moved int32) int32 {
	switch {
	case v.id == namespace+"lever" && v.find("lever_direction") != nil:
		return v.lever(m)
	case v.id == namespace+"jigsaw" && v.find("facing_direction") != nil:
		return v.jigsaw(m)
	case strings.HasSuffix(v.id, "_hanging_sign") && v.find("hanging") != nil:
		return v.hangingSign()
	case (v.id == namespace+"small_dripleaf_block" || strings.HasSuffix(v.id, "_door")) && m != clockwise:
		return v.quarterOff(m)
	}
	return nil
}

// lever: on the floor and under a ceiling Bedrock knows the axis only, and
// open_bit tells towards which end the lever lies: east and south are the
// inverted ends.
func (v *variants) lever(m motion) func(before, moved int32) int32 {
	direction, open := v.find("lever_direction"), v.find("open_bit")
	return func(before, moved int32) int32 {
		word := direction.values[direction.digit(before)]
		axisX := strings.HasSuffix(word, "_east_west")
		axisZ := strings.HasSuffix(word, "_north_south")
		// A quarter turn takes north to east and west to north.
		if (axisZ && m != mirrorX) || (axisX && m == mirrorX) {
			return open.set(moved, 1-open.digit(moved))
		}
		return moved
	}
}

// jigsaw: rotation is the turn of the upper edge, counted clockwise from north
// when the block looks up, counterclockwise when it looks down.
func (v *variants) jigsaw(m motion) func(before, moved int32) int32 {
	facing, rotation := v.find("facing_direction"), v.find("rotation")
	up, down := m.listed("north", "east", "south", "west"), m.listed("north", "west", "south", "east")
	return func(before, moved int32) int32 {
		turn := map[string]func(string) string{"0": down, "1": up}[facing.values[facing.digit(before)]]
		if turn == nil {
			return moved
		}
		return rotation.set(moved, rotation.index(turn(rotation.values[rotation.digit(before)])))
	}
}

// hangingSign: under a ceiling facing_direction says nothing unless the sign
// hangs along an axis.
func (v *variants) hangingSign() func(before, moved int32) int32 {
	hanging, facing, ground := v.find("hanging"), v.find("facing_direction"), v.find("ground_sign_direction")
	return func(before, moved int32) int32 {
		if hanging.values[hanging.digit(before)] == "true" && ground.digit(before)%4 != 0 {
			return facing.set(moved, facing.digit(before))
		}
		return moved
	}
}

// quarterOff: the direction of a door is a quarter turn off the side it faces
// (Java's north is Bedrock's east), that of a small dripleaf too, the other way
// round; so a mirror along one axis moves it as one along the other would.
func (v *variants) quarterOff(m motion) func(before, moved int32) int32 {
	p := v.find("minecraft:cardinal_direction")
	if p == nil {
		return nil
	}
	other := mirrorX + mirrorZ - m
	return func(before, moved int32) int32 {
		return p.set(moved, p.index(other.word(p.values[p.digit(before)])))
	}
}
