package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"go.etcd.io/bbolt"

	"groundplan/plan/fault"
)

// migration brings a journal to the version after the one it has.
type migration func(j *Journal, tx *bbolt.Tx) error

// migrations has at i the step from version i+1 to i+2.
func migrations() []migration { return []migration{addMarks} }

// addMarks makes version 2: there are marks, and a cursor is a record. When an old
// cursor was kept nobody knows, so that a gap behind it begins in 1970.
func addMarks(j *Journal, tx *bbolt.Tx) error {
	if _, err := tx.CreateBucket(bucketMarks); err != nil {
		return err
	}
	cursors := tx.Bucket(bucketCursors)
	old := map[string]string{}
	for world, cursor := range entries(cursors) {
		old[string(world)] = string(cursor)
	}
	for world, cursor := range old {
		record, err := j.codec.sealJSON(kindLook, look{Cursor: cursor})
		if err != nil {
			return err
		}
		if err := cursors.Put([]byte(world), record); err != nil {
			return err
		}
	}
	return nil
}

// migrate brings a journal of an older version to the newest, all steps in one
// transaction, after a copy of the file was put beside it.
func (j *Journal) migrate(version int, steps []migration) error {
	todo := steps[version-1:]
	if len(todo) == 0 {
		return nil
	}
	kept := fmt.Sprintf("%s.v%d", j.path, version)
	if err := j.copyTo("migrate_copy", kept); err != nil {
		return storage("migrate journal", err)
	}
	err := j.update("migrate", func(tx *bbolt.Tx) error {
		for _, step := range todo {
			if err := step(j, tx); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(metaVersion, []byte(strconv.Itoa(version+len(todo))))
	})
	if err != nil {
		return fault.Errorf(fault.StorageFailed, "migrate journal from version %d (the copy is %s): %w", version, kept, err)
	}
	j.o.Log.Info("journal: migrated", "from", version, "to", version+len(todo), "copy", kept)
	return nil
}

// copyTo puts a copy of the file at path; one that is there already is kept, as it
// is of a migration that did not come to its end.
func (j *Journal) copyTo(point, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return j.place(point, path, func(temp string) error {
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		err = j.view(func(tx *bbolt.Tx) error {
			_, err := tx.WriteTo(f)
			return err
		})
		return errors.Join(err, f.Close())
	})
}

// place puts a file that write makes at path, which must not exist, so that after
// a crash there is the whole file or none.
func (j *Journal) place(point, path string, write func(temp string) error) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fault.Errorf(fault.InvalidRequest, "%s exists already", path)
	}
	temp, err := tempBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(temp); e != nil && !errors.Is(e, fs.ErrNotExist) && err == nil {
			err = e
		}
	}()
	if err := write(temp); err != nil {
		return err
	}
	if err := j.o.fsync(point, temp); err != nil {
		return err
	}
	if err := j.o.rename(point, temp, path); err != nil {
		return err
	}
	return j.o.fsync(point+"_dir", filepath.Dir(path))
}

// rename moves a file, with a seam on both sides.
func (o *Options) rename(point, from, to string) error {
	if err := o.seam(point + "_rename:before"); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return o.seam(point + "_rename:after")
}
