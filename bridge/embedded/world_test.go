package embedded

import (
	"strings"
	"testing"

	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestHelloNamesTheWorld(t *testing.T) {
	_, p := begin(t, Options{})
	var hello struct {
		Protocol   int    `json:"protocol"`
		Game       string `json:"game"`
		WorldID    string `json:"world_id"`
		Player     string `json:"player"`
		Dimensions map[string]struct{ Min, Max int }
		IDs        struct {
			Count, Pages int
			Digest       string
		} `json:"ids"`
	}
	p.call("world_hello", map[string]any{}, &hello)
	if hello.Protocol != 1 || hello.Game != "1.26.50" || hello.Player != "Steve" || len(hello.WorldID) != 36 {
		t.Errorf("hello says %+v", hello)
	}
	if d := hello.Dimensions["overworld"]; d.Min != -64 || d.Max != 319 {
		t.Errorf("the overworld reaches from %d to %d", d.Min, d.Max)
	}
	ids := map[string]bool{}
	for k := range hello.IDs.Pages {
		var page struct {
			IDs []string `json:"ids"`
		}
		p.call("world_hello", map[string]any{"ids": k}, &page)
		for _, id := range page.IDs {
			ids[id] = true
		}
	}
	if len(ids) != hello.IDs.Count || !ids["stone"] || !ids["oak_stairs"] {
		t.Errorf("%d ids in %d pages, promised %d", len(ids), hello.IDs.Pages, hello.IDs.Count)
	}
}

func TestReadRegionOfTheFlatWorld(t *testing.T) {
	_, p := begin(t, Options{})
	var region struct {
		Palette []string `json:"palette"`
		Runs    string   `json:"runs"`
		Next    int      `json:"next"`
	}
	p.call("read_region", map[string]any{"dim": "overworld", "min": []int{0, -64, 0}, "max": []int{31, -33, 31}}, &region)
	if got := strings.Join(region.Palette, " ") + " " + region.Runs; got != "bedrock[infiniburn_bit=false] dirt grass_block air 0*sg,1*1kw,2*sg,3*m4g" {
		t.Error(got)
	}
	if region.Next != -1 {
		t.Errorf("next page at %d", region.Next)
	}
}

func TestCommandsThroughTheScript(t *testing.T) {
	w, p := begin(t, Options{})
	var r struct {
		Count int `json:"success_count"`
	}
	p.call("run_world_command", map[string]any{"command": "execute in nether run fill 0 0 0 1 1 1 oak_stairs[\"weirdo_direction\"=2] replace air"}, &r)
	if r.Count != 8 {
		t.Errorf("%d cells filled", r.Count)
	}
	if s, _ := w.At("nether", voxel.Pos{X: 1, Y: 1, Z: 1}); !strings.Contains(string(s), "oak_stairs[") || !strings.Contains(string(s), "weirdo_direction=2") {
		t.Errorf("the cell holds %s", s)
	}
	p.call("run_world_command", map[string]any{"command": `groundplan:fill 0 1 0 0 1 0 oak_fence true replace air false`}, &r)
	if s, _ := w.At("overworld", voxel.Pos{Y: 1}); !strings.HasSuffix(string(s), "waterlogged=true]") || r.Count != 1 {
		t.Errorf("the cell holds %s", s)
	}
}

func TestWorldIsKept(t *testing.T) {
	dir := t.TempDir()
	p := newPeer(t)
	w, err := Start(t.Context(), Options{URL: p.url(), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	receiveFrom(t, p.conns, "connection")
	p.subscribe()
	var one, two struct {
		ID string `json:"world_id"`
	}
	p.call("world_hello", map[string]any{}, &one)
	if m := p.command("setblock 1 2 3 stone"); m.code() != 0 {
		t.Fatal(m)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, q := begin(t, Options{Dir: dir})
	q.call("world_hello", map[string]any{}, &two)
	if s, _ := w.At("overworld", voxel.Pos{X: 1, Y: 2, Z: 3}); s != "minecraft:stone" || one.ID != two.ID {
		t.Errorf("after a restart the cell holds %s, the world is %s and was %s", s, two.ID, one.ID)
	}
}

func TestAWorldThatDiesBeforeItsFirstSaveComesBackAsItself(t *testing.T) {
	dir := t.TempDir()
	var one, two struct {
		ID    string `json:"world_id"`
		Epoch string `json:"world_epoch"`
	}
	w, p := begin(t, Options{Dir: dir, Autosave: -1})
	p.call("world_hello", map[string]any{}, &one)
	w.Crash()
	_, q := begin(t, Options{Dir: dir})
	q.call("world_hello", map[string]any{}, &two)
	if one != two || one.ID == "" {
		t.Errorf("the world was %+v and is %+v", one, two)
	}
}

func TestAWorldRunsOnceAtATime(t *testing.T) {
	dir := t.TempDir()
	w, _ := begin(t, Options{Dir: dir})
	if _, err := Start(t.Context(), Options{URL: "ws://127.0.0.1:1/", Dir: dir}); fault.CodeOf(err) != fault.StorageFailed {
		t.Errorf("a second world in the same directory: %v", err)
	}
	w.Crash()
	again, _ := begin(t, Options{Dir: dir})
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
