package plan

import (
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// operation is one kind of operation of the recipe language.
type operation struct {
	name     string
	required []string
	keys     []string // all of them but type
	read     func(r *reader, v *strict.Value) shape
}

// Operations returns the names of the operations that Compile knows.
func Operations() []string {
	table := operations()
	names := make([]string, len(table))
	for i, op := range table {
		names[i] = op.name
	}
	return names
}

// operations is the language. The first four are the prototype's.
func operations() []operation {
	return []operation{
		op("box", readBox, []string{"min", "max", "block"}, "hollow"),
		op("line", readLine, []string{"from", "to", "block"}),
		op("cylinder", readCylinder, []string{"center", "radius", "height", "block"}, "hollow"),
		op("repeat", readRepeat, []string{"count", "offset", "operations"}),
		op("transform", readTransform, []string{"operations"},
			"offset", "rotation", "mirror", "pivot", "relative_to", "ground"),
		op("sphere", readSphere, []string{"center", "radius", "block"}, "hollow"),
		op("ellipsoid", readEllipsoid, []string{"center", "radii", "block"}, "hollow"),
		op("cone", readCone, []string{"center", "radius", "height", "block"}, "hollow"),
		op("pyramid", readPyramid, []string{"center", "base", "block"}, "height", "hollow"),
		op("arch", readArch, []string{"from", "along", "width", "height", "block"}, "thickness", "depth"),
		op("polygon", readPolygon, []string{"points", "y", "height", "block"}, "hollow"),
		op("stairs_line", readStairsLine, []string{"from", "facing", "steps", "block"}, "width", "under"),
		op("replace", readReplace, []string{"min", "max", "from", "to"}),
		op("paste", readPaste, []string{"asset_id", "at"}, "rotation", "mirror", "skip_air"),
		op("layers", readLayers, []string{"min", "legend", "layers"}),
	}
}

func op(name string, read func(*reader, *strict.Value) shape, required []string, optional ...string) operation {
	return operation{name, required, append(append([]string{}, required...), optional...), read}
}

// box is an inclusive box; hollow keeps the cells on its six faces.
type box struct {
	voxel.Box
	block  brush
	hollow bool
}

func readBox(r *reader, v *strict.Value) shape {
	return &box{r.box(v), r.block(v, "block"), r.flag(v, "hollow")}
}

func (s *box) draw(c *canvas, at voxel.Pos) error {
	b := s.Move(at)
	if err := within(b); err != nil {
		return err
	}
	size := b.Size()
	if err := c.charge(size.X, size.Y, size.Z); err != nil {
		return err
	}
	if !s.hollow || min(size.X, size.Y, size.Z) <= 2 {
		c.fill(b, s.block)
		return nil
	}
	lo, hi := b.Min, b.Max
	for _, face := range []voxel.Box{
		{Min: lo, Max: voxel.Pos{X: hi.X, Y: lo.Y, Z: hi.Z}},
		{Min: voxel.Pos{X: lo.X, Y: hi.Y, Z: lo.Z}, Max: hi},
		{Min: voxel.Pos{X: lo.X, Y: lo.Y + 1, Z: lo.Z}, Max: voxel.Pos{X: hi.X, Y: hi.Y - 1, Z: lo.Z}},
		{Min: voxel.Pos{X: lo.X, Y: lo.Y + 1, Z: hi.Z}, Max: voxel.Pos{X: hi.X, Y: hi.Y - 1, Z: hi.Z}},
		{Min: voxel.Pos{X: lo.X, Y: lo.Y + 1, Z: lo.Z + 1}, Max: voxel.Pos{X: lo.X, Y: hi.Y - 1, Z: hi.Z - 1}},
		{Min: voxel.Pos{X: hi.X, Y: lo.Y + 1, Z: lo.Z + 1}, Max: voxel.Pos{X: hi.X, Y: hi.Y - 1, Z: hi.Z - 1}},
	} {
		c.fill(face, s.block)
	}
	return nil
}

// line is the 26-connected line between two cells; both directions give the same
// cells.
type line struct {
	from, to voxel.Pos
	block    brush
}

func readLine(r *reader, v *strict.Value) shape {
	return &line{r.pos(v, "from"), r.pos(v, "to"), r.block(v, "block")}
}

func (s *line) draw(c *canvas, at voxel.Pos) error {
	from, to := s.from.Add(at), s.to.Add(at)
	if err := within(voxel.Box{Min: from, Max: to}); err != nil {
		return err
	}
	d := to.Sub(from)
	n := max(abs(d.X), abs(d.Y), abs(d.Z))
	if err := c.charge(n + 1); err != nil {
		return err
	}
	for i := range n + 1 {
		c.set(from.Add(voxel.Pos{X: step(d.X, i, n), Y: step(d.Y, i, n), Z: step(d.Z, i, n)}), s.block)
	}
	return nil
}

// step returns how far one coordinate of a line has come after i of n steps:
// d·i/n rounded to the nearest integer, halves upwards.
func step(d, i, n int) int {
	if n == 0 {
		return 0
	}
	return floorDiv(2*d*i+n, 2*n)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func abs(n int) int { return max(n, -n) }

// cylinder stands upright on center, the centre of its bottom layer. hollow keeps
// a wall of one cell without caps.
type cylinder struct {
	center         voxel.Pos
	radius, height int
	block          brush
	hollow         bool
}

func readCylinder(r *reader, v *strict.Value) shape {
	return &cylinder{
		r.pos(v, "center"), r.integer(v, "radius", 0, maxInt32), r.integer(v, "height", 1, maxInt32),
		r.block(v, "block"), r.flag(v, "hollow"),
	}
}

const maxInt32 = 1<<31 - 1

func (s *cylinder) draw(c *canvas, at voxel.Pos) error {
	p, edge := s.center.Add(at), 2*s.radius+1
	reach := voxel.Pos{X: s.radius, Z: s.radius}
	if err := within(voxel.Box{Min: p.Sub(reach), Max: p.Add(reach).Add(voxel.Pos{Y: s.height - 1})}); err != nil {
		return err
	}
	if err := c.charge(edge, edge, s.height); err != nil {
		return err
	}
	most, least := s.radius*s.radius, -1
	if s.hollow && s.radius > 0 {
		least = (s.radius - 1) * (s.radius - 1)
	}
	for z := -s.radius; z <= s.radius; z++ {
		for x := -s.radius; x <= s.radius; x++ {
			if d := x*x + z*z; d <= most && d > least {
				lo := p.Add(voxel.Pos{X: x, Z: z})
				c.fill(voxel.Box{Min: lo, Max: lo.Add(voxel.Pos{Y: s.height - 1})}, s.block)
			}
		}
	}
	return nil
}

// repeat draws its operations count times, each time moved by offset once more.
type repeat struct {
	count  int
	offset voxel.Pos
	nodes  []node
}

func readRepeat(r *reader, v *strict.Value) shape {
	return &repeat{r.integer(v, "count", 1, maxCount), r.pos(v, "offset"), r.operations(v.Get("operations"))}
}

func (s *repeat) draw(c *canvas, at voxel.Pos) error {
	for range s.count {
		if err := c.draw(s.nodes, at); err != nil {
			return err
		}
		at = at.Add(s.offset)
	}
	return nil
}
