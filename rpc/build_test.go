package rpc

import (
	"fmt"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

var room = voxel.Box{Min: voxel.Pos{X: 0, Y: 0, Z: 0}, Max: voxel.Pos{X: 2, Y: 2, Z: 2}}

func regionParams(b voxel.Box, more string) string {
	return fmt.Sprintf(`{"min":%s,"max":%s%s}`, jsonOf(b.Min), jsonOf(b.Max), more)
}

func TestBuildApplyUndo(t *testing.T) {
	s := openWorld(t)
	p := ok[PlanView](s, "build_prepare", boxRecipe("stone_bricks", true, room))
	if p.Changed != 26 || p.Total != 26 || len(p.Hash) != 64 || p.Bounds == nil || *p.Bounds != room || p.Region.Min.X != -256 {
		t.Errorf("plan %+v", p)
	}
	if v := ok[InspectView](s, "region_inspect", regionParams(room, "")); v.Palette["minecraft:air"] != 27 {
		t.Errorf("preparing changed the world: %v", v.Palette)
	}
	op := s.apply(p, "k1")
	if op.Status != plan.Applied || op.Written != 26 || op.Processed != 26 || op.Conflicts == nil {
		t.Fatalf("operation %+v", op)
	}
	if again := ok[plan.Operation](s, "build_apply", applyOf(p, "k1")); again.ID != op.ID {
		t.Errorf("the same key made another operation")
	}
	other := ok[PlanView](s, "build_prepare", boxRecipe("stone", true, room))
	s.refused(fault.IdempotencyMismatch, "build_apply", applyOf(other, "k1"))
	v := ok[InspectView](s, "region_inspect", regionParams(room, `,"detail":"blocks"`))
	if v.Palette["minecraft:stone_bricks"] != 26 || v.Palette["minecraft:air"] != 1 || len(v.Blocks) != 27 || v.Truncated {
		t.Errorf("after: %v", v.Palette)
	}
	undo := ok[UndoView](s, "operation_undo_prepare", `{"operation_id":"`+op.ID+`"}`)
	if undo.Changed != 26 || undo.UndoOf != op.ID || undo.Undo.Restored != 26 {
		t.Errorf("undo %+v", undo)
	}
	if back := s.apply(undo.PlanView, "k2"); back.Status != plan.Applied || back.Written != 26 {
		t.Errorf("undone %+v", back)
	}
	if v := ok[InspectView](s, "region_inspect", regionParams(room, "")); v.Palette["minecraft:air"] != 27 {
		t.Errorf("after undo: %v", v.Palette)
	}
}

func TestForeignChangeIsAConflictAndKept(t *testing.T) {
	s := openWorld(t)
	p := ok[PlanView](s, "build_prepare", boxRecipe("stone_bricks", true, room))
	s.must(s.world.Set("overworld", voxel.Pos{}, "granite", false))
	op := s.apply(p, "k1")
	if op.Status != plan.Conflicted || op.Written != 0 || op.ConflictCount != 1 || op.Conflicts[0].Current != "minecraft:granite" {
		t.Fatalf("operation %+v", op)
	}
	if state, _ := s.world.At("overworld", voxel.Pos{}); state != "minecraft:granite" {
		t.Errorf("the foreign block is %s", state)
	}
}

func TestWarningsSeeBeyondThePlan(t *testing.T) {
	s := openWorld(t)
	s.must(s.world.Set("overworld", voxel.Pos{X: 1}, "wooden_door", false))
	s.must(s.world.Set("overworld", voxel.Pos{X: 1, Y: 1}, "wooden_door[upper_block_bit=true]", false))
	for block, want := range map[string]string{
		"stone": "half [1,1,0]", // the door's other half stays behind
		"sand":  "gravity [1,0,0]; half [1,1,0]",
		"torch": "half [1,1,0]",
		"water": "open_fluid [1,0,0]; half [1,1,0]",
	} {
		p := ok[PlanView](s, "build_prepare", boxRecipe(block, false, voxel.Cube(voxel.Pos{X: 1})))
		var got []string
		for _, w := range p.Warnings {
			got = append(got, fmt.Sprint(w.Code, " ", w.Cells))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: warnings %q, want %q", block, got, want)
		}
	}
}

func TestHashOfAnotherPlanIsStale(t *testing.T) {
	s := openWorld(t)
	p := ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room))
	p.Hash = strings.Repeat("0", 64)
	s.refused(fault.StaleSnapshot, "build_apply", applyOf(p, "k"))
	p.ID = "nothing"
	s.refused(fault.NotFound, "build_apply", applyOf(p, "k"))
}

