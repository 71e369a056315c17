package plan

import (
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// replace gives the cells of a box that match a filter another state. It sees what
// the recipe has drawn so far and, where it has drawn nothing, the world.
type replace struct {
	voxel.Box
	from []filter
	to   brush
}

// filter matches a block by its id, and by its states when they are given.
type filter struct {
	id    string
	state block.State // "" for any state of the id
}

func readReplace(r *reader, v *strict.Value) shape {
	s := &replace{Box: r.box(v), to: r.block(v, "to")}
	from := v.Get("from")
	if r.err != nil {
		return s
	}
	list := []*strict.Value{from}
	if from.Kind() == strict.Array {
		list = from.Items()
	}
	if len(list) == 0 || len(list) > 64 {
		r.fail(from.Errorf("from names 1 to 64 blocks, not %d", len(list)))
	}
	for _, item := range list {
		if r.err != nil {
			return s
		}
		text, _ := item.Text()
		b := r.brush(item)
		if b.mix != nil {
			r.fail(item.Errorf("a mix cannot be replaced; name its blocks"))
		}
		if r.err != nil {
			return s
		}
		f := filter{state: block.State(r.cells.Content(b.id))}
		f.id = f.state.ID()
		if !strings.Contains(text, "[") {
			f.state = ""
		}
		s.from = append(s.from, f)
	}
	return s
}

func (s *replace) draw(c *canvas, at voxel.Pos) error {
	b := s.Move(at)
	if err := within(b); err != nil {
		return err
	}
	size := b.Size()
	if err := c.charge(size.X, size.Y, size.Z); err != nil {
		return err
	}
	if c.env.World == nil {
		return fault.Errorf(fault.InvalidRequest, "replace needs the world, which is not available here")
	}
	world, err := c.env.World(b)
	if err != nil {
		return err
	}
	drawn := s.matches(c.cells, c.env.Registry)
	found := s.matches(world, c.env.Registry)
	for p := range b.All() {
		id := c.cells.ID(p)
		if id != voxel.None && id < voxel.ID(len(drawn)) && drawn[id] || id == voxel.None && found[world.ID(p)] {
			c.set(p, s.to)
		}
	}
	return nil
}

// matches returns for each entry of a palette whether the filter matches it.
func (s *replace) matches(v *voxel.Volume, r *block.Registry) []bool {
	out := make([]bool, len(v.Palette()))
	for i, content := range v.Palette()[1:] {
		state := block.State(content)
		for _, f := range s.from {
			out[i+1] = out[i+1] || state.ID() == f.id && (f.state == "" || r.Same(state, f.state))
		}
	}
	return out
}

// paste draws an asset of the library.
type paste struct {
	frame

	asset *voxel.Volume
	at    voxel.Pos
}

func readPaste(r *reader, v *strict.Value) shape {
	s := &paste{at: r.pos(v, "at")}
	s.skipAir = r.flag(v, "skip_air")
	s.turns, s.mirror = r.turns(v), r.word(v, "mirror", []string{"none", "x", "z"})
	id := r.text(v, "asset_id", 256)
	if r.err != nil {
		return s
	}
	if r.env.Assets == nil {
		r.fail(v.Errorf("assets are not available here"))
		return s
	}
	asset, err := r.env.Assets(id)
	if err != nil {
		r.fail(locate(v.Get("asset_id"), err))
		return s
	}
	s.asset = asset
	return s
}

func (s *paste) draw(c *canvas, at voxel.Pos) error {
	if err := c.charge(s.asset.Len()); err != nil {
		return err
	}
	return s.copy(c, s.asset, s.at.Add(at))
}

// layers draws the text that region_inspect returns.
type layers struct {
	text   voxel.Layers
	legend map[string]brush
	src    *strict.Value // the array of layers
}

func readLayers(r *reader, v *strict.Value) shape {
	s := &layers{legend: map[string]brush{}, src: v.Get("layers")}
	s.text.Min = r.pos(v, "min")
	legend := v.Get("legend")
	if r.err != nil {
		return s
	}
	if legend.Kind() != strict.Object || s.src.Kind() != strict.Array {
		r.fail(v.Errorf("legend is an object of symbols and layers an array of strings"))
		return s
	}
	s.text.Legend = map[string]string{}
	for i, symbol := range legend.Keys() {
		if !voxel.ValidSymbol(symbol) {
			r.fail(strict.Allow(legend.Items()[i].Errorf("%q is not a symbol", symbol),
				"a letter, a dot, an underscore, a dash, or ~ and two letters"))
			return s
		}
		s.text.Legend[symbol] = symbol
		s.legend[symbol] = r.brush(legend.Items()[i])
	}
	for _, item := range s.src.Items() {
		text, ok := item.Text()
		if !ok {
			r.fail(item.Errorf("a layer is a string, not %s", item.Kind()))
			return s
		}
		s.text.Text = append(s.text.Text, text)
	}
	return s
}

func (s *layers) draw(c *canvas, at voxel.Pos) error {
	text := s.text
	text.Min = text.Min.Add(at)
	// Whatever is wrong with the text ends the whole recipe, so cells need not wait
	// until all of it is read.
	size, err := text.Decode(c.budget.scan, func(p voxel.Pos, symbol string) { c.set(p, s.legend[symbol]) })
	if err != nil {
		return s.place(err)
	}
	if err := within(voxel.Box{Min: text.Min, Max: text.Min.Add(size)}); err != nil {
		return err
	}
	return c.charge(size.X, size.Y, size.Z)
}

// place turns an error of the text into one with a pointer.
func (s *layers) place(err error) error {
	wrong, ok := err.(*voxel.LayerError) //nolint:errorlint // Decode's own error
	if !ok {
		return err
	}
	code := fault.InvalidRequest
	if wrong.Size {
		code = fault.BudgetExceeded
	}
	at := s.src
	if wrong.Layer >= 0 {
		at = s.src.Items()[wrong.Layer]
	}
	return at.Fault(code, "layer %d: %s", wrong.Layer, wrong.Msg)
}
