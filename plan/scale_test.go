package plan_test

import (
	"fmt"
	"testing"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// million is a recipe of exactly 1,048,576 cells: a solid body, a shell of mixed
// blocks and columns inside.
func million() []byte {
	return []byte(`{"version":1,"seed":7,"palette":{"wall":[{"block":"stone_bricks","weight":4},{"block":"mossy_stone_bricks"},
		{"block":"cracked_stone_bricks"}]},"operations":[
		{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":127,"y":63,"z":127},"block":"stone"},
		{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":127,"y":20,"z":3},"block":"$wall"},
		{"type":"repeat","count":16,"offset":{"x":8,"y":0,"z":0},"operations":[
			{"type":"cylinder","center":{"x":4,"y":0,"z":40},"radius":3,"height":60,"block":"oak_log"}]}]}`)
}

func BenchmarkCompileMillion(b *testing.B) {
	env := wide(b)
	for b.Loop() {
		v, err := plan.Compile(million(), env)
		if err != nil || v.Len() != 1<<20 {
			b.Fatalf("%v", err)
		}
	}
}

func BenchmarkPrepareMillion(b *testing.B) {
	env := wide(b)
	before := world(voxel.Box{Max: at(127, 63, 127)}, "minecraft:air")
	for b.Loop() {
		v, err := plan.Compile(million(), env)
		if err != nil {
			b.Fatal(err)
		}
		p, err := plan.Draft(v, before, head, env)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(p.Commands), "commands")
	}
}

func TestALongLineIsPlannedInLittleMemory(t *testing.T) {
	const n = 100_000
	env := wide(t)
	v := compile(t, env, fmt.Sprintf(`{"type":"line","from":{"x":0,"y":0,"z":0},"to":{"x":%d,"y":0,"z":%d},"block":"stone"}`, n-1, n-1))
	before := voxel.NewVolume()
	air := before.Intern("minecraft:air")
	for p := range v.All() {
		before.Set(p, air)
	}
	p := draft(t, v, &plan.Snapshot{Cells: before}, env)
	if p.Changed != n || p.Commands != n {
		t.Errorf("%d cells in %d commands, want %d", p.Changed, p.Commands, n)
	}
}
