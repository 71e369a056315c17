package block

import "strings"

// side is one horizontal direction.
type side struct {
	name     string
	dx, dz   int
	opposite string
	towards  Faces // the face of the neighbour in this direction that looks back
	here     Faces // the face of the block itself
}

// sides are the four horizontal directions, clockwise.
var sides = [4]side{
	{"north", 0, -1, "south", South, North},
	{"east", 1, 0, "west", West, East},
	{"south", 0, 1, "north", North, South},
	{"west", -1, 0, "east", East, West},
}

// Connect returns s with the states that depend on its neighbours computed from
// them, as the game does: the sides of fences, panes, bars, walls, tripwire,
// redstone wire, chorus plants and fire, the corners of stairs, whether a fence
// gate stands in a wall. neighbour returns the state at an offset; "" where
// nothing is known, which counts as air. Other states stay as they are.
//
// The rules are those of Java Edition's block updates; where a profile has no
// such state (fences up to 1.26.45) the game draws them itself.
func (r *Registry) Connect(s State, neighbour func(dx, dy, dz int) State) State {
	i, wet, ok := r.lookup(s)
	if !ok {
		return s
	}
	v := r.bedrock.of(i)
	c := &connector{r: r, v: v, offset: i - v.base, at: neighbour}
	switch {
	case v.find("minecraft:corner") != nil:
		c.put("minecraft:corner", c.corner())
	case v.find("wall_post_bit") != nil:
		c.wall()
	case v.find("in_wall_bit") != nil:
		c.gate()
	case v.find("redstone_north") != nil:
		c.wire()
	case v.id == namespace+"chorus_plant":
		c.chorus()
	case v.id == namespace+"fire":
		c.fire()
	case v.find("minecraft:connection_north") != nil:
		for _, d := range sides {
			c.putBool("minecraft:connection_"+d.name, c.joins(d))
		}
	default:
		return s
	}
	return r.text(v.base+c.offset, wet)
}

// connector computes one block.
type connector struct {
	r      *Registry
	v      *variants
	offset int32
	at     func(dx, dy, dz int) State
}

func (c *connector) put(name, value string) {
	if p := c.v.find(name); p != nil {
		if digit := p.index(value); digit >= 0 {
			c.offset = p.set(c.offset, digit)
		}
	}
}

func (c *connector) putBool(name string, on bool) {
	c.put(name, [...]string{"false", "true"}[b2i(on)])
}

// joins reports whether a fence, pane, bar or tripwire connects to the block at
// a side.
func (c *connector) joins(d side) bool {
	n := c.at(d.dx, 0, d.dz)
	id := n.ID()
	switch {
	case n == "":
		return false
	case c.v.id == namespace+"trip_wire":
		return id == c.v.id || id == namespace+"tripwire_hook" && compass(n.Value("direction")) == d.opposite
	case isFence(c.v.id):
		return isFence(id) && isNether(id) == isNether(c.v.id) || c.gateAcross(n, d) || c.sturdy(n, d.towards)
	}
	return isPane(id) || c.isWall(id) || c.sturdy(n, d.towards)
}

func isFence(id string) bool { return strings.HasSuffix(id, "_fence") }

func isNether(id string) bool { return id == namespace+"nether_brick_fence" }

func isPane(id string) bool { return strings.HasSuffix(id, "_pane") || strings.HasSuffix(id, "_bars") }

func (c *connector) isWall(id string) bool {
	v := c.r.bedrock.byID[id]
	return v != nil && v.find("wall_post_bit") != nil
}

func isGate(id string) bool { return strings.HasSuffix(id, "fence_gate") }

// compass turns the numbers of direction into words.
func compass(direction string) string {
	return map[string]string{"0": "south", "1": "west", "2": "north", "3": "east"}[direction]
}

// axisOf returns whether a horizontal direction runs along x.
func axisX(direction string) bool { return direction == "east" || direction == "west" }

// gateAcross reports whether n is a fence gate whose ends point to us.
func (c *connector) gateAcross(n State, d side) bool {
	return isGate(n.ID()) && axisX(n.Value("minecraft:cardinal_direction")) != axisX(d.name)
}

// sturdy reports whether a face of n carries a fence: a full square, but not of
// the blocks that the game excepts.
func (c *connector) sturdy(n State, face Faces) bool {
	id := n.ID()
	switch strings.TrimPrefix(id, namespace) {
	case "soul_sand", "mud":
		return true // they look full and only give way
	case "barrier", "pumpkin", "carved_pumpkin", "lit_pumpkin", "melon_block", "azalea_leaves_flowered":
		return false
	}
	if strings.HasSuffix(id, "_leaves") || strings.HasSuffix(id, "shulker_box") {
		return false
	}
	_, full := c.r.Collision(n)
	return full&face != 0
}

