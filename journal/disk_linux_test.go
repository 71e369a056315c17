package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"groundplan/plan/fault"
)

// badDisk is a journal's file that can be made to fail: another device takes its
// place behind the same file descriptor. /dev/full has no room for a write;
// /dev/null takes writes, loses them, and knows no fsync.
type badDisk struct {
	file  *os.File
	spare int // another descriptor of the real file: it keeps the lock too
}

func (d *badDisk) open(name string, flag int, perm os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	d.file = f
	d.spare, err = unix.Dup(int(f.Fd()))
	return f, err
}

func (d *badDisk) become(device string) error {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Dup2(int(f.Fd()), int(d.file.Fd()))
}

func (d *badDisk) heal() error { return unix.Dup2(d.spare, int(d.file.Fd())) }

// TestTheNthDiskErrorStopsWriting lets the N-th commit fail within bbolt, for
// N = 1, 2, 3, … until the script passes: by a write that has no room or by an
// fsync that fails, once or from then on. The journal must stop at it, even when
// the disk is well again, and a restart must find what was acknowledged.
func TestTheNthDiskErrorStopsWriting(t *testing.T) {
	states := prefixes(t)
	runs := 0
	for _, device := range []string{"/dev/full", "/dev/null"} {
		for _, once := range []bool{true, false} {
			for n := 1; nthError(t, states, device, once, n); n++ {
				runs++
			}
		}
	}
	t.Logf("%d disk errors", runs)
	if runs < 4*len(script()) {
		t.Errorf("only %d disk errors", runs)
	}
}

// nthError reports whether there was an n-th commit to fail.
func nthError(t *testing.T, states []string, device string, once bool, n int) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.db")
	first, err := Open(path, Options{NoSync: true, Now: testNow})
	must(t, err)
	must(t, first.Close())

	disk := &badDisk{}
	commits, failing := 0, false
	j, err := Open(path, Options{Now: testNow, OpenFile: disk.open, Seam: func(point string) error {
		if failing && once {
			failing = false
			return disk.heal()
		}
		if strings.HasSuffix(point, ":before") {
			if commits++; commits == n {
				failing = true
				return disk.become(device)
			}
		}
		return nil
	}})
	must(t, err)
	acknowledged, err := play(j)
	if failing {
		wantCode(t, err, fault.StorageFailed)
		wantCode(t, j.Failed(), fault.StorageFailed)
		if once {
			must(t, disk.heal())
		}
		wantCode(t, j.PutPlan(newPlan("late", box(0, 0, 0, 0, 0, 0))), fault.StorageFailed)
		if _, err := j.Operations(Filter{}); err != nil {
			t.Errorf("reading ended too: %v", err)
		}
	} else {
		must(t, err)
	}
	must(t, j.Close())
	must(t, unix.Close(disk.spare))
	survives(t, path, states, acknowledged)
	return failing
}

// TestAFullDiskAtCreationLeavesNoJournal lets every write of the creation fail.
func TestAFullDiskAtCreationLeavesNoJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	for _, device := range []string{"/dev/full", "/dev/null"} {
		disk := &badDisk{}
		_, err := Open(path, Options{Now: testNow, OpenFile: func(name string, flag int, perm os.FileMode) (*os.File, error) {
			f, err := disk.open(name, flag, perm)
			if err == nil {
				err = disk.become(device)
			}
			return f, err
		}})
		wantCode(t, err, fault.StorageFailed)
		must(t, unix.Close(disk.spare))
		if left, err := filepath.Glob(path + "*"); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left (%v)", device, left, err)
		}
	}
	j := reopen(t, path, Options{})
	run(t, j, newPlan("p", box(0, 0, 0, 1, 1, 1)), "op")
}
