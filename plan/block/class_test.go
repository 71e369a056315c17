package block_test

import (
	"slices"
	"testing"

	"groundplan/plan/block"
	"groundplan/plan/fault"
)

func TestClassesSayWhatBlocksDo(t *testing.T) {
	r := load(t, block.Profile60)
	for state, c := range map[string]struct{ has, not block.Class }{
		"stone":                 {block.Solid, block.Gravity | block.Attached | block.Fluid | block.BlockEntity | block.RandomTick | block.Admin},
		"air":                   {0, block.Solid | block.Fluid | block.Attached},
		"sand":                  {block.Solid | block.Gravity, block.Attached},
		"white_concrete_powder": {block.Gravity, block.Attached},
		"white_concrete":        {block.Solid, block.Gravity},
		"anvil":                 {block.Solid | block.Gravity, block.Attached},
		"dragon_egg":            {block.Gravity, 0},
		"pointed_dripstone":     {block.Gravity | block.Attached, 0},
		"scaffolding":           {block.Gravity | block.Attached, 0},
		"water":                 {block.Fluid, block.Solid},
		"flowing_lava":          {block.Fluid, block.Solid},
		"torch":                 {block.Attached, block.Solid},
		"redstone_torch":        {block.Attached | block.Redstone, block.Solid},
		"ladder":                {block.Attached, 0},
		"rail":                  {block.Attached | block.Redstone, block.Solid},
		"redstone_wire":         {block.Attached | block.Redstone, block.Solid},
		"unpowered_repeater":    {block.Attached | block.Redstone, 0},
		"lever":                 {block.Attached | block.Redstone, block.Solid},
		"stone_button":          {block.Attached | block.Redstone, block.Solid},
		"wooden_pressure_plate": {block.Attached | block.Redstone, block.Solid},
		"vine":                  {block.Attached | block.RandomTick, block.Solid},
		"wheat":                 {block.Attached | block.RandomTick, block.Solid},
		"poppy":                 {block.Attached, block.Solid},
		"oak_sapling":           {block.Attached | block.RandomTick, block.Solid},
		"cactus":                {block.Attached | block.RandomTick | block.Solid, 0},
		"kelp":                  {block.Attached | block.RandomTick, block.Solid},
		"wooden_door":           {block.Half | block.Attached | block.Redstone, block.Gravity},
		"iron_door":             {block.Half | block.Attached, 0},
		"bed":                   {block.Half | block.BlockEntity, block.Gravity},
		"sunflower":             {block.Half | block.Attached, block.Solid},
		"trapdoor":              {block.Redstone, block.Half | block.Attached},
		"chest":                 {block.Container | block.BlockEntity | block.Solid, block.Attached},
		"ender_chest":           {block.BlockEntity, block.Container},
		"red_shulker_box":       {block.Container | block.BlockEntity, 0},
		"hopper":                {block.Container | block.Redstone, 0},
		"furnace":               {block.Container | block.BlockEntity, block.Redstone},
		"standing_sign":         {block.BlockEntity | block.Attached, block.Solid},
		"oak_hanging_sign":      {block.BlockEntity | block.Attached, 0},
		"standing_banner":       {block.BlockEntity | block.Attached, 0},
		"skeleton_skull":        {block.BlockEntity, block.Attached},
		"flower_pot":            {block.BlockEntity, 0},
		"noteblock":             {block.BlockEntity | block.Redstone, 0},
		"oak_leaves":            {block.RandomTick | block.Solid, block.Attached},
		"grass_block":           {block.RandomTick | block.Solid, 0},
		"ice":                   {block.RandomTick | block.Solid, 0},
		"packed_ice":            {block.Solid, block.RandomTick},
		"snow_layer":            {block.RandomTick | block.Attached, 0},
		"snow":                  {block.Solid, block.RandomTick | block.Attached},
		"white_carpet":          {block.Attached, 0},
		"brain_coral":           {block.Attached | block.RandomTick, block.Solid},
		"dead_brain_coral":      {block.Attached, block.RandomTick},
		"copper_block":          {block.RandomTick | block.Solid, 0},
		"waxed_copper":          {block.Solid, block.RandomTick},
		"oxidized_copper":       {block.Solid, block.RandomTick},
		"piston":                {block.Redstone | block.BlockEntity, block.Attached},
		"command_block":         {block.Admin | block.BlockEntity, 0},
		"barrier":               {block.Admin, 0},
		"mob_spawner":           {block.Admin | block.BlockEntity, 0},
		"portal":                {block.Admin, 0},
		"bedrock":               {block.Solid, block.Admin},
		"glass":                 {block.Solid, block.Admin | block.Attached},
		"oak_fence":             {block.Solid, block.Attached | block.Redstone},
		"oak_stairs":            {block.Solid, block.Attached | block.Half},
		"candle":                {block.Attached, 0},
		"lantern":               {block.Attached, 0},
		"lodestone":             {block.BlockEntity | block.Solid, 0},
	} {
		s, err := r.Parse(state)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Class(s); got&c.has != c.has || got&c.not != 0 {
			t.Errorf("%s is %s; want %s and not %s", state, got, c.has, c.not)
		}
	}
}

