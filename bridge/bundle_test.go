package bridge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"groundplan/plan/voxel"
)

func TestBundlesHoldEveryBoxOnceAndFitALine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	for _, spread := range []int{1, 40, 30_000_000} {
		var boxes []voxel.Box
		for range 500 {
			low := voxel.Pos{X: random.IntN(2*spread+1) - spread, Y: random.IntN(384) - 64, Z: random.IntN(2*spread+1) - spread}
			boxes = append(boxes, voxel.Box{Min: low, Max: low.Add(voxel.Pos{X: random.IntN(32), Y: random.IntN(32), Z: random.IntN(32)})})
		}
		var got []voxel.Box
		list := bundles("the_nether_of_another_pack", boxes)
		for _, b := range list {
			cells := 0
			for _, box := range b.boxes {
				cells += box.Volume()
			}
			if cells != b.cells || cells > MaxRegionCells {
				t.Fatalf("a bundle of %d cells says that it has %d", cells, b.cells)
			}
			line := appendRequest(nil, "rzzzzzzzzzzz", CapabilityRead, b.payload(cells-1))
			if len(line) > MaxCommandLine {
				t.Fatalf("a line of %d bytes: %s", len(line), line)
			}
			got = append(got, b.boxes...)
		}
		if !slices.Equal(got, boxes) {
			t.Fatal("the bundles hold other boxes than were asked for")
		}
		t.Logf("spread %d: %d boxes in %d requests", spread, len(boxes), len(list))
	}
}

func TestABundleIsAsFullAsItsLine(t *testing.T) {
	boxes := slices.Repeat([]voxel.Box{{Min: voxel.Pos{X: 100, Y: 64, Z: -100}, Max: voxel.Pos{X: 103, Y: 64, Z: -98}}}, 100)
	if list := bundles("overworld", boxes); len(list) > 5 {
		t.Errorf("%d requests for 100 small boxes near one another", len(list))
	}
}
