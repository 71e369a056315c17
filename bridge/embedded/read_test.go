package embedded_test

import (
	"math/rand/v2"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan/voxel"
)

// BenchmarkRead measures reads of the kinds of boxes that the service asks for,
// from end to end.
func BenchmarkRead(b *testing.B) {
	w, world := connect(b, bridge.Options{}, embedded.Options{})
	states := []string{"stone", "air", "dirt", "oak_stairs", "oak_fence", "oak_planks", "glass", "cobblestone"}
	random := rand.New(rand.NewPCG(1, 2))
	mixed := cube(voxel.Pos{X: 1000, Y: 0, Z: 0}, voxel.Pos{X: 256, Y: 64, Z: 64})
	volume := voxel.NewVolume()
	for p := range mixed.All() {
		volume.Put(p, states[random.IntN(len(states))])
	}
	if err := w.Paint("overworld", volume); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		box  voxel.Box
	}{
		{"uniform", cube(voxel.Pos{}, voxel.Pos{X: 32, Y: 32, Z: 32})},
		{"ground", cube(voxel.Pos{Y: -64}, voxel.Pos{X: 32, Y: 32, Z: 32})},
		{"noise", cube(mixed.Min, voxel.Pos{X: 32, Y: 32, Z: 32})},
		{"noise, 1 Mi", mixed},
	} {
		var boxes []voxel.Box
		for key := range c.box.Sections() {
			if key.X%2 == 0 && key.Y%2 == 0 && key.Z%2 == 0 {
				boxes = append(boxes, cube(key.Box().Min, voxel.Pos{X: 32, Y: 32, Z: 32}).Intersect(c.box))
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := world.Read(b.Context(), "overworld", boxes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.box.Volume()), "ns/cell")
		})
	}
}

func cube(at, size voxel.Pos) voxel.Box {
	return voxel.Box{Min: at, Max: at.Add(size).Sub(voxel.Pos{X: 1, Y: 1, Z: 1})}
}
