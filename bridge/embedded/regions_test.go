package embedded_test

import (
	"math/rand/v2"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// regionCount is how many random regions are compared.
const regionCount = 1000

// TestRandomRegionsReadAsTheyAre paints random regions into the world – states,
// water, holes of unloaded chunks, the edges of the world – and compares what the
// script reads and digests with the store.
func TestRandomRegionsReadAsTheyAre(t *testing.T) {
	w, world := connect(t, bridge.Options{}, embedded.Options{})
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	count := regionCount
	if testing.Short() {
		count /= 10
	}
	random := rand.New(rand.NewPCG(20, 26))
	states := somePalette(t, registry, random)
	for i := range count {
		dimension, box := randomBox(random)
		volume := paint(random, box, states)
		if err := w.Paint(dimension, volume); err != nil {
			t.Fatal(err)
		}
		holes := map[voxel.Section]bool{}
		if random.IntN(3) == 0 {
			for key := range box.Sections() {
				if column := (voxel.Section{X: key.X, Z: key.Z}); random.IntN(3) == 0 && !holes[column] {
					holes[column] = true
					load(t, w, dimension, column, false)
				}
			}
		}
		want := voxel.NewVolume()
		for p, id := range volume.All() {
			if !holes[voxel.Section{X: p.X >> 4, Z: p.Z >> 4}] {
				want.Put(p, volume.Content(id))
			}
		}
		snapshot, err := world.Read(t.Context(), dimension, []voxel.Box{box})
		if err != nil {
			t.Fatalf("region %d, %s %v: %v", i, dimension, box, err)
		}
		sameCells(t, want, snapshot.Cells, box)
		digests, err := world.Digests(t.Context(), dimension, box)
		if err != nil {
			t.Fatalf("region %d, %s %v: %v", i, dimension, box, err)
		}
		for k, d := range voxel.Digests(want, box) {
			if digests[k] != d {
				t.Fatalf("region %d, %s %v: digest %d of the world is %s, ours %s", i, dimension, box, k, digests[k], d)
			}
		}
		for column := range holes {
			load(t, w, dimension, column, true)
		}
	}
}

// TestManyBoxesOfOneReadAreAsTheyAre reads random boxes of all sizes at once, which
// share requests, from a world with water, block entities and a hole.
func TestManyBoxesOfOneReadAreAsTheyAre(t *testing.T) {
	w, world := connect(t, bridge.Options{}, embedded.Options{})
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(30, 11))
	all := voxel.Box{Min: voxel.Pos{X: -40, Y: -64, Z: 29_999_900}, Max: voxel.Pos{X: 39, Y: -30, Z: 29_999_980}}
	volume := paint(random, all, somePalette(t, registry, random))
	if err := w.Paint("overworld", volume); err != nil {
		t.Fatal(err)
	}
	hole := voxel.Pos{Z: 29_999_936}.Section()
	load(t, w, "overworld", hole, false)
	for range 30 {
		var boxes []voxel.Box
		asked := voxel.NewMask()
		for range 1 + random.IntN(200) {
			size := voxel.Pos{X: 1 + random.IntN(6), Y: 1 + random.IntN(4), Z: 1 + random.IntN(6)}
			if random.IntN(50) == 0 {
				size = voxel.Pos{X: 40, Y: 20, Z: 40} // has more than one page
			}
			low := all.Min.Add(voxel.Pos{X: random.IntN(81 - size.X), Y: random.IntN(36 - size.Y), Z: random.IntN(82 - size.Z)})
			box := voxel.Box{Min: low, Max: low.Add(size).Sub(voxel.Pos{X: 1, Y: 1, Z: 1})}
			boxes = append(boxes, box)
			asked.AddBox(box)
		}
		want := voxel.NewVolume()
		for p := range asked.All() {
			if s := p.Section(); s.X != hole.X || s.Z != hole.Z {
				want.Put(p, volume.Content(volume.ID(p)))
			}
		}
		snapshot, err := world.Read(t.Context(), "overworld", boxes)
		if err != nil {
			t.Fatal(err)
		}
		sameCells(t, want, snapshot.Cells, all)
		for _, e := range snapshot.Entities {
			if !asked.Has(e.Pos) || want.ID(e.Pos) == voxel.None {
				t.Fatalf("a block entity at %v, which was not read", e.Pos)
			}
		}
	}
}

func load(tb testing.TB, w *embedded.World, dimension string, column voxel.Section, loaded bool) {
	tb.Helper()
	if err := w.Load(dimension, voxel.Pos{X: column.X * 16, Z: column.Z * 16}, loaded); err != nil {
		tb.Fatal(err)
	}
}

// somePalette draws states, some of them under water.
func somePalette(tb testing.TB, registry *block.Registry, random *rand.Rand) []string {
	tb.Helper()
	states := []string{"minecraft:air", "minecraft:stone", "minecraft:dirt"}
	ids := registry.IDs()
	for len(states) < 200 {
		s, err := registry.Parse(ids[random.IntN(len(ids))])
		if err != nil {
			tb.Fatal(err)
		}
		states = append(states, string(s))
	}
	for _, id := range []string{"oak_stairs", "oak_slab", "oak_fence", "ladder", "chest", "cobblestone_wall", "glass_pane"} {
		for turns := range 4 {
			s, err := registry.Parse(id)
			if err != nil {
				tb.Fatal(err)
			}
			s = registry.Rotate(s, turns)
			states = append(states, string(s), string(s.Wet()))
		}
	}
	return states
}

// randomBox draws a box of at most 32,768 cells, often at an edge of the world.
func randomBox(random *rand.Rand) (string, voxel.Box) {
	dimension, low, high := "overworld", -64, 319
	switch random.IntN(6) {
	case 0:
		dimension, low, high = "nether", 0, 127
	case 1:
		dimension, low, high = "the_end", 0, 255
	}
	size := voxel.Pos{X: 1 + random.IntN(24), Y: 1 + random.IntN(12), Z: 1 + random.IntN(24)}
	if random.IntN(40) == 0 {
		size = voxel.Pos{X: 1 + random.IntN(2000), Y: 1, Z: 1 + random.IntN(8)}
	}
	at := voxel.Pos{X: random.IntN(200) - 100, Y: low + random.IntN(high-low+2-size.Y), Z: random.IntN(200) - 100}
	const edge = 30_000_000
	switch random.IntN(8) {
	case 0:
		at.X, at.Z = edge-size.X+1, -edge
	case 1:
		at.X, at.Z = -edge, edge-size.Z+1
	case 2:
		at.Y = low
	case 3:
		at.Y = high - size.Y + 1
	}
	return dimension, cube(at, size)
}

// paint fills the box with runs, boxes and single cells of the states.
func paint(random *rand.Rand, box voxel.Box, states []string) *voxel.Volume {
	v := voxel.NewVolume()
	pick := func() voxel.ID { return v.Intern(states[random.IntN(len(states))]) }
	v.Fill(box, v.Intern(states[random.IntN(3)]))
	for range random.IntN(6) {
		size := box.Size()
		lo := box.Min.Add(voxel.Pos{X: random.IntN(size.X), Y: random.IntN(size.Y), Z: random.IntN(size.Z)})
		v.Fill(voxel.Cube(lo).Union(voxel.Cube(box.Max)), pick())
	}
	density := random.IntN(10)
	for p := range box.All() {
		if random.IntN(20) < density-4 {
			v.Set(p, pick())
		}
	}
	return v
}
