package plan_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// hut is a house of 16×10×16 cells: stone floor, log corners, plank walls with
// windows and a door, a ceiling and a pitched roof of stairs, a bed, a chest and
// torches, in air.
func hut(tb testing.TB) *voxel.Volume {
	tb.Helper()
	box := func(x0, y0, z0, x1, y1, z1 int, s string) string {
		return fmt.Sprintf(`{"type":"box","min":{"x":%d,"y":%d,"z":%d},"max":{"x":%d,"y":%d,"z":%d},"block":%q}`, x0, y0, z0, x1, y1, z1, s)
	}
	ops := []string{
		box(0, 0, 0, 15, 9, 15, "air"), box(0, 0, 0, 15, 0, 15, "grass_block"), box(2, 0, 2, 13, 0, 13, "cobblestone"),
		box(2, 1, 2, 13, 4, 13, "oak_planks"), box(3, 1, 3, 12, 4, 12, "air"),
		box(7, 1, 2, 7, 1, 2, "wooden_door"), box(7, 2, 2, 7, 2, 2, "wooden_door[upper_block_bit=true]"),
		box(5, 2, 13, 9, 3, 13, "glass"), box(2, 2, 5, 2, 3, 9, "glass"), box(13, 2, 5, 13, 3, 9, "glass"),
		box(3, 1, 10, 3, 1, 10, "bed"), box(3, 1, 11, 3, 1, 11, "bed[head_piece_bit=true]"), box(12, 1, 12, 12, 1, 12, "chest"),
		box(5, 3, 3, 5, 3, 3, "torch[torch_facing_direction=north]"), box(9, 3, 3, 9, 3, 3, "torch[torch_facing_direction=north]"),
	}
	for _, c := range [][2]int{{2, 2}, {2, 13}, {13, 2}, {13, 13}} {
		ops = append(ops, box(c[0], 1, c[1], c[0], 4, c[1], "oak_log"))
	}
	for i := range 5 {
		ops = append(ops, box(1, 5+i, 1+i, 14, 5+i, 1+i, "oak_stairs[weirdo_direction=2]"),
			box(1, 5+i, 14-i, 14, 5+i, 14-i, "oak_stairs[weirdo_direction=3]"),
			box(2, 5+i, 2+i, 2, 5+i, 13-i, "oak_planks"), box(13, 5+i, 2+i, 13, 5+i, 13-i, "oak_planks"))
	}
	return compile(tb, wide(tb), ops...)
}

// plainHut is a house of 16×10×16 cells as the peers measured: 806 blocks of four
// kinds in air.
func plainHut(tb testing.TB) *voxel.Volume {
	tb.Helper()
	box := func(x0, y0, z0, x1, y1, z1 int, s string) string {
		return fmt.Sprintf(`{"type":"box","min":{"x":%d,"y":%d,"z":%d},"max":{"x":%d,"y":%d,"z":%d},"block":%q}`, x0, y0, z0, x1, y1, z1, s)
	}
	return compile(tb, wide(tb),
		box(0, 0, 0, 15, 9, 15, "air"), box(0, 0, 0, 15, 0, 15, "cobblestone"), box(0, 1, 0, 15, 5, 15, "oak_planks"),
		box(1, 1, 1, 14, 5, 14, "air"), box(0, 6, 0, 15, 6, 15, "spruce_planks"), box(6, 1, 0, 8, 2, 0, "air"),
		box(3, 2, 15, 5, 3, 15, "glass"), box(10, 2, 15, 12, 3, 15, "glass"), box(0, 2, 4, 0, 3, 6, "glass"), box(15, 2, 4, 15, 3, 6, "glass"))
}

func TestHutFitsTheBytesOfThePeers(t *testing.T) {
	b := voxel.Box{Max: at(15, 9, 15)}
	for name, c := range map[string]struct {
		v     *voxel.Volume
		bytes int
	}{"plain": {plainHut(t), 523}, "furnished": {hut(t), 1023}} {
		text, err := json.Marshal(plan.LayersOf(c.v, b, registry(t)))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d blocks, %d bytes: %s", name, c.v.Len()-c.v.Counts()["minecraft:air"], len(text), text)
		if c.v.Len() != b.Volume() || len(text) > c.bytes {
			t.Errorf("%s: %d cells in %d bytes, want at most %d", name, c.v.Len(), len(text), c.bytes)
		}
		if back := compile(t, wide(t), string(text)); !equal(c.v, back) {
			t.Errorf("%s: the text gives other cells", name)
		}
	}
}

