package block

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// memo remembers translations: palettes repeat the same texts, and finding a text
// again costs a third of reading it. A slot keeps the first text that falls into
// it, so that there is nothing to evict and no more memory than slots.
type memo struct {
	seed  maphash.Seed
	slots [memoSlots]atomic.Pointer[remembered]
}

const (
	memoSlots = 1 << 15 // Java has 32,000 states
	memoText  = 256     // longer texts are not remembered
)

type remembered struct {
	text        string
	translation Translation
}

func newMemo() *memo { return &memo{seed: maphash.MakeSeed()} }

func (m *memo) slot(text string) *atomic.Pointer[remembered] {
	return &m.slots[maphash.String(m.seed, text)%memoSlots]
}

// put remembers a translation that is the same for every data version. The text
// is copied: it may be a part of a big file.
func (m *memo) put(slot *atomic.Pointer[remembered], text string, t Translation) {
	if len(text) <= memoText && slot.Load() == nil {
		slot.Store(&remembered{strings.Clone(text), t})
	}
}
