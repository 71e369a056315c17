package schematic

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

func registry(tb testing.TB) *block.Registry {
	tb.Helper()
	reg, err := block.Load(block.Profile50)
	if err != nil {
		tb.Fatal(err)
	}
	return reg
}

func open(tb testing.TB, data []byte) *Schematic {
	tb.Helper()
	s, err := Open(bytes.NewReader(data), corpusLimits())
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// reference places a schematic cell by cell, as the rule says it: a vector from
// the anchor is mirrored, then turned by quarters, each of which takes (x, z) to
// (-z, x), and added to the target.
func reference(s *Schematic, reg *block.Registry, p Placement) *voxel.Volume {
	type cell struct {
		at    voxel.Pos
		state block.State
	}
	var cells []cell
	var lowest voxel.Pos
	lowestFull := 1 << 30
	for y := range s.Size.Y {
		for z := range s.Size.Z {
			for x := range s.Size.X {
				text, ok := s.At(voxel.Pos{X: x, Y: y, Z: z})
				v := s.Offset.Add(voxel.Pos{X: x, Y: y, Z: z})
				if p.Mirror == MirrorX {
					v.X = -v.X
				}
				if p.Mirror == MirrorZ {
					v.Z = -v.Z
				}
				for range p.Rotation / 90 {
					v.X, v.Z = -v.Z, v.X
				}
				if len(cells) == 0 && x+y+z == 0 {
					lowest = v
				}
				lowest = voxel.Pos{X: min(lowest.X, v.X), Y: min(lowest.Y, v.Y), Z: min(lowest.Z, v.Z)}
				if !ok {
					continue
				}
				t := reg.Translate(text)
				if t.State != block.Air {
					lowestFull = min(lowestFull, y)
				}
				if t.Keep || t.Quality == block.Unmapped || p.SkipAir && t.State == block.Air {
					continue
				}
				state := t.State
				if p.Mirror == MirrorX {
					state = reg.Mirror(state, block.X)
				}
				if p.Mirror == MirrorZ {
					state = reg.Mirror(state, block.Z)
				}
				for range p.Rotation / 90 {
					state = reg.Rotate(state, 1)
				}
				cells = append(cells, cell{v, state})
			}
		}
	}
	shift := p.Target
	switch p.Anchor {
	case AnchorCorner:
		shift = p.Target.Sub(lowest)
	case AnchorGround:
		y, _ := p.Ground(p.Target.X, p.Target.Z)
		shift = voxel.Pos{X: p.Target.X, Y: y + 1 - lowestFull, Z: p.Target.Z}.Sub(lowest)
	case AnchorOffset:
	}
	out := voxel.NewVolume()
	for _, c := range cells {
		out.Put(c.at.Add(shift), string(c.state))
	}
	return out
}

func sameCells(t *testing.T, got, want *voxel.Volume) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Errorf("%d cells, the reference has %d", got.Len(), want.Len())
	}
	for p, id := range want.All() {
		if text, _ := got.At(p); text != want.Content(id) {
			t.Fatalf("at %v stands %s instead of %s", p, text, want.Content(id))
		}
	}
}

func TestPlacingEqualsTheCellByCellReferenceForAllTurns(t *testing.T) {
	reg := registry(t)
	files := map[string][]byte{"cottage": Cottage()}
	for _, name := range []string{"schem/SandroHc__interieur-exterieur-chunk-project.schem", "schem/hollow-cube__1_20_1_read_fail.schem"} {
		for _, c := range corpusOr(t) {
			if c.name == name {
				files[name] = c.read(t)
			}
		}
	}
	for name, data := range files {
		s := open(t, data)
		anchors := []Anchor{AnchorOffset, AnchorCorner, AnchorGround}
		if s.Cells() > 100_000 {
			anchors = anchors[:1]
		}
		testAllTurns(t, name, s, reg, anchors)
	}
}

