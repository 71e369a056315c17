package block_test

import (
	"testing"

	"groundplan/plan/block"
)

func TestOldJavaNamesMeanWhatTheyMeantThen(t *testing.T) {
	r := load(t, block.Profile60)
	for _, c := range []struct {
		java    string
		version int
		want    string
		note    bool
	}{
		{"minecraft:stone_slab[type=top,waterlogged=false]", 1631, "smooth_stone_slab[vertical_half=top]", false},
		{"minecraft:stone_slab[type=top,waterlogged=false]", 1952, "normal_stone_slab[vertical_half=top]", false},
		{"minecraft:stone_slab[type=top,waterlogged=false]", 0, "normal_stone_slab[vertical_half=top]", false},
		{"minecraft:grass", 2230, "short_grass", false},
		{"minecraft:sign[rotation=12,waterlogged=true]", 1519, "standing_sign[ground_sign_direction=12,waterlogged=true]", true},
		{"minecraft:cauldron[level=3]", 2586, "cauldron[fill_level=6]", false},
		{"minecraft:jigsaw[facing=up]", 1976, "jigsaw[facing_direction=1,rotation=0]", false},
		{"minecraft:jigsaw[facing=west]", 1976, "jigsaw[facing_direction=4,rotation=0]", false},
		{"minecraft:creaking_heart[axis=y,creaking=active]", 4189, "creaking_heart[creaking_heart_state=awake]", false},
		{"minecraft:hopper[facing=down,from=up]", 1519, "hopper", true},
		{"minecraft:oak_log[axis=w]", 0, "oak_log", true},
		{"oak_log[axis = x]", 0, "oak_log[pillar_axis=x]", false},
		{"minecraft:oak_stairs[half=top,facing=east]", 0, "oak_stairs[upside_down_bit=true]", false},
		{"minecraft:bell[facing=south,attachment=ceiling]", 1976, "bell[attachment=hanging,direction=2]", false},
		{"minecraft:cobblestone_wall[east=false,north=true,south=true,up=false,waterlogged=false,west=false]", 2230, "cobblestone_wall[wall_connection_type_north=short,wall_connection_type_south=short]", false},
	} {
		want, err := r.Parse(c.want)
		if err != nil {
			t.Fatal(err)
		}
		got := r.TranslateFrom(c.java, c.version)
		if got.State != want || got.Quality != block.Exact || (got.Note != "") != c.note {
			t.Errorf("%s (%d): %+v, want %s", c.java, c.version, got, want)
		}
	}
}

func TestWhatIsRememberedDoesNotDependOnTheVersion(t *testing.T) {
	r := load(t, block.Profile50)
	for _, text := range []string{"minecraft:stone_slab[type=top]", "stone_slab[type=top]", "minecraft:Stone_Slab[type=top]"} {
		for range 2 {
			if got := r.TranslateFrom(text, 1631).State; got != "minecraft:smooth_stone_slab[minecraft:vertical_half=top]" {
				t.Errorf("%s in 1.13.2 is %s", text, got)
			}
			if got := r.TranslateFrom(text, 3955).State; got != "minecraft:normal_stone_slab[minecraft:vertical_half=top]" {
				t.Errorf("%s in 1.21 is %s", text, got)
			}
		}
	}
}

func TestBedrockStatesGoToTheJavaStatesThatPeopleExpect(t *testing.T) {
	r := load(t, block.Profile50)
	for in, want := range map[string]string{
		"air":                              "minecraft:air",
		"bed[direction=2]":                 "minecraft:white_bed[facing=north,occupied=false,part=foot]",
		"standing_banner":                  "minecraft:white_banner[rotation=0]",
		"flower_pot":                       "minecraft:flower_pot",
		"chest[cardinal_direction=south]":  "minecraft:chest[facing=south,type=single,waterlogged=false]",
		"oak_leaves[persistent_bit=true]":  "minecraft:oak_leaves[distance=7,persistent=true,waterlogged=false]",
		"oak_leaves[persistent_bit=false]": "minecraft:oak_leaves[distance=1,persistent=false,waterlogged=false]",
		"oak_leaves[persistent_bit=true,update_bit=true]":  "minecraft:oak_leaves[distance=7,persistent=true,waterlogged=false]",
		"flowing_water[liquid_depth=3]":                    "minecraft:water[level=3]",
		"wooden_pressure_plate[redstone_signal=9]":         "minecraft:oak_pressure_plate[powered=true]",
		"heavy_weighted_pressure_plate[redstone_signal=9]": "minecraft:heavy_weighted_pressure_plate[power=9]",
		"cauldron[fill_level=3]":                           "minecraft:water_cauldron[level=2]",
		"kelp[kelp_age=3,waterlogged=true]":                "minecraft:kelp[age=3]",
		"kelp[kelp_age=3]":                                 "minecraft:kelp[age=3]",
		"oak_slab[waterlogged=true]":                       "minecraft:oak_slab[type=bottom,waterlogged=true]",
		"hard_glass":                                       "minecraft:glass",
		"invisible_bedrock":                                "minecraft:barrier[waterlogged=false]",
		"structure_void":                                   "minecraft:structure_void",
		"red_mushroom_block[huge_mushroom_bits=5]":         "minecraft:red_mushroom_block[down=false,east=false,north=false,south=false,up=true,west=false]",
		"oak_fence[connection_east=true]":                  "minecraft:oak_fence[east=true,north=false,south=false,waterlogged=false,west=false]",
		"oak_stairs[corner=outer_left]":                    "minecraft:oak_stairs[facing=east,half=bottom,shape=outer_left,waterlogged=false]",
	} {
		s, err := r.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.ToJava(s); !ok || got != want {
			t.Errorf("%s: %s, %t; want %s", in, got, ok, want)
		}
	}
	for _, in := range []string{"element_1", "frame", "allow", "border_block"} {
		s, err := r.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.ToJava(s); ok || got != "" {
			t.Errorf("%s: Java has %s", in, got)
		}
	}
	if _, ok := r.ToJava("minecraft:no_such_block"); ok {
		t.Error("a block that does not exist went to Java")
	}
}
