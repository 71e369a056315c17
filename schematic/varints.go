package schematic

import (
	"encoding/binary"

	"groundplan/schematic/nbt"
)

// varints are the cells of a Sponge schematic: one unsigned LEB128 number each.
type varints struct {
	cells    []uint16
	bound    int // no index is above it
	overlong int // numbers with needless zero bytes
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
	if n > maxVarint*d.limit {
		return nil, d.overCells((n + maxVarint - 1) / maxVarint)
	}
	v := &varints{cells: make([]uint16, 0, min(most, 1<<16, d.limit))}
	carry := varint{}
	for left := n; left > 0; {
		chunk, err := d.Bulk(left)
		if err != nil {
			return nil, err
		}
		left -= len(chunk)
		if err := v.decode(d, &carry, chunk, most); err != nil {
			return nil, err
		}
	}
	if carry.shift > 0 {
		return nil, d.Errorf("the last number of the block data is cut off")
	}
	return v, nil
}

// varint is a number of which some bytes have come.
type varint struct {
	value uint32
	shift int
}

// grow makes room for more cells, never for more than most.
func (v *varints) grow(more, most int) {
	need := min(len(v.cells)+more, most)
	if need <= cap(v.cells) {
		return
	}
	grown := make([]uint16, len(v.cells), max(need, min(2*cap(v.cells), most)))
	copy(grown, v.cells)
	v.cells = grown
}

// decode appends the cells of a chunk.
func (v *varints) decode(d *document, carry *varint, chunk []byte, most int) error {
	v.grow(len(chunk), min(most, d.limit))
	out := v.cells
	for i := 0; i < len(chunk); {
		// Eight indexes below 128 at once: nearly all cells of nearly all files.
		for carry.shift == 0 && len(chunk)-i >= 8 && cap(out)-len(out) >= 8 {
			word := binary.LittleEndian.Uint64(chunk[i:])
			if word&0x8080808080808080 != 0 {
				break
			}
			n := len(out)
			out = out[:n+8]
			eight := out[n : n+8 : n+8]
			eight[0], eight[1], eight[2], eight[3] = uint16(word&0xff), uint16(word>>8&0xff), uint16(word>>16&0xff), uint16(word>>24&0xff)
			eight[4], eight[5], eight[6], eight[7] = uint16(word>>32&0xff), uint16(word>>40&0xff), uint16(word>>48&0xff), uint16(word>>56)
			i += 8
			v.bound = max(v.bound, 127)
		}
		if i == len(chunk) {
			break
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
			return d.Errorf("the cell %d has the index %d, which no palette has", len(out), carry.value)
		}
		if len(out) == cap(out) {
			if len(out) >= d.limit {
				return d.overCells(len(out) + 1)
			}
			return d.Errorf("the block data has more than the %d cells of the box", most)
		}
		v.bound = max(v.bound, int(carry.value))
		out = append(out, uint16(carry.value))
		*carry = varint{}
	}
	v.cells = out
	return nil
}
