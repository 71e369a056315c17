package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func registry(tb testing.TB) *block.Registry {
	tb.Helper()
	r, err := block.Load(block.Profile50)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// wide is an Env whose region never matters.
func wide(tb testing.TB) plan.Env {
	tb.Helper()
	return plan.Env{Registry: registry(tb), Region: voxel.Box{
		Min: voxel.Pos{X: -30_000_000, Y: -2048, Z: -30_000_000}, Max: voxel.Pos{X: 30_000_000, Y: 2047, Z: 30_000_000},
	}}
}

func prototype(tb testing.TB) plan.Env {
	tb.Helper()
	env := wide(tb)
	env.Limits = plan.PrototypeLimits()
	return env
}

func recipe(operations ...string) []byte {
	return []byte(`{"version":1,"operations":[` + strings.Join(operations, ",") + `]}`)
}

func compile(tb testing.TB, env plan.Env, operations ...string) *voxel.Volume {
	tb.Helper()
	v, err := plan.Compile(recipe(operations...), env)
	if err != nil {
		tb.Fatalf("%s: %v", operations, err)
	}
	return v
}

func positions(v *voxel.Volume) string {
	var b strings.Builder
	for p := range v.All() {
		fmt.Fprintf(&b, "(%v)", p)
	}
	return b.String()
}

func TestLinesFollowTheVectors(t *testing.T) {
	for to, want := range map[string]string{
		`{"x":5,"y":2,"z":0}`:   "(0,0,0)(1,0,0)(2,1,0)(3,1,0)(4,2,0)(5,2,0)",
		`{"x":4,"y":2,"z":-3}`:  "(0,0,0)(1,1,-1)(2,1,-1)(3,2,-2)(4,2,-3)",
		`{"x":2,"y":1,"z":0}`:   "(0,0,0)(1,1,0)(2,1,0)",
		`{"x":-2,"y":-1,"z":0}`: "(-2,-1,0)(-1,0,0)(0,0,0)",
		`{"x":0,"y":0,"z":0}`:   "(0,0,0)",
	} {
		v := compile(t, wide(t), `{"type":"line","from":{"x":0,"y":0,"z":0},"to":`+to+`,"block":"minecraft:stone"}`)
		got := map[string]bool{}
		for p := range v.All() {
			got["("+p.String()+")"] = true
		}
		for _, cell := range strings.SplitAfter(want, ")") {
			if cell != "" && !got[cell] {
				t.Errorf("line to %s lacks %s: %s", to, cell, positions(v))
			}
		}
		if len(got) != strings.Count(want, "(") {
			t.Errorf("line to %s has %d cells, want %s", to, len(got), want)
		}
	}
}

func TestLineIsTheSameInBothDirections(t *testing.T) {
	for dx := -6; dx <= 6; dx++ {
		for dy := -6; dy <= 6; dy++ {
			for _, dz := range []int{-5, -2, 0, 3, 6} {
				a, b := `{"x":1,"y":2,"z":3}`, fmt.Sprintf(`{"x":%d,"y":%d,"z":%d}`, 1+dx, 2+dy, 3+dz)
				there := compile(t, wide(t), `{"type":"line","from":`+a+`,"to":`+b+`,"block":"minecraft:stone"}`)
				back := compile(t, wide(t), `{"type":"line","from":`+b+`,"to":`+a+`,"block":"minecraft:stone"}`)
				if positions(there) != positions(back) {
					t.Fatalf("to %s: %s, back: %s", b, positions(there), positions(back))
				}
			}
		}
	}
}

func TestCylinderLayersHaveTheVectorsCells(t *testing.T) {
	solid := []int{1, 5, 13, 29, 49, 81, 113, 149, 197}
	hollow := []int{1, 4, 8, 16, 20, 32, 32, 36, 48}
	for r := range solid {
		for _, c := range []struct {
			hollow bool
			want   int
		}{{false, solid[r]}, {true, hollow[r]}} {
			v := compile(t, wide(t), fmt.Sprintf(`{"type":"cylinder","center":{"x":3,"y":4,"z":5},"radius":%d,"height":2,
				"block":"minecraft:stone","hollow":%t}`, r, c.hollow))
			if v.Len() != 2*c.want {
				t.Errorf("radius %d, hollow %t: %d cells, want %d", r, c.hollow, v.Len(), 2*c.want)
			}
		}
	}
}

func cube(x, y, z int, hollow bool) string {
	return fmt.Sprintf(`{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":%d,"y":%d,"z":%d},"block":"minecraft:stone","hollow":%t}`,
		x-1, y-1, z-1, hollow)
}

func TestHollowBoxesHaveTheVectorsCells(t *testing.T) {
	for size, want := range map[[3]int]int{{3, 3, 3}: 26, {3, 4, 5}: 54, {16, 16, 16}: 1352, {27, 27, 27}: 4058, {2, 9, 9}: 162} {
		if v := compile(t, prototype(t), cube(size[0], size[1], size[2], true)); v.Len() != want {
			t.Errorf("%v: %d cells, want %d", size, v.Len(), want)
		}
	}
	v := compile(t, wide(t), cube(3, 3, 3, true))
	if _, ok := v.At(voxel.Pos{X: 1, Y: 1, Z: 1}); ok {
		t.Error("the inside of a hollow box is in the result")
	}
}

func TestLaterOperationsWin(t *testing.T) {
	v := compile(t, wide(t),
		`{"type":"repeat","count":3,"offset":{"x":2,"y":0,"z":0},"operations":[
			{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":1,"y":0,"z":0},"block":"minecraft:stone"}]}`,
		`{"type":"box","min":{"x":5,"y":0,"z":0},"max":{"x":5,"y":0,"z":0},"block":"minecraft:dirt"}`)
	if v.Len() != 6 {
		t.Errorf("%d cells, want 6", v.Len())
	}
	if got, _ := v.At(voxel.Pos{X: 5}); got != "minecraft:dirt" {
		t.Errorf("the overwritten cell is %q", got)
	}
}

func TestBudgetsAreThoseOfThePrototype(t *testing.T) {
	env := prototype(t)
	one := env
	one.Limits.PlanCells = 1
	stone := `{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":0,"y":0,"z":0},"block":"minecraft:stone"}`
	nested := stone
	for range 9 {
		nested = `{"type":"repeat","count":1,"offset":{"x":0,"y":0,"z":0},"operations":[` + nested + `]}`
	}
	for name, c := range map[string]struct {
		env plan.Env
		op  string
	}{
		"a shell of more cells than a plan":   {env, cube(40, 40, 40, true)},
		"a volume beyond the scan budget":     {env, cube(41, 41, 41, true)},
		"a huge box":                          {env, cube(2_000_000_000, 2_000_000_000, 2_000_000_000, false)},
		"one cell 100 times at limit 1":       {one, `{"type":"repeat","count":100,"offset":{"x":0,"y":0,"z":0},"operations":[` + stone + `]}`},
		"a line longer than the limit":        {env, `{"type":"line","from":{"x":0,"y":0,"z":0},"to":{"x":4096,"y":0,"z":0},"block":"minecraft:stone"}`},
		"more visits than 4096":               {env, `{"type":"repeat","count":1024,"offset":{"x":0,"y":0,"z":0},"operations":[` + strings.Repeat(stone+",", 3) + stone + `]}`},
		"a cylinder with an overflowing area": {env, `{"type":"cylinder","center":{"x":0,"y":0,"z":0},"radius":1500000000,"height":1,"block":"minecraft:stone"}`},
		"operations nested nine deep":         {env, nested},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := plan.Compile(recipe(c.op), c.env); fault.CodeOf(err) != fault.BudgetExceeded {
				t.Errorf("error %v, want budget_exceeded", err)
			}
		})
	}
	if v := compile(t, env, cube(16, 16, 16, false)); v.Len() != 4096 {
		t.Errorf("a plan of exactly the limit has %d cells", v.Len())
	}
}

