package plan

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"groundplan/plan/voxel"
)

// digest writes values in an unambiguous form into a SHA-256: texts with their
// lengths, integers as varints, states as numbers in the order of first use with
// the text at the first use.
type digest struct {
	sum    hash.Hash
	out    *bufio.Writer
	states map[string]int
	buf    [binary.MaxVarintLen64]byte
}

func newDigest(domain string) *digest {
	sum := sha256.New()
	d := &digest{sum: sum, out: bufio.NewWriterSize(sum, 1<<16), states: map[string]int{}}
	d.text(domain)
	return d
}

func (d *digest) integer(values ...int) {
	for _, v := range values {
		d.out.Write(d.buf[:binary.PutVarint(d.buf[:], int64(v))]) //nolint:errcheck // a hash does not fail
	}
}

func (d *digest) text(texts ...string) {
	for _, t := range texts {
		d.integer(len(t))
		d.out.WriteString(t) //nolint:errcheck // a hash does not fail
	}
}

func (d *digest) state(s string) {
	n, known := d.states[s]
	if !known {
		n = len(d.states)
		d.states[s] = n
	}
	d.integer(n)
	if !known {
		d.text(s)
	}
}

func (d *digest) pos(p voxel.Pos) { d.integer(p.X, p.Y, p.Z) }

func (d *digest) box(b voxel.Box) {
	d.pos(b.Min)
	d.pos(b.Max)
}

func (d *digest) fills(fills []Fill) {
	d.integer(len(fills))
	for _, f := range fills {
		d.box(f.Box)
		d.state(string(f.Before))
		d.state(string(f.After))
	}
}

func (d *digest) hex() string {
	d.out.Flush() //nolint:errcheck // a hash does not fail
	return hex.EncodeToString(d.sum.Sum(nil))
}

// hash returns the digest of everything in the plan that Hash stands for.
func (p *Plan) hash() string {
	d := newDigest("groundplan plan 1")
	d.text(p.ID, p.Project, p.WorldID, p.WorldEpoch, p.Dimension)
	d.box(p.Region)
	d.integer(len(p.Slices))
	for _, s := range p.Slices {
		d.fills(s.Fills)
	}
	d.fills(p.Kept)
	d.integer(len(p.Dependencies))
	for _, c := range p.Dependencies {
		d.pos(c.Pos)
		d.state(string(c.State))
	}
	d.integer(int(p.CreatedAt), int(p.ExpiresAt))
	d.text(p.UndoOf)
	return d.hex()
}

// contentHash returns the digest of the dimension and the wanted cells alone:
// equal for the same wish at another time.
func contentHash(dimension string, wanted *voxel.Volume) string {
	d := newDigest("groundplan content 1")
	d.text(dimension)
	var ids [voxel.SectionCells]voxel.ID
	for _, key := range wanted.Sections() {
		wanted.SectionIDs(key, &ids)
		d.pos(voxel.Pos(key))
		for start := 0; start < len(ids); {
			end := start + 1
			for end < len(ids) && ids[end] == ids[start] {
				end++
			}
			d.integer(end - start)
			d.state(wanted.Content(ids[start]))
			start = end
		}
	}
	return d.hex()
}
