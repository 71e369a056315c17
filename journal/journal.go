package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"groundplan/plan/fault"
)

// Version is the version of the format that this package writes.
const Version = 2

// The buckets; doc.go says what they hold.
var (
	bucketMeta         = []byte("meta")
	bucketPlans        = []byte("plans")
	bucketCells        = []byte("cells")
	bucketPlanIDs      = []byte("plan_ids")
	bucketFresh        = []byte("fresh")
	bucketOperations   = []byte("operations")
	bucketOperationIDs = []byte("op_ids")
	bucketKeys         = []byte("keys")
	bucketOpen         = []byte("open")
	bucketSlices       = []byte("slices")
	bucketOwners       = []byte("owners")
	bucketParts        = []byte("parts")
	bucketDecisions    = []byte("decisions")
	bucketEvents       = []byte("events")
	bucketCursors      = []byte("cursors")
	bucketMarks        = []byte("marks")

	metaFormat  = []byte("format")
	metaVersion = []byte("version")
	metaCreated = []byte("created")
)

func buckets() [][]byte {
	return [][]byte{
		bucketMeta, bucketPlans, bucketCells, bucketPlanIDs, bucketFresh, bucketOperations, bucketOperationIDs, bucketKeys,
		bucketOpen, bucketSlices, bucketOwners, bucketParts, bucketDecisions, bucketEvents, bucketCursors, bucketMarks,
	}
}

