package block

import "testing"

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		if _, err := decode(Profile60); err != nil {
			b.Fatal(err)
		}
	}
}