func TestMalformedRecipesAreRefusedWithAPlace(t *testing.T) {
	for name, c := range map[string]struct{ recipe, pointer string }{
		"no version":              {`{"operations":[]}`, ""},
		"version 2":               {`{"version":2,"operations":[]}`, "/version"},
		"unknown key at the root": {`{"version":1,"operations":[],"x":1}`, "/x"},
		"unknown operation":       {`{"version":1,"operations":[{"type":"boxx"}]}`, "/operations/0/type"},
		"no type":                 {`{"version":1,"operations":[{}]}`, "/operations/0"},
		"missing key":             {`{"version":1,"operations":[{"type":"box","min":{"x":0,"y":0,"z":0},"block":"minecraft:stone"}]}`, "/operations/0"},
		"unknown key in a position": {`{"version":1,"operations":[{"type":"line","from":{"x":0,"y":0,"z":0,"w":0},"to":{"x":0,"y":0,"z":0},
			"block":"minecraft:stone"}]}`, "/operations/0/from/w"},
		"fraction": {`{"version":1,"operations":[{"type":"line","from":{"x":0.0,"y":0,"z":0},"to":{"x":0,"y":0,"z":0},
			"block":"minecraft:stone"}]}`, "/operations/0/from/x"},
		"beyond int32": {`{"version":1,"operations":[{"type":"line","from":{"x":2147483648,"y":0,"z":0},"to":{"x":0,"y":0,"z":0},
			"block":"minecraft:stone"}]}`, "/operations/0/from/x"},
		"min above max": {`{"version":1,"operations":[{"type":"box","min":{"x":1,"y":0,"z":0},"max":{"x":0,"y":0,"z":0},
			"block":"minecraft:stone"}]}`, "/operations/0"},
		"count 0":    {`{"version":1,"operations":[{"type":"repeat","count":0,"offset":{"x":0,"y":0,"z":0},"operations":[]}]}`, "/operations/0/count"},
		"count 1025": {`{"version":1,"operations":[{"type":"repeat","count":1025,"offset":{"x":0,"y":0,"z":0},"operations":[]}]}`, "/operations/0/count"},
		"overflow by repeat": {`{"version":1,"operations":[{"type":"repeat","count":2,"offset":{"x":2147483647,"y":0,"z":0},"operations":[
			{"type":"line","from":{"x":1,"y":0,"z":0},"to":{"x":1,"y":0,"z":0},"block":"minecraft:stone"}]}]}`, "/operations/0/operations/0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := plan.Compile([]byte(c.recipe), prototype(t))
			f, ok := err.(*fault.Error) //nolint:errorlint // the outermost error itself is wanted
			if !ok || f.Code != fault.InvalidRequest {
				t.Fatalf("error %v, want invalid_request", err)
			}
			if f.Details["pointer"] != c.pointer {
				t.Errorf("pointer %v, want %q (%v)", f.Details["pointer"], c.pointer, err)
			}
		})
	}
}

func TestNoOperationsAreAnEmptyPlan(t *testing.T) {
	if v := compile(t, prototype(t)); v.Len() != 0 {
		t.Errorf("%d cells", v.Len())
	}
}
