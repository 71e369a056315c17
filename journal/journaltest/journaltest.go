package journaltest

import (
	"path/filepath"
	"testing"

	"groundplan/journal"
)

// Open opens a new journal without fsync in a folder of the test's own.
func Open(t testing.TB) *journal.Journal {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "journal.db"), journal.Options{})
}

// OpenAt opens the journal at path, without fsync. The journal is checked and
// closed when the test ends, unless the test closed it; a journal that a planned
// disk error stopped is checked too.
func OpenAt(t testing.TB, path string, o journal.Options) *journal.Journal {
	t.Helper()
	o.NoSync = true
	j, err := journal.Open(path, o)
	if err != nil {
		t.Fatalf("journaltest: %v", err)
	}
	t.Cleanup(func() {
		if j.Closed() {
			return
		}
		if err := j.Check(); err != nil {
			t.Errorf("journaltest: %v", err)
		}
		if err := j.Close(); err != nil {
			t.Errorf("journaltest: close: %v", err)
		}
	})
	return j
}

// Check opens the journal at path, checks all of it and closes it: for the images
// that a crash test takes.
func Check(t testing.TB, path string) {
	t.Helper()
	j, err := journal.Open(path, journal.Options{NoSync: true})
	if err != nil {
		t.Fatalf("journaltest: %v", err)
	}
	if err := j.Check(); err != nil {
		t.Errorf("journaltest: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Errorf("journaltest: close: %v", err)
	}
}
