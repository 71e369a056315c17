package schematic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Library is a folder of schematic files, DIR/ID.schem, each of any format. Files
// may be dropped in and taken away by hand while the service runs. Set the fields
// before first use; a Library must not be copied after it.
type Library struct {
	Dir    string      // made at the first Put
	Limits plan.Limits // AssetBytes, AssetInflated, AssetCells and Assets count
	Strict bool        // as Options.Strict

	mu    sync.Mutex       // protects known
	known map[string]known // what was found out about a file, by its id
}

// known is an Asset with what tells whether the file is still the same.
type known struct {
	size  int64
	time  time.Time
	asset Asset
	err   error
}

// Asset describes a file of the library. A file that cannot be read has an Error
// and of the other fields only ID and Bytes.
type Asset struct {
	ID          string    `json:"assetId"`
	Name        string    `json:"name"`
	Width       int       `json:"width"`
	Height      int       `json:"height"`
	Length      int       `json:"length"`
	BlockCount  int       `json:"blockCount"` // cells of the box
	DataVersion int       `json:"dataVersion"`
	Offset      voxel.Pos `json:"offset"`
	SHA256      string    `json:"sha256"` // of the file, lower-case hex
	Bytes       int       `json:"bytes"`  // of the file
	Format      Format    `json:"format"`
	Error       string    `json:"error,omitempty"`
}

// untitled is the name of a schematic whose metadata has none.
const untitled = "Imported schematic"

// extension is that of every file of the library, whatever its format.
const extension = ".schem"

var assetID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// CheckID refuses what is no asset id: 1 to 64 letters, digits, hyphens and
// underscores, the first a letter or digit.
func CheckID(id string) error {
	if !assetID.MatchString(id) {
		return fault.Errorf(fault.InvalidRequest, "asset_id %.80q must have 1 to 64 letters, digits, - and _, and begin with a letter or digit", id)
	}
	return nil
}

// root opens the folder. It must be a folder itself: with a link in its place,
// whoever may write beside it could send writes elsewhere. What lies in it is
// reached through os.Root, which does not leave it.
func (l *Library) root() (*os.Root, error) {
	info, err := os.Lstat(l.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // no folder is an empty library
	case err != nil:
		return nil, fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be read")
	case !info.IsDir():
		return nil, fault.Errorf(fault.StorageFailed, "the folder of schematics is not a folder but a link or file")
	}
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be opened")
	}
	return root, nil
}

// makeRoot opens the folder, which it makes when there is none.
func (l *Library) makeRoot() (*os.Root, error) {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be made")
	}
	return l.root()
}

func notFound(id string) error {
	return fault.Errorf(fault.NotFound, "there is no asset %s", id)
}

// read returns the bytes of a file.
func (l *Library) read(root *os.Root, id string) ([]byte, error) {
	name := id + extension
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound(id)
	}
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the asset "+id+" cannot be read")
	}
	if !info.Mode().IsRegular() {
		return nil, fault.Errorf(fault.UnsupportedFormat, "the asset %s is not a regular file", id)
	}
	if info.Size() > int64(l.Limits.AssetBytes) {
		return nil, readFault(errFileSize, l.Limits)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the asset "+id+" cannot be opened")
	}
	defer f.Close() //nolint:errcheck // only read
	opened, err := f.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return nil, fault.Errorf(fault.Conflict, "the asset %s was replaced while it was opened", id)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(l.Limits.AssetBytes)+1))
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the asset "+id+" cannot be read")
	}
	return data, nil
}

// Bytes returns a file of the library as it is.
func (l *Library) Bytes(id string) ([]byte, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	root, err := l.root()
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, notFound(id)
	}
	defer root.Close() //nolint:errcheck // only read
	data, err := l.read(root, id)
	return data, err
}

// Open reads a file of the library, strictly if the library or the caller is strict.
// It may have as many cells as the caller says; 0 is as many as the library takes.
func (l *Library) Open(id string, cells int, strict bool) (*Schematic, Asset, error) {
	data, err := l.Bytes(id)
	if err != nil {
		return nil, Asset{}, err
	}
	return decode(id, data, l.options(cells, strict))
}

// Inspect returns the report of a file of the library, as Options.Inspect does; cells
// is as in Open.
func (l *Library) Inspect(id string, cells int, reg *block.Registry, m Mapping) (Report, error) {
	data, err := l.Bytes(id)
	if err != nil {
		return Report{}, err
	}
	return l.options(cells, false).Inspect(bytes.NewReader(data), reg, m)
}

// options are those of reading a file of the library.
func (l *Library) options(cells int, strict bool) Options {
	o := Options{Limits: l.Limits, Strict: l.Strict || strict}
	if cells > 0 {
		o.Limits.AssetCells = cells
	}
	return o
}

// Describe reads a file's bytes for what the library would say of it under an id. The
// cells are counted and not kept: how many are too many is decided where they are
// wanted.
func (l *Library) Describe(id string, data []byte) (Asset, error) {
	o := l.options(0, false)
	o.count = true
	_, asset, err := decode(id, data, o)
	return asset, err
}

