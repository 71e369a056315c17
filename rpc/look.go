package rpc

import (
	"context"
	"strconv"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Bounds of the wider looks at a region, so that an answer stays readable.
const (
	layersPage = 16_384 // cells of one page of layers
	maxColumns = 16_384 // columns of a heightmap
	maxFound   = 256    // positions that find lists
)

// inspectLayers fills the view with one page of text layers: as many whole layers
// as fit, or a part of one that does not.
func (s *Service) inspectLayers(ctx context.Context, by Caller, box voxel.Box, p inspectParams, v *InspectView) error {
	pages := pagesOf(box, layersPage)
	at, err := cursorOf(p.Cursor, len(pages))
	if err != nil {
		return err
	}
	page := pages[at]
	snap, err := by.read(ctx, []voxel.Box{page}, p.Partial)
	if err != nil {
		return err
	}
	layers := plan.LayersOf(snap.Cells, page, s.Registry())
	v.Palette, v.SampledAt, v.Layers = snap.Cells.Counts(), s.now(), &layers
	v.Unloaded = page.Volume() - snap.Cells.Len()
	if at+1 < len(pages) {
		v.Truncated, v.Next = true, strconv.Itoa(at+1)
	}
	return nil
}

// pagesOf cuts a box into boxes of at most limit cells where possible: runs of
// whole layers, or runs of whole rows of a layer.
func pagesOf(box voxel.Box, limit int) []voxel.Box {
	size := box.Size()
	layers, rows := max(1, limit/(size.X*size.Z)), size.Z
	if size.X*size.Z > limit {
		rows = max(1, limit/size.X)
	}
	var pages []voxel.Box
	for y := box.Min.Y; y <= box.Max.Y; y += layers {
		for z := box.Min.Z; z <= box.Max.Z; z += rows {
			pages = append(pages, box.Intersect(voxel.Box{
				Min: voxel.Pos{X: box.Min.X, Y: y, Z: z},
				Max: voxel.Pos{X: box.Max.X, Y: y + layers - 1, Z: z + rows - 1},
			}))
		}
	}
	return pages
}

// Heightmap has the highest block of each column of a box that is not air.
type Heightmap struct {
	MinX    int            `json:"min_x"`
	MinZ    int            `json:"min_z"`
	Heights [][]int        `json:"heights" jsonschema:"a list per z, in it a y per x; one below the box where all is air"`
	Tops    map[string]int `json:"tops" jsonschema:"columns per id of their highest block"`
}

func heightmapOf(cells *voxel.Volume, box voxel.Box) (*Heightmap, error) {
	size := box.Size()
	if n := size.X * size.Z; n > maxColumns {
		return nil, fault.Errorf(fault.BudgetExceeded, "the region has %d columns; a heightmap has at most %d", n, maxColumns).
			With("limit", maxColumns).With("got", n)
	}
	h := &Heightmap{MinX: box.Min.X, MinZ: box.Min.Z, Tops: map[string]int{}}
	for z := box.Min.Z; z <= box.Max.Z; z++ {
		row := make([]int, 0, size.X)
		for x := box.Min.X; x <= box.Max.X; x++ {
			y := box.Max.Y
			state := block.Air
			for ; y >= box.Min.Y; y-- {
				text, ok := cells.At(voxel.Pos{X: x, Y: y, Z: z})
				if state = block.State(text); ok && state != block.Air {
					break
				}
			}
			row = append(row, y)
			if y >= box.Min.Y {
				h.Tops[state.ID()]++
			}
		}
		h.Heights = append(h.Heights, row)
	}
	return h, nil
}

// Found says where a block is.
type Found struct {
	Count     int         `json:"count"`
	Bounds    *voxel.Box  `json:"bounds,omitempty"`
	Positions []voxel.Pos `json:"positions" jsonschema:"the first 256, in y, z, x order"`
}

// find looks for a state, or for every state of an id.
func (s *Service) find(cells *voxel.Volume, text string) (*Found, error) {
	if text == "" {
		return nil, fault.Errorf(fault.InvalidRequest, "find needs block: a state or an id")
	}
	wanted, err := s.Registry().Parse(text)
	if err != nil {
		return nil, err
	}
	whole := wanted.ID() == text || "minecraft:"+text == wanted.ID()
	match := make([]bool, len(cells.Palette()))
	for id, content := range cells.Palette() {
		state := block.State(content)
		match[id] = content != "" && (state == wanted || whole && state.ID() == wanted.ID())
	}
	f := &Found{Positions: []voxel.Pos{}}
	for p, id := range cells.All() {
		if !match[id] {
			continue
		}
		f.Count++
		if len(f.Positions) < maxFound {
			f.Positions = append(f.Positions, p)
		}
		bounds := voxel.Cube(p)
		if f.Bounds != nil {
			bounds = f.Bounds.Union(bounds)
		}
		f.Bounds = &bounds
	}
	return f, nil
}
