package plan_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// wrongRecipes are seeded mistakes of the kinds that people and language models
// make: a wrong key, case, type, unit, order, edition, name or number.
func wrongRecipes() []string {
	const box = `{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2},"block":"stone"}`
	ops := []string{
		strings.Replace(box, `"type":"box"`, `"type":"Box"`, 1),
		strings.Replace(box, `"type":"box"`, `"type":"bx"`, 1),
		strings.Replace(box, `"block":"stone"`, `"blok":"stone"`, 1),
		strings.Replace(box, `"block":"stone"`, `"Block":"stone"`, 1),
		strings.Replace(box, `"block":"stone"`, `"block":"stone","colour":"red"`, 1),
		strings.Replace(box, `"min":{"x":0,"y":0,"z":0}`, `"min":[0,0,0]`, 1),
		strings.Replace(box, `"max":{"x":2,"y":2,"z":2}`, `"max":[2,2,2]`, 1),
		strings.Replace(box, `"x":0`, `"x":0.0`, 1),
		strings.Replace(box, `"x":0`, `"x":-0.4`, 1),
		strings.Replace(box, `"x":0`, `"x":"0"`, 1),
		strings.Replace(box, `"x":0`, `"x":" -1 "`, 1),
		strings.Replace(box, `"x":2`, `"x":2e0`, 1),
		strings.Replace(box, `"x":0`, `"x":3`, 1),
		strings.Replace(box, `"y":0`, `"y":9`, 1),
		strings.Replace(box, `"z":0}`, `"z":0,"w":0}`, 1),
		strings.Replace(box, `"z":0}`, `"Z":0}`, 1),
		strings.Replace(box, `"block":"stone"`, `"block":"stone","hollow":"true"`, 1),
		strings.Replace(box, `"block":"stone"`, `"block":"stone","hollow":"no"`, 1),
		strings.Replace(box, `"block":"stone"`, `"block":"stone","hollow":1`, 1),
		strings.Replace(box, `"block":"stone"`, `"block":"stone","hallow":true`, 1),
		strings.Replace(box, `"stone"`, `"stonne"`, 1),
		strings.Replace(box, `"stone"`, `"minecraft:cobbelstone"`, 1),
		strings.Replace(box, `"stone"`, `"grey_wool"`, 1),
		strings.Replace(box, `"stone"`, `"oak_plank"`, 1),
		strings.Replace(box, `"stone"`, `"oak_stairs[weirdo_direktion=1]"`, 1),
		strings.Replace(box, `"stone"`, `"oak_stairs[weirdo_direction=4]"`, 1),
		strings.Replace(box, `"stone"`, `"oak_stairs[weirdo_direction=1,upside_down_bit=treu]"`, 1),
		strings.Replace(box, `"stone"`, `"oak_stairs[half=top]"`, 1),
		strings.Replace(box, `"stone"`, `"oak_log[axis=y]"`, 1),
		strings.Replace(box, `"stone"`, `"oak_stairs[weirdo_direction=1"`, 1),
		strings.Replace(box, `"stone"`, `"Oak Planks"`, 1),
		strings.Replace(box, `"stone"`, `"note_block"`, 1),
		strings.Replace(box, `"stone"`, `"jack_o_lantern"`, 1),
		`{"type":"line","from":{"x":0,"y":0,"z":0},"too":{"x":3,"y":0,"z":0},"block":"stone"}`,
		`{"type":"line","start":{"x":0,"y":0,"z":0},"to":{"x":3,"y":0,"z":0},"block":"stone"}`,
		`{"type":"cylinder","center":{"x":0,"y":0,"z":0},"radius":3,"block":"stone"}`,
		`{"type":"cylinder","center":{"x":0,"y":0,"z":0},"radius":-1,"height":2,"block":"stone"}`,
		`{"type":"cylinder","center":{"x":0,"y":0,"z":0},"radius":2.5,"height":2,"block":"stone"}`,
		`{"type":"cylinder","center":{"x":0,"y":0,"z":0},"radius":2,"height":0,"block":"stone"}`,
		`{"type":"cylinder","centre":{"x":0,"y":0,"z":0},"radius":2,"height":1,"block":"stone"}`,
		`{"type":"repeat","count":0,"offset":{"x":1,"y":0,"z":0},"operations":[` + box + `]}`,
		`{"type":"repeat","count":2000,"offset":{"x":0,"y":0,"z":0},"operations":[{"type":"line","from":{"x":0,"y":0,"z":0},"to":{"x":0,"y":0,"z":0},"block":"stone"}]}`,
		`{"type":"repeat","count":2,"offset":{"x":1,"y":0,"z":0},"operations":` + box + `}`,
		`{"type":"repeat","count":2,"offset":{"x":1,"y":0,"z":0},"operation":[` + box + `]}`,
		`{"type":"transform","rotation":45,"operations":[` + box + `]}`,
		`{"type":"transform","rotation":-90,"operations":[` + box + `]}`,
		`{"type":"transform","mirror":"X","operations":[` + box + `]}`,
		`{"type":"transform","relative_to":{"x":0,"y":0,"z":0},"ground":{"x":0,"z":0},"operations":[` + box + `]}`,
		`{"type":"transform","relative_to":{"part_id":"hal"},"operations":[` + box + `]}`,
		`{"type":"stairs_line","from":{"x":0,"y":0,"z":0},"facing":"North","steps":3,"block":"oak_stairs"}`,
		`{"type":"arch","from":{"x":0,"y":0,"z":0},"along":"X","width":3,"height":2,"block":"stone"}`,
		`{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2},"block":"$wal"}`,
		`{"type":"sphere","center":{"x":0,"y":0,"z":0},"radius":"3","block":"stone"}`,
		`{"type":"polygon","points":[{"x":0,"z":0},{"x":4,"z":0}],"y":0,"height":1,"block":"stone"}`,
		`{"min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2},"block":"stone"}`,
		`{"type":"layers","min":{"x":0,"y":0,"z":0},"legend":{"a":"stone"},"layers":["2a,3a"]}`,
		`"box"`,
	}
	var out []string
	for _, op := range ops {
		out = append(out, `{"version":1,"palette":{"wall":"stone"},"operations":[`+op+`]}`)
	}
	return append(out,
		`{"operations":[`+box+`]}`,
		`{"version":2,"operations":[`+box+`]}`,
		`{"version":"1","operations":[`+box+`]}`,
		`{"version":1}`,
		`{"version":1,"ops":[`+box+`]}`,
		`{"version":1,"operations":`+box+`}`,
		`{"version":1,"edition":"jav","operations":[]}`,
		`{"version":1,"edition":"java","operations":[`+strings.Replace(box, "stone", "wooden_door", 1)+`]}`,
		`{"version":1,"name":"hut","operations":[]}`,
		`{"version":1,"operations":[`+box+`]`,
		`[]`,
	)
}

