package rpc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// As in recovery/editor_test.go, the tests of this file are those of other people's
// tools; the table of all of them is in CONTRIBUTING.md.

// FAWE#2679, FAWE#1127, WE#979, WE#1540: each found a verb that a limit did not hold
// for. rpc/mcp has the same file for tools.
func TestEveryVerbKeepsToTheLimitOfCells(t *testing.T) {
	s := openWorld(t)
	data, err := os.ReadFile("testdata/too_large.json")
	s.must(err)
	var recipes map[string]json.RawMessage
	s.must(json.Unmarshal(data, &recipes))
	for _, verb := range plan.Operations() {
		if verb == "paste" || verb == "layers" {
			continue // below
		}
		recipe := `{"recipe":{"version":1,"operations":[` + string(recipes[verb]) + `]}}`
		s.refused(fault.BudgetExceeded, "build_prepare", recipe)
		// Among others the limit counts too.
		s.refused(fault.BudgetExceeded, "build_prepare", strings.Replace(recipe, `[{`, `[{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":0,"y":0,"z":0},"block":"stone"},{`, 1))
	}
	row := strings.Repeat("a", 1<<10)
	layers := `{"recipe":{"version":1,"operations":[{"type":"layers","min":{"x":0,"y":0,"z":0},"legend":{"a":"stone"},"layers":[["` +
		strings.Repeat(row+`","`, 1<<10) + `"]]}]}}`
	if r := s.call("build_prepare", layers); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a million cells of text: %d %s", r.status, r.body)
	}

	// The verbs that take their cells from somewhere else.
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room)), "k1")
	asset := ok[ExportView](s, "schematic_export", `{"name":"Room","min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2}}`)
	small, _ := s.Projects.Get(DefaultProject)
	small.Limits.PlanCells = 20
	s.must(s.Projects.Put(small))
	s.refused(fault.BudgetExceeded, "build_prepare", fmt.Sprintf(`{"recipe":{"version":1,"operations":[{"type":"paste","asset_id":%q,"at":{"x":0,"y":9,"z":0}}]}}`, asset.ID))
	s.refused(fault.BudgetExceeded, "schematic_import_prepare", fmt.Sprintf(`{"asset_id":%q,"target":{"x":0,"y":9,"z":0}}`, asset.ID))
	s.refused(fault.BudgetExceeded, "build_prepare", boxRecipe("stone", false, voxel.Box{Max: voxel.Pos{X: 20}}))
	ok[PlanView](s, "build_prepare", boxRecipe("stone", false, voxel.Box{Max: voxel.Pos{X: 19}}))
	// What was written can be undone whatever the limit has become.
	ok[UndoView](s, "operation_undo_prepare", `{"operation_id":"`+op.ID+`"}`)
}

