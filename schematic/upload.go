package schematic

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"groundplan/plan/fault"
)

// maxUploads bounds the unfinished uploads of a library.
const maxUploads = 16

// partial is the end of the name of an unfinished upload's file.
const partial = ".part"

// Chunk is a piece of a file that is uploaded. An upload begins with the offset 0,
// which gives up an older one under the id, and ends with Last.
type Chunk struct {
	ID      string
	Offset  int64 // of the first byte of Data in the file
	Data    []byte
	Last    bool // the file is whole
	Replace bool // Last only: as in Put
}

// Upload says how far an upload came. Asset is set when it is done.
type Upload struct {
	ID       string `json:"assetId"`
	Received int64  `json:"received"` // bytes so far: the offset of the next chunk
	Asset    *Asset `json:"asset,omitempty"`
}

// Append keeps a chunk, and with the last one puts the file into the library as Put
// does. A chunk that does not begin where the last one ended is an error of code
// conflict whose detail received says where it must. A file that is no schematic
// ends the upload.
func (l *Library) Append(c Chunk) (Upload, error) {
	up := Upload{ID: c.ID}
	if err := CheckID(c.ID); err != nil {
		return up, err
	}
	data, err := l.appendPart(c, &up)
	if err != nil || !c.Last {
		return up, err
	}
	asset, err := l.Put(c.ID, bytes.NewReader(data), c.Replace)
	if code := fault.CodeOf(err); code == fault.StorageFailed || code == fault.Conflict { // the upload is whole; only its end is to be sent again
		return up, err
	}
	if drop := l.dropPart(c.ID); err == nil {
		err = drop
	}
	if err != nil {
		return up, err
	}
	up.Asset = &asset
	return up, nil
}

// appendPart writes the chunk to the part file and, for the last one, returns the
// whole.
func (l *Library) appendPart(c Chunk, up *Upload) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := l.makeRoot()
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // the files in it were closed with a check
	name := "." + c.ID + partial
	if err := l.checkPart(root, name, c, up); err != nil {
		return nil, err
	}
	flags := os.O_RDWR | os.O_CREATE
	if c.Offset == 0 {
		flags |= os.O_TRUNC
	}
	f, err := root.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the upload of "+c.ID+" cannot be written")
	}
	_, err = f.WriteAt(c.Data, c.Offset)
	up.Received = c.Offset + int64(len(c.Data))
	var data []byte
	if err == nil && c.Last {
		data, err = io.ReadAll(io.NewSectionReader(f, 0, up.Received))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the upload of "+c.ID+" cannot be written")
	}
	return data, nil
}

// checkPart refuses a chunk that does not follow the last one or makes the file too
// large.
func (l *Library) checkPart(root *os.Root, name string, c Chunk, up *Upload) error {
	if end := c.Offset + int64(len(c.Data)); c.Offset < 0 || end > int64(l.Limits.AssetBytes) {
		return fault.Errorf(fault.BudgetExceeded, "the file has more than %d bytes", l.Limits.AssetBytes).
			With("limit", l.Limits.AssetBytes)
	}
	info, err := root.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fault.Errorf(fault.StorageFailed, "the upload of %s is not a regular file", c.ID)
	case err == nil:
		up.Received = info.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.StorageFailed, err, "the upload of "+c.ID+" cannot be read")
	case c.Offset == 0:
		return l.roomForUpload(root)
	}
	if c.Offset != 0 && c.Offset != up.Received {
		return fault.Errorf(fault.Conflict, "the chunk begins at byte %d; %d bytes were received", c.Offset, up.Received).
			With("received", up.Received)
	}
	return nil
}

func (l *Library) roomForUpload(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be opened")
	}
	names, err := dir.Readdirnames(-1)
	if err = errors.Join(err, dir.Close()); err != nil {
		return fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be listed")
	}
	var ids []string
	for _, name := range names {
		if id, ok := strings.CutSuffix(name, partial); ok && strings.HasPrefix(id, ".") {
			ids = append(ids, id[1:])
		}
	}
	if len(ids) >= maxUploads {
		return fault.Errorf(fault.BudgetExceeded, "%d uploads are unfinished; finish or delete one of %s", len(ids), listed(ids)).
			With("limit", maxUploads)
	}
	return nil
}

// dropPart removes the part file of an id, if there is one.
func (l *Library) dropPart(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := l.root()
	if err != nil || root == nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	if err := root.Remove("." + id + partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.StorageFailed, err, "the upload of "+id+" cannot be removed")
	}
	return nil
}