func testAllTurns(t *testing.T, name string, s *Schematic, reg *block.Registry, anchors []Anchor) {
	t.Helper()
	for _, anchor := range anchors {
		for _, mirror := range []Mirror{MirrorNone, MirrorX, MirrorZ} {
			for _, rotation := range []int{0, 90, 180, 270} {
				p := Placement{
					Target: voxel.Pos{X: 103, Y: 64, Z: -47}, Rotation: rotation, Mirror: mirror, Anchor: anchor,
					SkipAir: rotation == 90,
					Ground:  func(x, z int) (int, bool) { return 70 + x - 103 + z + 47, true },
				}
				t.Run(fmt.Sprintf("%s %s %s %d", name, anchor, mirror, rotation), func(t *testing.T) {
					got, err := s.Place(reg, p)
					if err != nil {
						t.Fatal(err)
					}
					sameCells(t, got, reference(s, reg, p))
				})
			}
		}
	}
}

func TestAQuarterTurnTakesXZToMinusZX(t *testing.T) {
	k := &sketch{size: voxel.Pos{X: 2, Y: 1, Z: 3}, cells: map[voxel.Pos]string{}}
	k.set(0, 0, 0, "stone")
	k.set(1, 0, 2, "dirt")
	s := open(t, k.file(t, 2, "x", voxel.Pos{X: 5, Y: -1, Z: 2}))
	target := voxel.Pos{X: 100, Y: 64, Z: 200}
	for rotation, want := range map[int][2]voxel.Pos{
		0:   {{X: 105, Y: 63, Z: 202}, {X: 106, Y: 63, Z: 204}},
		90:  {{X: 98, Y: 63, Z: 205}, {X: 96, Y: 63, Z: 206}},
		180: {{X: 95, Y: 63, Z: 198}, {X: 94, Y: 63, Z: 196}},
		270: {{X: 102, Y: 63, Z: 195}, {X: 104, Y: 63, Z: 194}},
	} {
		v, err := s.Place(registry(t), Placement{Target: target, Rotation: rotation})
		if err != nil {
			t.Fatal(err)
		}
		for i, state := range []string{"minecraft:stone", "minecraft:dirt"} {
			if got, _ := v.At(want[i]); got != state {
				t.Errorf("rotation %d: at %v stands %q instead of %s", rotation, want[i], got, state)
			}
		}
		if v.Len() != 6 {
			t.Errorf("rotation %d: %d cells; air belongs to them", rotation, v.Len())
		}
	}
}

