package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestPlansThatWaitHaveAQuota(t *testing.T) {
	now := testNow()
	j := open(t, Options{MaxFreshPlans: 2, MaxFreshCells: 100, Now: func() time.Time { return now }})
	wantCode(t, j.PutPlan(newPlan("big", box(0, 0, 0, 100, 0, 0))), fault.BudgetExceeded)
	must(t, j.PutPlan(newPlan("p1", box(0, 0, 0, 49, 0, 0))))
	wantCode(t, j.PutPlan(newPlan("p2", box(0, 0, 0, 50, 0, 0))), fault.TooManyRequests)
	must(t, j.PutPlan(newPlan("p2", box(0, 0, 0, 9, 0, 0))))
	wantCode(t, j.PutPlan(newPlan("p3", box(0, 0, 0, 0, 0, 0))), fault.TooManyRequests)

	// One that was started does not count.
	_, err := j.Enqueue(newOperation(newPlan("p1"), "op1"))
	must(t, err)
	must(t, j.PutPlan(newPlan("p3", box(0, 0, 0, 0, 0, 0))))
	wantCode(t, j.PutPlan(newPlan("p4", box(0, 0, 0, 0, 0, 0))), fault.TooManyRequests)

	// Those whose time is over make room.
	now = now.Add(time.Hour)
	must(t, j.PutPlan(newPlan("p4", box(0, 0, 0, 0, 0, 0))))
	_, err = j.Plan("p2")
	wantCode(t, err, fault.NotFound)
	_, err = j.Plan("p1")
	must(t, err)
}

