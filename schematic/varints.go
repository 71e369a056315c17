package schematic

import (
	"encoding/binary"
	"math/bits"

	"groundplan/schematic/nbt"
)

// varints are the cells of a Sponge schematic: one unsigned LEB128 number each.
type varints struct {
	cells    cells
	piece    []uint16 // the piece that grows; its end is not in cells yet
	bound    int      // no index is above it
	overlong int      // numbers with needless zero bytes
	counts   []int    // cells of each index, when they are only counted
}

// maxVarint is the length of the longest encoding of an index of 32 bits.
const maxVarint = 5

// readVarints reads a byte array of indexes while it is inflated. When the box is
// known, expect is its number of cells. Memory grows with the bytes that come.
func readVarints(d *document, expect int) (*varints, error) {
	n, err := d.ArrayHeader(nbt.ByteArray)
	if err != nil {
		return nil, err
	}
	most := n // cells that the bytes can make
	if expect > 0 {
		if n < expect || n > maxVarint*expect {
			return nil, d.Errorf("%d bytes of block data for %d cells", n, expect)
		}
		most = expect
	}
	if n > maxVarint*d.limit && n > 2*d.box { // in so large a box, two bytes are already much
		return nil, d.overCells(d.box)
	}
	v := &varints{}
	if d.count {
		v.counts = make([]int, maxPalette)
	}
	carry := varint{}
	for left := n; left > 0; {
		chunk, err := d.Bulk(left)
		if err != nil {
			return nil, err
		}
		left -= len(chunk)
		if err := v.decode(d, &carry, chunk, min(most, d.box)); err != nil {
			return nil, err
		}
	}
	if carry.shift > 0 {
		return nil, d.Errorf("the last number of the block data is cut off")
	}
	v.flush(0)
	return v, nil
}

// varint is a number of which some bytes have come.
type varint struct {
	value uint32
	shift int
}

// flush ends the piece and begins one for more cells.
func (v *varints) flush(more int) {
	v.cells.n += len(v.piece)
	if v.counts != nil {
		tallyCells(v.counts, v.piece)
		if v.piece != nil && more >= cap(v.piece) {
			v.piece = v.piece[:0]
			return
		}
	} else if len(v.piece) > 0 {
		v.cells.pieces = append(v.cells.pieces, v.piece)
	}
	v.piece = nil
	if more > 0 {
		v.piece = make([]uint16, 0, min(more, pieceCells))
	}
}

// decode appends the cells of a chunk, never more than most.
func (v *varints) decode(d *document, carry *varint, chunk []byte, most int) error {
	for i := 0; i < len(chunk); {
		if carry.shift == 0 {
			i += v.short(chunk[i:])
			if i == len(chunk) {
				break
			}
		}
		c := chunk[i]
		i++
		carry.value |= uint32(c&0x7f) << carry.shift
		if c >= 0x80 {
			carry.shift += 7
			if carry.shift > 28 {
				return d.Errorf("a number of the block data has more than five bytes")
			}
			continue
		}
		if c == 0 && carry.shift > 0 {
			v.overlong++
		}
		if carry.value >= maxPalette || carry.shift == 28 && c > 0x0f {
			return d.Errorf("the cell %d has the index %d, which no palette has", v.cells.n+len(v.piece), carry.value)
		}
		if len(v.piece) == cap(v.piece) {
			v.flush(most - v.cells.n - len(v.piece))
		}
		if cap(v.piece) == 0 {
			if v.cells.n >= d.box {
				return d.overCells(d.box)
			}
			return d.Errorf("the block data has more than the %d cells of the box", most)
		}
		v.bound = max(v.bound, int(carry.value))
		v.piece = append(v.piece, uint16(carry.value))
		*carry = varint{}
	}
	return nil
}

// short appends the cells of numbers of one and two bytes, which are nearly all,
// and returns how many bytes they took. It stops at any other number and near the
// ends of chunk and piece.
func (v *varints) short(chunk []byte) int {
	const continued = 0x8080808080808080
	out, taken := v.piece, 0
	for len(chunk) >= 8 && cap(out)-len(out) >= 8 {
		word := binary.LittleEndian.Uint64(chunk)
		n := len(out)
		next := out[n : n+8 : n+8]
		next[0], next[1], next[2], next[3] = uint16(word&0xff), uint16(word>>8&0xff), uint16(word>>16&0xff), uint16(word>>24&0xff)
		next[4], next[5], next[6], next[7] = uint16(word>>32&0xff), uint16(word>>40&0xff), uint16(word>>48&0xff), uint16(word>>56)
		// The bytes before the first of a longer number are cells; what was
		// written behind them is written again.
		whole := bits.TrailingZeros64(word&continued) >> 3
		if whole == 8 {
			v.bound = max(v.bound, 127)
			out, chunk, taken = out[:n+8], chunk[8:], taken+8
			continue
		}
		out, chunk, taken = out[:n+whole], chunk[whole:], taken+whole
		if len(chunk) < 2 || chunk[1] >= 0x80 || chunk[1] == 0 {
			if whole > 0 {
				v.bound = max(v.bound, 127)
			}
			break
		}
		index := uint16(chunk[0]&0x7f) | uint16(chunk[1])<<7
		v.bound = max(v.bound, int(index), 127)
		out, chunk, taken = append(out, index), chunk[2:], taken+2
	}
	v.piece = out
	return taken
}
