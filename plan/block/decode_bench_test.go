package block

import "testing"

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		if _, err := decode(Profile60); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTranslateNew reads each text, as for one that was never seen.
func BenchmarkTranslateNew(b *testing.B) {
	r := mustLoad(b, Profile60)
	for b.Loop() {
		if t := r.translate("minecraft:oak_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]", 0); t.State == "" {
			b.Fatal(t)
		}
	}
}
