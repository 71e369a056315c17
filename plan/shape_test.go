package plan_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// solids are the round shapes with the rule that says which cells they have,
// counted from the centre.
func solids() map[string]func(x, y, z int) bool {
	return map[string]func(x, y, z int) bool{
		`"type":"sphere","radius":8`:                      func(x, y, z int) bool { return x*x+y*y+z*z <= 64 },
		`"type":"sphere","radius":0`:                      func(x, y, z int) bool { return x == 0 && y == 0 && z == 0 },
		`"type":"ellipsoid","radii":{"x":5,"y":3,"z":8}`:  func(x, y, z int) bool { return x*x*576+y*y*1600+z*z*225 <= 14400 },
		`"type":"ellipsoid","radii":{"x":0,"y":4,"z":6}`:  func(x, y, z int) bool { return x == 0 && y*y*36+z*z*16 <= 576 },
		`"type":"cone","radius":5,"height":9`:             func(x, y, z int) bool { return 0 <= y && y < 9 && (x*x+z*z)*81 <= 25*(9-y)*(9-y) },
		`"type":"cone","radius":7,"height":2`:             func(x, y, z int) bool { return 0 <= y && y < 2 && (x*x+z*z)*4 <= 49*(2-y)*(2-y) },
		`"type":"pyramid","base":6`:                       func(x, y, z int) bool { return 0 <= y && max(x, -x, z, -z) <= 6-y },
		`"type":"pyramid","base":6,"height":3`:            func(x, y, z int) bool { return 0 <= y && y < 3 && max(x, -x, z, -z) <= 6-y },
		`"type":"cylinder","radius":5,"height":3`:         func(x, y, z int) bool { return 0 <= y && y < 3 && x*x+z*z <= 25 },
		`"type":"ellipsoid","radii":{"x":9,"y":9,"z":4}`:  func(x, y, z int) bool { return (x*x+y*y)*16+z*z*81 <= 1296 },
		`"type":"ellipsoid","radii":{"x":12,"y":1,"z":1}`: func(x, y, z int) bool { return x*x+(y*y+z*z)*144 <= 144 },
	}
}

func TestSolidsHaveTheCellsOfTheirRule(t *testing.T) {
	c := at(100, 70, -30)
	near := voxel.Box{Min: c.Sub(at(14, 14, 14)), Max: c.Add(at(14, 14, 14))}
	for keys, rule := range solids() {
		for _, hollow := range []bool{false, true} {
			if hollow && keys[:17] == `"type":"cylinder"` {
				continue // a cylinder's hollow has no caps
			}
			v := compile(t, wide(t), fmt.Sprintf(`{%s,"center":{"x":100,"y":70,"z":-30},"block":"stone","hollow":%t}`, keys, hollow))
			inside := func(p voxel.Pos) bool { return rule(p.X-c.X, p.Y-c.Y, p.Z-c.Z) }
			n := 0
			for p := range near.All() {
				want := inside(p)
				if want && hollow {
					want = false
					for _, d := range []voxel.Pos{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {Z: 1}, {Z: -1}} {
						want = want || !inside(p.Add(d))
					}
				}
				if want {
					n++
				}
				if _, got := v.At(p); got != want {
					t.Fatalf("%s hollow %t: cell %v is drawn %t, want %t", keys, hollow, p.Sub(c), got, want)
				}
			}
			if n != v.Len() {
				t.Errorf("%s hollow %t: %d cells, want %d", keys, hollow, v.Len(), n)
			}
		}
	}
}

