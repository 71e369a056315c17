package journal

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"groundplan/plan/fault"
)

// lockPatience is how long bbolt tries to get the file's lock. It waits 50 ms
// between tries, so that this means once.
const lockPatience = 50 * time.Millisecond

// create makes a new journal at path, which must not exist: under another name
// first, so that no crash leaves half a journal behind (bbolt's own
// initialisation is not atomic), and then linked, which unlike a rename never
// replaces what another process put there meanwhile.
func create(path string, o *Options) (err error) {
	temp, err := tempBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(temp); e != nil && !errors.Is(e, fs.ErrNotExist) && err == nil {
			err = e
		}
	}()
	if err := o.seam("create:before"); err != nil {
		return err
	}
	db, err := bbolt.Open(temp, 0o600, &bbolt.Options{NoSync: o.NoSync, OpenFile: o.OpenFile})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error { return layOut(tx, o.Now()) })
	if e := db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := o.seam("create:after"); err != nil {
		return err
	}
	if err := o.fsync("create", temp); err != nil {
		return err
	}
	if err := o.seam("create_rename:before"); err != nil {
		return err
	}
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		// Some file systems have no links.
		if _, e := os.Lstat(path); !errors.Is(e, fs.ErrNotExist) {
			return err
		}
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	}
	if err := o.seam("create_rename:after"); err != nil {
		return err
	}
	return o.fsync("create_dir", filepath.Dir(path))
}

// tempBeside makes an empty file in the folder of path.
func tempBeside(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// layOut makes the buckets of a new journal.
func layOut(tx *bbolt.Tx, now time.Time) error {
	for _, name := range buckets() {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	meta := tx.Bucket(bucketMeta)
	if err := meta.Put(metaFormat, []byte("groundplan journal")); err != nil {
		return err
	}
	if err := meta.Put(metaVersion, []byte(strconv.Itoa(Version))); err != nil {
		return err
	}
	return meta.Put(metaCreated, []byte(now.UTC().Format(time.RFC3339)))
}

// fsync brings a file or directory to the disk, with a seam on both sides.
func (o *Options) fsync(point, path string) error {
	if err := o.seam(point + "_fsync:before"); err != nil {
		return err
	}
	if !o.NoSync {
		if err := syncPath(path); err != nil {
			return err
		}
	}
	return o.seam(point + "_fsync:after")
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if runtime.GOOS == "windows" {
		err = nil // directories and read-only handles cannot be synced there
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// Layout of bbolt's first two pages, the only part of its format that is read
// here: a page header of 16 bytes, then magic, version, page size, flags (4 bytes
// each), root and its sequence, free list, number of pages in use, transaction,
// and an FNV-1a of all that (8 bytes each).
const (
	boltHead   = 16
	boltMagic  = 0xED0CDAED
	boltFormat = 2
	boltMeta   = 64
)

// inspect reads the head of a file and says, in one sentence, why it cannot be a
// whole journal. bbolt itself would initialise an empty file, and would crash the
// process when it touched a page that a truncated file no longer has. It also
// returns how many of the two heads are sound.
func inspect(path string) (heads int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fault.Errorf(fault.StorageFailed, "%s is not a regular file, so it is no journal; it was left as it is", path)
	}
	if info.Size() == 0 {
		return 0, fault.Errorf(fault.StorageFailed, "%s is empty, so it is no journal of groundplan; move it away if nothing was in it", path)
	}
	newest, heads := newestHead(f)
	if newest == nil {
		return 0, fault.Errorf(fault.StorageFailed, "%s is not a journal of groundplan, or its head is damaged; it was left as it is", path)
	}
	if whole := newest.pages * newest.pageSize; uint64(info.Size()) < whole {
		return 0, fault.Errorf(fault.StorageFailed, "%s is cut off: it has %d bytes of at least %d; it was left as it is, restore it from a copy",
			path, info.Size(), whole)
	}
	return heads, nil
}

type boltMetaPage struct{ pageSize, root, pages, tx uint64 }

// newestHead returns the head that counts, nil when none is sound, and how many are.
func newestHead(f io.ReaderAt) (newest *boltMetaPage, sound int) {
	for _, at := range metaOffsets(f) {
		m := readMeta(f, at)
		if m == nil {
			continue
		}
		if sound++; newest == nil || m.tx > newest.tx {
			newest = m
		}
	}
	return newest, sound
}

// metaOffsets returns where the two meta pages may be: the second one's place
// depends on the page size that the first one tells, or that is common.
func metaOffsets(f io.ReaderAt) []int64 {
	offsets := []int64{0}
	if m := readMeta(f, 0); m != nil {
		return append(offsets, int64(m.pageSize))
	}
	for size := int64(1024); size <= 1<<16; size <<= 1 {
		offsets = append(offsets, size)
	}
	return offsets
}

func readMeta(f io.ReaderAt, at int64) *boltMetaPage {
	page := make([]byte, boltHead+boltMeta)
	if _, err := f.ReadAt(page, at); err != nil {
		return nil
	}
	meta := page[boltHead:]
	order := binary.NativeEndian // bbolt's files have the machine's byte order
	if order.Uint32(meta) != boltMagic || order.Uint32(meta[4:]) != boltFormat {
		return nil
	}
	sum := fnv.New64a()
	sum.Write(meta[:56])
	if sum.Sum64() != order.Uint64(meta[56:]) {
		return nil
	}
	size := uint64(order.Uint32(meta[8:]))
	pages := order.Uint64(meta[40:])
	if size < 1024 || size > 1<<16 || size&(size-1) != 0 || pages > 1<<44 {
		return nil
	}
	return &boltMetaPage{pageSize: size, root: order.Uint64(meta[16:]), pages: pages, tx: order.Uint64(meta[48:])}
}

// pidPath is where the holder of a journal leaves its process id. It only helps
// people; the lock is bbolt's, on the journal itself, and ends with the process.
func pidPath(path string) string { return path + ".pid" }

// locked is the error for a journal that another process has open.
func locked(path string) error {
	content, err := os.ReadFile(pidPath(path))
	pid, e := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || e != nil || pid <= 0 {
		return fault.Errorf(fault.StorageFailed, "another process has the journal %s open", path)
	}
	return fault.Errorf(fault.StorageFailed, "process %d has the journal %s open", pid, path).With("pid", pid)
}
