package journaltest

import (
	"path/filepath"
	"testing"

	"groundplan/journal"
)

// Open opens a new journal without fsync in a folder of the test's own.
func Open(tb testing.TB) *journal.Journal {
	tb.Helper()
	return OpenAt(tb, filepath.Join(tb.TempDir(), "journal.db"), journal.Options{})
}

// OpenAt opens the journal at path, without fsync. The journal is checked and
// closed when the test ends, unless the test closed it; a journal that a planned
// disk error stopped is checked too.
func OpenAt(tb testing.TB, path string, o journal.Options) *journal.Journal {
	tb.Helper()
	o.NoSync = true
	j, err := journal.Open(path, o)
	if err != nil {
		tb.Fatalf("journaltest: %v", err)
	}
	tb.Cleanup(func() {
		if j.Closed() {
			return
		}
		if err := j.Check(); err != nil {
			tb.Errorf("journaltest: %v", err)
		}
		if err := j.Close(); err != nil {
			tb.Errorf("journaltest: close: %v", err)
		}
	})
	return j
}