// Options say how a journal is kept. The zero value is what a service wants.
type Options struct {
	// MaxFreshPlans is how many plans that were never started are kept at
	// once; 0 means 16,384.
	MaxFreshPlans int
	// MaxFreshCells is how many cells they may have together; 0 means
	// 33,554,432.
	MaxFreshCells int
	// MaxEvents is how many events the feed remembers; 0 means 65,536.
	MaxEvents int
	// MaxBytes is a size that the file may not grow beyond; 0 means none. A
	// write that would is a disk error like any other.
	MaxBytes int
	// CachedFills bounds the fills of decoded plans that are kept in memory;
	// 0 means 1,048,576.
	CachedFills int

	// Existing says that a journal that is not there is not to be created:
	// Open fails with not_found instead.
	Existing bool

	// NoSync leaves out every fsync. For tests.
	NoSync bool
	// Seam is called before and after every commit, fsync and rename with the
	// name of the point, such as "advance:before". An error stops what was
	// going on as if the disk had failed there; after a commit that means
	// that the change is on disk although the caller is told otherwise. For
	// tests; nil means none.
	Seam func(point string) error
	// OpenFile opens the journal's file; nil means os.OpenFile. For tests that
	// put a failing disk underneath.
	OpenFile func(name string, flag int, perm os.FileMode) (*os.File, error)

	// Now is the clock; nil means time.Now. It is read when the journal is
	// created, when plans need room and when edits by others are noted; all
	// other times come from the caller.
	Now func() time.Time
	// Log gets what an operator must know; nil means nowhere.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	fill := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&o.MaxFreshPlans, 1<<14)
	fill(&o.MaxFreshCells, 1<<25)
	fill(&o.MaxEvents, 1<<16)
	fill(&o.CachedFills, 1<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o *Options) seam(point string) error {
	if o.Seam == nil {
		return nil
	}
	return o.Seam(point)
}

// Journal is an open journal. Its methods may be called from several goroutines;
// those that write wait for one another.
type Journal struct {
	path  string
	o     Options
	db    *bbolt.DB
	codec *codec
	plans planCache

	writing sync.Mutex // held by whoever writes, seams included
	poison  atomic.Pointer[fault.Error]
	closed  atomic.Bool
	commits atomic.Int64
}

// Open opens the journal at path and creates it, with its folder, where there is
// none. It fails with storage_failed and one sentence when another process has it
// open, when the file is damaged, cut off or no journal, and when a newer program
// wrote it; in none of these cases the file is changed.
func Open(path string, o Options) (*Journal, error) {
	o = o.withDefaults()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if o.Existing {
			return nil, fault.Errorf(fault.NotFound, "there is no journal at %s", path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fault.Errorf(fault.StorageFailed, "open journal: %w", err)
		}
		if err := create(path, &o); err != nil {
			return nil, fault.Errorf(fault.StorageFailed, "create journal: %w", err)
		}
	}
	heads, err := inspect(path)
	if err != nil {
		return nil, storage("open journal", err)
	}
	if err := checkPages(path, false); err != nil {
		return nil, storage("open journal", err)
	}
	if heads < 2 { // a crash within a commit does that, to a commit nobody was told of; so does a dying disk
		o.Log.Warn("journal: one of the two heads is damaged; unless a crash explains it, the last commit may be missing", "path", path)
	}
	j, err := attach(path, o)
	if err != nil {
		return nil, err
	}
	if err := j.start(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// attach opens bbolt's file.
func attach(path string, o Options) (*Journal, error) {
	open := o.OpenFile
	if open == nil {
		open = os.OpenFile
	}
	var lock handle
	options := &bbolt.Options{
		Timeout: lockPatience, NoSync: o.NoSync, FreelistType: bbolt.FreelistMapType, MaxSize: o.MaxBytes,
		// Never let bbolt make a file: only create does that.
		OpenFile: func(name string, flag int, perm os.FileMode) (f *os.File, err error) {
			lock.file, err = open(name, flag&^os.O_CREATE, perm)
			return lock.file, err
		},
	}
	var db *bbolt.DB
	err := guard(func() (err error) {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, locked(path)
	case err != nil:
		if isPanic(err) {
			err = errors.Join(err, lock.close()) // bbolt did not come to do it, and it has the lock
		}
		return nil, storage("open journal", err)
	}
	if !lock.isAt(path) {
		return nil, errors.Join(fault.Errorf(fault.StorageFailed, "the journal %s was replaced while it was opened; try again", path), db.Close())
	}
	codec, err := newCodec()
	if err != nil {
		return nil, errors.Join(fault.Errorf(fault.Internal, "open journal: %w", err), db.Close())
	}
	return &Journal{path: path, o: o, db: db, codec: codec, plans: planCache{limit: o.CachedFills}}, nil
}

// handle is the file that bbolt works on, and so the one that is locked.
type handle struct{ file *os.File }

func (h *handle) close() error {
	if h.file == nil {
		return nil
	}
	return errors.Join(unlock(h.file), h.file.Close())
}

// isAt reports whether the file still is the one at path. Shrink puts another one
// there, and whoever waited for the lock would get that of a file without a name.
func (h *handle) isAt(path string) bool {
	ours, err := h.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(ours, named)
}

// start looks at what was opened: is it ours, of which version, and is what is
// unfinished in it whole.
func (j *Journal) start() error {
	pid := []byte(strconv.Itoa(os.Getpid()) + "\n")
	if err := os.WriteFile(pidPath(j.path), pid, 0o600); err != nil {
		j.o.Log.Warn("journal: no pid file", "error", err)
	}
	version, err := j.checkFormat()
	if err != nil {
		return err
	}
	if err := j.migrate(version, migrations()); err != nil {
		return err
	}
	if err := j.checkBuckets(); err != nil {
		return err
	}
	return j.quickCheck()
}

// checkFormat refuses what this package did not write, or what a later version of
// it wrote, and returns the version.
func (j *Journal) checkFormat() (version int, err error) {
	err = j.view(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if meta == nil || string(meta.Get(metaFormat)) != "groundplan journal" {
			return fault.Errorf(fault.StorageFailed, "%s is a database of another program; it was left as it is", j.path)
		}
		version, err = strconv.Atoi(string(meta.Get(metaVersion)))
		switch {
		case err != nil || version < 1:
			return fault.Errorf(fault.StorageFailed, "the journal %s does not say its version; it was left as it is", j.path)
		case version > Version:
			return fault.Errorf(fault.StorageFailed, "the journal %s has version %d and this program reads up to %d; use a newer groundplan", j.path, version, Version)
		}
		return nil
	})
	return version, err
}

// checkBuckets refuses a journal that lacks a part.
func (j *Journal) checkBuckets() error {
	return j.view(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if tx.Bucket(name) == nil {
				return fault.Errorf(fault.StorageFailed, "the journal is damaged: it has no bucket %s", name)
			}
		}
		return nil
	})
}

// Close lets go of the file. It writes nothing.
func (j *Journal) Close() error {
	if j.closed.Swap(true) {
		return nil
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	if content, err := os.ReadFile(pidPath(j.path)); err == nil && string(content) == strconv.Itoa(os.Getpid())+"\n" {
		if err := os.Remove(pidPath(j.path)); err != nil {
			j.o.Log.Warn("journal: pid file stays", "error", err)
		}
	}
	err := j.db.Close()
	j.codec.close()
	return err
}

// Closed reports whether Close was called.
func (j *Journal) Closed() bool { return j.closed.Load() }

// Commits returns how many transactions reached the disk since Open.
func (j *Journal) Commits() int64 { return j.commits.Load() }

// Path returns the journal's file.
func (j *Journal) Path() string { return j.path }

// Failed returns the disk error that ended writing, nil while all is well.
func (j *Journal) Failed() error {
	if err := j.poison.Load(); err != nil {
		return err
	}
	return nil
}

// errUnchanged ends a write that has found nothing to write.
var errUnchanged = errors.New("unchanged")

// update runs one durable transaction. An error of change undoes it and is
// returned as it is. Any failure to bring it to the disk poisons the journal: what
// the disk has is unknown from then on, and a retried fsync would claim success.
func (j *Journal) update(point string, change func(tx *bbolt.Tx) error) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.closed.Load() {
		return fault.Errorf(fault.StorageFailed, "the journal is closed")
	}
	if err := j.Failed(); err != nil {
		return err
	}
	if err := j.o.seam(point + ":before"); err != nil {
		return j.fail(point, err)
	}
	committing := false
	err := guard(func() error {
		tx, err := j.db.Begin(true)
		if err != nil {
			committing = true
			return err
		}
		defer tx.Rollback() //nolint:errcheck // fails after a commit, as it should
		if err := change(tx); err != nil {
			return err
		}
		committing = true
		if err := tx.Commit(); err != nil {
			return err
		}
		j.commits.Add(1)
		return nil
	})
	switch {
	case errors.Is(err, errUnchanged):
		return nil
	case err != nil && (committing || isPanic(err)):
		return j.fail(point, err)
	case err != nil:
		return storage(point, err)
	}
	if err := j.o.seam(point + ":after"); err != nil {
		return j.fail(point, err)
	}
	return nil
}

// fail poisons the journal and returns the error for this and all later writes.
func (j *Journal) fail(point string, cause error) error {
	err := fault.Wrap(fault.StorageFailed, cause, "the journal stopped writing after a disk error ("+cause.Error()+"); restart the service once the disk is well")
	if j.poison.CompareAndSwap(nil, err) {
		j.o.Log.LogAttrs(context.Background(), slog.LevelError, "journal: disk error, no more writes", slog.String("point", point), slog.Any("error", cause))
	}
	return j.poison.Load()
}

// view runs one read transaction.
func (j *Journal) view(look func(tx *bbolt.Tx) error) error {
	if j.closed.Load() {
		return fault.Errorf(fault.StorageFailed, "the journal is closed")
	}
	return storage("read journal", guard(func() error { return j.db.View(look) }))
}

// storage gives an error a code where it has none.
func storage(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Errorf(fault.StorageFailed, "%s: %w", doing, err)
}

// panicError is what bbolt's panics become: it panics when a page is not what its
// place says.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("the journal file is damaged: %v", e.value)
}

func isPanic(err error) bool {
	_, ok := errors.AsType[*panicError](err)
	return ok
}

// guard runs f and turns panics into errors, and so reads of mapped pages that
// the disk cannot deliver.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value: value, stack: debug.Stack()}
		}
	}()
	return f()
}