func TestLayersCanBeSentBack(t *testing.T) {
	s := openWorld(t)
	s.apply(ok[PlanView](s, "build_prepare", boxRecipe("oak_stairs", true, room)), "k1")
	v := ok[InspectView](s, "region_inspect", regionParams(room, `,"detail":"layers"`))
	p := ok[PlanView](s, "build_prepare", `{"recipe":{"version":1,"operations":[`+jsonOf(v.Layers)+`]}}`)
	if p.Changed != 0 || p.Total != 27 {
		t.Errorf("%+v of %s", p, jsonOf(v.Layers))
	}
}

func TestInspectPages(t *testing.T) {
	s := openWorld(t, func(p *plan.Project) { p.Limits.InspectCells = 10 })
	ground := voxel.Box{Min: voxel.Pos{X: 0, Y: -62, Z: 0}, Max: voxel.Pos{X: 2, Y: -60, Z: 2}}
	var blocks []CellView
	cursor := ""
	for pages := 1; ; pages++ {
		v := ok[InspectView](s, "region_inspect", regionParams(ground, `,"detail":"blocks","cursor":"`+cursor+`"`))
		blocks = append(blocks, v.Blocks...)
		if cursor = v.Next; cursor == "" {
			if pages != 3 || v.Truncated {
				t.Errorf("%d pages, truncated %v", pages, v.Truncated)
			}
			break
		}
	}
	i := 0
	for p := range ground.All() {
		want := map[int]string{-62: "minecraft:dirt", -61: "minecraft:grass_block", -60: "minecraft:air"}[p.Y]
		if blocks[i].Pos != p || blocks[i].State.ID() != want {
			t.Errorf("cell %d: %+v", i, blocks[i])
		}
		i++
	}
	for _, bad := range []string{"27", "-1", "x", "+1"} {
		s.refused(fault.InvalidRequest, "region_inspect", regionParams(ground, `,"detail":"blocks","cursor":"`+bad+`"`))
	}
	v := ok[InspectView](s, "region_inspect", regionParams(ground, `,"detail":"heightmap"`))
	if len(v.Heightmap.Heights) != 3 || v.Heightmap.Heights[1][1] != -61 || v.Heightmap.Tops["minecraft:grass_block"] != 9 {
		t.Errorf("%+v", v.Heightmap)
	}
	v = ok[InspectView](s, "region_inspect", regionParams(ground, `,"detail":"find","block":"grass_block"`))
	if v.Found.Count != 9 || v.Found.Bounds.Min.Y != -61 {
		t.Errorf("%+v", v.Found)
	}
}

func TestRegionIsTheBoundary(t *testing.T) {
	s := openWorld(t)
	outside := voxel.Box{Min: voxel.Pos{X: 256, Y: 0, Z: 0}, Max: voxel.Pos{X: 256, Y: 0, Z: 0}}
	s.refused(fault.OutOfBounds, "region_inspect", regionParams(outside, ""))
	s.refused(fault.OutOfBounds, "build_prepare", boxRecipe("stone", false, outside))
	s.refused(fault.InvalidRequest, "region_inspect", regionParams(voxel.Box{Min: room.Max, Max: room.Min}, ""))
	s.refused(fault.UnsupportedBlock, "build_prepare", boxRecipe("nothing_like_this", false, room))
	s.refused(fault.OutOfBounds, "build_prepare", strings.Replace(boxRecipe("stone", false, room), `{"recipe"`, `{"dependencies":[{"x":999,"y":0,"z":0}],"recipe"`, 1))
}

func TestChangesAreFed(t *testing.T) {
	s := openWorld(t)
	now := ok[ChangesView](s, "region_changes", `{}`)
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room)), "k1")
	v := ok[ChangesView](s, "region_changes", `{"cursor":"`+now.Cursor+`"}`)
	if len(v.Changes) != 1 || v.Changes[0].Operation != op.ID || v.Changes[0].Cells != 27 || v.Changes[0].Boxes[0] != room {
		t.Errorf("%+v", v)
	}
	if v = ok[ChangesView](s, "region_changes", `{"cursor":"`+v.Cursor+`"}`); len(v.Changes) != 0 || v.More {
		t.Errorf("%+v", v)
	}
	s.refused(fault.InvalidRequest, "region_changes", `{"cursor":"x"}`)
	s.refused(fault.ResyncRequired, "region_changes", `{"cursor":"1@0000"}`)
}