func TestPlacementsThatAreNoneAreRefused(t *testing.T) {
	s := open(t, Cottage())
	for name, p := range map[string]Placement{
		"rotation": {Rotation: 45}, "negative rotation": {Rotation: -90}, "mirror": {Mirror: "y"},
		"anchor": {Anchor: "middle"}, "ground without a world": {Anchor: AnchorGround},
	} {
		if _, err := s.Place(registry(t), p); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.Place(registry(t), Placement{Anchor: AnchorGround, Ground: func(int, int) (int, bool) { return 0, false }})
	if fault.CodeOf(err) != fault.OutOfBounds {
		t.Errorf("no ground: %v", err)
	}
}

func TestMappingTakesTheLongestPatternThatFits(t *testing.T) {
	m := Mapping{
		"*_log": "minecraft:stone", "minecraft:oak_log": "minecraft:dirt", "oak_log[axis=x]": keep, "computercraft:*": "minecraft:gravel",
	}
	reg := registry(t)
	for state, want := range map[string]block.Translation{
		"minecraft:birch_log[axis=y]":           {State: "minecraft:stone"},
		"minecraft:oak_log[axis=y]":             {State: "minecraft:dirt"},
		"minecraft:oak_log[axis=x]":             {Keep: true},
		"computercraft:monitor[facing=n,lit=a]": {State: "minecraft:gravel"},
	} {
		got, ok := m.translate(reg, state)
		if !ok || got.State != want.State || got.Keep != want.Keep {
			t.Errorf("%s: %+v %v", state, got, ok)
		}
	}
	if _, ok := m.translate(reg, "minecraft:oak_planks"); ok {
		t.Error("a pattern fits that must not")
	}
}

func TestInspectCountsEveryCellOnce(t *testing.T) {
	r, err := inspect(Cottage(), plan.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range r.Palette {
		n += e.Count
	}
	sum := 0
	for _, count := range r.ByQuality {
		sum += count
	}
	if n != r.Cells || sum != r.Cells || r.Cells != r.Width*r.Height*r.Length {
		t.Errorf("palette %d, qualities %d, cells %d", n, sum, r.Cells)
	}
}

func TestTheReportSaysWhatThePolicyDenies(t *testing.T) {
	k := &sketch{size: voxel.Pos{X: 3, Y: 1, Z: 1}, cells: map[voxel.Pos]string{}}
	k.set(0, 0, 0, "barrier")
	k.set(1, 0, 0, "barrier[waterlogged=true]")
	data := k.file(t, 2, "x", voxel.Pos{})
	for name, c := range map[string]struct {
		policy  plan.Policy
		mapping Mapping
		denied  string
	}{
		"by default":        {plan.Policy{}, nil, "minecraft:barrier is denied unless the project's policy allows it: an import is refused because of 2 cells"},
		"allowed":           {plan.Policy{Allow: []string{"barrier"}}, nil, ""},
		"mapped":            {plan.Policy{}, Mapping{"barrier": keep}, ""},
		"what others allow": {plan.Policy{Allow: []string{"barrier"}, Deny: []string{"air"}}, nil, "denies minecraft:air: an import is refused because of 1 cells"},
	} {
		r, err := Options{Limits: plan.DefaultLimits()}.Inspect(bytes.NewReader(data), registry(t), c.mapping)
		if err != nil {
			t.Fatal(err)
		}
		before := len(r.Warnings)
		r.Judge(c.policy, registry(t))
		if said := strings.Join(r.Warnings[before:], "; "); (said == "") != (c.denied == "") || !strings.Contains(said, c.denied) {
			t.Errorf("%s: %q", name, said)
		}
	}
}

func TestJigsawBlocksAreReadAsWhatTheGameMakesOfThem(t *testing.T) {
	jigsaw := func(x int32, final any) compound {
		return compound{{"state", int32(0)}, {"pos", numbers{x, 0, 0}}, {"nbt", compound{
			{"id", "minecraft:jigsaw"}, {"final_state", final}, {"pool", "minecraft:empty"},
		}}}
	}
	file := compound{
		{"size", numbers{3, 1, 1}},
		{"palette", list{byte(nbt.Compound), marshalers(compound{{"Name", "minecraft:jigsaw"}, {"Properties", compound{{"orientation", "up_north"}}}})}},
		{"blocks", list{byte(nbt.Compound), marshalers(jigsaw(0, "minecraft:oak_log[axis=x]"), jigsaw(1, int32(5)), jigsaw(2, "minecraft:air"))}},
	}
	s := open(t, pack(t, encode(t, file, "")))
	for x, want := range []string{"minecraft:oak_log[axis=x]", "minecraft:jigsaw[orientation=up_north]", "minecraft:air"} {
		if got, _ := s.At(pos(x, 0, 0)); got != want {
			t.Errorf("cell %d: %s instead of %s", x, got, want)
		}
	}
	if k := s.BlockEntities[0]; k.Count != 3 || k.Dropped != 1 || len(s.Warnings) != 1 {
		t.Errorf("%+v %q", k, s.Warnings)
	}
}

func TestFilesThatDoNotStoreConnectionsGetThem(t *testing.T) {
	// Two fences beside each other, and stairs that meet at a corner, of Java 1.12.
	file := encode(t, compound{
		{"Width", int16(3)},
		{"Height", int16(1)},
		{"Length", int16(2)},
		{"Materials", "Alpha"},
		{"Blocks", []byte{85, 85, 0, 53, 53, 0}},
		{"Data", []byte{0, 0, 0, 0, 3, 0}},
	}, "Schematic")
	s := open(t, file)
	v, err := s.Place(registry(t), Placement{})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := v.At(voxel.Pos{})
	second, _ := v.At(voxel.Pos{X: 1})
	if block.State(first).Value("minecraft:connection_east") != "true" || block.State(first).Value("minecraft:connection_west") != "false" ||
		block.State(second).Value("minecraft:connection_west") != "true" {
		t.Errorf("%s beside %s", first, second)
	}
}
