package bridge

import (
	"strconv"

	"groundplan/plan/voxel"
)

// bundle is the boxes that one read_region asks for: what a request and its answer
// cost beside the cells is paid once for all of them. Their cells count as one row,
// box after box.
type bundle struct {
	dimension string
	boxes     []voxel.Box
	cells     int
	more      []byte // all boxes but the first, as the request names them
}

// maxReadPayload is what a request's line leaves to the payload, whatever its id.
var maxReadPayload = MaxCommandLine - len(appendRequest(nil, string(appendRequestID(nil, 1<<56)), CapabilityRead, nil))

// bundles puts boxes, in their order, together to as few requests as they fit.
func bundles(dimension string, boxes []voxel.Box) []bundle {
	var list []bundle
	for _, box := range boxes {
		if n := len(list); n > 0 && list[n-1].add(box) {
			continue
		}
		list = append(list, bundle{dimension: dimension, boxes: []voxel.Box{box}, cells: box.Volume()})
	}
	return list
}

// add puts a box into the bundle, if there is room.
func (b *bundle) add(box voxel.Box) bool {
	more := b.more
	if len(more) > 0 {
		more = append(more, ',')
	}
	more = appendNumbers(more, box.Min.Sub(b.boxes[0].Min))
	more = appendNumbers(append(more, ','), box.Size())
	wider := bundle{b.dimension, append(b.boxes, box), b.cells + box.Volume(), more}
	if wider.cells > MaxRegionCells || len(wider.payload(MaxRegionCells)) > maxReadPayload {
		return false
	}
	*b = wider
	return true
}

// payload returns what asks for the page from a cell on.
func (b bundle) payload(from int) []byte {
	out := regionPayload(b.dimension, b.boxes[0], from)
	if len(b.more) == 0 {
		return out
	}
	out = append(out[:len(out)-1], `,"more":[`...)
	return append(append(out, b.more...), "]}"...)
}

func appendNumbers(out []byte, p voxel.Pos) []byte {
	out = strconv.AppendInt(out, int64(p.X), 10)
	out = strconv.AppendInt(append(out, ','), int64(p.Y), 10)
	return strconv.AppendInt(append(out, ','), int64(p.Z), 10)
}
