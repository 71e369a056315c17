package voxel

import (
	"testing"

	"pgregory.net/rapid"
)

func TestReadsHoldEveryPositionWithinTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := NewMask()
		for range rapid.IntRange(0, 4).Draw(t, "boxes") {
			at := Pos{rapid.IntRange(-40, 40).Draw(t, "x"), rapid.IntRange(-40, 40).Draw(t, "y"), rapid.IntRange(-40, 40).Draw(t, "z")}
			size := Pos{rapid.IntRange(0, 30).Draw(t, "dx"), rapid.IntRange(0, 30).Draw(t, "dy"), rapid.IntRange(0, 30).Draw(t, "dz")}
			mask.AddBox(Box{at, at.Add(size)})
		}
		limit := rapid.IntRange(1, 9000).Draw(t, "limit")
		seen := NewMask()
		for _, box := range mask.Reads(limit) {
			if box.Volume() > limit {
				t.Fatalf("box %v has %d cells, the limit is %d", box, box.Volume(), limit)
			}
			seen.AddBox(box)
		}
		missing := mask.Clone()
		missing.Subtract(seen)
		if n := missing.Len(); n > 0 {
			t.Fatalf("%d positions are in no box", n)
		}
	})
}

func TestReadsJoinAFullRegionIntoFewBoxes(t *testing.T) {
	mask := NewMask()
	mask.AddBox(Box{Pos{0, 0, 0}, Pos{99, 59, 99}})
	if n := len(mask.Reads(32768)); n > 40 {
		t.Errorf("600,000 cells are read in %d boxes, want at most 40", n)
	}
}
