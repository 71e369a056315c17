package embedded

import (
	"strings"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// supported reports whether a block has the neighbour that it hangs on.
func (w *World) supported(d *store.Dimension, p voxel.Pos, in *info) bool {
	way, known := supportOf(in)
	if !known {
		return true
	}
	n := p.Add(way)
	if !inside(d, n) {
		return false
	}
	if !w.loaded(d, n) {
		return true // nobody knows, so nothing happens
	}
	s := d.At(n)
	return w.class(s)&block.Solid != 0 || w.catalog.info(s).id == in.id
}

// supportOf returns the way from an attached block to what it hangs on; false for
// the blocks that hang on several, or on something that is not simulated. What has
// no state that tells stands on the block below.
func supportOf(in *info) (voxel.Pos, bool) {
	name := strings.TrimPrefix(in.id, "minecraft:")
	switch name {
	case "vine", "glow_lichen", "sculk_vein", "resin_clump", "bell", "cocoa", "scaffolding", "pointed_dripstone", "chorus_plant":
		return voxel.Pos{}, false
	case "hanging_roots", "spore_blossom", "weeping_vines", "cave_vines", "cave_vines_body_with_berries", "cave_vines_head_with_berries":
		return voxel.Pos{Y: 1}, true
	}
	if strings.HasSuffix(name, "_wall_fan") {
		return voxel.Pos{}, false
	}
	if v, ok := in.value("hanging"); ok {
		return voxel.Pos{Y: 1}, v == "true" || !strings.HasSuffix(name, "_sign")
	}
	if v, ok := in.value("torch_facing_direction"); ok {
		return direction(v), true
	}
	if v, ok := in.value("lever_direction"); ok {
		word, _, _ := strings.Cut(v, "_")
		return opposite(direction(word)), true
	}
	if v, ok := in.value("minecraft:block_face"); ok {
		return opposite(direction(v)), true
	}
	if v, ok := in.value("facing_direction"); ok {
		return opposite(direction(facings(v))), true
	}
	if v, ok := in.value("direction"); ok && name == "tripwire_hook" {
		return opposite(direction(compass(v))), true
	}
	return voxel.Pos{Y: -1}, true
}

func opposite(p voxel.Pos) voxel.Pos { return voxel.Pos{X: -p.X, Y: -p.Y, Z: -p.Z} }

// facings turns the numbers of facing_direction into words.
func facings(n string) string {
	return map[string]string{"0": "down", "1": "up", "2": "north", "3": "south", "4": "west", "5": "east"}[n]
}

// compass turns the numbers of direction into words.
func compass(n string) string {
	return map[string]string{"0": "south", "1": "west", "2": "north", "3": "east"}[n]
}

// direction reads a word; what is not one of the others means below: torches call
// the block below "top".
func direction(word string) voxel.Pos {
	switch word {
	case "north":
		return voxel.Pos{Z: -1}
	case "south":
		return voxel.Pos{Z: 1}
	case "east":
		return voxel.Pos{X: 1}
	case "west":
		return voxel.Pos{X: -1}
	case "up":
		return voxel.Pos{Y: 1}
	default:
		return voxel.Pos{Y: -1}
	}
}

// otherHalf reports whether the other half of a door, bed or tall plant is where
// it must be. A block without a state that says which half it is, is whole.
func (w *World) otherHalf(d *store.Dimension, p voxel.Pos, in *info) bool {
	state, way := "upper_block_bit", voxel.Pos{Y: 1}
	value, ok := in.value(state)
	if !ok {
		if state = "head_piece_bit"; !strings.HasSuffix(in.id, "bed") {
			return true
		}
		if value, ok = in.value(state); !ok {
			return true
		}
		turned, _ := in.value("direction")
		way = direction(compass(turned))
	}
	if value == "true" {
		way = opposite(way)
	}
	n := p.Add(way)
	if !inside(d, n) {
		return false
	}
	if !w.loaded(d, n) {
		return true
	}
	other := w.catalog.info(d.At(n))
	half, _ := other.value(state)
	return other.id == in.id && half != value
}
