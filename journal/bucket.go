package journal

import (
	"bytes"
	"iter"

	"go.etcd.io/bbolt"
)

// entries yields the pairs of a bucket in the order of their keys. The bucket
// must not change meanwhile, and both are memory of the file.
func entries(b *bbolt.Bucket) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		cursor := b.Cursor()
		for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
			if !yield(key, value) {
				return
			}
		}
	}
}

// prefixed yields the pairs whose keys begin with prefix.
func prefixed(b *bbolt.Bucket, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		cursor := b.Cursor()
		for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
			if !yield(key, value) {
				return
			}
		}
	}
}
