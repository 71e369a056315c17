package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func canonical(tb testing.TB, cells map[voxel.Pos]string) *voxel.Volume {
	tb.Helper()
	v := voxel.NewVolume()
	for p, text := range cells {
		s, err := registry(tb).Parse(text)
		if err != nil {
			tb.Fatal(err)
		}
		v.Put(p, string(s))
	}
	return v
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		world, wanted map[voxel.Pos]string
		want          string
	}{
		"sand in the air":                {nil, map[voxel.Pos]string{at(5, 5, 5): "sand"}, "gravity [5,5,5]"},
		"sand on planned stone":          {nil, map[voxel.Pos]string{at(5, 5, 5): "sand", at(5, 4, 5): "stone"}, ""},
		"sand on the world's stone":      {map[voxel.Pos]string{at(5, 4, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "sand"}, ""},
		"digging below sand":             {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "sand"}, map[voxel.Pos]string{at(5, 4, 5): "air"}, "gravity [5,5,5]"},
		"water without a vessel":         {nil, map[voxel.Pos]string{at(5, 5, 5): "water"}, "open_fluid [5,5,5]"},
		"a waterlogged block in the air": {nil, map[voxel.Pos]string{at(5, 5, 5): "oak_fence[waterlogged=true]"}, "open_fluid [5,5,5]"},
		"water in a vessel": {nil, map[voxel.Pos]string{
			at(5, 5, 5): "water", at(5, 4, 5): "stone", at(4, 5, 5): "stone", at(6, 5, 5): "stone", at(5, 5, 4): "stone", at(5, 5, 6): "glass",
		}, ""},
		"opening a vessel":                {map[voxel.Pos]string{at(4, 5, 5): "water", at(5, 5, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "air"}, "open_fluid [4,5,5]"},
		"a torch in the air":              {nil, map[voxel.Pos]string{at(5, 5, 5): "torch[torch_facing_direction=top]"}, "unsupported [5,5,5]"},
		"a torch on planned stone":        {nil, map[voxel.Pos]string{at(5, 5, 5): "torch[torch_facing_direction=top]", at(5, 4, 5): "stone"}, ""},
		"taking a torch's wall":           {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "torch"}, map[voxel.Pos]string{at(5, 4, 5): "air"}, "unsupported [5,5,5]"},
		"a door's lower half":             {map[voxel.Pos]string{at(5, 4, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "wooden_door"}, "half [5,5,5]"},
		"a whole door":                    {map[voxel.Pos]string{at(5, 4, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "wooden_door", at(5, 6, 5): "wooden_door[upper_block_bit=true]"}, ""},
		"a whole bed":                     {nil, map[voxel.Pos]string{at(5, 5, 5): "bed[direction=0]", at(5, 5, 6): "bed[direction=0,head_piece_bit=true]"}, ""},
		"a bed turned wrongly":            {nil, map[voxel.Pos]string{at(5, 5, 5): "bed[direction=0]", at(5, 5, 4): "bed[direction=0,head_piece_bit=true]"}, "half [5,5,4 5,5,5]"},
		"half of a door taken":            {map[voxel.Pos]string{at(5, 5, 5): "wooden_door", at(5, 6, 5): "wooden_door[upper_block_bit=true]"}, map[voxel.Pos]string{at(5, 5, 5): "stone"}, "half [5,6,5]"},
		"a door made a wall":              {map[voxel.Pos]string{at(5, 5, 5): "wooden_door", at(5, 6, 5): "wooden_door[upper_block_bit=true]"}, map[voxel.Pos]string{at(5, 5, 5): "stone", at(5, 6, 5): "stone"}, "half [5,5,5 5,6,5]"},
		"a door taken":                    {map[voxel.Pos]string{at(5, 5, 5): "wooden_door", at(5, 6, 5): "wooden_door[upper_block_bit=true]"}, map[voxel.Pos]string{at(5, 5, 5): "air", at(5, 6, 5): "air"}, ""},
		"a door that turns":               {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "wooden_door", at(5, 6, 5): "wooden_door[upper_block_bit=true]"}, map[voxel.Pos]string{at(5, 5, 5): "wooden_door[cardinal_direction=north]", at(5, 6, 5): "wooden_door[cardinal_direction=north,upper_block_bit=true]"}, ""},
		"half of a bed made a carpet":     {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "bed[direction=0]", at(5, 5, 6): "bed[direction=0,head_piece_bit=true]"}, map[voxel.Pos]string{at(5, 5, 5): "white_carpet"}, "half [5,5,6]"},
		"leaves alone":                    {nil, map[voxel.Pos]string{at(5, 5, 5): "oak_leaves[persistent_bit=false]"}, "decay [5,5,5]"},
		"persistent leaves":               {nil, map[voxel.Pos]string{at(5, 5, 5): "oak_leaves[persistent_bit=true]"}, ""},
		"leaves near a log":               {map[voxel.Pos]string{at(5, 5, 5): "oak_log"}, map[voxel.Pos]string{at(5, 6, 5): "oak_leaves[persistent_bit=false]", at(5, 7, 5): "oak_leaves[persistent_bit=false]"}, ""},
		"leaves apart from the log":       {map[voxel.Pos]string{at(5, 5, 5): "oak_log"}, map[voxel.Pos]string{at(5, 7, 5): "oak_leaves[persistent_bit=false]"}, "decay [5,7,5]"},
		"ice beside glowstone":            {map[voxel.Pos]string{at(5, 5, 5): "glowstone"}, map[voxel.Pos]string{at(7, 5, 5): "ice"}, "melt [7,5,5]"},
		"ice far from glowstone":          {map[voxel.Pos]string{at(5, 5, 5): "glowstone"}, map[voxel.Pos]string{at(9, 5, 5): "ice"}, ""},
		"packed ice beside glowstone":     {map[voxel.Pos]string{at(5, 5, 5): "glowstone"}, map[voxel.Pos]string{at(6, 5, 5): "packed_ice"}, ""},
		"a dark room":                     {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "stone", at(5, 6, 5): "stone", at(5, 7, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "air", at(5, 6, 5): "air"}, "dark [5,5,5]"},
		"a lit room":                      {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "stone", at(5, 6, 5): "stone", at(5, 7, 5): "stone", at(9, 5, 5): "glowstone"}, map[voxel.Pos]string{at(5, 5, 5): "air", at(5, 6, 5): "air"}, ""},
		"a hole under the open sky":       {map[voxel.Pos]string{at(5, 4, 5): "stone", at(5, 5, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "air"}, ""},
		"what already was so is no fault": {map[voxel.Pos]string{at(5, 5, 5): "sand"}, map[voxel.Pos]string{at(5, 5, 5): "sand"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := world(voxel.Box{Max: at(12, 12, 12)}, "minecraft:air")
			given := canonical(t, c.world)
			for p, id := range given.All() {
				before.Cells.Put(p, given.Content(id))
			}
			p := draft(t, canonical(t, c.wanted), before, wide(t))
			var got []string
			for _, w := range p.Warnings {
				got = append(got, fmt.Sprintf("%s %v", w.Code, w.Cells))
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("warnings %q, want %q", got, c.want)
			}
			strict := wide(t)
			strict.Strict = true
			_, err := plan.Draft(canonical(t, c.wanted), before, head, strict)
			if (fault.CodeOf(err) == fault.InvalidRequest) != (c.want != "") {
				t.Errorf("strict: error %v", err)
			}
		})
	}
}

