package schematic

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

var update = flag.Bool("update", false, "write the files that the tests make")

// sketch is a box of Java states that is drawn cell by cell.
type sketch struct {
	size  voxel.Pos
	cells map[voxel.Pos]string
}

func (s *sketch) set(x, y, z int, state string) {
	s.cells[voxel.Pos{X: x, Y: y, Z: z}] = "minecraft:" + state
}

func (s *sketch) fill(x1, y1, z1, x2, y2, z2 int, state string) {
	for p := range (voxel.Box{Min: voxel.Pos{X: x1, Y: y1, Z: z1}, Max: voxel.Pos{X: x2, Y: y2, Z: z2}}).All() {
		s.set(p.X, p.Y, p.Z, state)
	}
}

// dense lays the cells out as a file has them; what was not drawn is air.
func (s *sketch) dense() *dense {
	d := &dense{size: s.size}
	index := map[string]uint16{}
	box := voxel.Box{Max: s.size.Sub(voxel.Pos{X: 1, Y: 1, Z: 1})}
	for p := range box.All() {
		state, ok := s.cells[p]
		if !ok {
			state = "minecraft:air"
		}
		id, ok := index[state]
		if !ok {
			id = uint16(len(d.palette))
			index[state] = id
			d.palette = append(d.palette, state)
		}
		d.cells = append(d.cells, id)
	}
	return d
}

// cottage draws the house of the demo: 13 by 10 by 11 cells, the door to the south.
func cottage() *sketch {
	s := &sketch{size: voxel.Pos{X: 13, Y: 10, Z: 11}, cells: map[voxel.Pos]string{}}
	cottageGround(s)
	cottageWalls(s)
	cottageRoof(s)
	cottageInside(s)
	return s
}

func cottageGround(s *sketch) {
	s.fill(0, 0, 0, 12, 0, 10, "grass_block[snowy=false]")
	s.fill(1, 0, 1, 11, 0, 8, "cobblestone")
	s.fill(2, 0, 2, 10, 0, 7, "spruce_planks")
	s.fill(6, 0, 9, 6, 0, 10, "dirt_path")
	for _, x := range []int{2, 3, 4, 8, 9, 10} {
		s.set(x, 0, 9, "coarse_dirt")
	}
	for x, flower := range map[int]string{2: "poppy", 3: "cornflower", 4: "oxeye_daisy", 8: "oxeye_daisy", 9: "cornflower", 10: "poppy"} {
		s.set(x, 1, 9, flower)
	}
}

func cottageWalls(s *sketch) {
	for y := 1; y <= 4; y++ {
		s.fill(1, y, 1, 11, y, 8, "white_terracotta")
		s.fill(2, y, 2, 10, y, 7, "air")
		for _, x := range []int{1, 6, 11} {
			for _, z := range []int{1, 8} {
				if x != 6 || z != 8 {
					s.set(x, y, z, "oak_log[axis=y]")
				}
			}
		}
	}
	s.fill(2, 4, 8, 10, 4, 8, "oak_log[axis=x]")
	s.fill(2, 4, 1, 10, 4, 1, "oak_log[axis=x]")
	for _, z := range []int{1, 8} {
		for _, x := range []int{3, 4, 8, 9} {
			for y := 2; y <= 3; y++ {
				s.set(x, y, z, "glass_pane[east=true,north=false,south=false,waterlogged=false,west=true]")
			}
		}
	}
	for _, x := range []int{1, 11} {
		for _, z := range []int{4, 5} {
			for y := 2; y <= 3; y++ {
				s.set(x, y, z, "glass_pane[east=false,north=true,south=true,waterlogged=false,west=false]")
			}
		}
	}
	for _, half := range []struct {
		y    int
		name string
	}{{1, "lower"}, {2, "upper"}} {
		s.set(6, half.y, 8, "oak_door[facing=north,half="+half.name+",hinge=left,open=false,powered=false]")
	}
	s.set(6, 3, 8, "oak_log[axis=y]")
	s.set(6, 0, 8, "spruce_planks")
	for _, x := range []int{5, 7} {
		s.set(x, 3, 9, "wall_torch[facing=south]")
	}
}