// WorldEdit's VariedVectorGenerator: the edges of every number there is, in every
// place of every verb.
func TestExtremeCoordinatesAreAnswered(t *testing.T) {
	s := openWorld(t)
	prepare := s.methods["build_prepare"]
	templates := []string{
		`"type":"box","min":{"x":X,"y":0,"z":0},"max":{"x":X,"y":Y,"z":1},"block":"stone"`,
		`"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":X,"y":X,"z":X},"block":"stone","hollow":true`,
		`"type":"line","from":{"x":X,"y":0,"z":0},"to":{"x":0,"y":Y,"z":0},"block":"stone"`,
		`"type":"cylinder","center":{"x":X,"y":Y,"z":0},"radius":1,"height":2,"block":"stone"`,
		`"type":"cylinder","center":{"x":0,"y":0,"z":0},"radius":X,"height":Y,"block":"stone"`,
		`"type":"sphere","center":{"x":X,"y":Y,"z":X},"radius":2,"block":"stone"`,
		`"type":"sphere","center":{"x":0,"y":0,"z":0},"radius":X,"block":"stone"`,
		`"type":"ellipsoid","center":{"x":X,"y":0,"z":0},"radii":{"x":Y,"y":1,"z":X},"block":"stone"`,
		`"type":"cone","center":{"x":X,"y":0,"z":0},"radius":Y,"height":X,"block":"stone"`,
		`"type":"pyramid","center":{"x":X,"y":Y,"z":0},"base":X,"block":"stone"`,
		`"type":"arch","from":{"x":X,"y":Y,"z":0},"along":"x","width":X,"height":Y,"block":"stone"`,
		`"type":"polygon","y":Y,"height":X,"points":[{"x":X,"z":0},{"x":0,"z":X},{"x":5,"z":5}],"block":"stone"`,
		`"type":"stairs_line","from":{"x":X,"y":Y,"z":0},"facing":"east","steps":X,"width":Y,"block":"oak_stairs"`,
		`"type":"repeat","count":X,"offset":{"x":Y,"y":0,"z":X},"operations":[{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":0,"y":0,"z":0},"block":"stone"}]`,
		`"type":"transform","rotation":90,"pivot":{"x":X,"y":Y,"z":X},"offset":{"x":X,"y":0,"z":Y},"operations":[{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":0,"y":0,"z":0},"block":"stone"}]`,
		`"type":"replace","min":{"x":X,"y":0,"z":0},"max":{"x":X,"y":Y,"z":0},"from":["air"],"to":"stone"`,
		`"type":"layers","min":{"x":X,"y":Y,"z":X},"legend":{"a":"stone"},"layers":[["aa"]]`,
	}
	edges := []string{
		"0", "-0", "-1", "1", "15", "16", "-64", "-65", "319", "320", "256", "-257", "29999999", "30000000", "-30000001", "2147483647", "-2147483648", "2147483648",
		"-134217729", "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e18", "0.5", "1e400", "null", `"1"`,
	}
	good := 0
	for _, template := range templates {
		for i, x := range edges {
			for _, y := range []string{"0", edges[(i*7+3)%len(edges)]} {
				operation := strings.ReplaceAll(strings.ReplaceAll(template, "X", x), "Y", y)
				r := s.call("build_prepare", `{"recipe":{"version":1,"operations":[{`+operation+`}]}}`)
				switch {
				case r.OK:
					good++
				case r.Error.Code == fault.Internal, !prepare.MayGive(r.Error.Code):
					t.Errorf("{%s}: %d %s", operation, r.status, r.body)
				}
			}
		}
	}
	if good < 50 {
		t.Errorf("only %d of the recipes are within the region", good)
	}
}

// PhoenixBuilder#146, #281: lengths that no longer fit a byte, a signed byte or two
// bytes were cut or crashed the program.
func TestTextsOfAwkwardLengthsAreKeptWholeOrRefused(t *testing.T) {
	s := openWorld(t)
	for _, n := range []int{1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 100_000} {
		for _, letter := range []string{"k", "ü", "木"} {
			text := strings.Repeat(letter, n)
			p := ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room))
			for method, params := range map[string]string{
				"build_apply":     applyOf(p, text),
				"part_define":     fmt.Sprintf(`{"name":%q,"min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2}}`, text),
				"material_search": fmt.Sprintf(`{"query":%q}`, text),
				"build_prepare":   boxRecipe(text, false, room),
			} {
				r := s.call(method, params)
				if !r.OK && (r.Error.Code == fault.Internal || !s.methods[method].MayGive(r.Error.Code)) {
					t.Errorf("%s with %d times %s: %d %.300s", method, n, letter, r.status, r.body)
				}
				if method == "build_apply" && r.OK {
					var op plan.Operation
					s.must(json.Unmarshal(r.Result, &op))
					if op.Key != text {
						t.Errorf("a key of %d times %s came back with %d bytes", n, letter, len(op.Key))
					}
					s.wait(op.ID)
				}
			}
		}
	}
}
