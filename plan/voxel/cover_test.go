package voxel_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"groundplan/plan/voxel"
)

type shape struct {
	Name   string `json:"name"`
	Size   [3]int `json:"size"`
	Cells  int    `json:"cells"`
	Runs   []int  `json:"runs"`
	Greedy int    `json:"best_of_six_greedy"`
}

func shapes(tb testing.TB) []shape {
	tb.Helper()
	data, err := os.ReadFile("../../../shared/oracle/cover-shapes.json")
	if err != nil {
		tb.Skip("the oracle's shapes are not here: ", err)
	}
	var list []shape
	if err := json.Unmarshal(data, &list); err != nil {
		tb.Fatal(err)
	}
	return list
}

func (s shape) volume() *voxel.Volume {
	v := voxel.NewVolume()
	id := v.Intern("stone")
	i := 0
	for k, run := range s.Runs {
		for range run {
			if k%2 == 1 {
				v.Set(voxel.Pos{X: i % s.Size[0], Z: i / s.Size[0] % s.Size[2], Y: i / s.Size[0] / s.Size[2]}, id)
			}
			i++
		}
	}
	return v
}

// checkCover fails unless the boxes are disjoint, within the limit, and together
// exactly the volume.
func checkCover(tb testing.TB, v *voxel.Volume, boxes []voxel.Painted, limit int) {
	tb.Helper()
	left := voxel.NewVolume()
	cells := 0
	for _, b := range boxes {
		if n := b.Box.Volume(); n > limit || !b.Box.Valid() {
			tb.Fatalf("box %v has %d cells, limit %d", b.Box, n, limit)
		}
		cells += b.Box.Volume()
		left.Fill(b.Box, left.Intern(v.Content(b.ID)))
		for p := range b.Box.All() {
			if v.ID(p) != b.ID {
				tb.Fatalf("box %v of %q covers %v, which has %q", b.Box, v.Content(b.ID), p, v.Content(v.ID(p)))
			}
		}
	}
	if cells != v.Len() || left.Len() != v.Len() {
		tb.Fatalf("boxes have %d cells, %d different ones, want %d", cells, left.Len(), v.Len())
	}
}

func TestCoverOfTheOracleShapesIsExactAndNotAboveGreedy(t *testing.T) {
	const limit = 32768
	for _, s := range shapes(t) {
		t.Run(s.Name, func(t *testing.T) {
			v := s.volume()
			if v.Len() != s.Cells {
				t.Fatalf("the shape has %d cells, want %d", v.Len(), s.Cells)
			}
			boxes := voxel.Cover(v, limit)
			checkCover(t, v, boxes, limit)
			t.Logf("%d boxes, greedy %d", len(boxes), s.Greedy)
			if len(boxes) > s.Greedy {
				t.Errorf("%d boxes, the best of six greedy orders has %d", len(boxes), s.Greedy)
			}
		})
	}
}

func TestCoverOfRandomVolumesIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cells := 0
	for cells < 1_000_000 {
		v := voxel.NewVolume()
		contents := 1 + rng.IntN(4)
		for range 1 + rng.IntN(30) {
			lo := voxel.Pos{X: rng.IntN(100) - 50, Y: rng.IntN(100) - 50, Z: rng.IntN(100) - 50}
			size := voxel.Pos{X: rng.IntN(24), Y: rng.IntN(24), Z: rng.IntN(24)}
			v.Fill(voxel.Box{Min: lo, Max: lo.Add(size)}, v.Intern(string(rune('a'+rng.IntN(contents)))))
		}
		for range rng.IntN(200) {
			v.Put(voxel.Pos{X: rng.IntN(100_000), Y: rng.IntN(100), Z: rng.IntN(100)}, "far")
			v.Set(voxel.Pos{X: rng.IntN(100) - 50, Y: rng.IntN(100) - 50, Z: rng.IntN(100) - 50}, voxel.None)
		}
		limit := 1 + rng.IntN(5000)
		checkCover(t, v, voxel.Cover(v, limit), limit)
		cells += v.Len()
	}
}
