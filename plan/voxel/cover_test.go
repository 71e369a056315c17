package voxel_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
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
	if raced {
		t.Skip("one goroutine and much work: nothing for the race detector")
	}
	sum, greedy := 0, 0
	for _, s := range shapes(t) {
		t.Run(s.Name, func(t *testing.T) {
			v := s.volume()
			if v.Len() != s.Cells {
				t.Fatalf("the shape has %d cells, want %d", v.Len(), s.Cells)
			}
			boxes := voxel.Cover(v, limit)
			checkCover(t, v, boxes, limit)
			t.Logf("%d boxes, greedy %d", len(boxes), s.Greedy)
			if s.Greedy != s.Cells { // nothing can be joined in a checkerboard
				sum, greedy = sum+len(boxes), greedy+s.Greedy
			}
			if len(boxes) > s.Greedy {
				t.Errorf("%d boxes, the best of six greedy orders has %d", len(boxes), s.Greedy)
			}
		})
	}
	t.Logf("%d boxes, greedy %d: %.2f %%", sum, greedy, 100*float64(sum-greedy)/float64(greedy))
	if float64(sum) > 0.951*float64(greedy) {
		t.Errorf("%d boxes in all, want at least 4.9 %% below the greedy %d", sum, greedy)
	}
}

func TestCoverIsTheSameEachTime(t *testing.T) {
	for _, s := range shapes(t)[2:4] {
		if a, b := voxel.Cover(s.volume(), 32768), voxel.Cover(s.volume(), 32768); !slices.Equal(a, b) {
			t.Errorf("%s: two covers differ", s.Name)
		}
	}
}

// independent returns the size of a set of cells no two of which fit into one box
// of cells that are all there: no cover can have fewer boxes.
func independent(v *voxel.Volume, limit int) int {
	b, _ := v.Bounds()
	size := b.Size()
	// sums has the number of cells in the box from the origin to each corner.
	sums := make([]int, (size.X+1)*(size.Y+1)*(size.Z+1))
	at := func(x, y, z int) int { return (y*(size.Z+1)+z)*(size.X+1) + x }
	for p := range b.All() {
		q := p.Sub(b.Min)
		x, y, z := q.X+1, q.Y+1, q.Z+1
		n := 0
		if v.ID(p) != voxel.None {
			n = 1
		}
		sums[at(x, y, z)] = n + sums[at(x-1, y, z)] + sums[at(x, y-1, z)] + sums[at(x, y, z-1)] -
			sums[at(x-1, y-1, z)] - sums[at(x-1, y, z-1)] - sums[at(x, y-1, z-1)] + sums[at(x-1, y-1, z-1)]
	}
	count := func(c voxel.Box) int {
		lo, hi := c.Min.Sub(b.Min), c.Max.Sub(b.Min).Add(voxel.Pos{X: 1, Y: 1, Z: 1})
		return sums[at(hi.X, hi.Y, hi.Z)] - sums[at(lo.X, hi.Y, hi.Z)] - sums[at(hi.X, lo.Y, hi.Z)] - sums[at(hi.X, hi.Y, lo.Z)] +
			sums[at(lo.X, lo.Y, hi.Z)] + sums[at(lo.X, hi.Y, lo.Z)] + sums[at(hi.X, lo.Y, lo.Z)] - sums[at(lo.X, lo.Y, lo.Z)]
	}
	var byNeighbours [7][]voxel.Pos
	for p := range v.All() {
		n := 0
		for _, d := range []voxel.Pos{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {Z: 1}, {Z: -1}} {
			if v.ID(p.Add(d)) != voxel.None {
				n++
			}
		}
		byNeighbours[n] = append(byNeighbours[n], p)
	}
	var set []voxel.Pos
	for _, list := range byNeighbours {
	next:
		for _, p := range list {
			for _, q := range slices.Backward(set) {
				if c := voxel.Cube(p).Union(voxel.Cube(q)); c.Volume() <= limit && count(c) == c.Volume() {
					continue next
				}
			}
			set = append(set, p)
		}
	}
	return max(len(set), (v.Len()+limit-1)/limit)
}

func BenchmarkCover(b *testing.B) {
	const limit = 32768
	for _, s := range shapes(b) {
		b.Run(s.Name, func(b *testing.B) {
			v := s.volume()
			n := 0
			for b.Loop() {
				n = len(voxel.Cover(v, limit))
			}
			bound := independent(v, limit)
			b.ReportMetric(float64(n), "commands")
			b.ReportMetric(float64(bound), "bound")
			b.ReportMetric(float64(n)/float64(bound), "ratio")
			b.ReportMetric(100*float64(n-s.Greedy)/float64(s.Greedy), "%greedy")
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
			size := voxel.Pos{X: rng.IntN(48), Y: rng.IntN(48), Z: rng.IntN(48)}
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