// decode reads a file's bytes.
func decode(id string, data []byte, o Options) (*Schematic, Asset, error) {
	s, err := o.Open(bytes.NewReader(data))
	if err != nil {
		return nil, Asset{ID: id, Bytes: len(data), Error: err.Error()}, err
	}
	sum := sha256.Sum256(data)
	name := s.Name
	if name == "" {
		name = untitled
	}
	return s, Asset{
		ID: id, Name: name, Width: s.Size.X, Height: s.Size.Y, Length: s.Size.Z, BlockCount: s.Cells(),
		DataVersion: s.DataVersion, Offset: s.Offset, SHA256: hex.EncodeToString(sum[:]), Bytes: len(data),
		Format: s.Format,
	}, nil
}

// List describes the files whose name has the query in it, whatever the case, by
// id; "" is in every name. Every file that ends in .schem is listed: one that
// cannot be read, or whose id is none, has an Error. A file that did not change is
// not read again.
func (l *Library) List(query string) ([]Asset, error) {
	root, err := l.root()
	if err != nil {
		return nil, err
	}
	assets := []Asset{}
	if root == nil {
		return assets, nil
	}
	defer root.Close() //nolint:errcheck // only read
	names, err := l.names(root)
	if err != nil {
		return nil, err
	}
	query = strings.ToLower(query)
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := make(map[string]known, len(names))
	for _, id := range names {
		k, ok := l.lookUp(root, id)
		if !ok {
			continue
		}
		fresh[id] = k
		shown := k.asset.Name
		if k.err != nil {
			shown = id // its name cannot be read
		}
		if strings.Contains(strings.ToLower(shown), query) {
			assets = append(assets, k.asset)
		}
	}
	l.known = fresh
	return assets, nil
}

// names returns the ids of the folder's files, sorted.
func (l *Library) names(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be opened")
	}
	defer dir.Close() //nolint:errcheck // only read
	entries, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be listed")
	}
	var ids []string
	for _, name := range entries {
		if id, ok := strings.CutSuffix(name, extension); ok && !strings.HasPrefix(name, ".") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// lookUp returns what is known of a file, reading it when it changed; false when it
// went away.
func (l *Library) lookUp(root *os.Root, id string) (known, bool) {
	info, err := root.Lstat(id + extension)
	if err != nil {
		return known{}, false
	}
	k := known{size: info.Size(), time: info.ModTime()}
	if old, ok := l.known[id]; ok && old.size == k.size && old.time.Equal(k.time) && info.Mode().IsRegular() {
		return old, true
	}
	var data []byte
	if k.err = CheckID(id); k.err == nil {
		data, k.err = l.read(root, id)
	}
	if k.err == nil {
		k.asset, k.err = l.Describe(id, data)
	}
	if k.err != nil {
		if fault.CodeOf(k.err) == fault.NotFound {
			return known{}, false
		}
		k.asset = Asset{ID: id, Bytes: int(info.Size()), Error: k.err.Error()}
	}
	return k, true
}

// Put keeps a file under an id. It reads the file first, and keeps it only when
// it is a schematic; what another Put or a crash interrupts leaves the old file. A
// file that has the id already is an error of code conflict unless replace is set.
func (l *Library) Put(id string, src io.Reader, replace bool) (Asset, error) {
	if err := CheckID(id); err != nil {
		return Asset{}, err
	}
	data, err := io.ReadAll(&cappedReader{src, int64(l.Limits.AssetBytes)})
	if err != nil {
		return Asset{}, readFault(err, l.Limits)
	}
	asset, err := l.Describe(id, data)
	if err != nil {
		return Asset{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := l.makeRoot()
	if err != nil {
		return Asset{}, err
	}
	defer root.Close() //nolint:errcheck // the files in it were closed with a check
	if err := l.room(root, id, replace); err != nil {
		return Asset{}, err
	}
	if err := writeFile(root, id+extension, data); err != nil {
		return Asset{}, fault.Wrap(fault.StorageFailed, err, "the asset "+id+" cannot be written")
	}
	return asset, nil
}

// room checks that the id is free, or may be replaced, and the library not full.
func (l *Library) room(root *os.Root, id string, replace bool) error {
	names, err := l.names(root)
	if err != nil {
		return err
	}
	_, taken := slices.BinarySearch(names, id)
	switch {
	case taken && !replace:
		return fault.Errorf(fault.Conflict, "there is an asset %s already", id)
	case !taken && len(names) >= l.Limits.Assets:
		return fault.Errorf(fault.BudgetExceeded, "the library is full: it has %d files", len(names)).With("limit", l.Limits.Assets)
	}
	return nil
}

// writeFile writes a file so that after a crash either the old or the new one is
// there, whole: to a temporary name, to the disk, to the name, and the folder to
// the disk.
func writeFile(root *os.Root, name string, data []byte) (err error) {
	temporary := "." + name + ".tmp"
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temporary))
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", temporary, err)
	}
	if err := root.Rename(temporary, name); err != nil {
		return err
	}
	return syncDir(root)
}

func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Delete removes a file from the library, or an unfinished upload.
func (l *Library) Delete(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := l.root()
	if err != nil {
		return err
	}
	if root == nil {
		return notFound(id)
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	err = root.Remove(id + extension)
	upload := root.Remove("." + id + partial)
	if errors.Is(err, fs.ErrNotExist) {
		if upload != nil {
			return notFound(id)
		}
		err = nil
	}
	if err == nil {
		err = syncDir(root)
	}
	if err != nil {
		return fault.Wrap(fault.StorageFailed, err, "the asset "+id+" cannot be deleted")
	}
	return nil
}
