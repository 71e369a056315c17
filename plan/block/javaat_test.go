package block_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

func TestNeighboursTellJavaWhatAStateAloneDoesNot(t *testing.T) {
	r := load(t, block.Profile45)
	for name, c := range map[string]struct {
		plot plot
		want string
	}{
		"a double chest's left half":  {plot{{}: "chest[cardinal_direction=north]", {1, 0, 0}: "chest[cardinal_direction=north]"}, "minecraft:chest[facing=north,type=left,waterlogged=false]"},
		"a double chest's right half": {plot{{}: "chest[cardinal_direction=north]", {-1, 0, 0}: "chest[cardinal_direction=north]"}, "minecraft:chest[facing=north,type=right,waterlogged=false]"},
		"three chests in a row":       {plot{{}: "chest[cardinal_direction=north]", {1, 0, 0}: "chest[cardinal_direction=north]", {2, 0, 0}: "chest[cardinal_direction=north]"}, "minecraft:chest[facing=north,type=single,waterlogged=false]"},
		"a trapped chest beside it":   {plot{{}: "chest[cardinal_direction=north]", {1, 0, 0}: "trapped_chest[cardinal_direction=north]"}, "minecraft:chest[facing=north,type=single,waterlogged=false]"},
		"kelp under kelp":             {plot{{}: "kelp[waterlogged=true]", {0, 1, 0}: "kelp[waterlogged=true]"}, "minecraft:kelp_plant"},
		"the tip of kelp":             {plot{{}: "kelp[kelp_age=3,waterlogged=true]", {0, 1, 0}: "water"}, "minecraft:kelp[age=3]"},
		"berries on a stem":           {plot{{}: "cave_vines_body_with_berries", {0, -1, 0}: "cave_vines"}, "minecraft:cave_vines_plant[berries=true]"},
		"grass under snow":            {plot{{}: "grass_block", {0, 1, 0}: "snow_layer"}, "minecraft:grass_block[snowy=true]"},
		"a campfire on hay":           {plot{{}: "campfire", {0, -1, 0}: "hay_block"}, "minecraft:campfire[facing=south,lit=true,signal_fire=true,waterlogged=false]"},
		"a fence of an old game":      {plot{{}: "oak_fence", {1, 0, 0}: "stone"}, "minecraft:oak_fence[east=true,north=false,south=false,waterlogged=false,west=false]"},
		"a wet fence of an old game":  {plot{{}: "oak_fence[waterlogged=true]", {1, 0, 0}: "stone"}, "minecraft:oak_fence[east=true,north=false,south=false,waterlogged=true,west=false]"},
		"a corner of an old game":     {plot{{}: "oak_stairs[weirdo_direction=3]", {0, 0, -1}: "birch_stairs[weirdo_direction=1]"}, "minecraft:oak_stairs[facing=north,half=bottom,shape=outer_left,waterlogged=false]"},
		"stone":                       {plot{{}: "stone"}, "minecraft:stone"},
	} {
		at := func(dx, dy, dz int) block.State {
			text := c.plot[[3]int{dx, dy, dz}]
			if text == "" {
				return ""
			}
			s, err := r.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		got, ok := r.JavaAt(at(0, 0, 0), at)
		if !ok || got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if alone, _ := r.ToJava(at(0, 0, 0)); alone != got && !r.Settles(at(0, 0, 0)) {
			t.Errorf("%s: Settles does not know of it", name)
		}
	}
	if java, ok := r.JavaAt("minecraft:nothing", func(int, int, int) block.State { return "" }); ok {
		t.Errorf("a block that does not exist is %s", java)
	}
}

// TestRealFilesComeBackFromBedrock translates the cells of the corpus to Bedrock
// and back, with and without their surroundings.
func TestRealFilesComeBackFromBedrock(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every file of the corpus")
	}
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no reference material: %v", err)
	}
	r := load(t, block.Profile45)
	cells, alone, settled := 0, 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "synthetic") || strings.HasSuffix(path, ".schematic") || strings.HasSuffix(path, ".mcstructure") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		s, err := schematic.Open(f, plan.DefaultLimits())
		if err != nil || s.Cells() > 500_000 {
			return nil
		}
		type known struct {
			state  block.State
			back   string
			joins  bool
			modern string
		}
		states := map[string]known{}
		at := func(p voxel.Pos) known {
			java, ok := s.At(p)
			if !ok {
				return known{}
			}
			k, ok := states[java]
			if !ok {
				k.state = r.TranslateFrom(java, s.DataVersion).State
				k.back, _ = r.ToJava(k.state)
				k.joins = r.Settles(k.state)
				k.modern, _ = r.RotateJava(java, 0) // sorted, complete, with names of today
				states[java] = k
			}
			return k
		}
		for y := 1; y < s.Size.Y-1; y++ {
			for z := 1; z < s.Size.Z-1; z++ {
				for x := 1; x < s.Size.X-1; x++ {
					k := at(voxel.Pos{X: x, Y: y, Z: z})
					if k.state == "" || k.state == block.Air {
						continue
					}
					cells++
					back := k.back
					if back == k.modern {
						alone++
					}
					if k.joins {
						back, _ = r.JavaAt(k.state, func(dx, dy, dz int) block.State { return at(voxel.Pos{X: x + dx, Y: y + dy, Z: z + dz}).state })
					}
					if back == k.modern {
						settled++
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, cells)) }
	t.Logf("%d cells: %.2f %% come back by their state alone, %.2f %% with their surroundings", cells, share(alone), share(settled))
	if share(settled) < 97 || settled < alone {
		t.Errorf("%.2f %% come back, want 97", share(settled))
	}
}
