package journal

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"groundplan/plan/fault"
)

// refused opens path and fails unless that is refused with one sentence that has
// the words, and the file is as it was.
func refused(t *testing.T, path, words string) {
	t.Helper()
	before, _ := os.ReadFile(path)
	_, err := Open(path, Options{NoSync: true})
	wantCode(t, err, fault.StorageFailed)
	if text := err.Error(); !strings.Contains(text, words) || strings.Contains(text, "\n") {
		t.Errorf("refused with %q, not a sentence with %q", text, words)
	}
	after, _ := os.ReadFile(path)
	if sha256.Sum256(before) != sha256.Sum256(after) {
		t.Error("the file was changed")
	}
}

func TestAFileThatIsNoJournalIsRefused(t *testing.T) {
	for name, content := range map[string][]byte{
		"is empty":                        {},
		"is not a journal of groundplan,": []byte(strings.Repeat("dear diary\n", 2000)),
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		must(t, os.WriteFile(path, content, 0o600))
		refused(t, path, name)
	}
	path := filepath.Join(t.TempDir(), "folder.db")
	must(t, os.Mkdir(path, 0o700))
	refused(t, path, "is not a regular file")
}

func TestAnotherProgramsDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("meta"))
		return err
	}))
	must(t, db.Close())
	refused(t, path, "another program")
}

func TestAJournalOfANewerVersionIsRefused(t *testing.T) {
	j := open(t, Options{})
	must(t, j.update("test", func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(metaVersion, []byte("3")) }))
	must(t, j.Close())
	refused(t, j.Path(), "has version 3 and this program reads up to 2")
}

func TestAJournalWithoutAVersionOrABucketIsRefused(t *testing.T) {
	j := open(t, Options{})
	must(t, j.update("test", func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketSlices) }))
	must(t, j.Close())
	refused(t, j.Path(), "has no bucket slices")
	j = open(t, Options{})
	must(t, j.update("test", func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Delete(metaVersion) }))
	must(t, j.Close())
	refused(t, j.Path(), "does not say its version")
}

func TestAMigrationKeepsACopyAndIsOneStep(t *testing.T) {
	j := open(t, Options{})
	run(t, j, newPlan("p", box(0, 0, 0, 3, 3, 3)), "op")
	before := dump(t, j)
	mark := func(text string) migration {
		return func(_ *Journal, tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put([]byte(text), []byte("x")) }
	}
	fails := func(*Journal, *bbolt.Tx) error { return errors.New("no") }

	// A step that fails undoes those before it.
	err := j.migrate(1, []migration{mark("first"), fails})
	wantCode(t, err, fault.StorageFailed)
	if got := dump(t, j); got != before {
		t.Error("a migration that failed left something")
	}
	kept := j.Path() + ".v1"
	must(t, j.migrate(1, []migration{mark("first"), mark("second")}))
	must(t, j.view(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if string(meta.Get(metaVersion)) != "3" || meta.Get([]byte("first")) == nil || meta.Get([]byte("second")) == nil {
			t.Error("the migration is not whole")
		}
		return nil
	}))
	copied := reopen(t, kept, Options{})
	if got := dump(t, copied); got != before {
		t.Error("the copy is not what was before")
	}
	must(t, j.update("test", func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(metaVersion, []byte("2")) }))
}

func TestALeftoverOfACreationDoesNotMatter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must(t, os.WriteFile(path+".new-1", []byte("half"), 0o600))
	run(t, reopen(t, path, Options{}), newPlan("p", box(0, 0, 0, 1, 1, 1)), "op")
}

func TestACreationNeverReplacesAJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	o := Options{NoSync: true}.withDefaults()
	o.Seam = func(point string) error {
		if point != "create_rename:before" {
			return nil
		}
		o.Seam = nil // another process is faster
		j := reopen(t, path, Options{})
		run(t, j, newPlan("p", box(0, 0, 0, 1, 1, 1)), "op")
		return j.Close()
	}
	must(t, create(path, &o))
	_, err := reopen(t, path, Options{}).Operation("op")
	must(t, err)
}

func TestShrinkGivesPagesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := reopen(t, path, Options{})
	_, err := play(j)
	must(t, err)
	for i := range 300 {
		p := newPlan("x", box(i, 0, 0, i+9, 9, 9))
		p.ID, p.ExpiresAt = p.ID+strings.Repeat("y", i), testNow().Add(-time.Second).UnixMilli()
		must(t, j.PutPlan(p))
	}
	_, err = j.Collect(testNow())
	must(t, err)
	want := dump(t, j)
	_, _, err = Shrink(path, Options{NoSync: true})
	wantCode(t, err, fault.StorageFailed) // it is in use
	wantCode(t, j.Compact(path), fault.InvalidRequest)
	must(t, j.Close())
	before, after, err := Shrink(path, Options{NoSync: true})
	must(t, err)
	if after >= before || size(path) != after {
		t.Errorf("%d bytes became %d", before, after)
	}
	if got := dump(t, reopen(t, path, Options{})); got != want {
		t.Error("the journal says something else")
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 1 { // the pid file
		t.Errorf("%v is left", left)
	}
}

func TestWhoWaitedForAReplacedFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must(t, reopen(t, path, Options{}).Close())
	_, err := Open(path, Options{NoSync: true, OpenFile: func(name string, flag int, perm os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, perm)
		must(t, os.Rename(path, path+".old"))
		copyFile(t, path, path+".old")
		return f, err
	}})
	wantCode(t, err, fault.StorageFailed)
	if !strings.Contains(err.Error(), "replaced") {
		t.Error(err)
	}
}