func TestSurroundingsAreWhatWarningsNeed(t *testing.T) {
	for name, c := range map[string]struct {
		world, wanted map[voxel.Pos]string
		want          int
	}{
		"plain blocks need nothing":        {nil, map[voxel.Pos]string{at(5, 5, 5): "stone", at(5, 6, 5): "stone"}, 0},
		"a torch needs its neighbours":     {nil, map[voxel.Pos]string{at(5, 5, 5): "torch"}, 6},
		"planned neighbours are known":     {nil, map[voxel.Pos]string{at(5, 5, 5): "sand", at(5, 4, 5): "stone"}, 5},
		"digging needs the walls":          {map[voxel.Pos]string{at(5, 5, 5): "stone"}, map[voxel.Pos]string{at(5, 5, 5): "air"}, 6},
		"a half needs its other":           {map[voxel.Pos]string{at(5, 5, 5): "wooden_door"}, map[voxel.Pos]string{at(5, 5, 5): "stone"}, 6},
		"what stays as it is needs nobody": {map[voxel.Pos]string{at(5, 5, 5): "torch"}, map[voxel.Pos]string{at(5, 5, 5): "torch"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := canonical(t, c.wanted)
			before := canonical(t, c.world)
			for p := range wanted.All() {
				if before.ID(p) == voxel.None {
					before.Put(p, "minecraft:air")
				}
			}
			if got := plan.Surroundings(wanted, &plan.Snapshot{Cells: before}, wide(t)).Len(); got != c.want {
				t.Errorf("%d cells, want %d", got, c.want)
			}
		})
	}
}

func TestMaterialsCountWhatAPlayerNeeds(t *testing.T) {
	before := world(voxel.Box{Max: at(40, 40, 40)}, "minecraft:air")
	wanted := canonical(t, map[voxel.Pos]string{
		at(0, 1, 0): "wooden_door", at(0, 2, 0): "wooden_door[upper_block_bit=true]", at(2, 1, 0): "bed", at(2, 1, 1): "bed[head_piece_bit=true]",
		at(4, 0, 0): "water", at(5, 0, 0): "oak_double_slab", at(6, 0, 0): "oak_fence[waterlogged=true]",
	})
	wanted.Fill(voxel.Box{Min: at(0, 10, 0), Max: at(11, 21, 12)}, wanted.Intern("minecraft:stone"))
	p := draft(t, wanted, before, wide(t))
	got := fmt.Sprint(p.Materials())
	want := "[{stone 1872 30 2} {oak_slab 2 1 1} {water_bucket 2 2 1} {bed 1 1 1} {oak_fence 1 1 1} {wooden_door 1 1 1}]"
	if got != want {
		t.Errorf("materials %s, want %s", got, want)
	}
}
