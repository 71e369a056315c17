package embedded

import (
	"strconv"
	"strings"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// The most that a structure may span (bedrock-wire §3.3).
var maxStructure = voxel.Pos{X: 64, Y: 384, Z: 64}

// structureTemplate is a saved box. It lives as long as the world runs: of the
// game's two save modes that is memory; disk is not kept either.
type structureTemplate struct {
	size     voxel.Pos
	cells    []store.State // y, z, x order
	entities map[voxel.Pos]store.Entity
}

// structure saves and loads boxes:
//
//	structure save NAME FROM TO [INCLUDE_ENTITIES] [disk|memory] [INCLUDE_BLOCKS]
//	structure load NAME TO [ROTATION] [MIRROR] …
//	structure delete NAME
func (w *World) structure(o origin, a *arguments) (result, error) {
	action, err := a.next()
	if err != nil {
		return result{}, err
	}
	name, err := a.next()
	if err != nil {
		return result{}, err
	}
	if !strings.Contains(name, ":") {
		name = "mystructure:" + name
	}
	switch action {
	case "save":
		return w.saveStructure(o, name, a)
	case "load":
		return w.loadStructure(o, name, a)
	case "delete":
		if w.structures[name] == nil {
			return fail(text{key: textStructureMissing, args: []any{name}}), nil
		}
		delete(w.structures, name)
		return succeed(1, text{key: textStructureDeleted, args: []any{name}}), nil
	default:
		return result{}, syntax("%s", action)
	}
}

func (w *World) saveStructure(o origin, name string, a *arguments) (result, error) {
	box, err := w.area(o, a)
	if err != nil {
		return result{}, err
	}
	for a.more() {
		switch word, _ := a.next(); word {
		case "true", "false", "memory", "disk":
		default:
			return result{}, syntax("%s", word)
		}
	}
	size := box.Size()
	if size.X > maxStructure.X || size.Y > maxStructure.Y || size.Z > maxStructure.Z {
		return fail(text{key: textStructureBig, args: []any{maxStructure.X, maxStructure.Y, maxStructure.Z}}), nil
	}
	if !inside(o.dimension, box.Min) || !inside(o.dimension, box.Max) || !w.boxLoaded(o.dimension, box) {
		return fail(text{key: textAccessOutside}), nil
	}
	t := &structureTemplate{size: size, entities: map[voxel.Pos]store.Entity{}}
	for p := range box.All() {
		t.cells = append(t.cells, o.dimension.At(p))
		if e, ok := o.dimension.Entity(p); ok {
			t.entities[p.Sub(box.Min)] = e
		}
	}
	w.structures[name] = t
	return succeed(1, text{key: textStructureSaved, args: []any{name}}), nil
}

func (w *World) loadStructure(o origin, name string, a *arguments) (result, error) {
	to, err := w.position(o, a)
	if err != nil {
		return result{}, err
	}
	turns, mirror, err := placement(a)
	if err != nil {
		return result{}, err
	}
	t := w.structures[name]
	if t == nil {
		return fail(text{key: textStructureMissing, args: []any{name}}), nil
	}
	size := t.size
	if turns%2 == 1 {
		size.X, size.Z = size.Z, size.X
	}
	box := voxel.Box{Min: to, Max: to.Add(size).Sub(voxel.Pos{X: 1, Y: 1, Z: 1})}
	if !inside(o.dimension, box.Min) || !inside(o.dimension, box.Max) {
		return fail(text{key: textAccessOutside}), nil
	}
	if !w.boxLoaded(o.dimension, box) {
		// The game queues the placement and says so as if it had succeeded. Here
		// it never happens: the cells stay as they are until somebody asks again.
		return succeed(1, text{key: textStructureQueued}), nil
	}
	i := 0
	for p := range (voxel.Box{Max: t.size.Sub(voxel.Pos{X: 1, Y: 1, Z: 1})}).All() {
		s, err := w.turned(t.cells[i], turns, mirror)
		if err != nil {
			return result{}, err
		}
		at := to.Add(place(p, t.size, turns, mirror))
		w.put(o.dimension, at, s)
		if e, ok := t.entities[p]; ok {
			o.dimension.SetEntity(at, e)
		}
		i++
	}
	w.changed(o.dimension, box)
	return succeed(1, text{key: textStructureLoaded, args: []any{name}}), nil
}

// placement reads how a structure is turned and mirrored. What may follow are
// animation, entities, water, integrity and seed, which change nothing here.
func placement(a *arguments) (turns int, mirror string, err error) {
	mirror = "none"
	if degrees, found := strings.CutSuffix(a.peek(), "_degrees"); found {
		a.pos++
		n, err := strconv.Atoi(degrees)
		if err != nil || n%90 != 0 || n < 0 || n > 270 {
			return 0, "", syntax("%s_degrees", degrees)
		}
		turns = n / 90
	}
	switch a.peek() {
	case "none", "x", "z", "xz":
		mirror, _ = a.next()
	}
	for a.more() {
		word, _ := a.next()
		if _, err := strconv.ParseFloat(word, 64); err != nil && word != "true" && word != "false" && word != "block_by_block" && word != "layer_by_layer" {
			return 0, "", syntax("%s", word)
		}
	}
	return turns, mirror, nil
}

// place returns where a cell of a structure goes: mirrored first, then turned.
func place(p, size voxel.Pos, turns int, mirror string) voxel.Pos {
	if strings.Contains(mirror, "z") { // about the x axis: x stays
		p.X = size.X - 1 - p.X
	}
	if strings.Contains(mirror, "x") {
		p.Z = size.Z - 1 - p.Z
	}
	for range turns {
		p, size = voxel.Pos{X: size.Z - 1 - p.Z, Y: p.Y, Z: p.X}, voxel.Pos{X: size.Z, Y: size.Y, Z: size.X}
	}
	return p
}

// turned returns a state as it is after the same mirroring and turning.
func (w *World) turned(s store.State, turns int, mirror string) (store.State, error) {
	state := block.State(w.blocks.Text(s))
	registry := w.catalog.registry
	if strings.Contains(mirror, "z") {
		state = registry.Mirror(state, block.X)
	}
	if strings.Contains(mirror, "x") {
		state = registry.Mirror(state, block.Z)
	}
	return w.blocks.Intern(string(registry.Rotate(state, turns)))
}
