package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFactorGivesBackWhatItWasGiven: a component's table, over the properties it
// depends on only, gives every value of the function it was made of.
func TestFactorGivesBackWhatItWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sh shape
		for i := range rapid.IntRange(0, 4).Draw(t, "properties") {
			p := prop{name: string(rune('a' + i))}
			for k := range rapid.IntRange(1, 4).Draw(t, "values") {
				p.values = append(p.values, itoa(k))
			}
			sh = append(sh, p)
		}
		uses := rapid.SliceOfN(rapid.Bool(), len(sh), len(sh)).Draw(t, "uses")
		values := make([]string, sh.size())
		for i := range values {
			var b strings.Builder
			for k, digit := range sh.at(i) {
				if uses[k] {
					b.WriteString(itoa(digit))
				}
			}
			values[i] = b.String()
		}
		c := factor("x", sh, values)
		for i, want := range values {
			n := 0
			digits := sh.at(i)
			for _, k := range c.props {
				n = n*len(sh[k].values) + digits[k]
			}
			if c.values[n] != want {
				t.Fatalf("%v: %q, want %q", digits, c.values[n], want)
			}
		}
		for _, k := range c.props {
			if !uses[k] {
				t.Fatalf("the table depends on %s, the function does not", sh[k].name)
			}
		}
	})
}

// oven is a Java block for the tests of patches.
func oven() *javaBlock {
	b := &javaBlock{id: "oven", harmless: map[string]bool{}, props: shape{
		{name: "facing", values: []string{"north", "south"}},
		{name: "lit", values: []string{"true", "false"}, def: 1},
	}}
	for range b.props.size() {
		b.targets = append(b.targets, target{id: "oven", states: map[string]string{"dir": "2"}, note: note{quality: "exact"}})
	}
	return b
}

func patched(t *testing.T, text string) (*javaBlock, error) {
	t.Helper()
	b := oven()
	patches, err := readPatches(text)
	if err != nil {
		return nil, err
	}
	_, err = apply(patches, []*javaBlock{b})
	return b, err
}

func TestPatchesChangeWhatTheySayAndNothingElse(t *testing.T) {
	for text, want := range map[string]target{
		"oven => dir=5 # r":                            {id: "oven", states: map[string]string{"dir": "5"}, note: note{quality: "exact"}},
		"ov* => hot=$lit # r":                          {id: "oven", states: map[string]string{"dir": "2", "hot": "true"}, note: note{quality: "exact"}},
		"oven => hot=!$lit # r":                        {id: "oven", states: map[string]string{"dir": "2", "hot": "false"}, note: note{quality: "exact"}},
		"oven => way=$facing{north:n,south:s} # r":     {id: "oven", states: map[string]string{"dir": "2", "way": "n"}, note: note{quality: "exact"}},
		"x,oven[lit=true] => id=lit_oven # r":          {id: "lit_oven", states: map[string]string{"dir": "2"}, note: note{quality: "exact"}},
		"oven[lit!=false,facing=north|x] => water # r": {id: "oven", states: map[string]string{"dir": "2"}, water: true, note: note{quality: "exact"}},
		"oven => drop dir; loses the heat # r":         {id: "oven", states: map[string]string{}, note: note{quality: "approximate", text: "the heat"}},
		"oven => notes look # r":                       {id: "oven", states: map[string]string{"dir": "2"}, note: note{quality: "exact", text: "look"}},
		"oven => prefer # r":                           {id: "oven", states: map[string]string{"dir": "2"}, note: note{quality: "exact"}, prefer: true},
		"oven => keep # r":                             {note: note{quality: "keep"}},
		"oven => unknown there is none # r":            {note: note{quality: "unknown", text: "there is none"}},
	} {
		b, err := patched(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := b.targets[0] // facing north, lit
		if got.id != want.id || !maps.Equal(got.states, want.states) || got.water != want.water || got.note != want.note || got.prefer != want.prefer {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		if strings.Contains(text, "[lit") && b.targets[1].id+b.targets[1].states["dir"] != "oven2" {
			t.Errorf("%s: changed another state: %+v", text, b.targets[1])
		}
	}
}

func TestPatchesThatSayNothingAreRefused(t *testing.T) {
	for _, text := range []string{
		"oven => dir=5",                // no reason
		"oven dir=5 # r",               // no arrow
		"oven[lit] => dir=5 # r",       // no condition
		"stove => dir=5 # r",           // no such block
		"oven[lit=maybe] => dir=5 # r", // no such state
		"oven => hot=$heat # r",        // no such property
		"oven => burn # r",             // no such action
	} {
		if _, err := patched(t, text); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func TestALossWithoutAWordIsFound(t *testing.T) {
	b := oven()
	if err := b.checkLosses(); err == nil {
		t.Error("facing and lit are lost, nobody noticed")
	}
	b.harmless["facing"], b.harmless["lit"] = true, true
	if err := b.checkLosses(); err != nil {
		t.Errorf("declared harmless: %v", err)
	}
}

func TestFullFacesAreWholeSquares(t *testing.T) {
	for name, c := range map[string]struct {
		shape []cuboid
		want  int
	}{
		"nothing":    {nil, 0},
		"cube":       {[]cuboid{{0, 0, 0, 16, 16, 16}}, 63},
		"lower slab": {[]cuboid{{0, 0, 0, 16, 8, 16}}, 1},
		"two halves": {[]cuboid{{0, 0, 0, 8, 16, 16}, {8, 0, 0, 16, 16, 16}}, 63},
		"stairs":     {[]cuboid{{0, 0, 0, 16, 8, 16}, {8, 8, 0, 16, 16, 16}}, 1 | 32},
		"post":       {[]cuboid{{6, 0, 6, 10, 16, 10}}, 0},
	} {
		if got := fullFaces(c.shape); got != c.want {
			t.Errorf("%s: %06b, want %06b", name, got, c.want)
		}
	}
}

func TestMushroomFacesTurnWithTheBlock(t *testing.T) {
	bits := func(faces ...string) (string, string) {
		values := map[string]string{}
		for _, f := range []string{"north", "east", "south", "west", "up", "down"} {
			values[f] = map[bool]string{true: "true", false: "false"}[slices.Contains(faces, f)]
		}
		b := target{id: "red_mushroom_block", states: map[string]string{}, note: note{quality: "exact"}}
		b.faces(values)
		return b.states["huge_mushroom_bits"], b.note.quality
	}
	for _, c := range []struct {
		faces         string
		bits, quality string
	}{
		{"", "0", "exact"},
		{"up", "5", "exact"},
		{"up north", "2", "exact"},
		{"up north west", "1", "exact"},
		{"up south east", "9", "exact"},
		{"north east south west up down", "14", "exact"},
		{"north", "2", "approximate"},
		{"up north south", "5", "approximate"},
		{"north east south west", "14", "approximate"},
		{"up down east", "6", "approximate"},
	} {
		if b, q := bits(strings.Fields(c.faces)...); b != c.bits || q != c.quality {
			t.Errorf("%q: %s %s, want %s %s", c.faces, b, q, c.bits, c.quality)
		}
	}
}
