package embedded

import "strings"

// holdsWater reports whether a block's second layer can hold water. The registry
// does not say so; these are the blocks that certainly cannot.
func (c *catalog) holdsWater(id string) bool {
	name := strings.TrimPrefix(id, "minecraft:")
	switch name {
	case "air", "water", "flowing_water", "lava", "flowing_lava", "stone", "dirt", "grass_block", "bedrock", "sand",
		"red_sand", "gravel", "cobblestone", "mossy_cobblestone", "granite", "diorite", "andesite", "deepslate", "tuff",
		"calcite", "netherrack", "end_stone", "obsidian", "glowstone", "bookshelf", "clay", "snow", "ice", "packed_ice",
		"glass", "hay_block", "sea_lantern", "smooth_stone", "sandstone", "red_sandstone", "quartz_block", "prismarine",
		"melon_block", "pumpkin", "sponge", "coarse_dirt", "podzol", "mycelium", "soul_sand", "soul_soil", "basalt", "blackstone":
		return false
	}
	for _, suffix := range []string{"_planks", "_log", "_wood", "_wool", "_concrete", "_concrete_powder", "_terracotta", "_ore", "_bricks", "_stained_glass", "_stem", "_hyphae"} {
		if strings.HasSuffix(name, suffix) {
			return false
		}
	}
	return true
}

// containerSlots returns the size of a container, 0 for other blocks.
func containerSlots(id string) int {
	name := strings.TrimPrefix(id, "minecraft:")
	switch {
	case name == "chest", name == "trapped_chest", name == "barrel", strings.HasSuffix(name, "shulker_box"), strings.HasSuffix(name, "copper_chest"):
		return 27
	case strings.HasSuffix(name, "furnace"), strings.HasSuffix(name, "smoker"):
		return 3
	case name == "hopper", name == "brewing_stand":
		return 5
	case name == "dispenser", name == "dropper", name == "crafter":
		return 9
	case strings.HasSuffix(name, "_shelf"):
		return 3
	default:
		return 0
	}
}

func isSign(id string) bool { return strings.HasSuffix(id, "_sign") }