func TestPlansThatExpiredLongAgoAreCollectedWhenOthersCome(t *testing.T) {
	now := testNow()
	j := open(t, Options{Now: func() time.Time { return now }})
	must(t, j.PutPlan(newPlan("old", box(0, 0, 0, 9, 0, 0)))) // for a minute
	now = now.Add(30 * time.Minute)
	must(t, j.PutPlan(newPlan("p1", box(0, 0, 0, 9, 0, 0))))
	if p, err := j.Plan("old"); err != nil || p.ID != "old" { // who comes late hears that it expired
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	must(t, j.PutPlan(newPlan("p2", box(0, 0, 0, 9, 0, 0))))
	_, err := j.Plan("old")
	wantCode(t, err, fault.NotFound)
}

func TestCollectRemovesOnlyPlansNeverStarted(t *testing.T) {
	j := open(t, Options{})
	must(t, j.PutPlan(newPlan("started", box(0, 0, 0, 3, 3, 3))))
	_, err := j.Enqueue(newOperation(newPlan("started"), "op"))
	must(t, err)
	must(t, j.PutPlan(newPlan("old", box(0, 0, 0, 3, 3, 3))))
	_, err = j.Plan("old") // and is remembered
	must(t, err)
	n, err := j.Collect(testNow())
	must(t, err)
	if n != 0 {
		t.Errorf("%d removed before their time", n)
	}
	n, err = j.Collect(testNow().Add(2 * time.Minute))
	must(t, err)
	if n != 1 {
		t.Errorf("%d removed", n)
	}
	_, err = j.Plan("old")
	wantCode(t, err, fault.NotFound)
	_, err = j.Enqueue(newOperation(newPlan("old"), "late"))
	wantCode(t, err, fault.NotFound)
	plans, err := j.Plans("home", 10)
	must(t, err)
	if len(plans) != 1 || plans[0].ID != "started" {
		t.Errorf("plans are %v", plans)
	}
}

func TestTheSamePlanMayComeTwice(t *testing.T) {
	j := open(t, Options{})
	p := newPlan("p", box(0, 0, 0, 3, 3, 3))
	must(t, j.PutPlan(p))
	must(t, j.PutPlan(p))
	p.Hash = "another"
	wantCode(t, j.PutPlan(p), fault.InvalidRequest)
}

func TestOperationsAreListedNewestFirstInPages(t *testing.T) {
	j := open(t, Options{})
	for i := range 7 {
		p := newPlan(fmt.Sprint("p", i), box(i, 0, 0, i, 0, 0))
		if i%2 == 1 {
			p.Project = "barn"
		}
		run(t, j, p, fmt.Sprint("op", i))
	}
	op, err := j.Operation("op4")
	must(t, err)
	op.Status = plan.Cancelled
	must(t, j.Update(op))
	for _, c := range []struct {
		filter Filter
		want   string
	}{
		{Filter{}, "op6 op5 op4 op3 op2 op1 op0"},
		{Filter{Limit: 2}, "op6 op5"},
		{Filter{Limit: 2, Before: "op5"}, "op4 op3"},
		{Filter{Project: "barn"}, "op5 op3 op1"},
		{Filter{Project: "home", Status: plan.Applied, Before: "op6"}, "op2 op0"},
		{Filter{Before: "op0"}, ""},
	} {
		ops, err := j.Operations(c.filter)
		must(t, err)
		var ids []string
		for _, op := range ops {
			ids = append(ids, op.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v lists %q, want %q", c.filter, got, c.want)
		}
	}
	_, err = j.Operations(Filter{Before: "nobody"})
	wantCode(t, err, fault.NotFound)
}

func TestAdvanceRefusesWhatBreaksTheOrderOfWriting(t *testing.T) {
	j := open(t, Options{})
	p := newPlan("p", box(0, 0, 0, 9, 0, 0), box(0, 1, 0, 9, 1, 0))
	must(t, j.PutPlan(p))
	op, err := j.Enqueue(newOperation(p, "op"))
	must(t, err)
	op.Status = plan.Applying
	first, second := p.Slices[0].Mask(), p.Slices[1].Mask()
	half := maskOf(box(0, 0, 0, 4, 0, 0))
	intent := func(slice int, m *voxel.Mask) *plan.Intent {
		return &plan.Intent{Operation: "op", Slice: slice, Write: m}
	}
	receipt := func(slice int, m *voxel.Mask) *plan.Receipt {
		return &plan.Receipt{Operation: "op", Slice: slice, Wrote: m}
	}
	refuse := func(what string, done *plan.Receipt, next *plan.Intent) {
		t.Helper()
		before := dump(t, j)
		if code := fault.CodeOf(j.Advance(op, done, next)); code != fault.Internal {
			t.Errorf("%s: %q", what, code)
		}
		if dump(t, j) != before {
			t.Errorf("%s: the journal was changed", what)
		}
	}
	refuse("a receipt without an intent", receipt(0, first), nil)
	refuse("the second slice first", nil, intent(1, second))
	refuse("cells of another slice", nil, intent(0, second))
	refuse("a slice that the plan does not have", nil, intent(2, second))
	refuse("another operation's intent", nil, &plan.Intent{Operation: "x", Write: first})
	must(t, j.Advance(op, nil, intent(0, half)))
	refuse("the next while one is open", nil, intent(1, second))
	refuse("an intent narrowed", nil, intent(0, maskOf(box(0, 0, 0, 3, 0, 0))))
	refuse("a receipt of cells not intended", receipt(0, first), nil)
	must(t, j.Advance(op, nil, intent(0, first)))
	refuse("another operation's receipt", &plan.Receipt{Operation: "x", Wrote: first}, nil)
	op.Next, op.Written = 1, half.Len()
	must(t, j.Advance(op, receipt(0, half), nil))
	must(t, j.Advance(op, receipt(0, half), intent(1, second))) // the same receipt again
	refuse("a receipt that differs from the first", receipt(0, first), nil)
	owns(t, j, "op", half)

	other := op
	other.PlanID = "q"
	wantCode(t, j.Update(other), fault.Internal)
	other.ID = "nobody"
	wantCode(t, j.Update(other), fault.NotFound)
	op.Status = plan.RecoveryRequired
	wantCode(t, j.Decide(plan.Decision{ID: "d", Operation: "op", Verdict: plan.Abandon}, op, nil), fault.Internal)
	wantCode(t, j.Decide(plan.Decision{ID: "d", Operation: "other"}, op, nil), fault.Internal)
}

func TestTheFeedTellsWhatChanged(t *testing.T) {
	j := open(t, Options{MaxEvents: 4})
	here, err := j.LastEvent()
	must(t, err)
	run(t, j, newPlan("p", box(0, 0, 0, 9, 0, 0)), "op")
	must(t, j.Disown(testWorld, "overworld", maskOf(box(3, 0, 0, 3, 0, 0)), "c1"))
	must(t, j.Disown(testWorld, "nether", maskOf(box(4, 0, 0, 4, 0, 0)), "c2"))
	must(t, j.Disown(testWorld, "overworld", nil, "c3")) // no edit: nothing for the feed

	list, next, err := j.Events(testWorld, "overworld", here, 10)
	must(t, err)
	if len(list) != 2 || list[0].Kind != EventWrote || list[0].Operation != "op" || list[0].Cells.Len() != 10 ||
		list[1].Kind != EventExternal || list[1].Cells.Len() != 1 {
		t.Errorf("events are %+v", list)
	}
	list, again, err := j.Events(testWorld, "overworld", next, 10)
	must(t, err)
	if len(list) != 0 || again != next {
		t.Errorf("after the last event: %+v", list)
	}
	list, first, err := j.Events(testWorld, "overworld", here, 1)
	must(t, err)
	if len(list) != 1 || first != here+1 {
		t.Errorf("a page of one is %+v", list)
	}
	for i := range 4 {
		must(t, j.Disown(testWorld, "overworld", maskOf(box(i, 0, 0, i, 0, 0)), "c"))
	}
	_, _, err = j.Events(testWorld, "overworld", here, 10)
	wantCode(t, err, fault.ResyncRequired)
	_, _, err = j.Events(testWorld, "overworld", next+100, 10)
	wantCode(t, err, fault.ResyncRequired)
	if list, _, err = j.Events(testWorld, "overworld", next, 10); err != nil || len(list) != 4 {
		t.Errorf("the last four are %+v (%v)", list, err)
	}
}

func TestAnExplanationIsForPeople(t *testing.T) {
	j := open(t, Options{})
	_, err := play(j)
	must(t, err)
	e, err := j.Explain("build")
	must(t, err)
	want := `operation build is applied: no message
  project home, key key of build, by console, recorded 2023-11-14T22:13:20Z, last change 2023-11-14T22:13:20Z
  plan house in overworld: 1856 cells to change, 3 slices, hash hash of house
  slice 0: 1024 cells intended 1970-01-01T00:00:00Z; 1024 written, confirmed 1970-01-01T00:00:00Z
  slice 1: 256 cells intended 1970-01-01T00:00:00Z; 256 written, confirmed 1970-01-01T00:00:00Z
  slice 2: 576 cells intended 1970-01-01T00:00:00Z; 576 written, confirmed 1970-01-01T00:00:00Z
  1856 written, 0 skipped; 811 still owned and so undoable
  661 of them may have been edited unseen since 1970-01-01T00:00:00Z; a comparison with the world will tell
  85 cells went to edits by others, or an abandonment
  960 cells went to operation undo
`
	if got := e.String(); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	e, err = j.Explain("wall")
	must(t, err)
	if len(e.Decisions) != 1 || e.Owned != 0 || e.Slices[0].Settled || !strings.Contains(e.String(), "must be read from the world") {
		t.Errorf("it says\n%s", e)
	}
	_, err = j.Explain("nobody")
	wantCode(t, err, fault.NotFound)
}

func TestNamesThatAreNoNamesAreRefused(t *testing.T) {
	j := open(t, Options{})
	p := newPlan("p", box(0, 0, 0, 0, 0, 0))
	must(t, j.PutPlan(p))
	for _, name := range []string{"", "a\nb", "\x00", "\xff", strings.Repeat("x", maxID+1)} {
		op := newOperation(p, "op")
		op.Key = name
		_, err := j.Enqueue(op)
		wantCode(t, err, fault.InvalidRequest)
		wantCode(t, j.PutPlan(newPlan(name)), fault.InvalidRequest)
		wantCode(t, j.PutPart(plan.Part{ID: name}), fault.InvalidRequest)
		wantCode(t, j.Disown(name, "overworld", nil, ""), fault.InvalidRequest)
	}
	bad := newPlan("bad", box(5, 0, 0, 0, 0, 0))
	wantCode(t, j.PutPlan(bad), fault.InvalidRequest)
	bad = newPlan("bad", box(0, 0, 0, 1<<33, 0, 0))
	wantCode(t, j.PutPlan(bad), fault.InvalidRequest)
	bad = newPlan("bad", box(0, 0, 0, 0, 0, 0))
	bad.Slices[0].Fills[0].After = "\xff"
	wantCode(t, j.PutPlan(bad), fault.InvalidRequest)
	far := voxel.NewMask()
	far.Add(voxel.Pos{X: 1 << 40})
	wantCode(t, j.PutPart(plan.Part{ID: "far", Mask: far}), fault.InvalidRequest)
}

func TestAClosedJournalAnswersSo(t *testing.T) {
	j := open(t, Options{})
	must(t, j.Close())
	must(t, j.Close())
	_, err := j.Unfinished()
	wantCode(t, err, fault.StorageFailed)
	wantCode(t, j.PutPlan(newPlan("p")), fault.StorageFailed)
	_, err = Open(j.Path()+"x", Options{Existing: true})
	wantCode(t, err, fault.NotFound)
}

func TestAnIdleWorldCostsNoCommit(t *testing.T) {
	commits := 0
	j := open(t, Options{Seam: func(point string) error {
		if point == "disown:after" {
			commits++
		}
		return nil
	}})
	for _, cursor := range []string{"", "", "c1", "c1", "c1", "c2"} {
		must(t, j.Disown(testWorld, "overworld", voxel.NewMask(), cursor))
	}
	if commits != 3 {
		t.Errorf("%d commits for three cursors", commits)
	}
}

func TestAnUndoOfNobodyIsRefused(t *testing.T) {
	j := open(t, Options{})
	p := newPlan("p", box(0, 0, 0, 0, 0, 0))
	must(t, j.PutPlan(p))
	op := newOperation(p, "op")
	op.UndoOf = "nobody"
	_, err := j.Enqueue(op)
	wantCode(t, err, fault.NotFound)
}