func TestFixesMakeRequestsValid(t *testing.T) {
	env := wide(t)
	env.Ground = func(int, int) (int, bool) { return 63, true }
	mask := voxel.NewMask()
	mask.Add(at(1, 2, 3))
	env.Parts = []plan.Part{{ID: "hall", Mask: mask}}
	fixed, given := 0, 0
	for _, recipe := range wrongRecipes() {
		given++
		_, err := plan.Compile([]byte(recipe), env)
		f, ok := err.(*fault.Error) //nolint:errorlint // the outermost error itself is wanted
		if !ok {
			t.Errorf("%s: error %v", recipe, err)
			continue
		}
		if f.Details["offset"] == nil && (f.Details["pointer"] == nil || f.Details["value"] == nil) { // no value where the JSON ends
			t.Errorf("%s: %v names no place and value: %v", recipe, f, f.Details)
		}
		patch, ok := f.Details["fix"].([]strict.Patch)
		if !ok {
			t.Logf("no fix: %v in %s", f, recipe)
			continue
		}
		better := apply(t, recipe, patch)
		if _, err := plan.Compile([]byte(better), env); err != nil {
			t.Errorf("%s\nwith the fix %+v of %q:\n%s: %v", recipe, patch, f, better, err)
			continue
		}
		fixed++
	}
	t.Logf("%d of %d wrong requests have a fix, and it helps", fixed, given)
	if given < 60 || fixed < 40 {
		t.Errorf("%d of %d wrong requests are fixed, want 40 of 60", fixed, given)
	}
}

// apply applies a JSON Patch of the operations add, remove and replace.
func apply(tb testing.TB, text string, patch []strict.Patch) string {
	tb.Helper()
	wire, err := json.Marshal(patch) // as a client sees it
	if err != nil {
		tb.Fatal(err)
	}
	var list []strict.Patch
	var tree any
	if err := json.Unmarshal(wire, &list); err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		tb.Fatal(err)
	}
	for _, p := range list {
		steps := strings.Split(p.Path, "/")[1:]
		if len(steps) == 0 {
			tree = p.Value
			continue
		}
		tree = change(tree, steps, p)
	}
	out, err := json.Marshal(tree)
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}

func change(tree any, steps []string, p strict.Patch) any {
	key := strings.ReplaceAll(strings.ReplaceAll(steps[0], "~1", "/"), "~0", "~")
	switch node := tree.(type) {
	case map[string]any:
		switch {
		case len(steps) > 1:
			node[key] = change(node[key], steps[1:], p)
		case p.Op == "remove":
			delete(node, key)
		default:
			node[key] = p.Value
		}
		return node
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i >= len(node) {
			return fmt.Sprintf("no element %q", key)
		}
		switch {
		case len(steps) > 1:
			node[i] = change(node[i], steps[1:], p)
		case p.Op == "remove":
			return append(node[:i], node[i+1:]...)
		default:
			node[i] = p.Value
		}
		return node
	default:
		return tree
	}
}
