package journal

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// doubts fails unless exactly these cells of a dimension are in doubt.
func doubts(t *testing.T, j *Journal, dimension string, since int64, want *voxel.Mask) {
	t.Helper()
	got, at, err := j.Doubted(testWorld, dimension)
	must(t, err)
	more, less := got.Clone(), want.Clone()
	more.Subtract(want)
	less.Subtract(got)
	if more.Len()+less.Len() > 0 || at != since {
		t.Fatalf("%d cells are in doubt since %d, want %d since %d", got.Len(), at, want.Len(), since)
	}
}

func TestMissedEditsPutEveryOwnedCellInDoubt(t *testing.T) {
	j := open(t, Options{})
	run(t, j, newPlan("p", box(0, 0, 0, 9, 0, 0)), "op")
	nether := newPlan("q", box(0, 0, 0, 4, 0, 0))
	nether.Dimension = "nether"
	run(t, j, nether, "deep")
	other := newPlan("r", box(0, 0, 0, 4, 0, 0))
	other.WorldID = testWorld + "2"
	run(t, j, other, "elsewhere")

	must(t, j.Doubt(testWorld, 70))
	must(t, j.Doubt(testWorld, 90)) // in doubt already: since the earlier time
	all := maskOf(box(0, 0, 0, 9, 0, 0))
	doubts(t, j, "overworld", 70, all)
	doubts(t, j, "nether", 70, maskOf(box(0, 0, 0, 4, 0, 0)))
	if got, since, err := j.Doubted(other.WorldID, "overworld"); err != nil || got.Len() != 0 || since != 0 {
		t.Fatalf("another world has %d cells in doubt since %d, %v", got.Len(), since, err)
	}
	owns(t, j, "op", all) // doubt takes nothing away

	j = again(t, j)
	doubts(t, j, "overworld", 70, all)
	if e, err := j.Explain("op"); err != nil || e.Doubted != 10 || e.Since != 70 {
		t.Fatalf("explained as %+v, %v", e, err)
	}
	if s, err := j.Stats(); err != nil || s.Doubted != 2 {
		t.Fatalf("%d sections in doubt, %v", s.Doubted, err)
	}
}

// again closes the journal and opens it as a new process would.
func again(t *testing.T, j *Journal) *Journal {
	t.Helper()
	must(t, j.Close())
	return reopen(t, j.Path(), Options{})
}

func TestDoubtEndsWhereCellsAreWrittenOrEditedInSight(t *testing.T) {
	j := open(t, Options{})
	run(t, j, newPlan("p", box(0, 0, 0, 9, 0, 0)), "op")
	must(t, j.Doubt(testWorld, 70))
	run(t, j, newPlan("q", box(0, 0, 0, 2, 0, 0)), "over")
	must(t, j.Disown(testWorld, "overworld", maskOf(box(9, 0, 0, 20, 0, 0)), "c"))
	doubts(t, j, "overworld", 70, maskOf(box(3, 0, 0, 8, 0, 0)))
}

func TestComparisonDecidesWhatIsInDoubt(t *testing.T) {
	j := open(t, Options{})
	run(t, j, newPlan("p", box(0, 0, 0, 9, 0, 0)), "op")
	run(t, j, newPlan("q", box(8, 0, 0, 9, 0, 0)), "over")
	intact, changed := maskOf(box(0, 0, 0, 3, 0, 0)), maskOf(box(4, 0, 0, 5, 0, 0))
	changed.AddBox(box(8, 0, 0, 8, 0, 0)) // not op's any more
	commits := j.Commits()
	must(t, j.Confirm("op", intact, changed))
	if j.Commits() != commits {
		t.Fatal("a comparison of what nobody doubts was recorded")
	}
	owns(t, j, "op", maskOf(box(0, 0, 0, 7, 0, 0)))

	must(t, j.Doubt(testWorld, 70))
	here, err := j.LastEvent()
	must(t, err)
	must(t, j.Confirm("op", intact, changed))
	doubts(t, j, "overworld", 70, maskOf(box(6, 0, 0, 9, 0, 0)))
	kept := maskOf(box(0, 0, 0, 3, 0, 0))
	kept.AddBox(box(6, 0, 0, 7, 0, 0))
	owns(t, j, "op", kept)
	owns(t, j, "over", maskOf(box(8, 0, 0, 9, 0, 0)))
	list, _, err := j.Events(testWorld, "overworld", here, 10)
	must(t, err)
	if len(list) != 1 || list[0].Kind != EventExternal || list[0].Cells.Len() != 2 {
		t.Fatalf("the feed has %+v, want the two cells that somebody changed", list)
	}
}

