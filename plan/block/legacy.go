package block

import "strings"

// version1_14 is the data version in which a name changed its meaning.
const version1_14 = 1901 // 18w43a: stone_slab was split, the old one became smooth_stone_slab

// renamed reports whether an id that still exists meant another block in a
// version.
func renamed(id string, dataVersion int) bool {
	return id == namespace+"stone_slab" && dataVersion > 0 && dataVersion < version1_14
}

// modern returns what an id and its properties of an older version are called
// now. A name that no version has stays as it is.
func modern(id string, pairs []pair, dataVersion int) (string, []pair) {
	name := strings.TrimPrefix(id, namespace)
	switch name {
	case "grass_path":
		name = "dirt_path"
	case "grass":
		name = "short_grass"
	case "sign":
		name = "oak_sign"
	case "wall_sign":
		name = "oak_wall_sign"
	case "chain":
		name = "iron_chain"
	case "stone_slab":
		if renamed(id, dataVersion) {
			name = "smooth_stone_slab"
		}
	case "cauldron":
		name, pairs = modernCauldron(pairs)
	case "jigsaw":
		pairs = modernJigsaw(pairs)
	case "creaking_heart":
		pairs = modernCreakingHeart(pairs)
	}
	if strings.HasSuffix(name, "_wall") {
		pairs = modernWall(pairs)
	}
	return namespace + name, pairs
}

// modernCauldron: up to 1.16 one block held the water level.
func modernCauldron(pairs []pair) (string, []pair) {
	for i, kv := range pairs {
		if kv.name != "level" {
			continue
		}
		if kv.value == "0" {
			return "cauldron", append(pairs[:i:i], pairs[i+1:]...)
		}
		return "water_cauldron", pairs
	}
	return "cauldron", pairs
}

// modernWall: up to 1.15 a wall's sides were true and false.
func modernWall(pairs []pair) []pair {
	out := make([]pair, len(pairs))
	for i, kv := range pairs {
		switch {
		case kv.name == "up" || kv.name == waterlogged:
		case kv.value == "true":
			kv.value = "low"
		case kv.value == "false":
			kv.value = "none"
		}
		out[i] = kv
	}
	return out
}

// modernJigsaw: up to 1.15 a jigsaw block had a facing only.
func modernJigsaw(pairs []pair) []pair {
	out := make([]pair, len(pairs))
	for i, kv := range pairs {
		if kv.name == "facing" {
			kv.name = "orientation"
			switch kv.value {
			case "up", "down":
				kv.value += "_north"
			default:
				kv.value += "_up"
			}
		}
		out[i] = kv
	}
	return out
}

// modernCreakingHeart: in 1.21.4 the state of a creaking heart had another name.
func modernCreakingHeart(pairs []pair) []pair {
	out := make([]pair, len(pairs))
	for i, kv := range pairs {
		if kv.name == "creaking" {
			kv.name = "creaking_heart_state"
			switch kv.value {
			case "disabled":
				kv.value = "uprooted"
			case "active":
				kv.value = "awake"
			}
		}
		out[i] = kv
	}
	return out
}
