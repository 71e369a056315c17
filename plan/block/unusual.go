package block

import "strings"

// standIn returns, for a block that Java has under another name only, or not at
// all, the Bedrock block that it has in its place.
func standIn(id string) string {
	switch strings.TrimPrefix(id, namespace) {
	case "flowing_water":
		return namespace + "water"
	case "flowing_lava":
		return namespace + "lava"
	case "invisible_bedrock":
		return namespace + "barrier"
	case "deprecated_anvil":
		return namespace + "damaged_anvil"
	case "deprecated_purpur_block_1", "deprecated_purpur_block_2":
		return namespace + "purpur_block"
	case "underwater_tnt":
		return namespace + "tnt"
	case "underwater_torch", "colored_torch_red", "colored_torch_green", "colored_torch_blue", "colored_torch_purple":
		return namespace + "torch"
	}
	if plain, hard := strings.CutPrefix(id, namespace+"hard_"); hard && strings.Contains(plain, "glass") {
		return namespace + plain
	}
	return id
}

// usual returns the state that an unusual one stands for: one that imports never
// write, though worlds may hold it.
func (r *Registry) usual(v *variants, offset int32) int32 {
	to := r.bedrock.byID[standIn(v.id)]
	if to == nil {
		to = v
	}
	if m := r.bedrock.byID[namespace+"mushroom_stem"]; strings.HasSuffix(v.id, "_mushroom_block") {
		if bits := v.value(offset, "huge_mushroom_bits"); bits == "10" || bits == "15" {
			to = m
		}
	}
	n := to.def
	for i := range v.props {
		p := &v.props[i]
		q := to.find(p.name)
		if q == nil {
			continue
		}
		if digit := q.index(usualValue(v, offset, p.name)); digit >= 0 {
			n = q.set(n, digit)
		}
	}
	return to.base + n
}

// value returns the value of a property in a combination, "" where the block has
// no such property.
func (v *variants) value(offset int32, name string) string {
	if p := v.find(name); p != nil {
		return p.values[p.digit(offset)]
	}
	return ""
}

func usualValue(v *variants, offset int32, name string) string {
	value := v.value(offset, name)
	switch name {
	case "torch_facing_direction":
		if value == "unknown" {
			return "top"
		}
	case "huge_mushroom_bits":
		if value == "11" || value == "12" || value == "13" {
			return "14"
		}
	case "fill_level": // sixths; Java knows thirds, and lava only to the brim
		if value != "0" && v.value(offset, "cauldron_liquid") == "lava" {
			return "6"
		}
		switch value {
		case "1", "3", "5":
			return string(value[0] + 1)
		}
	case "big_dripleaf_tilt":
		if v.value(offset, "big_dripleaf_head") == "false" {
			return "none"
		}
	case "redstone_signal":
		if strings.HasSuffix(v.id, "_pressure_plate") {
			return "0"
		}
	case "toggle_bit":
		if v.id == namespace+"bell" {
			return "false"
		}
	case "update_bit":
		return "false"
	case "persistent_bit":
		return "true"
	case "attached_bit", "facing_direction", "ground_sign_direction":
		if strings.HasSuffix(v.id, "_hanging_sign") {
			return usualHangingSign(v, offset, name)
		}
	}
	return value
}

// usualHangingSign: beside a wall the direction tells; under a ceiling the
// sixteenth.
func usualHangingSign(v *variants, offset int32, name string) string {
	value := v.value(offset, name)
	wall := v.value(offset, "hanging") == "false"
	switch {
	case name == "attached_bit" && wall:
		return "false"
	case name == "ground_sign_direction" && wall:
		switch v.value(offset, "facing_direction") {
		case "3":
			return "0"
		case "4":
			return "4"
		case "5":
			return "12"
		}
		return "8"
	case name == "facing_direction" && wall:
		if value == "0" || value == "1" {
			return "2"
		}
	case name == "facing_direction":
		switch v.value(offset, "ground_sign_direction") {
		case "0":
			return "3"
		case "4":
			return "4"
		case "12":
			return "5"
		}
		return "2"
	}
	return value
}

// restore puts back into Java state j what Java does tell of Bedrock state i
// although imports drop it.
func (r *Registry) restore(j, i int32) int32 {
	v, w := r.bedrock.of(i), r.java.of(j)
	set := func(name, value string) {
		if p := w.find(name); p != nil && p.index(value) >= 0 {
			j = w.base + p.set(j-w.base, p.index(value))
		}
	}
	offset := i - v.base
	if signal := v.value(offset, "redstone_signal"); signal != "" && strings.HasSuffix(v.id, "_pressure_plate") {
		set("power", signal)
		if signal != "0" {
			set("powered", "true")
		}
	}
	if v.value(offset, "persistent_bit") == "false" {
		set("persistent", "false")
		set("distance", "1") // at 7 they would be gone at once
	}
	if v.id == namespace+"bell" && v.value(offset, "toggle_bit") == "true" {
		set("powered", "true")
	}
	return j
}
