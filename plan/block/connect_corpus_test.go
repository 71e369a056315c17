package block_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

// family names the kind of a block that Connect knows, "" for others.
func family(id string) string {
	for _, suffix := range []string{"_stairs", "fence_gate", "_fence", "_wall", "_pane", "_bars", "redstone_wire", "trip_wire", "chorus_plant", "fire"} {
		if strings.HasSuffix(id, suffix) {
			return strings.TrimPrefix(suffix, "_")
		}
	}
	return ""
}

// TestConnectAgreesWithWhatGamesSaved recomputes the connections and corners of
// every cell of the corpus whose neighbours are all known, and compares them with
// what the game had saved. Builders may force states that the game would not
// choose, and files may be cut out of worlds, so that not all can agree.
func TestConnectAgreesWithWhatGamesSaved(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every file of the corpus")
	}
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no reference material: %v", err)
	}
	r := load(t, block.Profile60)
	good, bad, examples := map[string]int{}, map[string]int{}, map[string]string{}
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
		if err != nil || s.Cells() > 2_000_000 {
			return nil
		}
		states := map[string]block.State{}
		at := func(p voxel.Pos) block.State {
			java, ok := s.At(p)
			if !ok {
				return ""
			}
			state, known := states[java]
			if !known {
				state = r.TranslateFrom(java, s.DataVersion).State
				states[java] = state
			}
			return state
		}
		for y := 1; y < s.Size.Y-1; y++ {
			for z := 1; z < s.Size.Z-1; z++ {
				for x := 1; x < s.Size.X-1; x++ {
					p := voxel.Pos{X: x, Y: y, Z: z}
					was := at(p)
					if was == "" || r.Plain(was) == was || family(was.ID()) == "" {
						continue
					}
					now := r.Connect(was, func(dx, dy, dz int) block.State { return at(voxel.Pos{X: x + dx, Y: y + dy, Z: z + dz}) })
					k := family(was.ID())
					if now == was {
						good[k]++
						continue
					}
					bad[k]++
					if bad[k] <= 3 {
						examples[fmt.Sprint(k, bad[k])] = fmt.Sprintf("%s %v\n\twas %s\n\tnow %s\n\tn %s e %s s %s w %s u %s d %s", filepath.Base(path), p, was, now,
							at(voxel.Pos{X: x, Y: y, Z: z - 1}), at(voxel.Pos{X: x + 1, Y: y, Z: z}), at(voxel.Pos{X: x, Y: y, Z: z + 1}), at(voxel.Pos{X: x - 1, Y: y, Z: z}),
							at(voxel.Pos{X: x, Y: y + 1, Z: z}), at(voxel.Pos{X: x, Y: y - 1, Z: z}))
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range slices.Sorted(maps.Keys(good)) {
		share := 100 * float64(good[k]) / float64(good[k]+bad[k])
		t.Logf("%-14s %6d agree, %5d do not: %.1f %%", k, good[k], bad[k], share)
		if share < 97 {
			t.Errorf("%s: %.1f %% agree, want 97", k, share)
			for _, e := range slices.Sorted(maps.Keys(examples)) {
				t.Log(examples[e])
			}
		}
	}
}
