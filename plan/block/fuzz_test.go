package block

import (
	"testing"

	"groundplan/plan/fault"
)

// FuzzParse: whatever is taken is a state of the profile and parses to itself;
// whatever is not is refused with a code.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"stone", "minecraft:oak_stairs[weirdo_direction=3]", `oak_stairs ["upside_down_bit"=true]`, "oak_stairs[waterlogged=true]", "a:b:c", "[", "]", "x[]",
		`x["a":1]`, "oak_stairs[,]", "oak_stairs[=]", "stone[waterlogged=true", "planks[wood_type=oak]", "wool[color=red]", "\xff", "stone\x00",
	} {
		f.Add(s)
	}
	r := mustLoad(f, Profile50)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := r.Parse(text)
		if err != nil {
			if code := fault.CodeOf(err); code != fault.UnsupportedBlock && code != fault.InvalidRequest {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if again, err := r.Parse(string(s)); err != nil || again != s || !r.Has(s) {
			t.Errorf("%q became %q, which became %q, %v", text, s, again, err)
		}
		if r.Rotate(r.Rotate(s, 3), 1) != s || r.Mirror(r.Mirror(s, X), X) != s {
			t.Errorf("%q does not turn back", s)
		}
	})
}

// FuzzTranslate: every text has an answer, and a state that is given exists.
func FuzzTranslate(f *testing.F) {
	for _, s := range []string{
		"minecraft:stone", "minecraft:oak_stairs[facing=east,half=top]", "minecraft:cauldron[level=3]", "cobblestone_wall[east=true]", "jigsaw[facing=up]",
		"minecraft:__reserved__", "stone_slab[type=top]", "x:y[z=1]", "oak_log[axis]", "oak_log[axis=y", "[]", "minecraft:creaking_heart[creaking=active]",
	} {
		f.Add(s, 0)
		f.Add(s, 1519)
	}
	r := mustLoad(f, Profile60)
	f.Fuzz(func(t *testing.T, text string, version int) {
		tr := r.TranslateFrom(text, version)
		switch {
		case tr.State != "" && !r.Has(tr.State):
			t.Errorf("%q became %q, which is no state", text, tr.State)
		case tr.State == "" && !tr.Keep && (tr.Quality != Unmapped || tr.Note == ""):
			t.Errorf("%q: %+v", text, tr)
		case tr.State != "" && tr.Quality != Exact && tr.Quality != Approximate:
			t.Errorf("%q: %+v", text, tr)
		}
	})
}

// FuzzText: the functions on states take any text without failing.
func FuzzText(f *testing.F) {
	f.Add("minecraft:stone")
	f.Add("custom:thing[a=1,b=word,waterlogged=true]")
	f.Add("[waterlogged=true]")
	f.Add("x[a]")
	r := mustLoad(f, Profile45)
	f.Fuzz(func(t *testing.T, text string) {
		s := State(text)
		if s.Waterlogged() && s.Dry().Wet() != s {
			t.Errorf("%q is wet but %q is not it", s, s.Dry().Wet())
		}
		if r.Plain(r.Plain(s)) != r.Plain(s) {
			t.Errorf("%q: plain %q, plainer %q", s, r.Plain(s), r.Plain(r.Plain(s)))
		}
		r.Command(s)
		r.Filter(s)
		r.Short(s)
		r.Shape(s)
		r.Collision(s)
		r.Colour(s)
		r.Class(s)
		r.ToJava(s)
		r.Connect(s, func(int, int, int) State { return s })
		if r.Rotate(s, 4) != s {
			t.Errorf("four turns of %q: %q", s, r.Rotate(s, 4))
		}
	})
}

// FuzzSearch: no query and no cursor does more than be refused.
func FuzzSearch(f *testing.F) {
	f.Add("oak stairs", "all", 3, "")
	f.Add("", "", 0, "a:b:c")
	r := mustLoad(f, Profile45)
	f.Fuzz(func(t *testing.T, text, kind string, limit int, cursor string) {
		found, err := r.Search(Query{Text: text, Kind: kind, Limit: limit, Cursor: cursor})
		if err != nil {
			if fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("%v", err)
			}
			return
		}
		if len(found.Results) > maxResults || len(found.NextCursor) > maxCursor {
			t.Errorf("%d results, cursor %q", len(found.Results), found.NextCursor)
		}
	})
}
