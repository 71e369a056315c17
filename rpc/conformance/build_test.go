package conformance

import (
	"strings"
	"testing"
)

// P1, A: prepare, apply, replay, inspect, export, undo, import – the way of the
// prototype's own live test.
func TestBuildExportUndoImport(t *testing.T) {
	s := open(t)
	s.clean(t)
	want(t, "fixture", s.palette(t, at(0, 0, 0), at(2, 2, 2)), obj{"minecraft:air": 27})
	plan := s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone_bricks")})
	want(t, "changed_blocks", plan["changed_blocks"], 26)
	if hash, _ := plan["plan_hash"].(string); len(hash) != 64 || plan["expires_at"] == nil || plan["region"].(obj)["worldId"] == nil {
		t.Errorf("summary %v", plan)
	}
	want(t, "after preparing", s.palette(t, at(0, 0, 0), at(2, 2, 2)), obj{"minecraft:air": 27})
	k := key()
	op := s.end(t, s.call(t, "build_apply", applyParams(plan, k))["operation_id"])
	want(t, "status", op["status"], "applied")
	want(t, "written", op["written"], 26)
	want(t, "processed", op["processed"], 26)
	want(t, "total_changes", op["total_changes"], 26)
	want(t, "conflicts", op["conflicts"], []any{})
	want(t, "replay", s.call(t, "build_apply", applyParams(plan, k))["operation_id"], op["operation_id"])
	built := obj{"minecraft:stone_bricks": 26, "minecraft:air": 1}
	want(t, "built", s.palette(t, at(0, 0, 0), at(2, 2, 2)), built)
	asset := s.call(t, "schematic_export", obj{"name": "Conformance room", "min": at(0, 0, 0), "max": at(2, 2, 2)})
	for field := range strings.FieldsSeq("assetId name width height length blockCount dataVersion offset sha256 bytes") {
		if _, ok := asset[field]; !ok {
			t.Errorf("the asset has no %s", field)
		}
	}
	listed := s.call(t, "asset_list", obj{"query": "CONFORMANCE"})["assets"].([]any)
	if len(listed) == 0 {
		t.Error("the asset is not listed")
	}
	s.undo(t, op)
	want(t, "undone", s.palette(t, at(0, 0, 0), at(2, 2, 2)), obj{"minecraft:air": 27})
	plan = s.call(t, "schematic_import_prepare", obj{"asset_id": asset["assetId"], "target": at(0, 0, 0), "rotation": 0})
	want(t, "changed_blocks of the import", plan["changed_blocks"], 26)
	op = s.apply(t, plan)
	want(t, "written by the import", op["written"], 26)
	want(t, "imported", s.palette(t, at(0, 0, 0), at(2, 2, 2)), built)
	s.undo(t, op)
	want(t, "undone again", s.palette(t, at(0, 0, 0), at(2, 2, 2)), obj{"minecraft:air": 27})
	s.asAdmin(t, "asset_delete", obj{"asset_id": asset["assetId"]})
}

// P2, A: hash, keys and unknown plans.
func TestHashAndKeys(t *testing.T) {
	s := open(t)
	s.clean(t)
	first := s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone")})
	second := s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone")})
	if first["plan_hash"] == second["plan_hash"] || first["plan_id"] == second["plan_id"] {
		t.Error("two preparations are one plan")
	}
	s.refused(t, "build_apply", obj{"plan_id": first["plan_id"], "plan_hash": strings.Repeat("0", 64), "idempotency_key": key()}, "stale_snapshot")
	s.refused(t, "build_apply", obj{"plan_id": "none", "plan_hash": first["plan_hash"], "idempotency_key": key()}, "not_found", "invalid_request")
	s.refused(t, "build_apply", obj{"plan_id": first["plan_id"], "plan_hash": first["plan_hash"], "idempotency_key": "a\u0001"}, "invalid_request")
	k := key()
	op := s.end(t, s.call(t, "build_apply", applyParams(first, k))["operation_id"])
	s.refused(t, "build_apply", applyParams(second, k), "idempotency_mismatch", "invalid_request")
	again := s.apply(t, first)
	want(t, "an applied plan under a new key", again["status"], "applied")
	want(t, "which writes nothing", again["written"], 0)
	s.undo(t, op)
	s.refused(t, "operation_status", obj{"operation_id": "none"}, "not_found", "invalid_request")
}

