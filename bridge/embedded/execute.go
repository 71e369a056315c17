package embedded

import (
	"strings"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// execute runs a command in another context, or says whether something holds:
//
//	execute {in DIMENSION | positioned POS | if|unless CONDITION} [run COMMAND]
//
// where CONDITION is block POS BLOCK [STATES], or blocks BEGIN END DESTINATION
// masked|all. Without run, success is that all conditions hold. What follows a
// condition that does not hold is still read, up to the name of the command.
func (w *World) execute(o origin, a *arguments) (result, error) {
	for tested, passed := false, true; ; {
		if !a.more() {
			switch {
			case !tested:
				return result{}, syntax("the end of the command")
			case !passed:
				return nothing(text{key: textTestFailed}), nil
			}
			return succeed(1, text{key: textTestPassed}), nil
		}
		word, _ := a.next()
		switch word {
		case "in":
			name, err := a.next()
			if err != nil {
				return result{}, err
			}
			d := w.blocks.Dimension(strings.TrimPrefix(name, "minecraft:"))
			if d == nil {
				return result{}, syntax("%s", name)
			}
			o.dimension = d
		case "positioned":
			p, err := w.position(o, a)
			if err != nil {
				return result{}, err
			}
			o.pos = p
		case "if", "unless":
			holds, err := w.condition(o, a)
			if err != nil {
				return result{}, err
			}
			tested, passed = true, passed && holds == (word == "if")
		case "run":
			return w.runRest(o, a, passed)
		default:
			return result{}, syntax("%s", word)
		}
	}
}

// runRest runs the words that are left as a command, if the conditions before it
// hold. Those that take a message do not go on as words; the pack does not use
// them behind execute.
func (w *World) runRest(o origin, a *arguments, passed bool) (result, error) {
	name, err := a.next()
	if err != nil {
		return result{}, err
	}
	run := w.commandNamed(strings.TrimPrefix(name, "/"))
	if run == nil {
		return result{}, syntax("%s", name)
	}
	if !passed {
		return nothing(text{key: textTestFailed}), nil
	}
	return run(o, a)
}

func (w *World) condition(o origin, a *arguments) (bool, error) {
	word, err := a.next()
	if err != nil {
		return false, err
	}
	switch word {
	case "block":
		p, err := w.position(o, a)
		if err != nil {
			return false, err
		}
		f, err := w.filterArguments(a)
		if err != nil {
			return false, err
		}
		return inside(o.dimension, p) && w.loaded(o.dimension, p) && w.catalog.matches(f, o.dimension.At(p)), nil
	case "blocks":
		same, _, err := w.compare(o, a)
		return same, err
	default:
		return false, syntax("%s", word)
	}
}

// filterArguments takes a block and the states to compare.
func (w *World) filterArguments(a *arguments) (*filter, error) {
	id, states, err := w.blockAndStates(a)
	if err != nil {
		return nil, err
	}
	return w.catalog.filterArgument(id, states)
}

// compare reads BEGIN END DESTINATION [masked|all] and compares the two boxes. It
// returns whether they are equal and how many cells it compared.
func (w *World) compare(o origin, a *arguments) (bool, int, error) {
	box, err := w.area(o, a)
	if err != nil {
		return false, 0, err
	}
	to, err := w.position(o, a)
	if err != nil {
		return false, 0, err
	}
	masked := false
	if mode := a.peek(); mode == "masked" || mode == "all" {
		a.pos++
		masked = mode == "masked"
	}
	other := box.Move(to.Sub(box.Min))
	for _, b := range []voxel.Box{box, other} {
		if err := w.checkArea(o.dimension, b, textCompareTooMany, textAccessOutside); err != nil {
			return false, 0, err
		}
	}
	count := 0
	for p := range box.All() {
		s := o.dimension.At(p)
		if masked && w.isAir(s) {
			continue
		}
		count++
		if o.dimension.At(p.Add(other.Min.Sub(box.Min))) != s {
			return false, count, nil
		}
	}
	return true, count, nil
}

// testforblocks compares two boxes: testforblocks BEGIN END DESTINATION
// [masked|all].
func (w *World) testforblocks(o origin, a *arguments) (result, error) {
	same, count, err := w.compare(o, a)
	if err != nil {
		return result{}, err
	}
	if a.more() {
		return result{}, syntax("%s", a.peek())
	}
	fields := map[string]any{"compareCount": count, "matches": same}
	if !same {
		r := nothing(text{key: textCompareDiffers})
		r.fields = fields
		return r, nil
	}
	r := succeed(count, text{key: textCompared, args: []any{count}})
	r.fields = fields
	return r, nil
}

// clone copies a box:
//
//	clone BEGIN END DESTINATION [replace|masked] [normal|force|move]
//	clone BEGIN END DESTINATION filtered normal|force|move BLOCK [STATES]
func (w *World) clone(o origin, a *arguments) (result, error) {
	box, err := w.area(o, a)
	if err != nil {
		return result{}, err
	}
	to, err := w.position(o, a)
	if err != nil {
		return result{}, err
	}
	takes, mode, err := w.cloneMode(a)
	if err != nil {
		return result{}, err
	}
	shift := to.Sub(box.Min)
	if err := w.checkClone(o.dimension, box, box.Move(shift), mode); err != nil {
		return result{}, err
	}
	type cell struct {
		p      voxel.Pos
		s      store.State
		entity *store.Entity
	}
	var cells []cell
	for p := range box.All() {
		if s := o.dimension.At(p); takes(s) {
			c := cell{p: p, s: s}
			if e, ok := o.dimension.Entity(p); ok {
				c.entity = &e
			}
			cells = append(cells, c)
		}
	}
	count := 0
	if mode == "move" {
		for _, c := range cells {
			w.put(o.dimension, c.p, 0)
		}
	}
	for _, c := range cells {
		if w.put(o.dimension, c.p.Add(shift), c.s) {
			count++
		}
		if c.entity != nil {
			o.dimension.SetEntity(c.p.Add(shift), *c.entity)
		}
	}
	if count == 0 {
		return nothing(text{key: textCloneNone}), nil
	}
	w.changed(o.dimension, box.Move(shift))
	if mode == "move" {
		w.changed(o.dimension, box)
	}
	r := succeed(count, text{key: textCloned, args: []any{count}})
	r.fields = map[string]any{"count": count}
	return r, nil
}

// cloneMode reads what follows the destination.
func (w *World) cloneMode(a *arguments) (takes func(store.State) bool, mode string, err error) {
	takes, mode = func(store.State) bool { return true }, "normal"
	mask := ""
	if a.more() {
		mask, _ = a.next()
	}
	switch mask {
	case "", "replace":
	case "masked":
		takes = func(s store.State) bool { return !w.isAir(s) }
	case "filtered":
	default:
		return nil, "", syntax("%s", mask)
	}
	if a.more() {
		mode, _ = a.next()
		if mode != "normal" && mode != "force" && mode != "move" {
			return nil, "", syntax("%s", mode)
		}
	}
	if mask == "filtered" {
		f, err := w.filterArguments(a)
		if err != nil {
			return nil, "", err
		}
		takes = func(s store.State) bool { return w.catalog.matches(f, s) }
	}
	if a.more() {
		return nil, "", syntax("%s", a.peek())
	}
	return takes, mode, nil
}

func (w *World) checkClone(d *store.Dimension, from, to voxel.Box, mode string) error {
	if n := from.Volume(); n > maxFill {
		return &failure{text{key: textFillTooMany, args: []any{n, maxFill}}}
	}
	if mode == "normal" && from.Intersect(to).Valid() {
		return &failure{text{key: textCloneOverlap}}
	}
	if !inside(d, from.Min) || !inside(d, from.Max) || !inside(d, to.Min) || !inside(d, to.Max) {
		return &failure{text{key: textAccessOutside}}
	}
	if !w.boxLoaded(d, from) {
		return &failure{text{key: textCloneSource}}
	}
	if !w.boxLoaded(d, to) {
		return &failure{text{key: textCloneDestination}}
	}
	return nil
}
