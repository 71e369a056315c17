package block_test

import (
	"testing"

	"groundplan/plan/block"
)

func BenchmarkTranslate(b *testing.B) {
	r := load(b, block.Profile50)
	palette := []string{
		"minecraft:stone", "minecraft:air", "minecraft:oak_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]",
		"minecraft:oak_fence[east=true,north=false,south=false,waterlogged=true,west=true]", "minecraft:grass_block[snowy=false]",
		"minecraft:oak_log[axis=y]", "minecraft:cobblestone_wall[east=low,north=none,south=none,up=true,waterlogged=false,west=low]",
		"minecraft:oak_door[facing=north,half=lower,hinge=left,open=false,powered=false]",
	}
	for i := 0; b.Loop(); i++ {
		if t := r.Translate(palette[i%len(palette)]); t.State == "" {
			b.Fatal(t)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlookups/s")
}

func BenchmarkParseCanonical(b *testing.B) {
	r := load(b, block.Profile50)
	for b.Loop() {
		if _, err := r.Parse("minecraft:oak_stairs[minecraft:corner=none,upside_down_bit=false,weirdo_direction=0]"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRotate(b *testing.B) {
	r := load(b, block.Profile50)
	s := block.State("minecraft:oak_stairs[minecraft:corner=none,upside_down_bit=false,weirdo_direction=0]")
	for b.Loop() {
		s = r.Rotate(s, 1)
	}
}

func BenchmarkUnknown(b *testing.B) {
	r := load(b, block.Profile50)
	for b.Loop() {
		if _, err := r.Parse("wooden_dark_stairs_of_old_oak_x"); err == nil {
			b.Fatal("it exists")
		}
	}
}
