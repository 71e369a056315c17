package rpc

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"groundplan/plan/fault"
	"groundplan/plan/strict"
)

func TestProtocolPageIsFresh(t *testing.T) {
	want, err := Page(os.DirFS("testdata/transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/PROTOCOL.md")
	if err != nil || string(got) != want {
		t.Errorf("docs/PROTOCOL.md is not what the table says: run go generate ./rpc (%v)", err)
	}
	for _, code := range fault.Codes() {
		if !strings.Contains(want, "`"+string(code)+"`") {
			t.Errorf("%s is not on the page", code)
		}
	}
}

func TestTableIsWhole(t *testing.T) {
	known := map[fault.Code]bool{}
	for _, code := range fault.Codes() {
		known[code] = true
	}
	names := map[string]bool{}
	for _, m := range Methods() {
		if names[m.Name] {
			t.Errorf("%s stands twice", m.Name)
		}
		names[m.Name] = true
		if m.Params == nil || m.Result == nil || m.Doc == "" || m.Role != Agent && m.Role != Admin {
			t.Errorf("%s is not whole", m.Name)
		}
		for _, code := range m.Errors {
			if !known[code] {
				t.Errorf("%s names the code %s, which is none", m.Name, code)
			}
		}
		example, err := strict.Parse([]byte(m.Example))
		if err != nil {
			t.Errorf("%s: the example: %v", m.Name, err)
			continue
		}
		if err := conform(m.Params, example); err != nil {
			t.Errorf("%s: the example: %v", m.Name, err)
		}
		for name, field := range m.Params.Properties {
			if field.Description == "" && !obvious(name) {
				t.Errorf("%s: the parameter %s says nothing about itself", m.Name, name)
			}
		}
	}
	for name := range strings.FieldsSeq(`project_context region_inspect region_changes build_prepare build_apply operation_status operation_cancel
		operation_undo_prepare part_define part_get asset_list schematic_export schematic_import_prepare recovery_review recovery_abandon
		material_search material_describe`) {
		if !names[name] {
			t.Errorf("the prototype's method %s is missing", name)
		}
	}
}

// obvious are parameters that need no words.
func obvious(name string) bool {
	switch name {
	case "min", "max", "name", "plan_id", "operation_id", "part_id", "asset_id", "pos", "block":
		return true
	}
	return false
}

func TestSchemaIsServed(t *testing.T) {
	s := openSite(t)
	r := s.send("GET", "/v1/schema", "")
	var page struct {
		Version int              `json:"version"`
		Methods []map[string]any `json:"methods"`
	}
	if err := json.Unmarshal([]byte(r.body), &page); err != nil || page.Version != 1 || len(page.Methods) != len(Methods()) {
		t.Fatalf("%v: version %d, %d methods", err, page.Version, len(page.Methods))
	}
	for _, m := range page.Methods {
		if m["name"] == "" || m["params"] == nil || m["result"] == nil || m["errors"] == nil {
			t.Errorf("%v", m)
		}
	}
}
