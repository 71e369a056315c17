package plan_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// world is a snapshot in which a box is filled with one state.
func world(b voxel.Box, s block.State) *plan.Snapshot {
	v := voxel.NewVolume()
	v.Fill(b, v.Intern(string(s)))
	return &plan.Snapshot{Cells: v}
}

func at(x, y, z int) voxel.Pos { return voxel.Pos{X: x, Y: y, Z: z} }

func volume(cells map[voxel.Pos]string) *voxel.Volume {
	v := voxel.NewVolume()
	for p, s := range cells {
		v.Put(p, s)
	}
	return v
}

var head = plan.Plan{ID: "p1", Project: "default", WorldID: "w", WorldEpoch: "e", Dimension: "overworld", CreatedAt: 1, ExpiresAt: 600_001}

func draft(tb testing.TB, wanted *voxel.Volume, before *plan.Snapshot, env plan.Env) *plan.Plan {
	tb.Helper()
	p, err := plan.Draft(wanted, before, head, env)
	if err != nil {
		tb.Fatal(err)
	}
	checkPlan(tb, p, wanted, before)
	return p
}

// checkPlan fails unless the plan's fills are disjoint and say exactly what becomes
// of the wanted cells.
func checkPlan(tb testing.TB, p *plan.Plan, wanted *voxel.Volume, before *plan.Snapshot) {
	tb.Helper()
	cells := 0
	for _, s := range p.Slices {
		cells += s.Cells()
		for _, f := range s.Fills {
			if f.Before == f.After {
				tb.Fatalf("fill %v changes nothing", f)
			}
		}
	}
	if cells != p.Changed {
		tb.Fatalf("slices have %d cells, changed_blocks says %d", cells, p.Changed)
	}
	for _, f := range p.Kept {
		cells += f.Box.Volume()
	}
	was, will := p.Before(), p.After()
	if cells != wanted.Len() || was.Len() != cells || will.Len() != cells || p.Total != cells {
		tb.Fatalf("fills have %d cells, before %d, after %d, wanted %d, total %d", cells, was.Len(), will.Len(), wanted.Len(), p.Total)
	}
	for pos, id := range wanted.All() {
		if got, _ := will.At(pos); got != wanted.Content(id) {
			tb.Fatalf("%v becomes %q, wanted %q", pos, got, wanted.Content(id))
		}
		want, _ := before.Cells.At(pos)
		if got, _ := was.At(pos); got != want {
			tb.Fatalf("%v was %q, the plan says %q", pos, want, got)
		}
	}
}

func TestDraftTellsChangedFromKept(t *testing.T) {
	before := world(voxel.Box{Max: at(3, 0, 0)}, "minecraft:air")
	before.Cells.Put(at(1, 0, 0), "minecraft:stone")
	before.Cells.Put(at(2, 0, 0), "minecraft:dirt")
	wanted := volume(map[voxel.Pos]string{
		at(0, 0, 0): "minecraft:stone", at(1, 0, 0): "minecraft:stone", at(2, 0, 0): "minecraft:stone", at(3, 0, 0): "minecraft:air",
	})
	before.Cells.Put(at(3, 0, 0), "minecraft:glass")
	p := draft(t, wanted, before, wide(t))
	if p.Changed != 3 || p.Total != 4 || p.Commands != 3 {
		t.Errorf("changed %d of %d in %d commands, want 3 of 4 in 3", p.Changed, p.Total, p.Commands)
	}
	want := plan.Tally{
		Added: map[string]int{"minecraft:stone": 1}, Removed: map[string]int{"minecraft:glass": 1},
		Replaced: map[string]int{"minecraft:dirt -> minecraft:stone": 1}, Unchanged: map[string]int{"minecraft:stone": 1},
	}
	if fmt.Sprint(p.Summary) != fmt.Sprint(want) {
		t.Errorf("summary %v, want %v", p.Summary, want)
	}
}

