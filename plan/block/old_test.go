package block

import "testing"

func TestOldBedrockStatesAreWhatTheyBecame(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		for old, now := range map[string]string{
			"planks[wood_type=birch]":                                          "birch_planks",
			"dirt[dirt_type=normal]":                                           "dirt",
			"dirt[dirt_type=coarse]":                                           "coarse_dirt",
			"grass":                                                            "grass_block",
			"tallgrass[tall_grass_type=tall]":                                  "short_grass",
			"tallgrass[tall_grass_type=fern]":                                  "fern",
			"stone[stone_type=granite_smooth]":                                 "polished_granite",
			"log[old_log_type=spruce,pillar_axis=x]":                           "spruce_log[pillar_axis=x]",
			"log2[new_log_type=dark_oak,pillar_axis=z]":                        "dark_oak_log[pillar_axis=z]",
			"leaves[old_leaf_type=birch,persistent_bit=true,update_bit=false]": "birch_leaves[persistent_bit=true]",
			"wool[color=light_blue]":                                           "light_blue_wool",
			"wool[color=silver]":                                               "light_gray_wool",
			"concrete[color=lime]":                                             "lime_concrete",
			"stained_hardened_clay[color=orange]":                              "orange_terracotta",
			"stained_glass[color=brown]":                                       "brown_stained_glass",
			"stained_glass_pane[color=red]":                                    "red_stained_glass_pane",
			"carpet[color=white]":                                              "white_carpet",
			"wooden_slab[top_slot_bit=true,wood_type=acacia]":                  "acacia_slab[vertical_half=top]",
			"stone_slab[stone_slab_type=brick,top_slot_bit=false]":             "brick_slab",
			"double_stone_slab[stone_slab_type=quartz,top_slot_bit=false]":     "quartz_double_slab",
			"fence[wood_type=jungle]":                                          "jungle_fence",
			"stonebrick[stone_brick_type=cracked]":                             "cracked_stone_bricks",
			"sandstone[sand_stone_type=cut]":                                   "cut_sandstone",
			"quartz_block[chisel_type=default,pillar_axis=y]":                  "quartz_block[pillar_axis=y]",
			"red_flower[flower_type=poppy]":                                    "poppy",
			"double_plant[double_plant_type=rose,upper_block_bit=true]":        "rose_bush[upper_block_bit=true]",
			"sand[sand_type=red]":                                              "red_sand",
			"furnace[facing_direction=2]":                                      "furnace[cardinal_direction=north]",
			"chest[facing_direction=5]":                                        "chest[cardinal_direction=east]",
			"anvil[damage=very_damaged,direction=0]":                           "damaged_anvil[cardinal_direction=south]",
			"wooden_door[direction=3,door_hinge_bit=true,open_bit=false,upper_block_bit=false]":   "wooden_door[cardinal_direction=east,door_hinge_bit=true]",
			"spruce_fence_gate[direction=1,in_wall_bit=false,open_bit=true]":                      "spruce_fence_gate[cardinal_direction=west,open_bit=true]",
			"unpowered_repeater[direction=2,repeater_delay=1]":                                    "unpowered_repeater[cardinal_direction=north,repeater_delay=1]",
			"coral_block[coral_color=pink,dead_bit=true]":                                         "dead_brain_coral_block",
			"shulker_box[color=cyan]":                                                             "cyan_shulker_box",
			"monster_egg[monster_egg_stone_type=cobblestone]":                                     "infested_cobblestone",
			"carved_pumpkin[direction=1]":                                                         "carved_pumpkin[cardinal_direction=west]",
			"pale_oak_door[direction=3,door_hinge_bit=true,open_bit=false,upper_block_bit=false]": "pale_oak_door[cardinal_direction=east,door_hinge_bit=true]",
			"skull[facing_direction=1]":                                                           "skeleton_skull[facing_direction=1]",
			"lever[lever_direction=east,open_bit=true]":                                           "lever[lever_direction=east,open_bit=true]",
			"planks[wood_type=oak,waterlogged=true]":                                              "oak_planks[waterlogged=true]",
			"oak_stairs[weirdo_direction=2]":                                                      "oak_stairs[weirdo_direction=2]",
		} {
			want, err := r.Parse(now)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := r.ParseOld(old); err != nil || got != want {
				t.Errorf("%s: %s is %s, %v; want %s", p, old, got, err, want)
			}
		}
		if _, err := r.ParseOld("no_such_block[a=b]"); err == nil {
			t.Error("a block of no version was read")
		}
	}
}

func TestEveryOldStateIsAStateOfToday(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		blocks, states := 0, 0
		for _, list := range r.old() {
			for _, b := range list {
				blocks++
				for offset := range b.size {
					states++
					text := string(b.appendTo(nil, offset))
					if got, err := r.ParseOld(text); err != nil || !r.Has(got) {
						t.Errorf("%s is %s, %v", text, got, err)
					}
				}
			}
		}
		t.Logf("%s: %d blocks of older versions with %d states", p, blocks, states)
	}
}
