package schematic

// cells are the palette indexes of a box, in y, z, x order. They lie in pieces, so
// that they grow while a stream comes without being copied.
type cells struct {
	pieces [][]uint16 // all of pieceCells but the last
	n      int
}

const (
	pieceBits  = 16
	pieceCells = 1 << pieceBits
)

// newCells returns n cells of index 0.
func newCells(n int) cells {
	c := cells{pieces: make([][]uint16, 0, (n+pieceCells-1)>>pieceBits), n: n}
	for ; n > 0; n -= pieceCells {
		c.pieces = append(c.pieces, make([]uint16, min(n, pieceCells)))
	}
	return c
}

func (c *cells) at(i int) uint16 { return c.pieces[i>>pieceBits][i&(pieceCells-1)] }

func (c *cells) set(i int, id uint16) { c.pieces[i>>pieceBits][i&(pieceCells-1)] = id }

// clone returns a copy.
func (c *cells) clone() cells {
	out := newCells(c.n)
	for i, piece := range c.pieces {
		copy(out.pieces[i], piece)
	}
	return out
}

// counts returns how many cells each of the indexes below palette has.
func (c *cells) counts(palette int) []int {
	counts := make([]int, palette)
	for _, piece := range c.pieces {
		tallyCells(counts, piece)
	}
	return counts
}

// tallyCells adds the cells of a piece to the counts.
func tallyCells(counts []int, piece []uint16) {
	for i := 0; i < len(piece); {
		id, start := piece[i], i
		for i++; i < len(piece) && piece[i] == id; i++ {
		}
		counts[id] += i - start
	}
}
