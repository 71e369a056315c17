package plan

import (
	"cmp"
	"slices"
	"strings"

	"groundplan/plan/block"
)

// Material is how much of an item a plan needs.
type Material struct {
	Item     string `json:"item"`     // without minecraft:
	Count    int    `json:"count"`    // pieces
	Stacks   int    `json:"stacks"`   // full and begun stacks
	Shulkers int    `json:"shulkers"` // full and begun shulker boxes of 27 stacks
}

const (
	stackSize   = 64
	shulkerSize = 27
)

// Materials returns what a player would need to build the plan by hand, the most
// first. Two halves are one door, a double slab is two slabs, and of fluids only
// sources count, as buckets.
func (p *Plan) Materials() []Material {
	counts := map[block.State]int{}
	for _, s := range p.Slices {
		for _, f := range s.Fills {
			counts[f.After] += f.Box.Volume()
		}
	}
	items := map[string]int{}
	for s, n := range counts {
		if item, each := itemOf(s); each > 0 {
			items[item] += n * each
		}
		if s.Waterlogged() {
			items["water_bucket"] += n
		}
	}
	out := make([]Material, 0, len(items))
	for item, n := range items {
		size := stackSize
		if item == "bed" || strings.HasSuffix(item, "_bucket") {
			size = 1
		}
		stacks := (n + size - 1) / size
		out = append(out, Material{item, n, stacks, (stacks + shulkerSize - 1) / shulkerSize})
	}
	slices.SortFunc(out, func(a, b Material) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Item, b.Item))
	})
	return out
}

// itemOf returns the item that places the state, and how many of it.
func itemOf(s block.State) (item string, each int) {
	id := strings.TrimPrefix(s.ID(), "minecraft:")
	switch {
	case s.Dry() == block.Air, s.Value("upper_block_bit") == "true", s.Value("head_piece_bit") == "true":
		return "", 0
	case id == "water", id == "lava":
		if s.Value("liquid_depth") != "0" {
			return "", 0
		}
		return id + "_bucket", 1
	case id == "flowing_water", id == "flowing_lava":
		return "", 0
	case strings.Contains(id, "double_") && strings.HasSuffix(id, "slab"):
		return strings.Replace(id, "double_", "", 1), 2
	case id == "redstone_wire":
		return "redstone", 1
	default:
		return id, 1
	}
}