// TestOwnWritesUnderWayAreNoEditOfOthers: who compares while an operation writes may
// see its cells before its receipt is there.
func TestOwnWritesUnderWayAreNoEditOfOthers(t *testing.T) {
	j := open(t, Options{})
	run(t, j, newPlan("p", box(0, 0, 0, 9, 0, 0)), "op")
	must(t, j.Doubt(testWorld, 70))
	p := newPlan("q", box(5, 0, 0, 9, 0, 0))
	must(t, j.PutPlan(p))
	op, err := j.Enqueue(newOperation(p, "over"))
	must(t, err)
	op.Status = plan.Applying
	must(t, j.Advance(op, nil, &plan.Intent{Operation: "over", Write: p.Slices[0].Mask()}))
	must(t, j.Confirm("op", maskOf(box(0, 0, 0, 3, 0, 0)), maskOf(box(4, 0, 0, 9, 0, 0))))
	kept := maskOf(box(0, 0, 0, 3, 0, 0))
	kept.AddBox(box(5, 0, 0, 9, 0, 0))
	owns(t, j, "op", kept)
	doubts(t, j, "overworld", 70, maskOf(box(5, 0, 0, 9, 0, 0)))
}

func TestTheFeedTellsOfAGapInEveryDimension(t *testing.T) {
	j := open(t, Options{})
	must(t, j.Disown(testWorld, "overworld", nil, "c1"))
	here, err := j.LastEvent()
	must(t, err)
	must(t, j.Doubt(testWorld, 0))
	for _, dimension := range []string{"overworld", "nether"} {
		list, _, err := j.Events(testWorld, dimension, here, 10)
		must(t, err)
		want := testNow().UnixMilli() // since the cursor was kept
		if len(list) != 1 || list[0].Kind != EventGap || list[0].Since != want || list[0].Cells.Len() != 0 {
			t.Errorf("%s: the feed has %+v", dimension, list)
		}
	}
	if list, _, err := j.Events("another world", "overworld", here, 10); err != nil || len(list) != 0 {
		t.Errorf("another world's feed has %+v, %v", list, err)
	}
}

// TestAJournalOfVersion1IsMigrated opens a file that the program wrote before there
// were marks: the steps of script up to their end.
func TestAJournalOfVersion1IsMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	packed, err := os.Open("testdata/version1.db.gz")
	must(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	must(t, err)
	old, err := io.ReadAll(unpacked)
	must(t, err)
	must(t, os.WriteFile(path, old, 0o600))

	j := reopen(t, path, Options{})
	must(t, j.Check())
	if cursor, err := j.Cursor(testWorld); err != nil || cursor != "c1" {
		t.Errorf("the cursor is %q, %v", cursor, err)
	}
	owned, err := j.Owned("build")
	must(t, err)
	must(t, j.Doubt(testWorld, 0))
	undone, err := j.Owned("undo")
	must(t, err)
	owned.Union(undone)
	doubts(t, j, "overworld", 0, owned)
	kept, err := bbolt.Open(path+".v1", 0o600, &bbolt.Options{ReadOnly: true})
	must(t, err)
	defer kept.Close()
	must(t, kept.View(func(tx *bbolt.Tx) error {
		if cursor := tx.Bucket(bucketCursors).Get([]byte(testWorld)); string(cursor) != "c1" || string(tx.Bucket(bucketMeta).Get(metaVersion)) != "1" {
			t.Errorf("the copy's cursor is %q", cursor)
		}
		return nil
	}))
}
