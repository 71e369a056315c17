package recovery

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// fate is what a crash within a commit does to what was written since the last
// fsync.
type fate string

const (
	kept    fate = "kept"    // all of it is in the file
	dropped fate = "dropped" // nothing is: the file is as the last fsync left it
	torn    fate = "torn"    // some pages are, and a head is half written at most
)

// disk knows what the journal's file was at the last fsync before the crash.
type disk struct {
	path            string
	cut             *seam
	synced, written []byte // around the commit that the crash is in; nil when it is in none
}

// watch is the seam of a journal: it is called, with the journal locked, right
// before and after each commit.
func (d *disk) watch(point string) error {
	passed, dead := d.cut.state()
	if d.cut.stopAt == 0 || passed < d.cut.stopAt-1 || dead {
		return nil
	}
	content, err := os.ReadFile(d.path)
	if err != nil {
		return nil //nolint:nilerr // it is not there before it is created
	}
	if strings.HasSuffix(point, ":before") {
		d.synced, d.written = content, nil
	} else {
		d.written = content
	}
	return nil
}

// leave makes the file of a stopped journal what the fate leaves of it.
func (d *disk) leave(t *testing.T, f fate, random *rand.Rand) {
	t.Helper()
	if d.written == nil || f == kept {
		return
	}
	image := d.synced
	if f == torn {
		image = tear(d.synced, d.written, random)
	}
	if err := os.WriteFile(d.path, image, 0o600); err != nil {
		t.Fatal(err)
	}
}

// tear returns before with some of the data pages that after has written, and with
// the new head not at all, or without its checksum: bbolt writes the head after the
// fsync of the data.
func tear(before, after []byte, random *rand.Rand) []byte {
	const page, head = 4096, 72 // what comes before a head's checksum
	image := bytes.Clone(before)
	image = append(image, make([]byte, max(0, len(after)-len(before)))...)
	for at := 0; at < len(after); at += page {
		end := min(at+page, len(after))
		if at < 2*page {
			end = at + head
		}
		if random.IntN(2) == 0 {
			copy(image[at:end], after[at:end])
		}
	}
	return image
}