// cottageRoof lays a gable roof whose ridge runs from west to east.
func cottageRoof(s *sketch) {
	stairs := func(facing string) string {
		return "dark_oak_stairs[facing=" + facing + ",half=bottom,shape=straight,waterlogged=false]"
	}
	for i := range 5 {
		y := 4 + i
		s.fill(0, y, i, 12, y, i, stairs("south"))
		s.fill(0, y, 9-i, 12, y, 9-i, stairs("north"))
		if i == 0 {
			continue
		}
		for _, x := range []int{1, 11} {
			for z := i + 1; z < 9-i; z++ {
				s.set(x, y, z, "oak_planks")
			}
		}
	}
	s.fill(0, 9, 4, 12, 9, 5, "dark_oak_slab[type=bottom,waterlogged=false]")
	for y := 5; y <= 9; y++ {
		s.set(9, y, 3, "bricks")
	}
	s.set(9, 9, 3, "brick_wall[east=none,north=none,south=none,up=true,waterlogged=false,west=none]")
}

func cottageInside(s *sketch) {
	s.set(2, 1, 2, "crafting_table")
	s.set(2, 1, 3, "bookshelf")
	s.set(2, 2, 3, "bookshelf")
	s.fill(8, 1, 2, 10, 1, 2, "bricks")
	s.set(9, 1, 2, "campfire[facing=south,lit=true,signal_fire=false,waterlogged=false]")
	s.fill(8, 2, 2, 10, 2, 2, "bricks")
	s.set(9, 2, 2, "air")
	s.fill(9, 3, 2, 9, 4, 2, "bricks")
	s.fill(4, 1, 4, 6, 1, 6, "red_carpet")
	s.set(5, 1, 5, "oak_fence[east=false,north=false,south=false,waterlogged=false,west=false]")
	s.set(5, 2, 5, "oak_pressure_plate[powered=false]")
	s.set(5, 1, 4, "oak_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]")
	s.set(5, 1, 6, "oak_stairs[facing=north,half=bottom,shape=straight,waterlogged=false]")
	s.set(6, 8, 4, "oak_planks")
	s.set(6, 7, 4, "lantern[hanging=true,waterlogged=false]")
	s.set(3, 1, 7, "oak_slab[type=top,waterlogged=false]")
	s.set(2, 1, 7, "oak_slab[type=top,waterlogged=false]")
	s.set(2, 2, 7, "potted_fern")
}

// file returns the sketch as a Sponge schematic of a version.
func (s *sketch) file(tb testing.TB, version int, name string, offset voxel.Pos) []byte {
	tb.Helper()
	e := Export{
		Version: version, Name: name, Author: defaultAuthor, Limits: plan.DefaultLimits(),
		Box: voxel.Box{Min: offset, Max: offset.Add(s.size).Sub(voxel.Pos{X: 1, Y: 1, Z: 1})},
	}
	if err := e.check(); err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	if err := e.writeSponge(&out, s.dense()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestCottageIsTheOneThatIsShipped(t *testing.T) {
	want := cottage().file(t, 2, "Cottage", voxel.Pos{X: -6, Y: -1, Z: -10})
	for _, name := range []string{"cottage.schem", filepath.Join("..", "testdata", "cottage.schem")} {
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what its generator makes; go test ./schematic -run Cottage -update", name)
		}
	}
	if !bytes.Equal(Cottage(), want) {
		t.Error("the embedded cottage differs")
	}
	s, err := Open(bytes.NewReader(want), plan.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) > 0 || s.Cells() != 13*10*11 || s.Name != "Cottage" {
		t.Errorf("%+v", s)
	}
	if got, _ := s.At(voxel.Pos{X: 6, Y: 1, Z: 8}); !strings.HasPrefix(got, "minecraft:oak_door[") {
		t.Errorf("at the door stands %s", got)
	}
}
