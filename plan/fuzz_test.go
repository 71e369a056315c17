package plan_test

import (
	"os"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// FuzzCompile holds that no recipe makes Compile panic, gives more cells than the
// limit, or fails with anything but an error of the vocabulary; and that what it
// gives can be planned.
func FuzzCompile(f *testing.F) {
	page, err := os.ReadFile("../docs/RECIPES.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, m := range example.FindAllStringSubmatch(string(page), -1) {
		if strings.Contains(m[1], `"version"`) {
			f.Add([]byte(m[1]))
		} else {
			f.Add(recipe(m[1]))
		}
	}
	for _, wrong := range wrongRecipes() {
		f.Add([]byte(wrong))
	}
	env := documented(f)
	env.Limits = plan.PrototypeLimits()
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := plan.Compile(data, env)
		if err != nil {
			checkFault(t, err)
			return
		}
		if v.Len() > env.Limits.PlanCells {
			t.Fatalf("%d cells, the limit is %d", v.Len(), env.Limits.PlanCells)
		}
		before := voxel.NewVolume()
		air := before.Intern("minecraft:air")
		for p := range v.All() {
			before.Set(p, air)
		}
		p, err := plan.Draft(v, &plan.Snapshot{Cells: before}, head, env)
		if err != nil {
			checkFault(t, err)
			return
		}
		checkPlan(t, p, v, &plan.Snapshot{Cells: before})
	})
}

func checkFault(tb testing.TB, err error) {
	tb.Helper()
	e, ok := err.(*fault.Error) //nolint:errorlint // the outermost error itself is wanted
	if !ok || e.Code == fault.Internal || e.Code == "" {
		tb.Fatalf("error without a code: %v", err)
	}
}

// FuzzLayers holds that no text of layers makes Decode panic, look at more cells
// than allowed, or give cells that do not come back when written again.
func FuzzLayers(f *testing.F) {
	f.Add("5a*5;2:2ab2a,a3.a*3,2ab2a;5a,a3?a*3,5a;=0")
	f.Add("~aa;3:=0;~~aaa")
	f.Add("999999999a;1:;*;,,;0a;=9")
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 5000
		l := voxel.Layers{Text: strings.Split(text, ";"), Legend: map[string]string{
			"a": "a", "b": "b", ".": "air", "~aa": "c", "~~aaa": "d",
		}}
		v := voxel.NewVolume()
		looked := 0
		size, err := l.Decode(limit, func(p voxel.Pos, symbol string) {
			looked++
			v.Put(p, l.Legend[symbol])
		})
		if looked > limit {
			t.Fatalf("%d cells were looked at, %d are allowed", looked, limit)
		}
		if err != nil {
			return
		}
		if size.X == 0 || size.Y == 0 || size.Z == 0 {
			t.Fatalf("an empty text of size %v was accepted: %q", size, text)
		}
		box := voxel.Box{Max: size.Sub(at(1, 1, 1))}
		again := voxel.EncodeLayers(v, box, func(s string) string { return s }, nil)
		w := voxel.NewVolume()
		if _, err := again.Decode(limit, func(p voxel.Pos, symbol string) { w.Put(p, again.Legend[symbol]) }); err != nil {
			t.Fatalf("%q came back as %q: %v", text, again.Text, err)
		}
		if !equal(v, w) {
			t.Fatalf("%q came back as %q with other cells", text, again.Text)
		}
	})
}