func TestPicturesOfBuiltShapes(t *testing.T) {
	for name, c := range map[string]struct{ op, want string }{
		"arch": {
			`{"type":"arch","from":{"x":0,"y":0,"z":0},"along":"x","width":5,"height":2,"block":"stone"}`,
			`["4:a5?a","?2a?2a?","2?3a2?"]`,
		},
		"arch of even width": {
			`{"type":"arch","from":{"x":0,"y":0,"z":0},"along":"x","width":4,"height":1,"block":"stone"}`,
			`["2:a4?a","2a2?2a","?4a?"]`,
		},
		"polygon": {
			`{"type":"polygon","points":[{"x":0,"z":0},{"x":6,"z":0},{"x":3,"z":3}],"y":0,"height":1,"block":"stone"}`,
			`["7a,?5a?,2?3a2?,3?a3?"]`,
		},
		"hollow polygon": {
			`{"type":"polygon","points":[{"x":0,"z":0},{"x":6,"z":0},{"x":3,"z":3}],"y":0,"height":1,"block":"stone","hollow":true}`,
			`["7a,?a3?a?,2?a?a2?,3?a3?"]`,
		},
	} {
		v := compile(t, wide(t), c.op)
		b, _ := v.Bounds()
		text, err := json.Marshal(plan.LayersOf(v, b, registry(t)).Text)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

func TestStairsFaceTheWayUp(t *testing.T) {
	r := registry(t)
	for _, way := range []string{"east", "west", "south", "north"} {
		v := compile(t, wide(t), `{"type":"stairs_line","from":{"x":0,"y":0,"z":0},"facing":"`+way+`","steps":3,"block":"oak_stairs","under":"stone"}`)
		want := r.Translate("minecraft:oak_stairs[facing=" + way + ",half=bottom,shape=straight]").State
		got, _ := v.At(at(0, 0, 0))
		if !r.Same(r.Plain(want), want) || got != string(want) {
			t.Errorf("climbing %s: %s, want %s", way, got, want)
		}
		if v.Len() != 6 {
			t.Errorf("climbing %s: %d cells, want 3 steps and 3 below", way, v.Len())
		}
	}
}

func TestTransformTurnsCellsAndBlocks(t *testing.T) {
	r := registry(t)
	v := compile(t, wide(t), `{"type":"transform","rotation":90,"mirror":"x","pivot":{"x":1,"y":0,"z":1},"offset":{"x":10,"y":5,"z":0},"operations":[
		{"type":"line","from":{"x":3,"y":0,"z":1},"to":{"x":3,"y":0,"z":1},"block":"oak_stairs[weirdo_direction=0]"}]}`)
	// 2 east of the pivot; mirrored, 2 west of it; turned clockwise, 2 north of it.
	east, err := r.Parse("oak_stairs[weirdo_direction=0]")
	if err != nil {
		t.Fatal(err)
	}
	got, ok := v.At(at(11, 5, -1))
	if want := string(r.Rotate(r.Mirror(east, 0), 1)); !ok || got != want {
		t.Errorf("%q at the turned place, want %q: %s", got, want, positions(v))
	}
}

func TestFourTurnsAreNone(t *testing.T) {
	op := `{"type":"line","from":{"x":3,"y":0,"z":1},"to":{"x":5,"y":4,"z":-2},"block":"oak_log[pillar_axis=x]"}`
	turned := op
	for range 4 {
		turned = `{"type":"transform","rotation":90,"pivot":{"x":7,"y":0,"z":-3},"operations":[` + turned + `]}`
	}
	if a, b := compile(t, wide(t), op), compile(t, wide(t), turned); !equal(a, b) {
		t.Error("four quarter turns move the cells")
	}
}

func TestMixesDependOnSeedNameAndPlaceOnly(t *testing.T) {
	draw := func(seed int, name, box string) *voxel.Volume {
		v, err := plan.Compile(fmt.Appendf(nil, `{"version":1,"seed":%d,"palette":{%q:[{"block":"stone","weight":3},"dirt"]},"operations":[
			{"type":"box",%s,"block":"$%s"}]}`, seed, name, box, name), wide(t))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	big := draw(1, "wall", `"min":{"x":0,"y":0,"z":0},"max":{"x":29,"y":29,"z":29}`)
	for p, id := range draw(1, "wall", `"min":{"x":5,"y":5,"z":5},"max":{"x":9,"y":9,"z":9}`).All() {
		if got := big.ID(p); got != id {
			t.Fatalf("%v is drawn differently in a smaller box", p)
		}
	}
	if equal(big, draw(2, "wall", `"min":{"x":0,"y":0,"z":0},"max":{"x":29,"y":29,"z":29}`)) ||
		equal(big, draw(1, "floor", `"min":{"x":0,"y":0,"z":0},"max":{"x":29,"y":29,"z":29}`)) {
		t.Error("another seed or name draws the same")
	}
	if n := big.Counts()["minecraft:stone"]; n < 19_800 || n > 20_700 {
		t.Errorf("%d of 27,000 cells are stone, want about 20,250", n)
	}
}
