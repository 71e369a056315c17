package plan

import (
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// LayersOf returns the cells of a box as the operation layers of the recipe
// language: read, edit, send back. Air is the symbol "."; unloaded cells are "?".
// The states of the legend have no minecraft: in front and leave out what the block
// has by default and what the game computes itself.
func LayersOf(cells *voxel.Volume, box voxel.Box, r *block.Registry) LayersOperation {
	name := func(content string) string { return short(r, block.State(content)) }
	return LayersOperation{
		Type: "layers", Layers: voxel.EncodeLayers(cells, box, name, map[string]string{"air": "."}),
	}
}

// LayersOperation is an operation of a recipe.
type LayersOperation struct {
	Type string `json:"type"` // layers
	voxel.Layers
}

// short returns the shortest text that Parse takes for the state, derived states
// aside.
func short(r *block.Registry, s block.State) string {
	text := strings.ReplaceAll(r.Short(r.Plain(s)), `"`, "")
	if s.Waterlogged() {
		return string(block.State(text).Wet())
	}
	return text
}