func TestPartsAreExactMasks(t *testing.T) {
	s := openWorld(t)
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone_bricks", true, room)), "k1")
	part := ok[PartView](s, "part_define", `{"name":"room","operation_id":"`+op.ID+`"}`)
	if part.Blocks != 26 || part.Bounds.Max != room.Max {
		t.Errorf("%+v", part)
	}
	s.refused(fault.Conflict, "part_define", `{"name":"again","operation_id":"`+op.ID+`"}`)
	s.refused(fault.OutOfBounds, "build_prepare", strings.Replace(boxRecipe("stone", false, room), `{"recipe"`, `{"part_id":"`+part.ID+`","recipe"`, 1))
	s.refused(fault.NotFound, "build_prepare", strings.Replace(boxRecipe("stone", false, room), `{"recipe"`, `{"part_id":"none","recipe"`, 1))
	ok[PlanView](s, "build_prepare", strings.Replace(boxRecipe("stone", true, room), `{"recipe"`, `{"part_id":"`+part.ID+`","recipe"`, 1))
	s.refused(fault.PermissionDenied, "part_protect", `{"part_id":"`+part.ID+`","protected":true}`)
	ok[PartView](s, "part_protect", `{"part_id":"`+part.ID+`","protected":true}`)
	s.refused(fault.PermissionDenied, "build_apply", applyOf(ok[PlanView](s, "build_prepare", boxRecipe("stone", true, room)), "k2"))
	s.refused(fault.PermissionDenied, "part_delete", `{"part_id":"`+part.ID+`"}`)
	ok[PartView](s, "part_protect", `{"part_id":"`+part.ID+`","protected":false}`)
	ok[DeletedView](s, "part_delete", `{"part_id":"`+part.ID+`"}`)
	s.refused(fault.NotFound, "part_get", `{"part_id":"`+part.ID+`"}`)
}

func TestExportsOfAllFormatsComeBack(t *testing.T) {
	s := openWorld(t)
	s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone_bricks", true, room)), "k1")
	const region = `"min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2}`
	for _, kind := range []string{`"version":2`, `"version":3,"author":"me","date":5,"metadata":{"a":"b"}`, `"format":"mcstructure"`} {
		asset := ok[ExportView](s, "schematic_export", `{"name":"Room",`+region+`,`+kind+`}`)
		again := ok[ExportView](s, "schematic_export", `{"name":"Room",`+region+`,`+kind+`}`)
		if asset.SHA256 != again.SHA256 || asset.BlockCount != 27 {
			t.Errorf("%s: %+v and %+v", kind, asset, again)
		}
		p := ok[PlanView](s, "schematic_import_prepare", `{"asset_id":"`+asset.ID+`","target":{"x":0,"y":0,"z":0}}`)
		if p.Changed != 0 || p.Total != 27 {
			t.Errorf("%s came back otherwise: %+v", kind, p)
		}
	}
	s.refused(fault.InvalidRequest, "schematic_export", `{"name":"Room",`+region+`,"format":"litematica"}`)
	s.refused(fault.InvalidRequest, "schematic_export", `{"name":"Room",`+region+`,"metadata":{"Name":"x"}}`)
}

func TestExportAndImportAreTheSame(t *testing.T) {
	s := openWorld(t)
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone_bricks", true, room)), "k1")
	asset := ok[ExportView](s, "schematic_export", `{"name":"Room","min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2}}`)
	if asset.BlockCount != 27 || asset.Name != "Room" {
		t.Errorf("%+v", asset)
	}
	if list := ok[AssetsView](s, "asset_list", `{"query":"rOO"}`); len(list.Assets) != 1 || list.Assets[0].ID != asset.ID {
		t.Errorf("%+v", list)
	}
	undo := ok[UndoView](s, "operation_undo_prepare", `{"operation_id":"`+op.ID+`"}`)
	s.apply(undo.PlanView, "k2")
	p := ok[PlanView](s, "schematic_import_prepare", `{"asset_id":"`+asset.ID+`","target":{"x":0,"y":0,"z":0}}`)
	if p.Changed != 26 || p.Total != 27 {
		t.Errorf("%+v", p)
	}
	if op := s.apply(p, "k3"); op.Status != plan.Applied || op.Written != 26 {
		t.Errorf("%+v", op)
	}
	for _, rotation := range []string{"45", "360", "-90", "1.5"} {
		s.refused(fault.InvalidRequest, "schematic_import_prepare", `{"asset_id":"`+asset.ID+`","target":{"x":0,"y":0,"z":0},"rotation":`+rotation+`}`)
	}
	s.refused(fault.NotFound, "schematic_import_prepare", `{"asset_id":"none","target":{"x":0,"y":0,"z":0}}`)
	s.refused(fault.InvalidRequest, "schematic_import_prepare", `{"asset_id":"../x","target":{"x":0,"y":0,"z":0}}`)
}
