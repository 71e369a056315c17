package voxel

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Bits has one bit for each cell of a section, in y, z, x order. It is a value:
// assignment copies.
type Bits [SectionCells / 64]uint64

// Has reports whether the section's i-th cell is set.
func (b *Bits) Has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }

// Set sets the section's i-th cell.
func (b *Bits) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// Empty reports whether no cell is set.
func (b *Bits) Empty() bool { return *b == Bits{} }

// Len returns the number of cells that are set.
func (b *Bits) Len() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// Union sets the cells of o too.
func (b *Bits) Union(o *Bits) {
	for i := range b {
		b[i] |= o[i]
	}
}

// Subtract clears the cells of o.
func (b *Bits) Subtract(o *Bits) {
	for i := range b {
		b[i] &^= o[i]
	}
}

// And returns the cells that both have.
func (b *Bits) And(o *Bits) Bits {
	var out Bits
	for i := range b {
		out[i] = b[i] & o[i]
	}
	return out
}

// Within reports whether o has every cell of b.
func (b *Bits) Within(o *Bits) bool {
	for i := range b {
		if b[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

// Fill sets the cells from start up to end.
func (b *Bits) Fill(start, end int) {
	for start < end {
		word, bit := start>>6, start&63
		n := min(64-bit, end-start)
		b[word] |= (math.MaxUint64 >> (64 - n)) << bit
		start += n
	}
}

// AppendRuns appends the lengths of the alternating runs of absent and present
// cells as varints, ending where the section does.
func (b *Bits) AppendRuns(out []byte) []byte {
	for start, present := 0, uint64(0); start < SectionCells; present ^= math.MaxUint64 {
		end := start
		for end < SectionCells {
			rest := (b[end>>6] ^ present) >> (end & 63) // zero bits are of the run
			n := min(bits.TrailingZeros64(rest), 64-end&63)
			end += n
			if end&63 != 0 || n == 0 {
				break
			}
		}
		out = binary.AppendUvarint(out, uint64(end-start))
		start = end
	}
	return out
}

// ReadRuns is the inverse of AppendRuns and returns what follows the runs. ok is
// false when data does not begin with runs that end where a section does.
func ReadRuns(data []byte) (b Bits, rest []byte, ok bool) {
	at := 0 // most runs are one byte, and there are thousands of them
	for start, present := 0, false; start < SectionCells; present = !present {
		if at >= len(data) {
			return b, nil, false
		}
		run, n := uint64(data[at]), 1
		if run >= 0x80 {
			if run, n = binary.Uvarint(data[at:]); n <= 0 {
				return b, nil, false
			}
		}
		at += n
		if run > uint64(SectionCells-start) || run == 0 && start > 0 {
			return b, nil, false
		}
		end := start + int(run)
		if present {
			b.Fill(start, end)
		}
		start = end
	}
	return b, data[at:], true
}
