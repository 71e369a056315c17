package voxel

import (
	"cmp"
	"fmt"
)

// Pos is the position of one cell, in blocks.
type Pos struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// Add returns p moved by d.
func (p Pos) Add(d Pos) Pos { return Pos{p.X + d.X, p.Y + d.Y, p.Z + d.Z} }

// Sub returns the way from d to p.
func (p Pos) Sub(d Pos) Pos { return Pos{p.X - d.X, p.Y - d.Y, p.Z - d.Z} }

// Compare orders positions by y, then z, then x.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
}

// String returns "x,y,z".
func (p Pos) String() string { return fmt.Sprintf("%d,%d,%d", p.X, p.Y, p.Z) }

// Section returns the section that holds p.
func (p Pos) Section() Section { return Section{p.X >> 4, p.Y >> 4, p.Z >> 4} }

// cell returns p's index within its section, in y, z, x order.
func (p Pos) cell() int { return (p.Y&15)<<8 | (p.Z&15)<<4 | p.X&15 }

// Section names a cube of 16×16×16 cells by its place in the grid of such cubes.
type Section struct{ X, Y, Z int }

// Edge is the length of a section's edge in cells.
const Edge = 16

// SectionCells is the number of cells in a section.
const SectionCells = Edge * Edge * Edge

// Box returns the section's cells.
func (s Section) Box() Box {
	lo := Pos{s.X << 4, s.Y << 4, s.Z << 4}
	return Box{lo, lo.Add(Pos{Edge - 1, Edge - 1, Edge - 1})}
}

// Compare orders sections by y, then z, then x.
func (s Section) Compare(t Section) int { return Pos(s).Compare(Pos(t)) }

// Pos returns the position of the section's i-th cell, in y, z, x order.
func (s Section) Pos(i int) Pos {
	return Pos{s.X<<4 | i&15, s.Y<<4 | i>>8, s.Z<<4 | i>>4&15}
}
