package journal

import (
	"encoding/binary"
	"math"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

const (
	// chunkFills is how many fills of a plan go into one record, unless a
	// single slice has more.
	chunkFills = 1 << 16
	// maxFills bounds the fills of one record when it is read.
	maxFills = 1 << 20
)

// palette numbers the states of a plan in the order of their first use.
type palette struct {
	states []block.State
	index  map[block.State]uint64
}

func (p *palette) id(s block.State) uint64 {
	id, ok := p.index[s]
	if !ok {
		id = uint64(len(p.states))
		p.states = append(p.states, s)
		p.index[s] = id
	}
	return id
}

// encodeFills returns the payload for lists of fills: the number of lists, their
// lengths, and then column by column before, after, the way from the last fill's
// corner, and the size. Columns of like numbers pack better than rows.
func encodeFills(lists [][]plan.Fill, p *palette) []byte {
	out := binary.AppendUvarint(nil, uint64(len(lists)))
	for _, fills := range lists {
		out = binary.AppendUvarint(out, uint64(len(fills)))
	}
	each := func(f func(plan.Fill)) {
		for _, fills := range lists {
			for _, fill := range fills {
				f(fill)
			}
		}
	}
	each(func(f plan.Fill) { out = binary.AppendUvarint(out, p.id(f.Before)) })
	each(func(f plan.Fill) { out = binary.AppendUvarint(out, p.id(f.After)) })
	for _, axis := range axes {
		last := 0
		each(func(f plan.Fill) {
			at := *axis(&f.Box.Min)
			out = binary.AppendVarint(out, int64(at-last))
			last = at
		})
	}
	for _, axis := range axes {
		each(func(f plan.Fill) {
			out = binary.AppendUvarint(out, uint64(*axis(&f.Box.Max)-*axis(&f.Box.Min)))
		})
	}
	return out
}

// axes picks a coordinate: y, z, x, the order in which cells are listed.
var axes = [...]func(*voxel.Pos) *int{
	func(p *voxel.Pos) *int { return &p.Y },
	func(p *voxel.Pos) *int { return &p.Z },
	func(p *voxel.Pos) *int { return &p.X },
}

// decodeFills is the inverse of encodeFills.
func decodeFills(payload []byte, states []block.State) ([][]plan.Fill, error) {
	in := reader{data: payload}
	n := in.uvarint()
	if n > uint64(len(payload)) {
		return nil, damaged(kindCells, "lists")
	}
	lengths := make([]int, n)
	total := uint64(0)
	for i := range lengths {
		length := in.uvarint()
		total += min(length, maxFills+1)
		if total > maxFills {
			return nil, damaged(kindCells, "fills")
		}
		lengths[i] = int(length)
	}
	if total > uint64(len(in.data))/8 { // eight columns of at least a byte each
		return nil, damaged(kindCells, "fills")
	}
	fills := make([]plan.Fill, total)
	for i := range fills {
		fills[i].Before = stateAt(&in, states)
	}
	for i := range fills {
		fills[i].After = stateAt(&in, states)
	}
	for _, axis := range axes {
		last := int64(0)
		for i := range fills {
			last += in.varint()
			if last < math.MinInt32 || last > math.MaxInt32 {
				in.bad, last = true, 0
			}
			*axis(&fills[i].Box.Min) = int(last)
		}
	}
	for _, axis := range axes {
		for i := range fills {
			size := in.uvarint()
			if size > math.MaxInt32 || *axis(&fills[i].Box.Min)+int(size) > math.MaxInt32 {
				in.bad, size = true, 0
			}
			*axis(&fills[i].Box.Max) = *axis(&fills[i].Box.Min) + int(size)
		}
	}
	if in.bad || len(in.data) > 0 {
		return nil, damaged(kindCells, "columns")
	}
	lists := make([][]plan.Fill, n)
	for i, length := range lengths {
		lists[i], fills = fills[:length:length], fills[length:]
	}
	return lists, nil
}

func stateAt(in *reader, states []block.State) block.State {
	id := in.uvarint()
	if id >= uint64(len(states)) {
		in.bad = true
		return ""
	}
	return states[id]
}
