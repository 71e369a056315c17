package schematic

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed legacy.txt
var legacyTable string

// legacy maps block ids and data values of Java before 1.13 to states of 1.13.
type legacy map[int]map[int]string

// readLegacy reads the embedded table.
func readLegacy() (legacy, error) {
	table := legacy{}
	for line := range strings.Lines(legacyTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		id, err := strconv.Atoi(words[0])
		if err != nil {
			return nil, fmt.Errorf("the table of old ids is broken: %w", err)
		}
		states := make(map[int]string, len(words)-1)
		for _, word := range words[1:] {
			value, state, _ := strings.Cut(word, ":")
			data, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("the table of old ids is broken: %w", err)
			}
			states[data] = "minecraft:" + state
		}
		table[id] = states
	}
	return table, nil
}

// Old games kept some properties in a neighbour or in a block entity. mend puts
// them where they belong: the halves of doors tell each other what they know, the
// upper half of a plant takes the kind of the lower, stairs lose the shape that
// the table makes up, and heads take kind and turn from their block entity.
func mend(d *document, s *Schematic, all *states) error {
	roles := make([]role, len(all.list))
	some := len(d.mcedit.skulls) > 0
	for i, state := range all.list {
		roles[i] = roleOf(state)
		some = some || roles[i] != plain
	}
	if !some {
		return nil
	}
	area := s.Size.X * s.Size.Z
	original := append([]string(nil), all.list...)
	set := func(i int, state string) error {
		id, err := all.add(d, state)
		s.cells.set(i, id)
		return err
	}
	was := s.cells.clone()
	for i := range was.n {
		id := was.at(i)
		var other string // what stands below an upper half and above a lower one
		switch roles[id] {
		case plain:
			continue
		case stairs:
		case upperHalf:
			if i < area {
				continue
			}
			other = original[was.at(i-area)]
		case lowerDoor:
			if i+area >= was.n {
				continue
			}
			other = original[was.at(i+area)]
		}
		if err := set(i, mended(original[id], other, roles[id])); err != nil {
			return err
		}
	}
	for _, k := range d.mcedit.skulls {
		x, y, z := int(k.at[0]), int(k.at[1]), int(k.at[2])
		if x < 0 || y < 0 || z < 0 || x >= s.Size.X || y >= s.Size.Y || z >= s.Size.Z {
			continue
		}
		i := (y*s.Size.Z+z)*s.Size.X + x
		if err := set(i, k.state(all.list[s.cells.at(i)])); err != nil {
			return err
		}
	}
	s.palette = all.list
	return nil
}

// role says how a state is mended.
type role uint8

const (
	plain role = iota
	stairs
	upperHalf // of a door or a plant
	lowerDoor
)

func roleOf(state string) role {
	id, properties := split(state)
	switch {
	case strings.HasSuffix(id, "_stairs"):
		return stairs
	case strings.Contains(properties, "half=upper"):
		return upperHalf
	case strings.HasSuffix(id, "_door"):
		return lowerDoor
	default:
		return plain
	}
}

// mended returns a state with what its other half knows.
func mended(state, other string, r role) string {
	id, properties := split(state)
	otherID, otherProperties := split(other)
	switch {
	case r == stairs:
		return with(id, properties, "shape=straight")
	case !strings.HasSuffix(id, "_door") && strings.Contains(otherProperties, "half=lower"):
		return with(otherID, otherProperties, "half=upper")
	case id != otherID:
		return state
	case r == lowerDoor && strings.Contains(otherProperties, "half=upper"):
		return with(id, properties, property(otherProperties, "hinge"), property(otherProperties, "powered"))
	case r == upperHalf && strings.Contains(otherProperties, "half=lower"):
		return with(id, properties, property(otherProperties, "facing"), property(otherProperties, "open"))
	default:
		return state
	}
}

// property returns name=value out of a state's properties, "" when it has no such.
func property(properties, name string) string {
	for pair := range strings.SplitSeq(properties, ",") {
		if strings.HasPrefix(pair, name+"=") {
			return pair
		}
	}
	return ""
}

// with returns a state with some of its properties replaced.
func with(id, properties string, pairs ...string) string {
	var out []string
	for old := range strings.SplitSeq(properties, ",") {
		name, _, _ := strings.Cut(old, "=")
		for _, pair := range pairs {
			if strings.HasPrefix(pair, name+"=") {
				old = pair
			}
		}
		out = append(out, old)
	}
	return stateOf(id, out)
}

// heads are the kinds of heads by the number that old block entities have.
var heads = [...]struct{ floor, wall string }{
	{"skeleton_skull", "skeleton_wall_skull"},
	{"wither_skeleton_skull", "wither_skeleton_wall_skull"},
	{"zombie_head", "zombie_wall_head"},
	{"player_head", "player_wall_head"},
	{"creeper_head", "creeper_wall_head"},
	{"dragon_head", "dragon_wall_head"},
}

// state returns what a head becomes with what its block entity says.
func (k skull) state(now string) string {
	id, properties := split(now)
	if k.kind < 0 || int(k.kind) >= len(heads) || !strings.Contains(id, "skeleton_") {
		return now
	}
	if facing := property(properties, "facing"); facing != "" {
		return "minecraft:" + heads[k.kind].wall + "[" + facing + "]"
	}
	return fmt.Sprintf("minecraft:%s[rotation=%d]", heads[k.kind].floor, k.turn&15)
}
