package block_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"groundplan/plan/block"
	"groundplan/plan/fault"
)

func search(t *testing.T, q block.Query) block.Found {
	t.Helper()
	f, err := load(t, block.Profile60).Search(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return f
}

func ids(list []block.Material) []string {
	var out []string
	for _, m := range list {
		out = append(out, strings.TrimPrefix(m.ID, "minecraft:"))
	}
	return out
}

func TestSearchFindsByWordsColourShapeAndKind(t *testing.T) {
	for query, want := range map[string][]string{
		"warm dark wood stairs":  {"dark_oak_stairs"},
		"oak stairs":             {"oak_stairs", "dark_oak_stairs", "pale_oak_stairs"},
		"oak plank":              {"oak_planks"},
		"grey stone slab":        {"stone_brick_slab", "andesite_slab"},
		"white cube":             {"white_concrete", "quartz_block", "snow"},
		"glowing":                {"glowstone", "sea_lantern", "torch"},
		"gravity":                {"sand", "gravel", "white_concrete_powder"},
		"dark red":               {"redstone_wire", "nether_wart_block"},
		"  OAK   Stairs ":        {"oak_stairs"},
		"minecraft:oak_stairs":   {"oak_stairs"},
		"cool glass":             {"cyan_stained_glass", "blue_stained_glass"},
		"wood door":              {"spruce_door", "dark_oak_door"},
		"container":              {"chest", "barrel", "hopper"},
		"warm wooden fence gate": {"spruce_fence_gate", "dark_oak_fence_gate"},
	} {
		f := search(t, block.Query{Text: query, Limit: 32})
		all := ids(f.Results)
		for f.NextCursor != "" {
			f = search(t, block.Query{Text: query, Limit: 32, Cursor: f.NextCursor})
			all = append(all, ids(f.Results)...)
		}
		if len(all) != f.Total {
			t.Errorf("%q: %d results over all pages, total %d", query, len(all), f.Total)
		}
		for _, w := range want {
			if !slices.Contains(all, w) {
				t.Errorf("%q does not find %s in %d: %v", query, w, len(all), all[:min(len(all), 12)])
			}
		}
	}
	if first := ids(search(t, block.Query{Text: "oak stairs"}).Results)[0]; first != "oak_stairs" {
		t.Errorf("the best answer to oak stairs is %s", first)
	}
	if f := search(t, block.Query{Text: "no such thing"}); f.Total != 0 || f.Results == nil {
		t.Errorf("nothing found: %+v", f)
	}
}

func TestSearchTellsBlocksFromItems(t *testing.T) {
	if f := search(t, block.Query{Text: "diamond_sword"}); f.Total != 0 {
		t.Errorf("a sword is a block: %+v", f)
	}
	f := search(t, block.Query{Text: "diamond_sword", Kind: "item"})
	if f.Total != 1 || f.Results[0].Block || !f.Results[0].Item {
		t.Errorf("no sword among items: %+v", f)
	}
	blocks, all := search(t, block.Query{}), search(t, block.Query{Kind: "all"})
	if blocks.Total != 1480 || all.Total <= blocks.Total {
		t.Errorf("%d blocks, %d materials", blocks.Total, all.Total)
	}
}

func TestSearchRefusesWhatItCannotAnswer(t *testing.T) {
	r := load(t, block.Profile60)
	f := search(t, block.Query{Text: "oak"})
	for name, c := range map[string]struct {
		q      block.Query
		reason string
	}{
		"long":        {block.Query{Text: strings.Repeat("x", 97)}, "invalid_material_query"},
		"control":     {block.Query{Text: "oak\n"}, "invalid_material_query"},
		"kind":        {block.Query{Kind: "tool"}, "invalid_material_query"},
		"limit":       {block.Query{Limit: 33}, "invalid_material_query"},
		"negative":    {block.Query{Limit: -1}, "invalid_material_query"},
		"cursor":      {block.Query{Text: "oak", Cursor: "x"}, "invalid_cursor"},
		"other query": {block.Query{Text: "birch", Cursor: f.NextCursor}, "invalid_cursor"},
		"other kind":  {block.Query{Text: "oak", Kind: "all", Cursor: f.NextCursor}, "invalid_cursor"},
		"beyond":      {block.Query{Text: "oak", Cursor: f.NextCursor + "000"}, "invalid_cursor"},
		"other set":   {block.Query{Text: "oak", Cursor: "0" + f.NextCursor[1:]}, "stale_cursor"},
		"endless":     {block.Query{Text: "oak", Cursor: strings.Repeat("1", 101)}, "invalid_cursor"},
	} {
		_, err := r.Search(c.q)
		var fe *fault.Error
		if !errors.As(err, &fe) || fe.Code != fault.InvalidRequest || fe.Details["reason"] != c.reason {
			t.Errorf("%s: %v, want %s", name, err, c.reason)
		}
	}
}

func TestDescribeTellsWhatABuilderMustKnow(t *testing.T) {
	r := load(t, block.Profile50)
	d, err := r.Describe("oak_stairs")
	if err != nil {
		t.Fatal(err)
	}
	if d.DefaultState != "minecraft:oak_stairs[minecraft:corner=none,upside_down_bit=false,weirdo_direction=0]" ||
		!slices.Equal(d.Properties["weirdo_direction"], []string{"0", "1", "2", "3"}) || !slices.Contains(d.Derived, "minecraft:corner") ||
		!slices.Contains(d.Behaviour, "waterloggable") || d.Shape != "stairs" || d.Colour != "brown" || d.Java == "" {
		t.Errorf("%+v", d)
	}
	for id, behaviour := range map[string]string{
		"sand": "gravity", "water": "fluid", "wooden_door": "multi_block", "torch": "attachment_sensitive", "oak_leaves": "leaf_decay", "chest": "block_entity",
	} {
		if d, err := r.Describe(id); err != nil || !slices.Contains(d.Behaviour, behaviour) {
			t.Errorf("%s: %v, %v; want %s", id, d.Behaviour, err, behaviour)
		}
	}
	if d, err := r.Describe("glowstone"); err != nil || d.Light != 15 || len(d.Properties) != 0 {
		t.Errorf("glowstone: %+v, %v", d, err)
	}
	if d, err := r.Describe("minecraft:diamond_sword"); err != nil || d.Placeable || d.Block || !d.Item {
		t.Errorf("an item: %+v, %v", d, err)
	}
	if _, err := r.Describe("oak_stair"); fault.CodeOf(err) != fault.UnsupportedBlock || !strings.Contains(err.Error(), "oak_stairs") {
		t.Errorf("unknown: %v", err)
	}
	for _, id := range []string{"oak_stairs[weirdo_direction=1]", strings.Repeat("x", 200), "", "a b"} {
		if _, err := r.Describe(id); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%.20q: %v", id, err)
		}
	}
}