func equal(a, b *voxel.Volume) bool {
	if a.Len() != b.Len() {
		return false
	}
	for p, id := range a.All() {
		if got, _ := b.At(p); got != a.Content(id) {
			return false
		}
	}
	return true
}

func TestLayersOfARandomRegionChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	env := wide(t)
	all := states(t, env.Registry)
	for n := range 1000 {
		lo := at(rng.IntN(200)-100, rng.IntN(100)-50, rng.IntN(200)-100)
		b := voxel.Box{Min: lo, Max: lo.Add(at(rng.IntN(20), rng.IntN(20), rng.IntN(20)))}
		world := randomRegion(rng, b, all)
		text, err := json.Marshal(plan.LayersOf(world, b, env.Registry))
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := plan.Compile(recipe(string(text)), env)
		if err != nil {
			t.Fatalf("region %d: %v in %s", n, err, text)
		}
		p, err := plan.Draft(wanted, &plan.Snapshot{Cells: world}, head, plan.Env{
			Registry: env.Registry, Region: env.Region, Policy: plan.Policy{},
		})
		if err != nil {
			t.Fatalf("region %d: %v", n, err)
		}
		if p.Changed != 0 || p.Total != world.Len() {
			t.Fatalf("region %d: %d of %d cells change, the world has %d, %s", n, p.Changed, p.Total, world.Len(), text)
		}
	}
}

// randomRegion has boxes of a few of the states, single cells of them, and some
// unloaded cells.
func randomRegion(rng *rand.Rand, b voxel.Box, all []block.State) *voxel.Volume {
	v := voxel.NewVolume()
	v.Fill(b, v.Intern("minecraft:air"))
	size := b.Size()
	inside := func() voxel.Pos {
		return b.Min.Add(at(rng.IntN(size.X), rng.IntN(size.Y), rng.IntN(size.Z)))
	}
	for range rng.IntN(12) {
		p, q := inside(), inside()
		part := voxel.Cube(p).Union(voxel.Cube(q))
		v.Fill(part, v.Intern(string(all[rng.IntN(len(all))])))
	}
	for range rng.IntN(80) {
		s := all[rng.IntN(len(all))]
		if rng.IntN(4) == 0 {
			s = s.Wet()
		}
		v.Put(inside(), string(s))
	}
	for range rng.IntN(3) {
		p, q := inside(), inside()
		v.Fill(voxel.Cube(p).Union(voxel.Cube(q)), voxel.None)
	}
	return v
}

func TestWrongLayersAreRefusedWithTheirPlace(t *testing.T) {
	for name, c := range map[string]struct{ layers, pointer string }{
		"rows of different lengths":      {`["2a,3a"]`, "/operations/0/layers/0"},
		"layers of different sizes":      {`["2a,2a","2a"]`, "/operations/0/layers/1"},
		"an unknown symbol":              {`["2a,ab"]`, "/operations/0/layers/0"},
		"a reference to nowhere":         {`["a","=1"]`, "/operations/0/layers/1"},
		"a run of no cells":              {`["0a"]`, "/operations/0/layers/0"},
		"an empty row":                   {`["a,"]`, "/operations/0/layers/0"},
		"an empty layer":                 {`[""]`, "/operations/0/layers/0"},
		"a repetition that is no number": {`["a*x"]`, "/operations/0/layers/0"},
		"no symbol":                      {`["2"]`, "/operations/0/layers/0"},
		"a layer that is no string":      {`[2]`, "/operations/0/layers/0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := plan.Compile(recipe(`{"type":"layers","min":{"x":0,"y":0,"z":0},"legend":{"a":"stone"},"layers":`+c.layers+`}`), prototype(t))
			f, ok := err.(*fault.Error) //nolint:errorlint // the outermost error itself is wanted
			if !ok || f.Code != fault.InvalidRequest || f.Details["pointer"] != c.pointer {
				t.Errorf("error %v at %v, want invalid_request at %s", err, f.Details["pointer"], c.pointer)
			}
		})
	}
	for _, bomb := range []string{`["2000000000a"]`, `["a*2000000000"]`, `["` + strings.Repeat("60000:", 1) + `999a*99"]`} {
		_, err := plan.Compile(recipe(`{"type":"layers","min":{"x":0,"y":0,"z":0},"legend":{"a":"stone"},"layers":`+bomb+`}`), prototype(t))
		if code := fault.CodeOf(err); code != fault.BudgetExceeded && code != fault.InvalidRequest {
			t.Errorf("%s: %v", bomb, err)
		}
	}
}
