package journal

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

const (
	testWorld = "6f1f8c0e-9b7e-4a9e-8a53-2f0d1e6a7b11"
	testEpoch = "0a5bfb3c-1d7e-4c55-9c27-77c0a4c3d9aa"
	stone     = block.State("minecraft:stone")
	oak       = block.State("minecraft:oak_planks")
)

// testNow is the clock of all tests.
func testNow() time.Time { return time.UnixMilli(1_700_000_000_000) }

// open opens a new journal that is checked when the test ends.
func open(tb testing.TB, o Options) *Journal {
	tb.Helper()
	return reopen(tb, filepath.Join(tb.TempDir(), "journal.db"), o)
}

func reopen(tb testing.TB, path string, o Options) *Journal {
	tb.Helper()
	o.NoSync = true
	if o.Now == nil {
		o.Now = testNow
	}
	j, err := Open(path, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if j.closed.Load() {
			return
		}
		if err := j.Check(); err != nil {
			tb.Error(err)
		}
		if err := j.Close(); err != nil {
			tb.Error(err)
		}
	})
	return j
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// wantCode fails unless err has the code.
func wantCode(tb testing.TB, err error, code fault.Code) {
	tb.Helper()
	if got := fault.CodeOf(err); got != code {
		tb.Fatalf("error %v has the code %q, want %q", err, got, code)
	}
}

func box(x1, y1, z1, x2, y2, z2 int) voxel.Box {
	return voxel.Box{Min: voxel.Pos{X: x1, Y: y1, Z: z1}, Max: voxel.Pos{X: x2, Y: y2, Z: z2}}
}

func maskOf(boxes ...voxel.Box) *voxel.Mask {
	m := voxel.NewMask()
	for _, b := range boxes {
		m.AddBox(b)
	}
	return m
}

// newPlan is a plan with one slice for each box.
func newPlan(id string, boxes ...voxel.Box) *plan.Plan {
	p := &plan.Plan{
		ID: id, Project: "home", WorldID: testWorld, WorldEpoch: testEpoch, Dimension: "overworld",
		Region: box(-1000, -64, -1000, 1000, 319, 1000), CreatedAt: testNow().UnixMilli(),
		ExpiresAt: testNow().Add(time.Minute).UnixMilli(), Hash: "hash of " + id,
	}
	for _, b := range boxes {
		p.Slices = append(p.Slices, plan.Slice{Fills: []plan.Fill{{Box: b, Before: block.Air, After: stone}}})
		p.Changed += b.Volume()
	}
	p.Total = p.Changed
	return p
}

func newOperation(p *plan.Plan, id string) plan.Operation {
	return plan.Operation{
		ID: id, PlanID: p.ID, Project: p.Project, Key: "key of " + id, By: "console", UndoOf: p.UndoOf, Status: plan.Queued,
		CreatedAt: testNow().UnixMilli(), UpdatedAt: testNow().UnixMilli(), Slices: len(p.Slices), Total: p.Total,
	}
}

// run puts a plan and executes it whole, as the Runner would.
func run(tb testing.TB, j *Journal, p *plan.Plan, id string) plan.Operation {
	tb.Helper()
	must(tb, j.PutPlan(p))
	op, err := j.Enqueue(newOperation(p, id))
	must(tb, err)
	return finish(tb, j, p, op)
}

// finish takes an operation from its next slice to its end.
func finish(tb testing.TB, j *Journal, p *plan.Plan, op plan.Operation) plan.Operation {
	tb.Helper()
	var done *plan.Receipt
	op.Status = plan.Applying
	for i := op.Next; i < len(p.Slices); i++ {
		next := &plan.Intent{Operation: op.ID, Slice: i, Write: p.Slices[i].Mask(), At: op.CreatedAt}
		must(tb, j.Advance(op, done, next))
		done = &plan.Receipt{Operation: op.ID, Slice: i, Wrote: next.Write, At: op.CreatedAt}
		op.Next, op.Written = i+1, op.Written+next.Write.Len()
	}
	op.Status = plan.Applied
	must(tb, j.Advance(op, done, nil))
	return op
}

