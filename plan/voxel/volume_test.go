package voxel_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"groundplan/plan/voxel"
)

func TestVolumeAndMaskDoWhatAMapDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		v, model := voxel.NewVolume(), map[voxel.Pos]string{}
		contents := []string{"", "a", "b", "c"}
		reach := []int{3, 20, 60}[rng.IntN(3)]
		pos := func() voxel.Pos {
			return voxel.Pos{X: rng.IntN(2*reach) - reach, Y: rng.IntN(reach), Z: rng.IntN(2*reach) - reach}
		}
		for range rng.IntN(300) {
			p, s := pos(), contents[rng.IntN(len(contents))]
			b := voxel.Cube(p)
			if rng.IntN(20) == 0 {
				b = b.Union(voxel.Cube(pos()))
			}
			v.Fill(b, v.Intern(s))
			for q := range b.All() {
				if s == "" {
					delete(model, q)
				} else {
					model[q] = s
				}
			}
		}
		checkModel(t, v, model)
	}
}

func checkModel(tb testing.TB, v *voxel.Volume, model map[voxel.Pos]string) {
	tb.Helper()
	var order []voxel.Pos
	for p, id := range v.All() {
		if model[p] != v.Content(id) {
			tb.Fatalf("%v is %q, want %q", p, v.Content(id), model[p])
		}
		order = append(order, p)
	}
	if len(order) != len(model) || v.Len() != len(model) || !slices.IsSortedFunc(order, voxel.Pos.Compare) {
		tb.Fatalf("%d cells listed, Len %d, want %d, in order %t", len(order), v.Len(), len(model), slices.IsSortedFunc(order, voxel.Pos.Compare))
	}
	m := v.Mask()
	if listed := slices.Collect(m.All()); !slices.Equal(listed, order) {
		tb.Fatalf("the mask lists %d cells, want %d", len(listed), len(order))
	}
	want, counts := voxel.Box{}, map[string]int{}
	for i, p := range order {
		if i == 0 {
			want = voxel.Cube(p)
		}
		want = want.Union(voxel.Cube(p))
		counts[model[p]]++
	}
	for name, got := range map[string]func() (voxel.Box, bool){"volume": v.Bounds, "mask": m.Bounds} {
		if b, ok := got(); ok != (len(order) > 0) || b != want {
			tb.Fatalf("%s: bounds %v %t, want %v", name, b, ok, want)
		}
	}
	for s, n := range v.Counts() {
		if counts[s] != n {
			tb.Fatalf("%d cells of %q, want %d", n, s, counts[s])
		}
	}
	var ids [voxel.SectionCells]voxel.ID
	total := 0
	for _, key := range v.Sections() {
		total += v.SectionIDs(key, &ids)
		c := voxel.NewVolume()
		c.SetSection(key, &ids)
		for p, id := range v.SectionCells(key) {
			if c.ID(p) != id {
				tb.Fatalf("%v is %d in the copy of its section, want %d", p, c.ID(p), id)
			}
		}
	}
	if total != len(model) {
		tb.Fatalf("the sections have %d cells, want %d", total, len(model))
	}
}

func TestALineAcrossARegionCostsWhatItsCellsCost(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := voxel.NewVolume()
	id := v.Intern("stone")
	const n = 200_000
	for i := range n {
		v.Set(voxel.Pos{X: i, Z: i}, id)
	}
	boxes := voxel.Cover(v, 32768)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := after.HeapAlloc - before.HeapAlloc; used > 400*n || len(boxes) != n {
		t.Errorf("%d cells take %d bytes in %d boxes", n, used, len(boxes))
	}
	runtime.KeepAlive(v)
}