// P5: a dependency that changed stops the plan; one that this operation writes
// does not.
func TestDependencies(t *testing.T) {
	s := open(t)
	s.clean(t)
	plan := s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone"), "dependencies": []obj{at(5, 0, 5), at(5, 0, 5), at(0, 0, 0)}})
	other := s.build(t, recipe(box(at(5, 0, 5), at(5, 0, 5), "minecraft:granite", false)))
	op := s.apply(t, plan)
	want(t, "status", op["status"], "conflict")
	want(t, "written", op["written"], 0)
	conflict := op["conflicts"].([]any)[0].(obj)
	if conflict["expected"] != conflict["desired"] || conflict["current"] != "minecraft:granite" {
		t.Errorf("conflict %v", conflict)
	}
	s.undo(t, other)
	op = s.apply(t, plan)
	want(t, "status when it is back", op["status"], "applied")
	s.undo(t, op)
	s.refused(t, "build_prepare", obj{"recipe": recipe(), "dependencies": []obj{pos(29_000_000, 0, 0)}}, "out_of_bounds", "invalid_request")
}

// P6: expected_blocks cover every cell once and hold what is there.
func TestExpectedBlocks(t *testing.T) {
	s := open(t)
	s.clean(t)
	one := recipe(box(at(0, 0, 0), at(1, 0, 0), "minecraft:stone", false))
	cell := func(x int, state string) obj { return obj{"pos": at(x, 0, 0), "state": state} }
	s.call(t, "build_prepare", obj{"recipe": one, "expected_blocks": []obj{cell(0, "minecraft:air"), cell(1, "minecraft:air")}})
	s.refused(t, "build_prepare", obj{"recipe": one, "expected_blocks": []obj{cell(0, "minecraft:air"), cell(1, "minecraft:granite")}}, "stale_snapshot")
	for _, bad := range [][]obj{
		{cell(0, "minecraft:air")},
		{cell(0, "minecraft:air"), cell(0, "minecraft:air")},
		{cell(0, "minecraft:air"), cell(1, "minecraft:air"), cell(2, "minecraft:air")},
	} {
		s.refused(t, "build_prepare", obj{"recipe": one, "expected_blocks": bad}, "invalid_request")
	}
}

