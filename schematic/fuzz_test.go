package schematic

import (
	"bytes"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// fuzzLimits keep each try of a fuzzer small.
func fuzzLimits() plan.Limits {
	limits := plan.DefaultLimits()
	limits.AssetCells, limits.AssetInflated = 1<<16, 1<<22
	return limits
}

// seeds are documents of every format, not compressed, for a fuzzer changes little
// in a compressed one.
func seeds(f *testing.F) {
	f.Helper()
	f.Add(encode(f, v2(), "Schematic"))
	for _, c := range hostileSponge() {
		if data := encode(f, c, "Schematic"); len(data) < 4096 {
			f.Add(data)
		}
	}
	for _, c := range hostileOthers() {
		f.Add(encode(f, c, ""))
	}
	v := voxel.NewVolume()
	v.Put(voxel.Pos{}, "minecraft:oak_stairs[minecraft:corner=none,upside_down_bit=false,waterlogged=true,weirdo_direction=0]")
	var out bytes.Buffer
	reg, err := block.Load(block.Profile50)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := (Export{Format: MCStructure, Name: "x", Limits: fuzzLimits()}).Write(&out, reg, v); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add(Cottage())
}

// FuzzOpen: any bytes are a schematic that can be reported, placed and written
// again, or an error with a code; strict accepts nothing that the usual way does
// not.
func FuzzOpen(f *testing.F) {
	seeds(f)
	reg, err := block.Load(block.Profile50)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Open(bytes.NewReader(data), fuzzLimits())
		if err != nil {
			if code := fault.CodeOf(err); code != fault.UnsupportedFormat && code != fault.BudgetExceeded {
				t.Fatalf("%q: %v", code, err)
			}
			if _, err := (Options{Strict: true, Limits: fuzzLimits()}).Open(bytes.NewReader(data)); err == nil {
				t.Fatal("strict accepts what the usual way refuses")
			}
			return
		}
		n := 0
		for _, count := range s.Report(reg, nil).ByQuality {
			n += count
		}
		if n != s.Cells() || n != s.Size.X*s.Size.Y*s.Size.Z || n > fuzzLimits().AssetCells {
			t.Fatalf("%d cells in a box of %v", n, s.Size)
		}
		p := Placement{Target: voxel.Pos{X: 5, Y: 6, Z: 7}, Rotation: 90, Mirror: MirrorX, Anchor: AnchorCorner}
		v, err := s.Place(reg, p)
		if err != nil {
			t.Fatal(err)
		}
		box, err := s.Box(p)
		if err != nil || v.Len() > n || box.Min != p.Target {
			t.Fatalf("%d of %d cells in %v: %v", v.Len(), n, box, err)
		}
	})
}

// FuzzBlockData: what is written as varints comes back, in whatever pieces it
// arrives.
func FuzzBlockData(f *testing.F) {
	f.Add([]byte{0, 1, 2}, uint8(1))
	f.Add([]byte{255, 255, 3, 0, 0, 1}, uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, width uint8) {
		if len(data) < 2 || len(data) > 1<<12 {
			return
		}
		k := &sketch{size: voxel.Pos{X: len(data) / 2, Y: 1, Z: 1}, cells: map[voxel.Pos]string{}}
		for x := range k.size.X {
			id := int(data[2*x])<<8&0x700 | int(data[2*x+1])
			k.set(x, 0, 0, "stone"+string(rune('a'+id%26))+string(rune('a'+id/26%26))+string(rune('a'+id/676)))
		}
		s := open(t, k.file(t, 2+int(width&1), "x", voxel.Pos{}))
		for p, want := range k.cells {
			if got, _ := s.At(p); got != want {
				t.Fatalf("at %v: %s instead of %s", p, got, want)
			}
		}
	})
}