// corner returns the corner of stairs: an outer one where the stairs that the
// high side looks at turn away, an inner one where those at the low side do.
func (c *connector) corner() string {
	facing := stairsFacing(c.v.value(c.offset, "weirdo_direction"))
	front, back := sideOf(facing), sideOf(sideOf(facing).opposite)
	if n := c.at(front.dx, 0, front.dz); c.isStairs(n) {
		turned := stairsFacing(n.Value("weirdo_direction"))
		if axisX(turned) != axisX(facing) && c.free(sideOf(turned).opposite) {
			return c.hand("outer_", turned, facing)
		}
	}
	if n := c.at(back.dx, 0, back.dz); c.isStairs(n) {
		turned := stairsFacing(n.Value("weirdo_direction"))
		if axisX(turned) != axisX(facing) && c.free(turned) {
			return c.hand("inner_", turned, facing)
		}
	}
	return "none"
}

// hand: left is counterclockwise.
func (c *connector) hand(corner, turned, facing string) string {
	if clockwise.direction(turned) == facing {
		return corner + "left"
	}
	return corner + "right"
}

// isStairs reports whether n is stairs of the same half.
func (c *connector) isStairs(n State) bool {
	return strings.HasSuffix(n.ID(), "_stairs") && n.Value("upside_down_bit") == c.v.value(c.offset, "upside_down_bit")
}

// free reports whether no stairs of the same direction continue ours at a side.
func (c *connector) free(direction string) bool {
	d := sideOf(direction)
	n := c.at(d.dx, 0, d.dz)
	return !c.isStairs(n) || n.Value("weirdo_direction") != c.v.value(c.offset, "weirdo_direction")
}

func stairsFacing(weirdo string) string {
	return map[string]string{"0": "east", "1": "west", "2": "south", "3": "north"}[weirdo]
}

func sideOf(direction string) side {
	for _, d := range sides {
		if d.name == direction {
			return d
		}
	}
	return sides[0]
}

func (c *connector) gate() {
	along := axisX(c.v.value(c.offset, "minecraft:cardinal_direction"))
	in := false
	for _, d := range sides {
		in = in || axisX(d.name) != along && c.isWall(c.at(d.dx, 0, d.dz).ID())
	}
	c.putBool("in_wall_bit", in)
}

// wall computes sides and post. A side is tall where the block above rests on it;
// the post stands at ends, corners and crossings, under posts and under what
// needs one.
func (c *connector) wall() {
	above := c.at(0, 1, 0)
	boxes, _ := c.r.Collision(above)
	var height [4]string
	for i, d := range sides {
		n := c.at(d.dx, 0, d.dz)
		height[i] = "none"
		if n != "" && (c.isWall(n.ID()) || isPane(n.ID()) || c.gateAcross(n, d) || c.sturdy(n, d.towards)) {
			height[i] = "short"
			if rests(boxes, armOf(d)) {
				height[i] = "tall"
			}
		}
		c.put("wall_connection_type_"+d.name, height[i])
	}
	north, east, south, west := height[0], height[1], height[2], height[3]
	none := func(h string) bool { return h == "none" }
	post := above.Value("wall_post_bit") == "true"
	switch {
	case post:
	case none(north) && none(east) && none(south) && none(west), none(north) != none(south), none(east) != none(west):
		post = true
	case north == "tall" && south == "tall", east == "tall" && west == "tall":
	default:
		post = needsPost(above.ID()) || rests(boxes, [4]uint8{7, 7, 9, 9})
	}
	c.putBool("wall_post_bit", post)
}

// armOf is the ground of a wall's arm: from x, z to x, z.
func armOf(d side) [4]uint8 {
	switch d.name {
	case "north":
		return [4]uint8{7, 0, 9, 9}
	case "south":
		return [4]uint8{7, 7, 9, 16}
	case "west":
		return [4]uint8{0, 7, 9, 9}
	default:
		return [4]uint8{7, 7, 16, 9}
	}
}

// rests reports whether the lower face of the boxes covers a rectangle.
func rests(boxes []Cuboid, area [4]uint8) bool {
	for x := area[0]; x < area[2]; x++ {
		for z := area[1]; z < area[3]; z++ {
			covered := false
			for _, b := range boxes {
				covered = covered || b[1] == 0 && b[0] <= x && x < b[3] && b[2] <= z && z < b[5]
			}
			if !covered {
				return false
			}
		}
	}
	return true
}

// needsPost: blocks without collision that a wall carries on a post.
func needsPost(id string) bool {
	for _, suffix := range [...]string{"torch", "_sign", "_banner", "_pressure_plate", "trip_wire"} {
		if strings.HasSuffix(id, suffix) {
			return true
		}
	}
	return false
}
