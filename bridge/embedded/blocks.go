package embedded

import (
	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// maxFill is how many cells one command may span (bedrock-wire §3.3).
const maxFill = 32768

// position takes three coordinates.
func (w *World) position(o origin, a *arguments) (voxel.Pos, error) {
	var p voxel.Pos
	for _, axis := range []struct {
		to   *int
		base int
	}{{&p.X, o.pos.X}, {&p.Y, o.pos.Y}, {&p.Z, o.pos.Z}} {
		n, err := a.coordinate(axis.base)
		if err != nil {
			return p, err
		}
		*axis.to = n
	}
	return p, nil
}

// area takes the two corners of a box.
func (w *World) area(o origin, a *arguments) (voxel.Box, error) {
	p, err := w.position(o, a)
	if err != nil {
		return voxel.Box{}, err
	}
	q, err := w.position(o, a)
	if err != nil {
		return voxel.Box{}, err
	}
	return voxel.Cube(p).Union(voxel.Cube(q)), nil
}

// checkArea refuses a box that is too big, outside of the world or not loaded.
func (w *World) checkArea(d *store.Dimension, box voxel.Box, tooMany, outside string) error {
	if n := box.Volume(); n > maxFill {
		return &failure{text{key: tooMany, args: []any{n, maxFill}}}
	}
	if !inside(d, box.Min) || !inside(d, box.Max) || !w.boxLoaded(d, box) {
		return &failure{text{key: outside}}
	}
	return nil
}

// blockAndStates takes a block with the states that may follow it.
func (w *World) blockAndStates(a *arguments) (id, states string, err error) {
	if id, err = a.next(); err != nil {
		return "", "", err
	}
	return id, a.states(), nil
}

// stateArguments takes a block with the states that may follow it, to be written.
func (w *World) stateArguments(a *arguments) (store.State, error) {
	id, states, err := w.blockAndStates(a)
	if err != nil {
		return 0, err
	}
	return w.catalog.blockArgument(id, states)
}

// setblock writes one cell: setblock POS BLOCK [STATES] [replace|destroy|keep].
func (w *World) setblock(o origin, a *arguments) (result, error) {
	p, err := w.position(o, a)
	if err != nil {
		return result{}, err
	}
	s, err := w.stateArguments(a)
	if err != nil {
		return result{}, err
	}
	mode, err := a.mode("replace", "destroy", "keep")
	if err != nil {
		return result{}, err
	}
	if !o.player {
		w.before(o.dimension, voxel.Cube(p))
		defer w.after(o.dimension, voxel.Cube(p))
	}
	if !inside(o.dimension, p) || !w.loaded(o.dimension, p) {
		return fail(text{key: textSetOutside}), nil
	}
	if mode == "keep" && !w.isAir(o.dimension.At(p)) || !w.put(o.dimension, p, s) {
		return nothing(text{key: textSetNoChange}), nil
	}
	w.changed(o.dimension, voxel.Cube(p))
	r := succeed(1, text{key: textSet})
	r.fields = map[string]any{"position": p}
	return r, nil
}

// mode takes the last word of a command, one of those given; the first is the
// default.
func (a *arguments) mode(modes ...string) (string, error) {
	if !a.more() {
		return modes[0], nil
	}
	word, _ := a.next()
	for _, m := range modes {
		if word == m && !a.more() {
			return m, nil
		}
	}
	return "", syntax("%s", word)
}

func (w *World) isAir(s store.State) bool { return w.catalog.info(s).id == store.Air }

// fill writes a box:
//
//	fill FROM TO BLOCK [STATES] [outline|hollow|destroy|keep]
//	fill FROM TO BLOCK [STATES] replace [BLOCK [STATES]]
func (w *World) fill(o origin, a *arguments) (result, error) {
	box, err := w.area(o, a)
	if err != nil {
		return result{}, err
	}
	s, err := w.stateArguments(a)
	if err != nil {
		return result{}, err
	}
	write, err := w.fillMode(a, box, s)
	if err != nil {
		return result{}, err
	}
	if !o.player {
		w.before(o.dimension, box)
		defer w.after(o.dimension, box)
	}
	if err := w.checkArea(o.dimension, box, textFillTooMany, textFillOutside); err != nil {
		return result{}, err
	}
	count := write(o.dimension)
	if count == 0 {
		return nothing(text{key: textFillNone}), nil
	}
	w.dirty = true
	w.changed(o.dimension, box)
	r := succeed(count, text{key: textFilled, args: []any{count}})
	r.fields = map[string]any{"fillCount": count, "blockName": w.catalog.info(s).id}
	return r, nil
}

// fillMode reads what follows the block and returns what writes the box.
func (w *World) fillMode(a *arguments, box voxel.Box, s store.State) (func(*store.Dimension) int, error) {
	all := func(store.State) store.State { return s }
	if a.peek() == "replace" {
		a.pos++
		if !a.more() {
			return func(d *store.Dimension) int { return d.Change(box, all, nil) }, nil
		}
		f, err := w.lastFilter(a)
		if err != nil {
			return nil, err
		}
		return func(d *store.Dimension) int {
			return d.Change(box, func(old store.State) store.State {
				if w.catalog.matches(f, old) {
					return s
				}
				return old
			}, nil)
		}, nil
	}
	mode, err := a.mode("", "outline", "hollow", "destroy", "keep")
	if err != nil {
		return nil, err
	}
	switch mode {
	case "keep":
		return func(d *store.Dimension) int {
			return d.Change(box, func(old store.State) store.State {
				if w.isAir(old) {
					return s
				}
				return old
			}, nil)
		}, nil
	case "outline", "hollow":
		return func(d *store.Dimension) int { return shell(d, box, s, mode == "hollow") }, nil
	default:
		return func(d *store.Dimension) int { return d.Change(box, all, nil) }, nil
	}
}

// lastFilter takes the filter that ends a command.
func (w *World) lastFilter(a *arguments) (*filter, error) {
	f, err := w.filterArguments(a)
	if err == nil && a.more() {
		return nil, syntax("%s", a.peek())
	}
	return f, err
}

// shell writes the outermost cells of a box, and empties the others if hollow.
func shell(d *store.Dimension, box voxel.Box, s store.State, hollow bool) int {
	count := 0
	for p := range box.All() {
		outer := p.X == box.Min.X || p.X == box.Max.X || p.Y == box.Min.Y || p.Y == box.Max.Y || p.Z == box.Min.Z || p.Z == box.Max.Z
		switch {
		case outer && d.Set(p, s) != s:
			count++
		case !outer && hollow && d.Set(p, 0) != 0: // the palette begins with air
			count++
		}
	}
	return count
}

// testforblock compares one cell: testforblock POS BLOCK [STATES].
func (w *World) testforblock(o origin, a *arguments) (result, error) {
	p, err := w.position(o, a)
	if err != nil {
		return result{}, err
	}
	f, err := w.lastFilter(a)
	if err != nil {
		return result{}, err
	}
	if !inside(o.dimension, p) || !w.loaded(o.dimension, p) {
		return fail(text{key: textTestOutside}), nil
	}
	if s := o.dimension.At(p); !w.catalog.matches(f, s) {
		return nothing(text{key: textTestDiffers, args: []any{p.X, p.Y, p.Z, w.catalog.info(s).id, f.id}}), nil
	}
	r := succeed(1, text{key: textTestFound, args: []any{p.X, p.Y, p.Z}})
	r.fields = map[string]any{"position": p}
	return r, nil
}

// changed lets the world react to a change of a box: the neighbours connect, and
// with physics what stands loose begins to move.
func (w *World) changed(d *store.Dimension, box voxel.Box) {
	w.dirty = true
	if w.options.Derived == Recompute {
		w.derive(d, box)
	}
	if w.options.Physics {
		w.disturb(d, box)
	}
}