// owns fails unless the operation owns exactly the cells.
func owns(tb testing.TB, j *Journal, operation string, want *voxel.Mask) {
	tb.Helper()
	got, err := j.Owned(operation)
	must(tb, err)
	gotArea, err := areaOfMask(got)
	must(tb, err)
	wantArea, err := areaOfMask(want)
	must(tb, err)
	if !gotArea.equal(wantArea) {
		tb.Fatalf("%s owns %v, want %v", operation, slices.Collect(got.All()), slices.Collect(want.All()))
	}
}

func TestAnOperationIsThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "journal.db")
	j := reopen(t, path, Options{})
	p := newPlan("p1", box(0, 0, 0, 15, 3, 15), box(-20, 4, -20, 3, 4, 3))
	p.Kept = []plan.Fill{{Box: box(40, 0, 40, 41, 0, 41), Before: oak, After: oak}}
	op := run(t, j, p, "op1")
	must(t, j.Close())

	j = reopen(t, path, Options{})
	got, err := j.Operation("op1")
	must(t, err)
	if fmt.Sprint(got) != fmt.Sprint(op) {
		t.Errorf("operation is %+v, want %+v", got, op)
	}
	read, err := j.Plan("p1")
	must(t, err)
	if fmt.Sprint(read) != fmt.Sprint(p) {
		t.Errorf("plan is %+v, want %+v", read, p)
	}
	list, err := j.Entries("op1")
	must(t, err)
	if len(list) != 2 || list[1].Receipt == nil || list[1].Receipt.Wrote.Len() != p.Slices[1].Cells() {
		t.Errorf("entries are %+v", list)
	}
	owns(t, j, "op1", maskOf(p.Slices[0].Fills[0].Box, p.Slices[1].Fills[0].Box))
}

func TestUnfinishedOperationsAreListedOldestFirst(t *testing.T) {
	j := open(t, Options{})
	for i := range 3 {
		p := newPlan(fmt.Sprint("p", i), box(i, 0, 0, i, 0, 0))
		must(t, j.PutPlan(p))
		_, err := j.Enqueue(newOperation(p, fmt.Sprint("op", i)))
		must(t, err)
	}
	op, err := j.Operation("op1")
	must(t, err)
	op.Status = plan.Cancelled
	must(t, j.Update(op))
	ops, err := j.Unfinished()
	must(t, err)
	if len(ops) != 2 || ops[0].ID != "op0" || ops[1].ID != "op2" {
		t.Errorf("unfinished are %+v", ops)
	}
}

func TestAKnownKeyIsItsOperation(t *testing.T) {
	j := open(t, Options{})
	p, q := newPlan("p1", box(0, 0, 0, 0, 0, 0)), newPlan("p2", box(0, 0, 0, 0, 0, 0))
	must(t, j.PutPlan(p))
	must(t, j.PutPlan(q))
	first, err := j.Enqueue(newOperation(p, "op1"))
	must(t, err)
	again := newOperation(p, "op2")
	again.Key = first.Key
	got, err := j.Enqueue(again)
	must(t, err)
	if got.ID != "op1" {
		t.Errorf("the key gave %s", got.ID)
	}
	again.PlanID = "p2"
	_, err = j.Enqueue(again)
	wantCode(t, err, fault.IdempotencyMismatch)
	again.Project, again.PlanID = "other", "p2"
	got, err = j.Enqueue(again)
	must(t, err)
	if got.ID != "op2" {
		t.Errorf("another project's key gave %s", got.ID)
	}
}

