package block

import "strings"

// wire computes the arms of redstone wire: to components beside it, up a solid
// block with wire on it, down past a block that is not solid. One arm, or two at
// one axis, make a line.
func (c *connector) wire() {
	var arm [4]string
	covered := c.conducts(c.at(0, 1, 0))
	for i, d := range sides {
		arm[i] = c.arm(d, covered)
	}
	if arm == [4]string{"none", "none", "none", "none"} {
		c.alone()
		return
	}
	on := func(i int) bool { return arm[i] != "none" }
	line := arm
	for i := range arm {
		across := on((i+1)%4) || on((i+3)%4)
		if !on(i) && on((i+2)%4) && !across {
			line[i] = "side"
		}
	}
	for i, d := range sides {
		c.put("redstone_"+d.name, line[i])
	}
}

// alone: wire that leads nowhere is a dot or a cross, as the player likes.
func (c *connector) alone() {
	shape := "none"
	for _, d := range sides {
		if c.v.value(c.offset, "redstone_"+d.name) != "none" {
			shape = "side"
		}
	}
	for _, d := range sides {
		c.put("redstone_"+d.name, shape)
	}
}

func (c *connector) arm(d side, covered bool) string {
	n := c.at(d.dx, 0, d.dz)
	_, full := c.r.Collision(n)
	if !covered && (full&Up != 0 || n.ID() == namespace+"hopper") && isWire(c.at(d.dx, 1, d.dz)) {
		if full&d.towards != 0 {
			return "up"
		}
		return "side"
	}
	if c.powers(n, d) || !c.conducts(n) && isWire(c.at(d.dx, -1, d.dz)) {
		return "side"
	}
	return "none"
}

func isWire(n State) bool { return n.ID() == namespace+"redstone_wire" }

// conducts reports whether n is a full, opaque block: it carries power and cuts
// wire that climbs.
func (c *connector) conducts(n State) bool {
	id := n.ID()
	for _, word := range [...]string{"glass", "leaves", "glowstone", "redstone_block", "observer", "piston", "slime", "honey_block", "ice", "sea_lantern", "copper_grate"} {
		if strings.Contains(id, word) {
			return false
		}
	}
	_, full := c.r.Collision(n)
	return full == AllFaces
}

// powers reports whether wire turns to n: other wire, the two ends of a
// repeater, the back of an observer, anything that gives power.
func (c *connector) powers(n State, d side) bool {
	id := strings.TrimPrefix(n.ID(), namespace)
	switch {
	case id == "redstone_wire":
		return true
	case strings.HasSuffix(id, "_repeater"):
		return axisX(n.Value("minecraft:cardinal_direction")) == axisX(d.name)
	case id == "observer":
		return n.Value("minecraft:facing_direction") == d.name
	}
	for _, suffix := range [...]string{
		"_comparator", "redstone_torch", "lever", "_button", "_pressure_plate", "redstone_block", "detector_rail",
		"daylight_detector", "daylight_detector_inverted", "tripwire_hook", "trapped_chest", "lectern", "target", "sculk_sensor", "lightning_rod", "jukebox",
	} {
		if strings.HasSuffix(id, suffix) {
			return true
		}
	}
	return false
}

// chorus: a chorus plant grows into every chorus block and out of end stone.
func (c *connector) chorus() {
	grows := func(n State) bool {
		return n.ID() == c.v.id || n.ID() == namespace+"chorus_flower"
	}
	for _, d := range sides {
		c.putBool("minecraft:connection_"+d.name, grows(c.at(d.dx, 0, d.dz)))
	}
	below := c.at(0, -1, 0)
	c.putBool("minecraft:connection_up", grows(c.at(0, 1, 0)))
	c.putBool("minecraft:connection_down", grows(below) || below.ID() == namespace+"end_stone")
}

// fire clings to what burns around it where the block below neither burns nor
// carries it.
func (c *connector) fire() {
	below := c.at(0, -1, 0)
	_, full := c.r.Collision(below)
	stands := full&Up != 0 || burns(below)
	for _, d := range sides {
		c.putBool("minecraft:connection_"+d.name, !stands && burns(c.at(d.dx, 0, d.dz)))
	}
	c.putBool("minecraft:connection_up", !stands && burns(c.at(0, 1, 0)))
}

// burns reports whether fire can hold on to n.
func burns(n State) bool {
	id := strings.TrimPrefix(n.ID(), namespace)
	if strings.HasPrefix(id, "crimson_") || strings.HasPrefix(id, "warped_") || strings.HasPrefix(id, "nether_brick") {
		return false
	}
	for _, suffix := range [...]string{
		"_planks", "_log", "_wood", "_leaves", "_wool", "_carpet", "_fence", "fence_gate", "bookshelf", "lectern",
		"composter", "beehive", "bee_nest", "hay_block", "tnt", "vine", "scaffolding", "target", "dried_kelp_block", "bamboo_block", "bamboo_mosaic", "coal_block",
	} {
		if strings.HasSuffix(id, suffix) {
			return true
		}
	}
	wood := strings.HasPrefix(id, "oak_") || strings.HasPrefix(id, "spruce_") || strings.HasPrefix(id, "birch_") || strings.HasPrefix(id, "jungle_") ||
		strings.HasPrefix(id, "acacia_") || strings.HasPrefix(id, "dark_oak_") || strings.HasPrefix(id, "mangrove_") || strings.HasPrefix(id, "cherry_") ||
		strings.HasPrefix(id, "pale_oak_") || strings.HasPrefix(id, "bamboo_") || strings.HasPrefix(id, "poplar_")
	return wood && (strings.HasSuffix(id, "_stairs") || strings.HasSuffix(id, "_slab"))
}
