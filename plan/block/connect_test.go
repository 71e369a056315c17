package block_test

import (
	"strings"
	"testing"

	"groundplan/plan/block"
)

// plot is a small world for Connect: states by "x y z" offsets.
type plot map[[3]int]string

func (p plot) around(t *testing.T, r *block.Registry, x, y, z int) block.State {
	t.Helper()
	state := func(text string) block.State {
		if text == "" {
			return ""
		}
		s, err := r.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return r.Connect(state(p[[3]int{x, y, z}]), func(dx, dy, dz int) block.State {
		return state(p[[3]int{x + dx, y + dy, z + dz}])
	})
}

func TestConnectFollowsTheNeighbours(t *testing.T) {
	r := load(t, block.Profile60)
	for name, c := range map[string]struct {
		plot plot
		want string
	}{
		"a fence alone":                 {plot{{}: "oak_fence"}, "oak_fence"},
		"a fence beside another wood":   {plot{{}: "oak_fence", {1, 0, 0}: "birch_fence"}, "oak_fence[connection_east=true]"},
		"a fence beside nether brick":   {plot{{}: "oak_fence", {1, 0, 0}: "nether_brick_fence"}, "oak_fence"},
		"a fence beside stone":          {plot{{}: "oak_fence", {0, 0, -1}: "stone"}, "oak_fence[connection_north=true]"},
		"a fence beside leaves":         {plot{{}: "oak_fence", {0, 0, -1}: "oak_leaves"}, "oak_fence"},
		"a fence beside a slab":         {plot{{}: "oak_fence", {0, 0, -1}: "oak_slab"}, "oak_fence"},
		"a fence at the back of stairs": {plot{{}: "oak_fence", {-1, 0, 0}: "oak_stairs[weirdo_direction=0]"}, "oak_fence[connection_west=true]"},
		"a fence before stairs":         {plot{{}: "oak_fence", {1, 0, 0}: "oak_stairs[weirdo_direction=0]"}, "oak_fence"},
		"a fence at the end of a gate":  {plot{{}: "oak_fence", {1, 0, 0}: "birch_fence_gate[cardinal_direction=north]"}, "oak_fence[connection_east=true]"},
		"a fence before a gate":         {plot{{}: "oak_fence", {0, 0, 1}: "birch_fence_gate[cardinal_direction=north]"}, "oak_fence"},
		"a wet fence stays wet":         {plot{{}: "oak_fence[waterlogged=true]", {1, 0, 0}: "stone"}, "oak_fence[connection_east=true,waterlogged=true]"},
		"an old connection goes":        {plot{{}: "oak_fence[connection_east=true]"}, "oak_fence"},
		"a pane beside bars and a wall": {plot{{}: "glass_pane", {1, 0, 0}: "iron_bars", {-1, 0, 0}: "cobblestone_wall"}, "glass_pane[connection_east=true,connection_west=true]"},
		"a pane beside a fence":         {plot{{}: "glass_pane", {1, 0, 0}: "oak_fence"}, "glass_pane"},
		"a wall in a line":              {plot{{}: "cobblestone_wall[wall_post_bit=true]", {1, 0, 0}: "brick_wall", {-1, 0, 0}: "stone"}, "cobblestone_wall[wall_connection_type_east=short,wall_connection_type_west=short]"},
		"a wall in a line under stone":  {plot{{}: "cobblestone_wall", {1, 0, 0}: "brick_wall", {-1, 0, 0}: "stone", {0, 1, 0}: "stone"}, "cobblestone_wall[wall_connection_type_east=tall,wall_connection_type_west=tall]"},
		"a wall at a corner":            {plot{{}: "cobblestone_wall", {1, 0, 0}: "brick_wall", {0, 0, 1}: "stone"}, "cobblestone_wall[wall_connection_type_east=short,wall_connection_type_south=short,wall_post_bit=true]"},
		"a wall under a torch":          {plot{{}: "cobblestone_wall", {1, 0, 0}: "brick_wall", {-1, 0, 0}: "stone", {0, 1, 0}: "torch"}, "cobblestone_wall[wall_connection_type_east=short,wall_connection_type_west=short,wall_post_bit=true]"},
		"a wall alone is a post":        {plot{{}: "cobblestone_wall"}, "cobblestone_wall[wall_post_bit=true]"},
		"a gate in a wall":              {plot{{}: "fence_gate[cardinal_direction=north]", {1, 0, 0}: "brick_wall"}, "fence_gate[cardinal_direction=north,in_wall_bit=true]"},
		"a gate before a wall":          {plot{{}: "fence_gate[cardinal_direction=north]", {0, 0, 1}: "brick_wall"}, "fence_gate[cardinal_direction=north]"},
		"stairs in a line":              {plot{{}: "oak_stairs[weirdo_direction=3]", {1, 0, 0}: "birch_stairs[weirdo_direction=3]"}, "oak_stairs[weirdo_direction=3]"},
		"stairs round an outer corner":  {plot{{}: "oak_stairs[weirdo_direction=3]", {0, 0, -1}: "birch_stairs[weirdo_direction=1]"}, "oak_stairs[weirdo_direction=3,corner=outer_left]"},
		"stairs round an inner corner":  {plot{{}: "oak_stairs[weirdo_direction=3]", {0, 0, 1}: "birch_stairs[weirdo_direction=0]"}, "oak_stairs[weirdo_direction=3,corner=inner_right]"},
		"stairs of the other half":      {plot{{}: "oak_stairs[weirdo_direction=3]", {0, 0, -1}: "birch_stairs[weirdo_direction=1,upside_down_bit=true]"}, "oak_stairs[weirdo_direction=3]"},
		"a corner that a row continues": {plot{{}: "oak_stairs[weirdo_direction=3]", {0, 0, -1}: "oak_stairs[weirdo_direction=1]", {1, 0, 0}: "oak_stairs[weirdo_direction=3]"}, "oak_stairs[weirdo_direction=3]"},
		"tripwire to a hook that looks": {plot{{}: "trip_wire", {1, 0, 0}: "tripwire_hook[direction=1]"}, "trip_wire[connection_east=true]"},
		"tripwire to a hook's back":     {plot{{}: "trip_wire", {1, 0, 0}: "tripwire_hook[direction=3]"}, "trip_wire"},
		"wire to a lever is a line":     {plot{{}: "redstone_wire", {1, 0, 0}: "lever"}, "redstone_wire[redstone_east=side,redstone_west=side]"},
		"wire climbs":                   {plot{{}: "redstone_wire", {1, 0, 0}: "stone", {1, 1, 0}: "redstone_wire"}, "redstone_wire[redstone_east=up,redstone_west=side]"},
		"wire under a block cannot":     {plot{{}: "redstone_wire", {1, 0, 0}: "stone", {1, 1, 0}: "redstone_wire", {0, 1, 0}: "stone"}, "redstone_wire"},
		"wire goes down":                {plot{{}: "redstone_wire", {1, -1, 0}: "redstone_wire", {0, 0, 1}: "redstone_wire"}, "redstone_wire[redstone_east=side,redstone_south=side]"},
		"wire past a repeater's side":   {plot{{}: "redstone_wire", {1, 0, 0}: "unpowered_repeater[cardinal_direction=north]"}, "redstone_wire"},
		"fire on a burning wall":        {plot{{}: "fire", {1, 0, 0}: "oak_planks"}, "fire[connection_east=true]"},
		"fire on the ground":            {plot{{}: "fire", {1, 0, 0}: "oak_planks", {0, -1, 0}: "stone"}, "fire"},
		"a chorus plant out of the end": {plot{{}: "chorus_plant", {0, -1, 0}: "end_stone", {0, 1, 0}: "chorus_flower"}, "chorus_plant[connection_down=true,connection_up=true]"},
		"other blocks stay":             {plot{{}: "furnace[cardinal_direction=east]", {1, 0, 0}: "stone"}, "furnace[cardinal_direction=east]"},
		"what nobody knows stays":       {plot{}, ""},
	} {
		want := block.State("")
		if c.want != "" {
			var err error
			if want, err = r.Parse(c.want); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.plot.around(t, r, 0, 0, 0); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestConnectLeavesToOldGamesWhatTheyDraw(t *testing.T) {
	r := load(t, block.Profile45)
	s, err := r.Parse("oak_fence")
	if err != nil {
		t.Fatal(err)
	}
	got := r.Connect(s, func(int, int, int) block.State { return "minecraft:stone" })
	if got != s || strings.Contains(string(got), "connection") {
		t.Errorf("a fence of 1.26.45 became %s", got)
	}
}
