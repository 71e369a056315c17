// Package voxel is the geometry of groundplan: positions, boxes, volumes of
// cells and masks of positions. It knows no Minecraft; a cell's content is text.
//
// Volumes and masks are kept in sections of 16×16×16 cells, so that a thin line
// across a large region costs what its cells cost and not what its bounds do.
// Wherever cells are listed they come in the order of the protocol: y outermost,
// then z, then x. All boxes are inclusive on both ends.
package voxel
