package plan

import (
	"math"

	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

var horizontal = []string{"x", "z"}

// arch is a doorway of blocks: two posts and a curve over them. It spans from one
// foot to the other along x or z; the opening is width cells wide.
type arch struct {
	foot                          voxel.Pos // the lowest cell of the post at the low end
	along                         string
	width, posts, thickness, deep int
	block                         brush
}

func readArch(r *reader, v *strict.Value) shape {
	s := &arch{
		foot: r.pos(v, "from"), along: r.word(v, "along", horizontal), width: r.integer(v, "width", 1, maxRadius),
		posts: r.integer(v, "height", 0, maxRadius), thickness: 1, deep: 1, block: r.block(v, "block"),
	}
	if v.Get("thickness") != nil {
		s.thickness = r.integer(v, "thickness", 1, 64)
	}
	if v.Get("depth") != nil {
		s.deep = r.integer(v, "depth", 1, maxRadius)
	}
	return s
}

func (s *arch) draw(c *canvas, at voxel.Pos) error {
	p := s.foot.Add(at)
	span := s.width + 2*s.thickness
	top := s.posts + (span+1)/2
	size := voxel.Pos{X: span - 1, Y: top - 1, Z: s.deep - 1}
	if s.along == "z" {
		size.X, size.Z = size.Z, size.X
	}
	if err := within(voxel.Box{Min: p, Max: p.Add(size)}); err != nil {
		return err
	}
	if err := c.charge(span, top, s.deep); err != nil {
		return err
	}
	for y := range top {
		for u := range span {
			if !s.has(u, y, span) {
				continue
			}
			lo := voxel.Pos{X: u, Y: y}
			hi := voxel.Pos{X: u, Y: y, Z: s.deep - 1}
			if s.along == "z" {
				lo.X, lo.Z, hi.X, hi.Z = lo.Z, lo.X, hi.Z, hi.X
			}
			c.fill(voxel.Box{Min: p.Add(lo), Max: p.Add(hi)}, s.block)
		}
	}
	return nil
}

// has reports whether the cell u along the span and y above the feet is built. All
// lengths are doubled, so that the middle of the span is an integer.
func (s *arch) has(u, y, span int) bool {
	if y < s.posts {
		return u < s.thickness || u >= span-s.thickness
	}
	du, dy := 2*u+1-span, 2*(y-s.posts)+1
	d := du*du + dy*dy
	// A little more than the circle outside, so that its cells touch by their faces.
	return d <= span*span+span && d > s.width*s.width
}

// polygon is an outline in the xz plane, extruded upwards. A cell is inside when
// its centre is, or when it lies on the outline.
type polygon struct {
	points    []voxel.Pos // y is unused
	y, height int
	block     brush
	hollow    bool // the outline only
}

// maxPoints bounds the corners of an outline.
const maxPoints = 256

func readPolygon(r *reader, v *strict.Value) shape {
	s := &polygon{
		y: r.integer(v, "y", math.MinInt32, math.MaxInt32), height: r.integer(v, "height", 1, maxRadius),
		block: r.block(v, "block"), hollow: r.flag(v, "hollow"),
	}
	list := v.Get("points")
	if r.err != nil {
		return s
	}
	if n := len(list.Items()); list.Kind() != strict.Array || n < 3 || n > maxPoints {
		r.fail(strict.Allow(list.Errorf(`points is an array of 3 to %d corners {"x":…,"z":…}`, maxPoints),
			map[string]any{"minItems": 3, "maxItems": maxPoints}))
		return s
	}
	for _, item := range list.Items() {
		if !r.object(item, horizontal, horizontal...) {
			return s
		}
		s.points = append(s.points, voxel.Pos{
			X: r.integer(item, "x", math.MinInt32, math.MaxInt32), Z: r.integer(item, "z", math.MinInt32, math.MaxInt32),
		})
	}
	return s
}

func (s *polygon) draw(c *canvas, at voxel.Pos) error {
	b := voxel.Cube(s.points[0])
	for _, p := range s.points {
		b = b.Union(voxel.Cube(p))
	}
	b.Min.Y, b.Max.Y = s.y, s.y+s.height-1
	if err := within(b.Move(at)); err != nil {
		return err
	}
	size := b.Size()
	if err := c.charge(size.X, size.Y, size.Z); err != nil {
		return err
	}
	column := func(x, z int) {
		c.fill(voxel.Box{Min: at.Add(voxel.Pos{X: x, Y: b.Min.Y, Z: z}), Max: at.Add(voxel.Pos{X: x, Y: b.Max.Y, Z: z})}, s.block)
	}
	for i, from := range s.points {
		d := s.points[(i+1)%len(s.points)].Sub(from)
		n := max(abs(d.X), abs(d.Z))
		for k := range n + 1 {
			column(from.X+step(d.X, k, n), from.Z+step(d.Z, k, n))
		}
	}
	if s.hollow {
		return nil
	}
	for z := b.Min.Z; z <= b.Max.Z; z++ {
		for x := b.Min.X; x <= b.Max.X; x++ {
			if s.inside(x, z) {
				column(x, z)
			}
		}
	}
	return nil
}

// inside counts the edges that a ray towards +x crosses.
func (s *polygon) inside(x, z int) bool {
	in := false
	for i, a := range s.points {
		b := s.points[(i+1)%len(s.points)]
		if (a.Z > z) == (b.Z > z) {
			continue
		}
		// x < a.X + (z−a.Z)·(b.X−a.X)/(b.Z−a.Z), without the division.
		left, right := (x-a.X)*(b.Z-a.Z), (z-a.Z)*(b.X-a.X)
		if b.Z > a.Z && left < right || b.Z < a.Z && left > right {
			in = !in
		}
	}
	return in
}

// stairsLine is a flight of stairs: steps cells up, one forward each, width cells
// wide to the right of the way up, with blocks under the steps when filled.
type stairsLine struct {
	from         voxel.Pos
	facing       string
	steps, width int
	stair, under brush
	filled       bool
}

// directions are the ways up, with what one step forward is and the value of
// weirdo_direction that faces there.
var directions = []struct {
	name    string
	forward voxel.Pos
	weirdo  string
}{
	{"east", voxel.Pos{X: 1}, "0"},
	{"west", voxel.Pos{X: -1}, "1"},
	{"south", voxel.Pos{Z: 1}, "2"},
	{"north", voxel.Pos{Z: -1}, "3"},
}

func directionNames() []string {
	names := make([]string, len(directions))
	for i, d := range directions {
		names[i] = d.name
	}
	return names
}

func readStairsLine(r *reader, v *strict.Value) shape {
	s := &stairsLine{
		from: r.pos(v, "from"), facing: r.word(v, "facing", directionNames()), steps: r.integer(v, "steps", 1, 4096), width: 1,
	}
	if v.Get("width") != nil {
		s.width = r.integer(v, "width", 1, maxRadius)
	}
	if under := v.Get("under"); under != nil {
		s.filled, s.under = true, r.block(v, "under")
	}
	if r.err == nil {
		s.stair = r.facing(v.Get("block"), s.facing)
	}
	return s
}

// facing reads a block and turns its weirdo_direction, if it has one.
func (r *reader) facing(v *strict.Value, direction string) brush {
	b := r.brush(v)
	if r.err != nil || b.mix != nil {
		return b
	}
	text := r.cells.Content(b.id)
	for _, d := range directions {
		if d.name != direction {
			continue
		}
		if s, err := r.env.Registry.Parse(withValue(text, "weirdo_direction", d.weirdo)); err == nil {
			return brush{id: r.cells.Intern(string(s))}
		}
	}
	return b
}

func (s *stairsLine) draw(c *canvas, at voxel.Pos) error {
	var forward voxel.Pos
	for _, d := range directions {
		if d.name == s.facing {
			forward = d.forward
		}
	}
	right := voxel.Pos{X: -forward.Z, Z: forward.X}
	p := s.from.Add(at)
	last := p.Add(voxel.Pos{
		X: forward.X*(s.steps-1) + right.X*(s.width-1), Y: s.steps - 1, Z: forward.Z*(s.steps-1) + right.Z*(s.width-1),
	})
	if err := within(voxel.Box{Min: p, Max: last}); err != nil {
		return err
	}
	if err := c.charge(s.steps, s.steps, s.width); err != nil {
		return err
	}
	for i := range s.steps {
		for w := range s.width {
			foot := p.Add(voxel.Pos{X: forward.X*i + right.X*w, Z: forward.Z*i + right.Z*w})
			if s.filled {
				c.fill(voxel.Box{Min: foot, Max: foot.Add(voxel.Pos{Y: i - 1})}, s.under)
			}
			c.set(foot.Add(voxel.Pos{Y: i}), s.stair)
		}
	}
	return nil
}
