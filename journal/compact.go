package journal

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"go.etcd.io/bbolt"

	"groundplan/plan/fault"
)

// compactBatch is how many bytes Compact writes in one transaction.
const compactBatch = 8 << 20

// Compact writes a copy of the journal without its free pages to path, where
// nothing may be yet. The journal stays in use; what is written meanwhile is not in
// the copy.
func (j *Journal) Compact(path string) error {
	err := j.place("compact", path, func(temp string) error {
		to, err := bbolt.Open(temp, 0o600, &bbolt.Options{Timeout: lockPatience, NoSync: true, FreelistType: bbolt.FreelistMapType})
		if err != nil {
			return err
		}
		err = guard(func() error {
			if err := bbolt.Compact(to, j.db, compactBatch); err != nil {
				return err
			}
			// bbolt falls back to the head before the last; that too must be of
			// the whole copy.
			return to.Update(func(*bbolt.Tx) error { return nil })
		})
		return errors.Join(err, to.Close())
	})
	return storage("compact journal", err)
}

// Shrink replaces the journal at path, which nobody may have open, by a copy of it
// without its free pages, and returns the sizes before and after. The journal is
// checked first, and the copy before it takes the place.
func Shrink(path string, o Options) (before, after int64, err error) {
	o.Existing = true
	j, err := Open(path, o)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := j.Check(); err != nil {
		return 0, 0, err
	}
	before = size(path)
	temp := path + ".compact-" + strconv.Itoa(os.Getpid())
	if err := j.Compact(temp); err != nil {
		return 0, 0, err
	}
	if err := checkFile(temp, o); err != nil {
		return 0, 0, errors.Join(err, os.Remove(temp))
	}
	if runtime.GOOS == "windows" { // no file that is open can be replaced there
		if err := j.Close(); err != nil {
			return 0, 0, err
		}
	}
	if err := j.o.rename("shrink", temp, path); err != nil {
		return 0, 0, fault.Errorf(fault.StorageFailed, "shrink journal: %w", err)
	}
	if err := j.o.fsync("shrink_dir", filepath.Dir(path)); err != nil {
		return 0, 0, fault.Errorf(fault.StorageFailed, "shrink journal: %w", err)
	}
	return before, size(path), nil
}

// checkFile opens a journal beside the one in use and checks it.
func checkFile(path string, o Options) error {
	o.Seam = nil
	j, err := Open(path, o)
	if err != nil {
		return err
	}
	return errors.Join(j.Check(), j.Close())
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