func TestDraftRefuses(t *testing.T) {
	env := prototype(t)
	env.Region = voxel.Box{Min: at(-8, 0, -8), Max: at(40, 40, 40)}
	air := world(voxel.Box{Min: at(-16, -16, -16), Max: at(47, 47, 47)}, block.Air)
	chest := world(voxel.Box{Max: at(1, 1, 1)}, "minecraft:stone")
	chest.Entities = []plan.BlockEntity{{Pos: at(1, 0, 0), Kind: "container", Full: true}}
	one := volume(map[voxel.Pos]string{at(1, 0, 0): "minecraft:dirt"})
	big := voxel.NewVolume()
	big.Fill(voxel.Box{Max: at(16, 15, 15)}, big.Intern("minecraft:stone"))
	expecting := func(cells ...plan.Cell) plan.Env {
		e := env
		e.Expected = append([]plan.Cell{}, cells...)
		return e
	}
	part := env
	part.Part = &plan.Part{ID: "hall", Mask: voxel.NewMask()}
	for name, c := range map[string]struct {
		wanted *voxel.Volume
		before *plan.Snapshot
		env    plan.Env
		code   fault.Code
	}{
		"cells outside the region":            {volume(map[voxel.Pos]string{at(-9, 0, 0): "minecraft:stone"}), air, env, fault.OutOfBounds},
		"cells outside the part":              {one, air, part, fault.OutOfBounds},
		"cells in unloaded chunks":            {one, world(voxel.Box{}, block.Air), env, fault.ChunkNotLoaded},
		"more cells than the limit":           {big, air, env, fault.BudgetExceeded},
		"placing what the policy denies":      {volume(map[voxel.Pos]string{at(0, 0, 0): "minecraft:barrier"}), air, env, fault.UnsupportedBlock},
		"removing what the policy denies":     {one, world(voxel.Box{Max: at(1, 1, 1)}, "minecraft:mob_spawner"), env, fault.UnsupportedBlock},
		"losing contents":                     {one, chest, env, fault.UnsupportedBlockEntity},
		"expecting another state":             {one, air, expecting(plan.Cell{Pos: at(1, 0, 0), State: "minecraft:stone"}), fault.StaleSnapshot},
		"expecting a cell outside the recipe": {one, air, expecting(plan.Cell{Pos: at(2, 0, 0), State: "minecraft:air"}), fault.InvalidRequest},
		"expecting too few cells":             {one, air, expecting([]plan.Cell{}...), fault.InvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := plan.Draft(c.wanted, c.before, head, c.env)
			if fault.CodeOf(err) != c.code {
				t.Errorf("error %v, want %q", err, c.code)
			}
		})
	}
	env.AllowLoss = []voxel.Pos{at(1, 0, 0)}
	p, err := plan.Draft(one, chest, head, env)
	if err != nil || !p.AllowLoss {
		t.Errorf("with allow_loss: %v, plan says %t", err, err == nil && p.AllowLoss)
	}
	undo := head
	undo.UndoOf = "op1"
	if _, err := plan.Draft(volume(map[voxel.Pos]string{at(0, 0, 0): "minecraft:barrier"}), air, undo, env); err != nil {
		t.Errorf("an undo may not bring a denied block back: %v", err)
	}
}