// A: a cell that somebody changed after the plan is a conflict, and is kept.
func TestForeignChangeBeforeApply(t *testing.T) {
	s := open(t)
	s.clean(t)
	edit := s.hand(t)
	plan := s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone_bricks")})
	edit(at(1, 0, 0), "minecraft:granite", true)
	op := s.apply(t, plan)
	want(t, "status", op["status"], "conflict")
	want(t, "written", op["written"], 0)
	want(t, "kept", s.palette(t, at(1, 0, 0), at(1, 0, 0)), obj{"minecraft:granite": 1})
	edit(at(1, 0, 0), "minecraft:stone_bricks", true)
	op = s.apply(t, s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone_bricks")}))
	want(t, "a cell that is as wanted already is not written", op["written"], 25)
	s.undo(t, op)
	want(t, "and not undone", s.palette(t, at(0, 0, 0), at(2, 2, 2)), obj{"minecraft:air": 26, "minecraft:stone_bricks": 1})
	s.clean(t)
}

// U: undo is refused once anybody wrote over it, also when the block is back.
func TestUndoOwnership(t *testing.T) {
	s := open(t)
	s.clean(t)
	first := s.build(t, room("minecraft:stone_bricks"))
	second := s.build(t, recipe(box(at(0, 0, 0), at(0, 0, 0), "minecraft:granite", false)))
	s.refused(t, "operation_undo_prepare", obj{"operation_id": first["operation_id"]}, "undo_conflict", "invalid_request")
	s.undo(t, second)
	s.undo(t, first)
	want(t, "undone", s.palette(t, at(0, 0, 0), at(2, 2, 2)), obj{"minecraft:air": 27})
	if edit := s.hand(t); edit != nil {
		op := s.build(t, room("minecraft:stone_bricks"))
		edit(at(0, 0, 0), "minecraft:granite", true)
		s.refused(t, "operation_undo_prepare", obj{"operation_id": op["operation_id"]}, "undo_conflict", "invalid_request")
		want(t, "the foreign block", s.palette(t, at(0, 0, 0), at(0, 0, 0)), obj{"minecraft:granite": 1})
		edit(at(0, 0, 0), "minecraft:stone_bricks", true)
		edit(at(1, 0, 0), "minecraft:granite", false)
		edit(at(1, 0, 0), "minecraft:stone_bricks", false)
		s.refused(t, "operation_undo_prepare", obj{"operation_id": op["operation_id"]}, "undo_conflict", "invalid_request")
	}
	s.clean(t)
}

// A: cancelling; what was written can be undone.
func TestCancel(t *testing.T) {
	s := open(t)
	s.clean(t)
	plan := s.call(t, "build_prepare", obj{"recipe": recipe(box(at(-8, 0, -8), at(7, 15, 7), "minecraft:stone", false))})
	id := s.call(t, "build_apply", applyParams(plan, key()))["operation_id"]
	s.call(t, "operation_cancel", obj{"operation_id": id})
	op := s.end(t, id)
	if op["status"] != "cancelled" && op["status"] != "applied" {
		t.Errorf("status %v", op["status"])
	}
	if op["written"] != 0.0 {
		s.undo(t, op)
	}
	want(t, "undone", s.palette(t, at(-8, 0, -8), at(7, 15, 7)), obj{"minecraft:air": 4096})
	want(t, "a second cancel changes nothing", s.call(t, "operation_cancel", obj{"operation_id": id})["status"], op["status"])
}

// P7, parts: an exact mask.
func TestParts(t *testing.T) {
	s := open(t)
	s.clean(t)
	op := s.build(t, room("minecraft:stone_bricks"))
	part := s.call(t, "part_define", obj{"name": "Conformance", "operation_id": op["operation_id"]})
	want(t, "block_count", part["block_count"], 26)
	got := s.call(t, "part_get", obj{"part_id": part["part_id"]})
	if got["bounds"].(obj)["worldId"] == nil || got["protected"] != false || got["operation_id"] != op["operation_id"] {
		t.Errorf("part %v", got)
	}
	s.refused(t, "part_define", obj{"name": "again", "operation_id": op["operation_id"]}, "conflict")
	s.call(t, "build_prepare", obj{"recipe": room("minecraft:stone"), "part_id": part["part_id"]})
	centre := recipe(box(at(1, 1, 1), at(1, 1, 1), "minecraft:stone", false))
	s.refused(t, "build_prepare", obj{"recipe": centre, "part_id": part["part_id"]}, "out_of_bounds")
	s.refused(t, "build_prepare", obj{"recipe": centre, "part_id": "none"}, "not_found")
	s.asAdmin(t, "part_protect", obj{"part_id": part["part_id"], "protected": true})
	plan := s.call(t, "build_prepare", obj{"recipe": room("minecraft:granite")})
	s.refused(t, "build_apply", applyParams(plan, key()), "permission_denied")
	s.asAdmin(t, "part_protect", obj{"part_id": part["part_id"], "protected": false})
	s.call(t, "part_delete", obj{"part_id": part["part_id"]})
	s.undo(t, op)
}

// M: the catalog of materials.
func TestMaterials(t *testing.T) {
	s := open(t)
	page := s.call(t, "material_search", obj{"query": "stairs", "limit": 16})
	seen := map[any]bool{}
	total := page["total"].(float64)
	for {
		for _, r := range page["results"].([]any) {
			seen[r.(obj)["id"]] = true
		}
		next, more := page["next_cursor"]
		if !more {
			break
		}
		s.refused(t, "material_search", obj{"query": "slab", "cursor": next}, "invalid_cursor")
		page = s.call(t, "material_search", obj{"query": "stairs", "limit": 16, "cursor": next})
	}
	want(t, "results of all pages", len(seen), total)
	s.refused(t, "material_search", obj{"limit": 33}, "invalid_material_query")
	s.refused(t, "material_search", obj{"query": strings.Repeat("x", 97)}, "invalid_material_query")
	s.refused(t, "material_describe", obj{"id": "minecraft:nothing_like_this"}, "invalid_material")
	d := s.call(t, "material_describe", obj{"id": "minecraft:oak_stairs"})
	if d["placeable"] != true || d["default_state"] == nil || len(d["properties"].(obj)) < 2 {
		t.Errorf("oak_stairs %v", d)
	}
}

// S: assets, turned and refused.
func TestSchematics(t *testing.T) {
	s := open(t)
	s.clean(t)
	op := s.build(t, recipe(box(at(0, 0, 0), at(3, 0, 0), "minecraft:stone", false), box(at(0, 1, 0), at(0, 1, 0), "minecraft:oak_log[pillar_axis=x]", false)))
	asset := s.call(t, "schematic_export", obj{"name": "Line ✓", "min": at(0, 0, 0), "max": at(3, 1, 0)})["assetId"]
	s.undo(t, op)
	for rotation, cell := range map[int]obj{0: at(3, 0, 0), 90: at(0, 0, 3), 180: at(-3, 0, 0), 270: at(0, 0, -3)} {
		op := s.apply(t, s.call(t, "schematic_import_prepare", obj{"asset_id": asset, "target": at(0, 0, 0), "rotation": rotation}))
		want(t, "the line's end", s.palette(t, cell, cell), obj{"minecraft:stone": 1})
		axis := map[bool]string{false: "minecraft:oak_log[pillar_axis=x]", true: "minecraft:oak_log[pillar_axis=z]"}[rotation%180 == 90]
		want(t, "the log's axis", s.palette(t, at(0, 1, 0), at(0, 1, 0)), obj{axis: 1})
		s.undo(t, op)
	}
	for _, bad := range []obj{
		{"asset_id": asset, "target": at(0, 0, 0), "rotation": 45},
		{"asset_id": "../journal", "target": at(0, 0, 0)},
		{"asset_id": asset, "target": obj{"x": 1}},
		{"asset_id": asset},
	} {
		s.refused(t, "schematic_import_prepare", bad, "invalid_request")
	}
	s.refused(t, "schematic_import_prepare", obj{"asset_id": "none", "target": at(0, 0, 0)}, "not_found")
	s.refused(t, "schematic_export", obj{"name": "", "min": at(0, 0, 0), "max": at(0, 0, 0)}, "invalid_request")
	s.asAdmin(t, "asset_delete", obj{"asset_id": asset})
}

// R: reading.
func TestReading(t *testing.T) {
	s := open(t)
	s.clean(t)
	v := s.call(t, "region_inspect", obj{"min": at(0, 0, 0), "max": at(1, 1, 1), "detail": "blocks"})
	cells := v["blocks"].([]any)
	want(t, "cells", len(cells), 8)
	want(t, "order is y, z, x", cells[1].(obj)["pos"], at(1, 0, 0))
	want(t, "then z", cells[2].(obj)["pos"], at(0, 0, 1))
	want(t, "truncated", v["truncated"], false)
	context := s.call(t, "project_context", obj{})
	want(t, "epoch", v["world_epoch"], context["world_epoch"])
	edge := context["region"].(obj)["max"].(obj)
	x := int(edge["x"].(float64)) + 1
	s.refused(t, "region_inspect", obj{"min": pos(x, 96, 0), "max": pos(x, 96, 0)}, "out_of_bounds")
	s.refused(t, "region_inspect", obj{"min": at(1, 0, 0), "max": at(0, 0, 0)}, "invalid_request")
	s.refused(t, "region_inspect", obj{"min": at(0, 0, 0)}, "invalid_request")
	if changes := s.with(t, s.agent, "region_changes", obj{}); !changes.OK && changes.Error.Code != "resync_required" {
		t.Errorf("region_changes: %s", changes.Body)
	}
}
