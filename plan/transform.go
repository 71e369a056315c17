package plan

import (
	"math"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// frame draws operations in coordinates of their own: mirrored, then turned about
// the pivot, then moved.
type frame struct {
	nodes  []node
	offset voxel.Pos
	pivot  voxel.Pos
	turns  int // clockwise quarter turns seen from above
	mirror string
	// skipAir leaves air out of what is copied.
	skipAir bool
}

func readTransform(r *reader, v *strict.Value) shape {
	f := r.placement(v)
	if f == nil {
		f = &frame{}
	}
	f.offset = f.offset.Add(r.pos(v, "offset"))
	f.pivot = r.pos(v, "pivot")
	f.turns = r.turns(v)
	f.mirror = r.word(v, "mirror", []string{"none", "x", "z"})
	f.nodes = r.operations(v.Get("operations"))
	return f
}

// turns reads a rotation in degrees.
func (r *reader) turns(v *strict.Value) int {
	value := v.Get("rotation")
	if value == nil || r.err != nil {
		return 0
	}
	degrees, ok := value.Int()
	if ok && degrees%90 == 0 && degrees >= 0 && degrees < 360 {
		return degrees / 90
	}
	err := strict.Allow(value.Errorf("a rotation of 0, 90, 180 or 270 is required here, not %s", value.Excerpt()),
		[]int{0, 90, 180, 270})
	if f, isNumber := value.Float(); isNumber && math.Abs(f) < 1e6 {
		err = strict.Fix(err, value.Replace((int(math.Round(f/90))%4+4)%4*90))
	}
	r.fail(err)
	return 0
}

// placement reads relative_to and ground; nil when the object has neither.
func (r *reader) placement(v *strict.Value) *frame {
	relative, ground := v.Get("relative_to"), v.Get("ground")
	switch {
	case r.err != nil || relative == nil && ground == nil:
		return nil
	case relative != nil && ground != nil:
		r.fail(strict.Fix(ground.Errorf("relative_to and ground exclude each other"), ground.Remove()))
		return nil
	case ground != nil:
		return &frame{offset: r.onGround(ground)}
	case relative.Get("part_id") != nil:
		return &frame{offset: r.atPart(relative)}
	default:
		return &frame{offset: r.position(relative)}
	}
}

// onGround returns the first free cell above the terrain of a column.
func (r *reader) onGround(v *strict.Value) voxel.Pos {
	if !r.object(v, []string{"x", "z", "dy"}, "x", "z") {
		return voxel.Pos{}
	}
	x := r.integer(v, "x", math.MinInt32, math.MaxInt32)
	z := r.integer(v, "z", math.MinInt32, math.MaxInt32)
	dy := r.integer(v, "dy", -4096, 4096)
	if r.err != nil {
		return voxel.Pos{}
	}
	if r.env.Ground == nil {
		r.fail(v.Errorf("the height of the ground is not known here"))
		return voxel.Pos{}
	}
	y, ok := r.env.Ground(x, z)
	if !ok {
		r.fail(v.Fault(fault.ChunkNotLoaded, "the height of the ground at x %d, z %d is not known", x, z))
	}
	return voxel.Pos{X: x, Y: y + 1 + dy, Z: z}
}

var anchors = []string{"min", "max", "base", "top"}

// atPart returns an anchor of a part's bounds: their lowest or highest corner, the
// middle of the lowest layer, or the middle of the layer above the highest.
func (r *reader) atPart(v *strict.Value) voxel.Pos {
	if !r.object(v, []string{"part_id", "anchor"}, "part_id") {
		return voxel.Pos{}
	}
	id, anchor := r.text(v, "part_id", 256), r.word(v, "anchor", anchors)
	if r.err != nil {
		return voxel.Pos{}
	}
	for _, part := range r.env.Parts {
		if part.ID != id && part.Name != id || part.Mask == nil {
			continue
		}
		b, ok := part.Mask.Bounds()
		if !ok {
			break
		}
		middle := voxel.Pos{X: floorDiv(b.Min.X+b.Max.X, 2), Y: b.Min.Y, Z: floorDiv(b.Min.Z+b.Max.Z, 2)}
		switch anchor {
		case "max":
			return b.Max
		case "base":
			return middle
		case "top":
			middle.Y = b.Max.Y + 1
			return middle
		default:
			return b.Min
		}
	}
	var names []string
	for _, part := range r.env.Parts {
		names = append(names, part.ID)
	}
	err := strict.Allow(v.Get("part_id").Fault(fault.NotFound, "the project has no part %q with cells", id), names)
	if near := strict.Nearest(id, names); near != "" {
		err = strict.Fix(err, v.Get("part_id").Replace(near))
	}
	r.fail(err)
	return voxel.Pos{}
}

func (f *frame) draw(c *canvas, at voxel.Pos) error {
	at = at.Add(f.offset)
	if f.turns == 0 && (f.mirror == "" || f.mirror == "none") {
		return c.draw(f.nodes, at)
	}
	own := &canvas{env: c.env, cells: voxel.NewVolume(), budget: c.budget}
	for _, content := range c.cells.Palette()[1:] {
		own.cells.Intern(content) // so that the brushes mean the same on both
	}
	if err := own.draw(f.nodes, voxel.Pos{}); err != nil {
		return err
	}
	return f.copy(c, own.cells, at)
}

// copy draws the cells of from, mirrored, turned and moved.
func (f *frame) copy(c *canvas, from *voxel.Volume, at voxel.Pos) error {
	ids := make([]voxel.ID, len(from.Palette()))
	for i, content := range from.Palette() {
		if i > 0 && (!f.skipAir || content != string(block.Air)) {
			ids[i] = c.cells.Intern(string(f.turn(c.env.Registry, block.State(content))))
		}
	}
	for p, id := range from.All() {
		if ids[id] == voxel.None {
			continue
		}
		q := f.move(p).Add(at)
		if err := within(voxel.Cube(q)); err != nil {
			return err
		}
		c.cells.Set(q, ids[id])
	}
	return nil
}

func (f *frame) turn(r *block.Registry, s block.State) block.State {
	switch f.mirror {
	case "x":
		s = r.Mirror(s, block.X)
	case "z":
		s = r.Mirror(s, block.Z)
	}
	return r.Rotate(s, f.turns)
}

func (f *frame) move(p voxel.Pos) voxel.Pos {
	p = p.Sub(f.pivot)
	switch f.mirror {
	case "x":
		p.X = -p.X
	case "z":
		p.Z = -p.Z
	}
	for range f.turns {
		p.X, p.Z = -p.Z, p.X
	}
	return p.Add(f.pivot)
}
