package schematic

import (
	"bytes"
	"testing"

	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// TestExportsAskTheSurroundings: what Java keeps in a state and Bedrock does not is
// taken from the neighbours: the halves of a double chest, the fences of a game
// that draws their connections itself.
func TestExportsAskTheSurroundings(t *testing.T) {
	reg, err := block.Load(block.Profile45)
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{"chest[cardinal_direction=north]", "chest[cardinal_direction=north]", "air", "oak_fence", "stone"}
	want := []string{
		"minecraft:chest[facing=north,type=left,waterlogged=false]",
		"minecraft:chest[facing=north,type=right,waterlogged=false]",
		"minecraft:air",
		"minecraft:oak_fence[east=true,north=false,south=false,waterlogged=false,west=false]",
		"minecraft:stone",
	}
	v := voxel.NewVolume()
	for x, text := range cells {
		s, err := reg.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v.Put(voxel.Pos{X: x}, string(s))
	}
	e := Export{Box: voxel.Box{Max: voxel.Pos{X: len(cells) - 1}}, Name: "row", Limits: corpusLimits()}
	s, err := Open(bytes.NewReader(write(t, e, reg, v)), corpusLimits())
	if err != nil {
		t.Fatal(err)
	}
	for x, w := range want {
		if got, _ := s.At(voxel.Pos{X: x}); got != w {
			t.Errorf("cell %d: %s, want %s", x, got, w)
		}
	}
}
