package schematic

import (
	"bytes"
	"encoding/json"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// placed returns the cells of a corpus file; nil when it is refused or has more
// than most cells.
func (c corpusFile) placed(tb testing.TB, reg *block.Registry, most int) *voxel.Volume {
	tb.Helper()
	if _, no := refused[c.name]; no {
		return nil
	}
	s, err := Open(bytes.NewReader(c.read(tb)), corpusLimits())
	if err != nil {
		tb.Fatal(err)
	}
	box, err := s.Box(Placement{Anchor: AnchorCorner})
	if err != nil || box.Volume() > most {
		return nil
	}
	v, err := s.Place(reg, Placement{Anchor: AnchorCorner})
	if err != nil {
		tb.Fatalf("%s: %v", c.name, err)
	}
	return v
}

// airUnder returns the world before a schematic is placed: air.
func airUnder(v *voxel.Volume) *plan.Snapshot {
	before := voxel.NewVolume()
	air := before.Intern(string(block.Air))
	for _, key := range v.Sections() {
		before.Fill(key.Box(), air)
	}
	return &plan.Snapshot{Cells: before}
}

// runsAlongX returns how many boxes a writer needs that only joins equal cells in a
// row.
func runsAlongX(v *voxel.Volume) int {
	runs := 0
	for p, id := range v.All() {
		if v.Content(id) != string(block.Air) && v.ID(p.Sub(voxel.Pos{X: 1})) != id {
			runs++
		}
	}
	return runs
}

// BenchmarkCommands plans every schematic of the corpus of at most two million
// cells in an empty world, and reports the commands against runs along x and
// against one setblock for each cell.
func BenchmarkCommands(b *testing.B) {
	reg, err := block.Load(block.Profile50)
	if err != nil {
		b.Fatal(err)
	}
	far := voxel.Pos{X: 1 << 20, Y: 1 << 20, Z: 1 << 20}
	env := plan.Env{Registry: reg, Region: voxel.Box{Max: far}, Policy: plan.Policy{}, Limits: plan.Limits{PlanCells: 2 << 20}}
	for b.Loop() {
		files, cells, commands, runs := 0, 0, 0, 0
		for _, c := range corpus(b) {
			v := c.placed(b, reg, 2<<20)
			if v == nil {
				continue
			}
			p, err := plan.Draft(v, airUnder(v), plan.Plan{UndoOf: "so that the policy does not matter"}, env)
			if err != nil {
				b.Fatalf("%s: %v", c.name, err)
			}
			x := runsAlongX(v)
			if testing.Verbose() && p.Changed > 0 {
				b.Logf("%s: %d cells, %d commands, %d runs along x", c.name, p.Changed, p.Commands, x)
			}
			files, cells, commands, runs = files+1, cells+p.Changed, commands+p.Commands, runs+x
		}
		b.ReportMetric(float64(files), "files")
		b.ReportMetric(float64(cells), "setblocks")
		b.ReportMetric(float64(runs), "x-runs")
		b.ReportMetric(float64(commands), "commands")
		b.ReportMetric(float64(commands)/float64(cells), "commands/cell")
	}
}

// TestLayersOfARealBuildAreShort reads 64×32×64 cells of real builds as text and as
// one JSON object for each block.
func TestLayersOfARealBuildAreShort(t *testing.T) {
	reg, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	size := voxel.Pos{X: 64, Y: 32, Z: 64}
	measured := 0
	for _, c := range corpus(t) {
		v := c.placed(t, reg, 4<<20)
		if v == nil || v.Counts()[string(block.Air)] == v.Len() {
			continue
		}
		b, _ := v.Bounds()
		if s := b.Size(); s.X < size.X || s.Y < size.Y || s.Z < size.Z {
			continue
		}
		b.Max = b.Min.Add(size).Sub(voxel.Pos{X: 1, Y: 1, Z: 1})
		text, err := json.Marshal(plan.LayersOf(v, b, reg))
		if err != nil {
			t.Fatal(err)
		}
		objects, blocks := 0, 0
		for p := range b.All() {
			s, ok := v.At(p)
			if !ok {
				continue
			}
			one, err := json.Marshal(plan.Cell{Pos: p, State: block.State(s)})
			if err != nil {
				t.Fatal(err)
			}
			objects += len(one) + len(",")
			if s != string(block.Air) {
				blocks++
			}
		}
		t.Logf("%s: %d blocks in %d bytes, %d as objects: 1/%d", c.name, blocks, len(text), objects, objects/len(text))
		measured++
		if objects < 50*len(text) {
			t.Errorf("%s: %d bytes of text, %d of objects: not 1/50", c.name, len(text), objects)
		}
	}
	if measured == 0 && slower == 1 {
		t.Error("no real build of 64×32×64 cells was measured")
	}
}
