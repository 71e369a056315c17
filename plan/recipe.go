package plan

import (
	"math"
	"slices"

	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// The fixed limits of recipes, version 1.
const (
	recipeVersion = 1
	maxDepth      = 8         // levels of operations inside operations
	maxOperations = 4096      // elements of one operations array
	maxVisits     = 4096      // operations after every repeat is unrolled
	maxScan       = 2_000_000 // cells that shapes may look at, overlap included
	maxCount      = 1024      // iterations of one repeat
	maxStateText  = 1024      // bytes of a block's text
)

// Compile turns a recipe into the cells it wants, in canonical states. It looks at
// nothing but its arguments, and gives the same cells for the same arguments.
//
// A malformed recipe is an invalid_request error that names the place by a JSON
// pointer; an unknown block is an unsupported_block error; a recipe that costs
// more than its limits is a budget_exceeded error, found before the cells are
// drawn as far as that is possible. Cells are not yet compared with the region.
func Compile(recipe []byte, env Env) (*voxel.Volume, error) {
	tree, err := strict.Parse(recipe)
	if err != nil {
		return nil, err
	}
	r := newReader(&env)
	root, err := r.recipe(tree)
	if err != nil {
		return nil, err
	}
	c := newCanvas(&env, r.cells)
	if err := c.draw(root, voxel.Pos{}); err != nil {
		return nil, err
	}
	return c.cells, nil
}

// node is one operation of a recipe, read and checked.
type node struct {
	src   *strict.Value
	shape shape
}

// shape draws an operation. Its errors need not say where they happened.
type shape interface {
	draw(c *canvas, at voxel.Pos) error
}

// canvas is what shapes draw on. It keeps the recipe's budget; a canvas for a part
// of the recipe shares the budget of the whole.
type canvas struct {
	env    *Env
	cells  *voxel.Volume
	budget *budget
}

type budget struct {
	visits int // operations that may still be drawn
	scan   int // cells that may still be looked at
	cells  int // cells that the result may have
}

func newCanvas(env *Env, cells *voxel.Volume) *canvas {
	most := env.limits().PlanCells
	scan := maxScan
	if most < maxScan/16 {
		scan = 16 * most
	}
	return &canvas{env: env, cells: cells, budget: &budget{visits: maxVisits, scan: scan, cells: most}}
}

// draw draws operations in their order, moved by at.
func (c *canvas) draw(nodes []node, at voxel.Pos) error {
	for _, n := range nodes {
		c.budget.visits--
		if c.budget.visits < 0 {
			return n.src.Fault(fault.BudgetExceeded, "the recipe expands to more than %d operations", maxVisits).
				With("limit", maxVisits)
		}
		if err := n.shape.draw(c, at); err != nil {
			return locate(n.src, err)
		}
		if c.cells.Len() > c.budget.cells {
			return n.src.Fault(fault.BudgetExceeded, "the recipe has more than %d cells", c.budget.cells).
				With("limit", c.budget.cells).With("got", c.cells.Len())
		}
	}
	return nil
}

// locate gives err the place of src unless it already has one.
func locate(src *strict.Value, err error) error {
	f, ok := err.(*fault.Error) //nolint:errorlint // a wrapped error has its place already
	if !ok || f.Details["pointer"] != nil {
		return err
	}
	return f.With("pointer", src.Pointer()).With("value", src.Excerpt())
}

// charge takes the product of the factors, which are not negative, off the scan
// budget.
func (c *canvas) charge(factors ...int) error {
	cost := 1
	for _, f := range factors {
		if f != 0 && cost > math.MaxInt64/f {
			cost = math.MaxInt64
			break
		}
		cost *= f
	}
	if cost > c.budget.scan {
		return fault.Errorf(fault.BudgetExceeded,
			"the recipe looks at more cells than its budget: this operation needs %d, %d are left", cost, c.budget.scan).
			With("limit", c.budget.scan).With("got", cost)
	}
	c.budget.scan -= cost
	return nil
}

// within reports whether the coordinates are 32-bit integers, as the protocol's
// positions are.
func within(b voxel.Box) error {
	for _, v := range []int{b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z} {
		if v < math.MinInt32 || v > math.MaxInt32 {
			return fault.Errorf(fault.InvalidRequest, "coordinate %d is not a 32-bit integer", v)
		}
	}
	return nil
}

// fill paints a box. Its cells must have been charged for.
func (c *canvas) fill(b voxel.Box, with brush) {
	if !b.Valid() {
		return
	}
	if with.mix == nil {
		c.cells.Fill(b, with.id)
		return
	}
	for p := range b.All() {
		c.cells.Set(p, with.at(p))
	}
}

func (c *canvas) set(p voxel.Pos, with brush) { c.cells.Set(p, with.at(p)) }

// brush is what a shape paints with: one state, or a mix.
type brush struct {
	id  voxel.ID
	mix *mix
}

func (b brush) at(p voxel.Pos) voxel.ID {
	if b.mix == nil {
		return b.id
	}
	return b.mix.at(p)
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
