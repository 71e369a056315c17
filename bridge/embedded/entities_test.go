package embedded

import (
	"fmt"
	"strings"
	"testing"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

func TestBlockEntitiesAreListed(t *testing.T) {
	w, p := begin(t, Options{})
	set := func(x int, state string, e store.Entity) {
		t.Helper()
		if err := w.Set(store.Overworld, voxel.Pos{X: x}, state, false); err != nil {
			t.Fatal(err)
		}
		if err := w.SetEntity(store.Overworld, voxel.Pos{X: x}, e); err != nil {
			t.Fatal(err)
		}
	}
	items := []store.Item{{}, {ID: "minecraft:stone", Count: 1}}
	set(0, "chest", store.Entity{})
	set(1, "chest", store.Entity{Items: items})
	set(2, "standing_sign", store.Entity{})
	set(3, "standing_sign", store.Entity{Text: [2]string{"", "back"}})
	set(4, "standing_banner", store.Entity{})
	set(5, "bed", store.Entity{})
	set(6, "jukebox", store.Entity{})
	set(7, "jukebox", store.Entity{Items: items[1:]})
	set(8, "ender_chest", store.Entity{})
	set(9, "barrel", store.Entity{Items: items[:1]})
	set(10, "flower_pot", store.Entity{})
	set(11, "chiseled_bookshelf[books_stored=0]", store.Entity{})
	set(12, "chiseled_bookshelf[books_stored=3]", store.Entity{})
	set(13, "cauldron[fill_level=0]", store.Entity{})
	set(14, "stone", store.Entity{})
	var page struct {
		Entities []any `json:"be"`
	}
	p.call("read_region", map[string]any{"dim": "overworld", "min": []int{0, 0, 0}, "max": []int{15, 0, 0}}, &page)
	want := "[[0 container 0] [1 container 1] [2 sign 0] [3 sign 1] [4 banner 1] [5 bed 0] [6 jukebox 0] [7 jukebox 1] [9 container 0] [10 pot 1] [11 container 0] [12 container 1] [13 cauldron 0]]"
	if got := fmt.Sprint(page.Entities); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestManyBlockEntitiesArePagesOfTheirOwn(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("fill 0 0 0 31 3 31 chest", 0)
	cells, entities, pages := 0, 0, 0
	for next := 0; next >= 0; pages++ {
		var page struct {
			From     int     `json:"from"`
			Next     int     `json:"next"`
			Entities [][]any `json:"be"`
		}
		p.call("read_region", map[string]any{"dim": "overworld", "min": []int{0, 0, 0}, "max": []int{31, 3, 31}, "page": next}, &page)
		if page.From != next {
			t.Fatalf("page %d begins at %d", next, page.From)
		}
		for i, e := range page.Entities {
			if int(e[0].(float64)) != next+i {
				t.Fatalf("entity %v on the page from %d", e, next)
			}
		}
		entities += len(page.Entities)
		if next = page.Next; next >= 0 {
			cells = next
		}
	}
	if entities != 4096 || pages < 2 || cells == 0 {
		t.Errorf("%d block entities on %d pages", entities, pages)
	}
}

func TestSection3_5OverwritingABlockEntityLosesIt(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("setblock 0 0 0 chest", 0)
	if err := w.SetEntity(store.Overworld, voxel.Pos{}, store.Entity{Items: []store.Item{{ID: "minecraft:dirt", Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	p.expect("fill 0 0 0 1 0 0 stone", 0, "setblock 0 0 0 chest", 0)
	if e, ok := w.blocks.Dimension(store.Overworld).Entity(voxel.Pos{}); ok {
		t.Errorf("the new chest holds %v", e)
	}
}

func TestSection3_2WaterIsALayerOfItsOwn(t *testing.T) {
	w, p := begin(t, Options{Derived: AsWritten})
	run := func(command string) string {
		b := p.try("run_world_command", map[string]any{"command": command})
		return string(b.Result) + b.Error.Code
	}
	wet := func(x int) bool { return strings.HasSuffix(state(t, w, x, 0, 0), "waterlogged=true]") }
	p.expect("fill 0 0 0 3 0 0 oak_slab", 0)
	for _, c := range []struct{ command, want string }{
		{"groundplan:fill 0 0 0 1 0 0 oak_slab true replace oak_slab false", `{"success_count":2}`},
		{"groundplan:fill 0 0 0 3 0 0 oak_slab true replace oak_slab false", `{"success_count":2}`},
		{"groundplan:fill 0 0 0 3 0 0 oak_slab true replace oak_slab false", `{"success_count":0}`},
		{`groundplan:fill 0 0 0 0 0 0 oak_slab["minecraft:vertical_half"="top"] true replace oak_slab["minecraft:vertical_half"="bottom"] true`, `{"success_count":1}`},
		{"groundplan:fill 1 0 0 1 0 0 oak_slab false replace oak_slab true", `{"success_count":1}`},
		{"groundplan:fill 2 0 0 2 0 0 stone true", "CAPABILITY_FAILED"},
		{"groundplan:fill 2 0 0 2 0 0 no_such_block true", "CAPABILITY_FAILED"},
		{"groundplan:fill 2 0 0 2 0 0 stone maybe", "CAPABILITY_FAILED"},
		{"groundplan:fill 2 0 0 2 0 0 stone", "CAPABILITY_FAILED"},
		{"groundplan:frob", "CAPABILITY_FAILED"},
	} {
		if got := run(c.command); got != c.want {
			t.Errorf("%s: %s, want %s", c.command, got, c.want)
		}
	}
	if !wet(0) || wet(1) || !wet(3) {
		t.Errorf("the cells hold %s, %s and %s", state(t, w, 0, 0, 0), state(t, w, 1, 0, 0), state(t, w, 3, 0, 0))
	}
	p.expect("testforblock 3 0 0 oak_slab", 0, "setblock 3 0 0 oak_slab", 0) // it is dry now, so something changed
	if wet(3) {
		t.Error("a command cannot write water")
	}
}