func TestClassNamesReadBack(t *testing.T) {
	all, err := block.ParseClass("solid,gravity,fluid,attached,half,container,block_entity,redstone,random_tick,admin")
	if err != nil || all != 1<<10-1 {
		t.Errorf("all: %d, %v", all, err)
	}
	if got := (block.Gravity | block.Admin).String(); got != "gravity,admin" {
		t.Errorf("names: %s", got)
	}
	for _, bad := range []string{"", "heavy", "solid,", "SOLID"} {
		if _, err := block.ParseClass(bad); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestShapesLieInTheirCellAndFollowTheState(t *testing.T) {
	r := load(t, block.Profile60)
	for state, want := range map[string]struct {
		boxes int
		faces block.Faces
	}{
		"stone":                          {1, block.AllFaces},
		"glass":                          {1, block.AllFaces},
		"oak_slab":                       {1, block.Down},
		"oak_slab[vertical_half=top]":    {1, block.Up},
		"oak_double_slab":                {1, block.AllFaces},
		"oak_stairs[weirdo_direction=0]": {2, block.Down | block.East},
		"oak_stairs[weirdo_direction=3,upside_down_bit=true]": {2, block.Up | block.North},
		"torch":                                {0, 0},
		"oak_fence":                            {1, 0},
		"wooden_door[cardinal_direction=east]": {1, block.South},
		"air":                                  {0, 0},
	} {
		s, err := r.Parse(state)
		if err != nil {
			t.Fatal(err)
		}
		if boxes, faces := r.Collision(s); len(boxes) != want.boxes || faces != want.faces {
			t.Errorf("%s: %d boxes, faces %06b; want %d, %06b", state, len(boxes), faces, want.boxes, want.faces)
		}
	}
	for _, id := range r.IDs() {
		s, err := r.Parse(id)
		if err != nil {
			t.Fatal(err)
		}
		boxes := r.Shape(s)
		if len(boxes) == 0 && id != "minecraft:air" && id != "minecraft:structure_void" && r.Class(s)&block.Admin == 0 {
			t.Errorf("%s cannot be seen", id)
		}
		for _, b := range boxes {
			if b[0] >= b[3] || b[1] >= b[4] || b[2] >= b[5] || slices.Max(b[:]) > 16 {
				t.Errorf("%s has the box %v", id, b)
			}
		}
		if r.Colour(s) == (block.Colour{}) && id != "minecraft:air" && id != "minecraft:structure_void" {
			t.Errorf("%s has no colour", id)
		}
	}
	if got := r.Colour("other:block"); got.String() != "808080" || len(r.Shape("other:block")) != 1 {
		t.Errorf("an unknown block: %s", got)
	}
}
