package embedded_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

// maxBytesPerRun is what a run of a real build may cost in the answer.
const maxBytesPerRun = 12

// TestRealBuildsAreCheapToRead reads builds that people made and weighs the
// answers.
func TestRealBuildsAreCheapToRead(t *testing.T) {
	corpus := filepath.Join("..", "..", "..", "shared", "corpus", "schem")
	w, world := connect(t, bridge.Options{}, embedded.Options{})
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	x := 0
	for _, name := range []string{"kaboomserver__hiii.schem", "rlf__uSkyBlockNether.schem"} {
		file, err := os.Open(filepath.Join(corpus, name))
		if err != nil {
			t.Skipf("the corpus is not here: %v", err)
		}
		s, err := schematic.Open(file, plan.DefaultLimits())
		_ = file.Close() // only read
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		v, err := s.Place(registry, schematic.Placement{Target: voxel.Pos{X: x, Y: -50}, Anchor: schematic.AnchorCorner})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		build, box := clip(v)
		if err := w.Paint("overworld", build); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bytes, runs := 0, 0
		for key := range box.Sections() {
			if key.X%2 == 0 && key.Y%2 == 0 && key.Z%2 == 0 {
				b, r := weigh(t, world, cube(key.Box().Min, voxel.Pos{X: 32, Y: 32, Z: 32}).Intersect(box))
				bytes, runs = bytes+b, runs+r
			}
		}
		cost := float64(bytes) / float64(runs)
		t.Logf("%s: %d cells, %d runs, %d bytes, %.2f bytes a run", name, box.Volume(), runs, bytes, cost)
		if runs > 1000 && cost > maxBytesPerRun {
			t.Errorf("%s costs %.2f bytes a run", name, cost)
		}
		x += 1024
	}
}

// clip returns the build's cells that fit into the world, and a box of even
// sections around them.
func clip(v *voxel.Volume) (*voxel.Volume, voxel.Box) {
	out := voxel.NewVolume()
	for p, id := range v.All() {
		if -64 <= p.Y && p.Y <= 319 {
			out.Put(p, v.Content(id))
		}
	}
	bounds, _ := out.Bounds()
	even := func(n int) int { return n >> 5 << 5 }
	bounds.Min = voxel.Pos{X: even(bounds.Min.X), Y: even(bounds.Min.Y), Z: even(bounds.Min.Z)}
	bounds.Max.Y = min(bounds.Max.Y, 319)
	return out, bounds
}

// weigh reads a box and returns the bytes and the runs of its pages.
func weigh(t *testing.T, world *bridge.World, box voxel.Box) (bytes, runs int) {
	t.Helper()
	for next := 0; next >= 0; {
		result, err := world.Call(t.Context(), "read_region", map[string]any{
			"dim": "overworld", "page": next,
			"min": []int{box.Min.X, box.Min.Y, box.Min.Z}, "max": []int{box.Max.X, box.Max.Y, box.Max.Z},
		})
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Runs string `json:"runs"`
			Next int    `json:"next"`
		}
		if err := json.Unmarshal(result, &page); err != nil {
			t.Fatal(err)
		}
		if len(result) > 24*1024 {
			t.Errorf("a page of %d bytes", len(result))
		}
		bytes += len(result)
		runs += strings.Count(page.Runs, ",") + 1
		next = page.Next
	}
	return bytes, runs
}
