package plan

import (
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// Env is what compiling a recipe and drafting a plan may know of the world and
// the project. Everything in it is a value or a pure function of its arguments, as
// far as this package is concerned: the caller reads beforehand or on demand.
// Recipes that do not use a field work without it.
type Env struct {
	Registry *block.Registry // required
	Limits   Limits          // zero fields are those of DefaultLimits
	Region   voxel.Box       // cells outside it are out_of_bounds
	Policy   Policy
	// Part bounds the plan: every cell must lie in its mask. nil: no bound.
	Part *Part
	// Parts are the project's parts, for relative_to.
	Parts []Part
	// Assets returns the cells of an asset of the library for paste, its origin
	// at 0,0,0, in canonical states. nil: there are no assets.
	Assets func(id string) (*voxel.Volume, error)
	// Ground returns the y of the highest block of the terrain in a column, and
	// false where that is not known. nil: not known anywhere.
	Ground func(x, z int) (y int, ok bool)
	// World returns the present cells of a box for replace, in canonical
	// states; cells in unloaded chunks are absent. nil: replace is refused.
	World func(box voxel.Box) (*voxel.Volume, error)
	// AllowLoss lists cells whose contents may be lost.
	AllowLoss []voxel.Pos
	// Expected are the states that the caller believes the wanted cells to have.
	// nil: no belief. Otherwise it covers each wanted cell once.
	Expected []Cell
	// Strict turns warnings into refusal.
	Strict bool
}

// limits returns the limits with the defaults in place of zeros.
func (e *Env) limits() Limits {
	l, d := e.Limits, DefaultLimits()
	for _, field := range []struct{ own, fallback *int }{
		{&l.PlanCells, &d.PlanCells},
		{&l.SliceCells, &d.SliceCells},
		{&l.Dependencies, &d.Dependencies},
	} {
		if *field.own <= 0 {
			*field.own = *field.fallback
		}
	}
	return l
}
