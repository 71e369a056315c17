package voxel

import (
	"fmt"
	"iter"
	"math"
)

// Box is the inclusive box of cells between Min and Max. It is valid when Min is
// not above Max on any axis; no method normalises.
type Box struct {
	Min Pos `json:"min"`
	Max Pos `json:"max"`
}

// Cube returns the box of one cell.
func Cube(p Pos) Box { return Box{p, p} }

// Valid reports whether Min is at or below Max on every axis.
func (b Box) Valid() bool {
	return b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y && b.Min.Z <= b.Max.Z
}

// Size returns the number of cells along each axis.
func (b Box) Size() Pos { return b.Max.Sub(b.Min).Add(Pos{1, 1, 1}) }

// Volume returns the number of cells, at most math.MaxInt64.
func (b Box) Volume() int {
	s := b.Size()
	area, ok := mul(s.X, s.Z)
	if !ok {
		return math.MaxInt64
	}
	n, ok := mul(area, s.Y)
	if !ok {
		return math.MaxInt64
	}
	return n
}

func mul(a, b int) (int, bool) {
	if a != 0 && b > math.MaxInt64/a {
		return 0, false
	}
	return a * b, true
}

// Has reports whether p lies in the box.
func (b Box) Has(p Pos) bool {
	return b.Min.X <= p.X && p.X <= b.Max.X && b.Min.Y <= p.Y && p.Y <= b.Max.Y && b.Min.Z <= p.Z && p.Z <= b.Max.Z
}

// Contains reports whether the whole of c lies in the box.
func (b Box) Contains(c Box) bool { return b.Has(c.Min) && b.Has(c.Max) }

// Intersect returns the common cells of b and c; the result is not Valid when
// there are none.
func (b Box) Intersect(c Box) Box {
	return Box{
		Pos{max(b.Min.X, c.Min.X), max(b.Min.Y, c.Min.Y), max(b.Min.Z, c.Min.Z)},
		Pos{min(b.Max.X, c.Max.X), min(b.Max.Y, c.Max.Y), min(b.Max.Z, c.Max.Z)},
	}
}

// Union returns the smallest box around b and c.
func (b Box) Union(c Box) Box {
	return Box{
		Pos{min(b.Min.X, c.Min.X), min(b.Min.Y, c.Min.Y), min(b.Min.Z, c.Min.Z)},
		Pos{max(b.Max.X, c.Max.X), max(b.Max.Y, c.Max.Y), max(b.Max.Z, c.Max.Z)},
	}
}

// Move returns the box moved by d.
func (b Box) Move(d Pos) Box { return Box{b.Min.Add(d), b.Max.Add(d)} }

// All yields the box's cells in y, z, x order.
func (b Box) All() iter.Seq[Pos] {
	return func(yield func(Pos) bool) {
		for y := b.Min.Y; y <= b.Max.Y; y++ {
			for z := b.Min.Z; z <= b.Max.Z; z++ {
				for x := b.Min.X; x <= b.Max.X; x++ {
					if !yield(Pos{x, y, z}) {
						return
					}
				}
			}
		}
	}
}

// Sections yields the sections that the box touches in y, z, x order.
func (b Box) Sections() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		lo, hi := b.Min.Section(), b.Max.Section()
		for p := range (Box{Pos(lo), Pos(hi)}).All() {
			if !yield(Section(p)) {
				return
			}
		}
	}
}

// String returns "x,y,z..x,y,z".
func (b Box) String() string { return fmt.Sprintf("%v..%v", b.Min, b.Max) }