func TestUndoGivesOwnershipBack(t *testing.T) {
	j := open(t, Options{})
	all := box(0, 0, 0, 9, 0, 0)
	run(t, j, newPlan("pa", all), "a")
	run(t, j, newPlan("pb", box(5, 0, 0, 9, 0, 0)), "b")
	owns(t, j, "a", maskOf(box(0, 0, 0, 4, 0, 0)))
	undo := newPlan("pu", box(5, 0, 0, 9, 0, 0))
	undo.UndoOf = "b"
	run(t, j, undo, "u")
	owns(t, j, "a", maskOf(all))
	owns(t, j, "b", maskOf())
	owns(t, j, "u", maskOf(box(5, 0, 0, 9, 0, 0))) // and so can be taken back
	redo := newPlan("pr", box(5, 0, 0, 9, 0, 0))
	redo.UndoOf = "u"
	run(t, j, redo, "r")
	owns(t, j, "a", maskOf(box(0, 0, 0, 4, 0, 0)))
	owns(t, j, "b", maskOf(box(5, 0, 0, 9, 0, 0)))
	owns(t, j, "u", maskOf())
}

func TestForeignEditsEndOwnershipForGood(t *testing.T) {
	j := open(t, Options{})
	all := box(0, 0, 0, 9, 0, 0)
	run(t, j, newPlan("pa", all), "a")
	run(t, j, newPlan("pb", all), "b")
	must(t, j.Disown(testWorld, "overworld", maskOf(box(0, 0, 0, 2, 0, 0)), "c7"))
	undo := newPlan("pu", all)
	undo.UndoOf = "b"
	run(t, j, undo, "u")
	owns(t, j, "a", maskOf(box(3, 0, 0, 9, 0, 0)))
	cursor, err := j.Cursor(testWorld)
	must(t, err)
	if cursor != "c7" {
		t.Errorf("cursor is %q", cursor)
	}
}

func TestAbandonmentVoidsOwnershipUnderTheMask(t *testing.T) {
	j := open(t, Options{})
	run(t, j, newPlan("pa", box(0, 0, 0, 9, 0, 0)), "a")
	p := newPlan("pb", box(0, 0, 0, 3, 0, 0), box(4, 0, 0, 9, 0, 0))
	must(t, j.PutPlan(p))
	op, err := j.Enqueue(newOperation(p, "b"))
	must(t, err)
	op.Status = plan.Applying
	must(t, j.Advance(op, nil, &plan.Intent{Operation: "b", Slice: 0, Write: p.Slices[0].Mask()}))
	op.Status, op.Abandoned = plan.Failed, true
	d := plan.Decision{ID: "d1", Operation: "b", Verdict: plan.Abandon, By: "admin", Reason: "power cut"}
	must(t, j.Decide(d, op, p.Slices[0].Mask()))
	owns(t, j, "a", maskOf(box(4, 0, 0, 9, 0, 0)))
	owns(t, j, "b", maskOf())
	list, err := j.Decisions()
	must(t, err)
	if len(list) != 1 || list[0] != d {
		t.Errorf("decisions are %+v", list)
	}
}

func TestPartsAreKeptByProject(t *testing.T) {
	j := open(t, Options{})
	part := plan.Part{ID: "roof", Project: "home", Name: "The roof", Protected: true, WorldID: testWorld, Dimension: "overworld", Mask: maskOf(box(-3, 9, -3, 20, 9, 20))}
	must(t, j.PutPart(part))
	must(t, j.PutPart(plan.Part{ID: "roof", Project: "home2", Mask: voxel.NewMask()}))
	list, err := j.Parts("home")
	must(t, err)
	if len(list) != 1 || list[0].Name != "The roof" || list[0].Mask.Len() != 24*24 {
		t.Errorf("parts are %+v", list)
	}
	must(t, j.DeletePart("home", "roof"))
	_, err = j.Part("home", "roof")
	wantCode(t, err, fault.NotFound)
	wantCode(t, j.DeletePart("home", "roof"), fault.NotFound)
}

func TestASecondOpenIsRefusedWithThePid(t *testing.T) {
	j := open(t, Options{})
	start := time.Now()
	_, err := Open(j.Path(), Options{})
	wantCode(t, err, fault.StorageFailed)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("refused only after %v", took)
	}
	t.Log(err)
}
