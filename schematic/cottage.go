package schematic

import (
	_ "embed"
	"slices"
)

//go:embed cottage.schem
var cottageFile []byte

// Cottage returns a schematic of our own making, a small house, for a first try.
// Its anchor is the cell below the end of the path to its door, on the ground.
func Cottage() []byte { return slices.Clone(cottageFile) }
