package journal

import (
	"path/filepath"
	"testing"
)

// TestJournalSyncsUnlessToldOtherwise: "durable" means an fsync in every commit,
// and only a test may do without.
func TestJournalSyncsUnlessToldOtherwise(t *testing.T) {
	for _, noSync := range []bool{false, true} {
		j, err := Open(filepath.Join(t.TempDir(), "journal.db"), Options{NoSync: noSync})
		if err != nil {
			t.Fatal(err)
		}
		if j.db.NoSync != noSync || j.db.NoGrowSync {
			t.Errorf("with NoSync %v the file has NoSync %v and NoGrowSync %v", noSync, j.db.NoSync, j.db.NoGrowSync)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
