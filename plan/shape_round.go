package plan

import (
	"math"

	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// maxRadius bounds radii, so that their squares and their products stay far within
// 64 bits; no region is nearly as large.
const maxRadius = 1 << 20

// ellipsoid has the cells with (x/rx)² + (y/ry)² + (z/rz)² ≤ 1, measured from the
// centre of the cell at its centre. hollow keeps those with a neighbour outside.
type ellipsoid struct {
	center voxel.Pos
	radii  [3]int // x, y, z
	block  brush
	hollow bool
}

func readSphere(r *reader, v *strict.Value) shape {
	n := r.integer(v, "radius", 0, maxRadius)
	return &ellipsoid{r.pos(v, "center"), [3]int{n, n, n}, r.block(v, "block"), r.flag(v, "hollow")}
}

func readEllipsoid(r *reader, v *strict.Value) shape {
	s := &ellipsoid{center: r.pos(v, "center"), block: r.block(v, "block"), hollow: r.flag(v, "hollow")}
	radii := v.Get("radii")
	if r.object(radii, axes, axes...) {
		for i, axis := range axes {
			s.radii[i] = r.integer(radii, axis, 0, maxRadius)
		}
	}
	return s
}

func (s *ellipsoid) draw(c *canvas, at voxel.Pos) error {
	p := s.center.Add(at)
	reach := voxel.Pos{X: s.radii[0], Y: s.radii[1], Z: s.radii[2]}
	if err := within(voxel.Box{Min: p.Sub(reach), Max: p.Add(reach)}); err != nil {
		return err
	}
	if err := c.charge(2*reach.X+1, 2*reach.Y+1, 2*reach.Z+1); err != nil {
		return err
	}
	drawColumns(c, p, reach, s.block, s.hollow, func(x, z int) (int, int) {
		h := s.height(x, z)
		return -h, h
	})
	return nil
}

// height returns the highest y whose cell is inside at x, z; -1 when none is.
func (s *ellipsoid) height(x, z int) int {
	rx, ry, rz := float64(s.radii[0]), float64(s.radii[1]), float64(s.radii[2])
	if s.radii[0] == s.radii[1] && s.radii[1] == s.radii[2] {
		d := s.radii[0]*s.radii[0] - x*x - z*z
		if d < 0 {
			return -1
		}
		return isqrt(d)
	}
	rest := 1 - square(x, rx) - square(z, rz)
	if rest < -1e-12 {
		return -1
	}
	return int(float64(ry*math.Sqrt(max(rest, 0))) + 1e-9)
}

func square(x int, radius float64) float64 {
	if x == 0 {
		return 0
	}
	q := float64(x) / radius
	return float64(q * q) // rounded here, the same on every machine
}

// isqrt returns the integer part of the square root of n, which is not negative.
func isqrt(n int) int {
	r := int(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

// drawColumns draws a body that is one run of cells in each column around p: from
// lo to hi, none when hi < lo. hollow keeps the cells that have one of their six
// neighbours outside.
func drawColumns(c *canvas, p, reach voxel.Pos, with brush, hollow bool, column func(x, z int) (lo, hi int)) {
	run := func(x, z int) (int, int) {
		if x < -reach.X || x > reach.X || z < -reach.Z || z > reach.Z {
			return 0, -1
		}
		return column(x, z)
	}
	for z := -reach.Z; z <= reach.Z; z++ {
		for x := -reach.X; x <= reach.X; x++ {
			lo, hi := run(x, z)
			if hi < lo {
				continue
			}
			foot := p.Add(voxel.Pos{X: x, Z: z})
			whole := voxel.Box{Min: foot.Add(voxel.Pos{Y: lo}), Max: foot.Add(voxel.Pos{Y: hi})}
			if !hollow {
				c.fill(whole, with)
				continue
			}
			// The cells that all four columns beside have, without the first and
			// the last, are inside.
			from, to := lo+1, hi-1
			for _, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				l, h := run(x+d[0], z+d[1])
				from, to = max(from, l), min(to, h)
			}
			if from > to {
				c.fill(whole, with)
				continue
			}
			c.fill(voxel.Box{Min: whole.Min, Max: foot.Add(voxel.Pos{Y: from - 1})}, with)
			c.fill(voxel.Box{Min: foot.Add(voxel.Pos{Y: to + 1}), Max: whole.Max}, with)
		}
	}
}

// cone stands on center, the centre of its bottom layer, which is as wide as
// radius; the radius shrinks evenly to nothing above its height. hollow keeps the
// cells with a neighbour outside.
type cone struct {
	center         voxel.Pos
	radius, height int
	block          brush
	hollow         bool
}

func readCone(r *reader, v *strict.Value) shape {
	return &cone{
		r.pos(v, "center"), r.integer(v, "radius", 0, maxRadius), r.integer(v, "height", 1, maxRadius),
		r.block(v, "block"), r.flag(v, "hollow"),
	}
}

func (s *cone) draw(c *canvas, at voxel.Pos) error {
	p, reach := s.center.Add(at), voxel.Pos{X: s.radius, Z: s.radius}
	if err := within(voxel.Box{Min: p.Sub(reach), Max: p.Add(reach).Add(voxel.Pos{Y: s.height - 1})}); err != nil {
		return err
	}
	if err := c.charge(2*s.radius+1, 2*s.radius+1, s.height); err != nil {
		return err
	}
	drawColumns(c, p, reach, s.block, s.hollow, func(x, z int) (int, int) {
		// In layer y the radius is radius·(height−y)/height, so a column at the
		// distance d from the axis ends in the last layer with d ≤ that.
		d2 := x*x + z*z
		if d2 > s.radius*s.radius {
			return 0, -1
		}
		if s.radius == 0 {
			return 0, s.height - 1
		}
		// (d·height)² ≤ (radius·(height−y))², with ⌈d·height/radius⌉ layers cut
		// off at the top.
		cut := int(math.Ceil(math.Sqrt(float64(d2))*float64(s.height)/float64(s.radius) - 1e-9))
		return 0, min(s.height-cut, s.height-1)
	})
	return nil
}

// pyramid stands on a square around center with 2·base+1 cells to a side; each
// layer is one cell narrower on every side. It has base+1 layers unless height
// cuts it off.
type pyramid struct {
	center       voxel.Pos
	base, height int
	block        brush
	hollow       bool
}

func readPyramid(r *reader, v *strict.Value) shape {
	s := &pyramid{
		r.pos(v, "center"), r.integer(v, "base", 0, maxRadius), r.integer(v, "height", 1, maxRadius),
		r.block(v, "block"), r.flag(v, "hollow"),
	}
	if v.Get("height") == nil || s.height > s.base+1 {
		s.height = s.base + 1
	}
	return s
}

func (s *pyramid) draw(c *canvas, at voxel.Pos) error {
	p, reach := s.center.Add(at), voxel.Pos{X: s.base, Z: s.base}
	if err := within(voxel.Box{Min: p.Sub(reach), Max: p.Add(reach).Add(voxel.Pos{Y: s.height - 1})}); err != nil {
		return err
	}
	if err := c.charge(2*s.base+1, 2*s.base+1, s.height); err != nil {
		return err
	}
	drawColumns(c, p, reach, s.block, s.hollow, func(x, z int) (int, int) {
		return 0, min(s.base-max(abs(x), abs(z)), s.height-1)
	})
	return nil
}
