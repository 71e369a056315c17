package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"groundplan/journal"
	"groundplan/journal/journaltest"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

// corpusDir holds builds of real people; it is not part of the repository.
const corpusDir = "../../shared/corpus/schem"

// draft makes a plan that puts a schematic's blocks into empty air; nil when the
// file cannot be placed.
func draft(tb testing.TB, registry *block.Registry, file string, limits plan.Limits) *plan.Plan {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := schematic.Open(bytes.NewReader(data), limits)
	if err != nil {
		return nil
	}
	wanted, err := s.Place(registry, schematic.Placement{Anchor: schematic.AnchorCorner, SkipAir: true})
	if err != nil || wanted.Len() == 0 {
		return nil
	}
	air := voxel.NewVolume()
	id := air.Intern(string(block.Air))
	for p := range wanted.All() {
		air.Set(p, id)
	}
	head := plan.Plan{
		ID: filepath.Base(file), Project: "default", WorldID: "6f1f8c0e-9b7e-4a9e-8a53-2f0d1e6a7b11",
		WorldEpoch: "0a5bfb3c-1d7e-4c55-9c27-77c0a4c3d9aa", Dimension: "overworld", CreatedAt: 1, ExpiresAt: 1 << 50,
	}
	bounds, _ := wanted.Bounds()
	p, err := plan.Draft(wanted, &plan.Snapshot{Cells: air}, head, plan.Env{Registry: registry, Limits: limits, Region: bounds})
	if err != nil {
		return nil
	}
	return p
}

// apply executes a plan in the journal as if the world did all it is told.
func apply(tb testing.TB, j *journal.Journal, p *plan.Plan, id string) {
	tb.Helper()
	must := func(err error) {
		if err != nil {
			tb.Helper()
			tb.Fatal(err)
		}
	}
	must(j.PutPlan(p))
	op, err := j.Enqueue(plan.Operation{ID: id, PlanID: p.ID, Project: p.Project, Key: id, Status: plan.Queued, Slices: len(p.Slices), Total: p.Total})
	must(err)
	op.Status = plan.Applying
	var done *plan.Receipt
	for i, s := range p.Slices {
		mask := s.Mask()
		must(j.Advance(op, done, &plan.Intent{Operation: id, Slice: i, Write: mask}))
		done = &plan.Receipt{Operation: id, Slice: i, Wrote: mask}
		op.Next, op.Written = i+1, op.Written+mask.Len()
	}
	op.Status = plan.Applied
	must(j.Advance(op, done, nil))
}

// TestARealBuildCostsAtMostThreeBytesPerCell applies every build of the corpus:
// plan, intents, receipts, ownership and events together.
func TestARealBuildCostsAtMostThreeBytesPerCell(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.schem"))
	if err != nil || len(files) == 0 {
		t.Skip("the corpus of real files is not here")
	}
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	cells, bytes := 0, int64(0)
	worst, worstFile := 0.0, ""
	for _, file := range files {
		if info, err := os.Stat(file); testing.Short() && (err != nil || info.Size() > 4<<10) {
			continue
		}
		p := draft(t, registry, file, plan.DefaultLimits())
		if p == nil || p.Changed < 1000 {
			continue
		}
		j := journaltest.Open(t)
		empty := payload(t, j)
		apply(t, j, p, "op")
		cost := payload(t, j) - empty
		cells, bytes = cells+p.Changed, bytes+cost
		per := float64(cost) / float64(p.Changed)
		if per > worst {
			worst, worstFile = per, filepath.Base(file)
		}
		t.Logf("%7d cells, %6d fills, %3d slices, %5.2f bytes per cell: %s", p.Changed, p.Commands, len(p.Slices), per, filepath.Base(file))
	}
	if cells == 0 {
		t.Fatal("no build of the corpus could be placed")
	}
	t.Logf("%d cells, %.2f bytes per cell; worst %.2f: %s", cells, float64(bytes)/float64(cells), worst, worstFile)
	if worst > 3 {
		t.Errorf("%s costs %.2f bytes per cell", worstFile, worst)
	}
}

// payload is how many bytes the keys and values of a journal have.
func payload(tb testing.TB, j *journal.Journal) int64 {
	tb.Helper()
	s, err := j.Stats()
	if err != nil {
		tb.Fatal(err)
	}
	return s.UsedBytes
}
