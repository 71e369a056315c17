package voxel

import "testing"

func TestDigestTellsContentsOrderAndCountsApart(t *testing.T) {
	box := Box{Pos{0, 0, 0}, Pos{3, 1, 1}}
	seen := map[string]string{}
	for name, paint := range map[string]func(v *Volume){
		"uniform": func(*Volume) {},
		"first":   func(v *Volume) { v.Put(Pos{0, 0, 0}, "b") },
		"second":  func(v *Volume) { v.Put(Pos{1, 0, 0}, "b") },
		"other":   func(v *Volume) { v.Put(Pos{1, 0, 0}, "c") },
		"two":     func(v *Volume) { v.Fill(Box{Pos{1, 0, 0}, Pos{2, 0, 0}}, v.Intern("b")) },
		"last":    func(v *Volume) { v.Put(Pos{3, 1, 1}, "b") },
	} {
		v := NewVolume()
		v.Fill(box, v.Intern("a"))
		paint(v)
		d := Digests(v, box)
		if len(d) != 1 || len(d[0]) != 16 {
			t.Fatalf("%s: %q", name, d)
		}
		if other, ok := seen[d[0]]; ok {
			t.Errorf("%s and %s have the digest %s", name, other, d[0])
		}
		seen[d[0]] = name
	}
}

func TestDigestDoesNotDependOnThePalette(t *testing.T) {
	box := Box{Pos{-20, -3, 5}, Pos{7, 20, 40}}
	one, two := NewVolume(), NewVolume()
	for _, text := range []string{"z", "y", "x", "b", "a"} {
		two.Intern(text)
	}
	i := 0
	for p := range box.All() {
		text := string(rune('a' + i%3*i%5%3))
		one.Put(p, text)
		two.Put(p, text)
		i++
	}
	a, b := Digests(one, box), Digests(two, box)
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("section %d: %s and %s", i, a[i], b[i])
		}
	}
	n := 0
	for key := range box.Sections() {
		if d := Digest(one, key, box); d != a[n] {
			t.Errorf("section %v alone: %s, among all: %s", key, d, a[n])
		}
		n++
	}
}

func TestDigestOfAbsentCellsIsUnknown(t *testing.T) {
	box := Box{Pos{0, 0, 0}, Pos{31, 0, 0}}
	v := NewVolume()
	v.Fill(box, v.Intern("a"))
	v.Put(Pos{20, 0, 0}, "")
	d := Digests(v, box)
	if d[0] == UnknownDigest || d[1] != UnknownDigest {
		t.Errorf("%q", d)
	}
}