func TestPolicyAllowsWhatTheProjectSays(t *testing.T) {
	for name, c := range map[string]struct {
		policy plan.Policy
		state  string
		denied bool
	}{
		"bedrock is a block like others": {plan.Policy{}, "bedrock", false}, // the prototype's palette has it
		"what runs commands is not":      {plan.Policy{}, "command_block", true},
		"barriers are not":               {plan.Policy{}, "barrier", true},
		"allowed by id":                  {plan.Policy{Allow: []string{"barrier"}}, "barrier", false},
		"denied by id":                   {plan.Policy{Deny: []string{"bedrock"}}, "bedrock", true},
		"denied although allowed":        {plan.Policy{Deny: []string{"tnt"}, Allow: []string{"tnt"}}, "tnt", true},
		"denied by class":                {plan.Policy{DenyClasses: []string{"gravity"}}, "sand", true},
		"allowed although of the class":  {plan.Policy{DenyClasses: []string{"gravity"}, Allow: []string{"sand"}}, "sand", false},
	} {
		s, err := registry(t).Parse(c.state)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.policy.Refuses(s, registry(t)); (got != "") != c.denied {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDependenciesAreReadOnceAndSorted(t *testing.T) {
	h := head
	h.Dependencies = []plan.Cell{{Pos: at(2, 2, 0)}, {Pos: at(0, 1, 0)}, {Pos: at(2, 2, 0)}}
	env := wide(t)
	before := world(voxel.Box{Max: at(4, 4, 4)}, "minecraft:stone")
	p, err := plan.Draft(volume(map[voxel.Pos]string{at(0, 0, 0): "minecraft:dirt"}), before, h, env)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(p.Dependencies) != "[{0,1,0 minecraft:stone} {2,2,0 minecraft:stone}]" {
		t.Errorf("dependencies %v", p.Dependencies)
	}
	env.Region = voxel.Box{Max: at(1, 1, 1)}
	if _, err := plan.Draft(voxel.NewVolume(), before, h, env); fault.CodeOf(err) != fault.OutOfBounds {
		t.Errorf("a dependency outside the region: %v", err)
	}
	h.Dependencies = []plan.Cell{{Pos: at(9, 9, 9)}}
	if _, err := plan.Draft(voxel.NewVolume(), before, h, wide(t)); fault.CodeOf(err) != fault.ChunkNotLoaded {
		t.Errorf("a dependency in an unloaded chunk: %v", err)
	}
}

func TestHashesTellPlansApart(t *testing.T) {
	wanted := volume(map[voxel.Pos]string{at(0, 0, 0): "minecraft:stone", at(5, 0, 0): "minecraft:dirt"})
	before := world(voxel.Box{Max: at(9, 9, 9)}, block.Air)
	a := draft(t, wanted, before, wide(t))
	later := head
	later.CreatedAt++
	b, err := plan.Draft(wanted, before, later, wide(t))
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash == b.Hash || len(a.Hash) != 64 {
		t.Errorf("hashes %q and %q of plans made at different times", a.Hash, b.Hash)
	}
	if a.Content != b.Content {
		t.Error("the content hash depends on the time")
	}
	other := voxel.NewVolume() // the same cells, drawn in another order
	other.Put(at(5, 0, 0), "minecraft:dirt")
	other.Put(at(0, 0, 0), "minecraft:stone")
	if c := draft(t, other, before, wide(t)); c.Content != a.Content || c.Hash != a.Hash {
		t.Error("hashes depend on the order of drawing")
	}
	other.Put(at(5, 0, 0), "minecraft:glass")
	if c := draft(t, other, before, wide(t)); c.Content == a.Content {
		t.Error("another wish has the same content hash")
	}
}

func TestRandomDraftsAreExactAndSlicesAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	states := []string{"minecraft:air", "minecraft:stone", "minecraft:dirt", "minecraft:glass"}
	for range 40 {
		wanted, before := voxel.NewVolume(), voxel.NewVolume()
		before.Fill(voxel.Box{Min: at(-40, -40, -40), Max: at(40, 40, 40)}, before.Intern("minecraft:air"))
		for range 20 {
			lo := at(rng.IntN(60)-30, rng.IntN(60)-30, rng.IntN(60)-30)
			b := voxel.Box{Min: lo, Max: lo.Add(at(rng.IntN(10), rng.IntN(10), rng.IntN(10)))}
			v := []*voxel.Volume{wanted, before}[rng.IntN(2)]
			v.Fill(b, v.Intern(states[rng.IntN(len(states))]))
		}
		env := wide(t)
		env.Limits.SliceCells = 1 + rng.IntN(600)
		p := draft(t, wanted, &plan.Snapshot{Cells: before}, env)
		for i, s := range p.Slices {
			if s.Cells() > env.Limits.SliceCells {
				t.Fatalf("slice %d has %d cells, limit %d", i, s.Cells(), env.Limits.SliceCells)
			}
			checkRestrict(t, s, rng)
		}
	}
}

// checkRestrict writes the cells of a random mask only.
func checkRestrict(tb testing.TB, s plan.Slice, rng *rand.Rand) {
	tb.Helper()
	write := voxel.NewMask()
	after := s.After()
	for p := range after.All() {
		if rng.IntN(3) > 0 {
			write.Add(p)
		}
	}
	got := 0
	for _, f := range s.Restrict(write, 100) {
		got += f.Box.Volume()
		for p := range f.Box.All() {
			if want, _ := after.At(p); !write.Has(p) || string(f.After) != want {
				tb.Fatalf("%v is written with %q, wanted %q, in the mask %t", p, f.After, want, write.Has(p))
			}
		}
	}
	if got != write.Len() {
		tb.Fatalf("%d cells are written, the mask has %d", got, write.Len())
	}
}

func TestCommandsFitTheLine(t *testing.T) {
	r := registry(t)
	far := voxel.Box{Min: at(-30_000_000, -2048, -30_000_000), Max: at(-29_999_999, -2048, -29_999_999)}
	longest := block.State("")
	weakest := 0
	for _, s := range states(t, r) {
		if len(s) > len(longest) {
			longest = s
		}
		for _, f := range []plan.Fill{
			{Box: far, Before: s, After: s},
			{Box: far, Before: s.Wet(), After: s},
			{Box: voxel.Box{Max: at(9, 9, 9)}, Before: s, After: "minecraft:stone"},
			{Box: voxel.Box{Max: at(9, 9, 9)}, Before: "minecraft:air", After: s},
		} {
			command, weak := plan.Lines(f, r, "the_nether")
			if n := len(strings.ReplaceAll(command, `"`, `\"`)); n > plan.MaxCommandBytes {
				t.Fatalf("%d bytes, %d are allowed: %s", n, plan.MaxCommandBytes, command)
			}
			if weak && f.Box != far {
				t.Errorf("%s is weak", command)
			}
			if weak {
				weakest++
			}
		}
	}
	t.Logf("longest state %s; %d weak commands at the end of the world", longest, weakest)
}

// states returns the states that the oracle's table of Bedrock states has.
func states(tb testing.TB, r *block.Registry) []block.State {
	tb.Helper()
	file, err := os.Open("../../shared/oracle/bedrock-to-java.chunker.tsv.gz")
	if err != nil {
		tb.Skip("the oracle's table is not here: ", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	var list []block.State
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "\t")
		if s, err := r.Parse(text); err == nil {
			list = append(list, s)
		}
	}
	if len(list) < 5000 {
		tb.Fatalf("only %d states of the oracle's table are known", len(list))
	}
	return list
}

func TestCommandsAreCompareAndSet(t *testing.T) {
	r := registry(t)
	command, _ := plan.Lines(plan.Fill{Box: voxel.Box{Max: at(1, 2, 3)}, Before: block.Air, After: "minecraft:stone"}, r, "overworld")
	if command != "fill 0 0 0 1 2 3 minecraft:stone replace minecraft:air" {
		t.Errorf("command %q", command)
	}
	wet := block.State("minecraft:oak_fence").Wet()
	command, _ = plan.Lines(plan.Fill{Box: voxel.Box{}, Before: block.Air, After: wet}, r, "the_end")
	if !strings.HasPrefix(command, "execute in the_end run groundplan:fill 0 0 0 0 0 0 minecraft:oak_fence") ||
		!strings.HasSuffix(command, " true replace minecraft:air false") {
		t.Errorf("command %q", command)
	}
}

func TestPhasesAreInOrder(t *testing.T) {
	r := registry(t)
	if r.Class("minecraft:sand") == block.Solid {
		t.Skip("the registry has no physics classes")
	}
	before := world(voxel.Box{Max: at(9, 9, 9)}, block.Air)
	before.Cells.Put(at(9, 0, 0), "minecraft:torch[torch_facing_direction=top]")
	before.Cells.Put(at(8, 0, 0), "minecraft:stone")
	before.Cells.Put(at(8, 1, 0), "minecraft:stone")
	wanted := volume(map[voxel.Pos]string{
		at(9, 0, 0): "minecraft:air", at(8, 0, 0): "minecraft:air", at(8, 1, 0): "minecraft:air",
		at(0, 0, 0): "minecraft:stone", at(0, 1, 0): "minecraft:dirt",
		at(1, 0, 0): "minecraft:sand", at(1, 1, 0): "minecraft:gravel",
		at(2, 0, 0): "minecraft:torch[torch_facing_direction=top]",
		at(3, 0, 0): "minecraft:water[liquid_depth=0]",
	})
	p := draft(t, wanted, before, wide(t))
	var got []string
	for _, s := range p.Slices {
		for _, f := range s.Fills {
			got = append(got, fmt.Sprint(f.Box.Min, " ", f.After.ID()))
		}
	}
	want := []string{
		"9,0,0 minecraft:air", "8,0,0 minecraft:air", "0,0,0 minecraft:stone", "0,1,0 minecraft:dirt",
		"1,0,0 minecraft:sand", "1,1,0 minecraft:gravel", "2,0,0 minecraft:torch", "3,0,0 minecraft:water",
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("order %q, want %q", got, want)
	}
}

func BenchmarkPrepareNoise(b *testing.B) {
	const n = 100
	wanted, before := voxel.NewVolume(), voxel.NewVolume()
	rng := rand.New(rand.NewPCG(5, 6))
	box := voxel.Box{Max: at(n-1, n-1, n-1)}
	before.Fill(box, before.Intern("minecraft:air"))
	var ids []voxel.ID
	for i := range 40 {
		ids = append(ids, wanted.Intern(fmt.Sprintf("minecraft:block_%d", i)))
	}
	for p := range box.All() {
		wanted.Set(p, ids[rng.IntN(len(ids))])
	}
	env := wide(b)
	for b.Loop() {
		p, err := plan.Draft(wanted, &plan.Snapshot{Cells: before}, head, env)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(p.Commands), "commands")
	}
}
