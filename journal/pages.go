package journal

import (
	"encoding/binary"
	"os"
)

// Flags of bbolt's pages and of the elements of a leaf.
const (
	boltBranch  = 1
	boltLeaf    = 2
	boltBucket  = 1
	boltElement = 16 // bytes of an element's head, in both kinds of page
)

// pageWalk follows bbolt's pages from the newest head. bbolt itself trusts them: a
// page that leads back to itself, or a bucket within a leaf whose head was lost, has
// it go round for ever and take all memory.
type pageWalk struct {
	file *os.File
	head *boltMetaPage
	seen map[uint64]bool
	deep bool // follow the buckets' pages too, not only those of the list of buckets
}

// checkPages fails when the pages of the file at path are no tree.
func checkPages(path string, deep bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	newest, _ := newestHead(f)
	if newest == nil {
		return broken("file: no head")
	}
	w := pageWalk{file: f, head: newest, seen: map[uint64]bool{}, deep: deep}
	return w.visit(newest.root)
}

func (w *pageWalk) visit(id uint64) error {
	if id < 2 || id >= w.head.pages || w.seen[id] {
		return broken("file: page %d is used twice, or is none", id)
	}
	w.seen[id] = true
	order := binary.NativeEndian
	head := make([]byte, boltHead)
	if _, err := w.file.ReadAt(head, int64(id*w.head.pageSize)); err != nil {
		return err
	}
	flags, count, overflow := order.Uint16(head[8:]), int(order.Uint16(head[10:])), uint64(order.Uint32(head[12:]))
	if order.Uint64(head) != id || flags != boltBranch && flags != boltLeaf || id+overflow >= w.head.pages {
		return broken("file: page %d is not what its place says", id)
	}
	page := make([]byte, (overflow+1)*w.head.pageSize)
	if _, err := w.file.ReadAt(page, int64(id*w.head.pageSize)); err != nil {
		return err
	}
	if boltHead+count*boltElement > len(page) {
		return broken("file: page %d has more elements than room", id)
	}
	for i := range count {
		rest := page[boltHead+i*boltElement:] // an element counts from its own place
		var err error
		switch {
		case flags == boltBranch:
			err = w.visit(order.Uint64(rest[8:]))
		case order.Uint32(rest)&boltBucket != 0:
			err = w.bucket(id, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket looks at the value that is a bucket: the number of its first page, or, when
// that is 0, the page itself.
func (w *pageWalk) bucket(id uint64, element []byte) error {
	order := binary.NativeEndian
	at := uint64(order.Uint32(element[4:])) + uint64(order.Uint32(element[8:]))
	end := at + uint64(order.Uint32(element[12:]))
	if end > uint64(len(element)) || end < at+boltHead {
		return broken("file: page %d has a bucket beyond its end", id)
	}
	value := element[at:end]
	switch root := order.Uint64(value); {
	case root != 0 && w.deep:
		return w.visit(root)
	case root == 0 && (len(value) < 2*boltHead || order.Uint16(value[boltHead+8:]) != boltLeaf):
		return broken("file: page %d has a bucket that lost its head", id)
	}
	return nil
}
