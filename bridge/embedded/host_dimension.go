package embedded

import (
	"github.com/dop251/goja"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// dimensionObject returns the script's object of a dimension.
func (h *host) dimensionObject(d *store.Dimension) *goja.Object {
	if o := h.dimensions[d]; o != nil {
		return o
	}
	o := h.vm.NewDynamicObject(&dimensionObject{
		host: h, dimension: d,
		getBlock:      h.vm.ToValue(func(call goja.FunctionCall) goja.Value { return h.getBlock(d, call) }),
		containsBlock: h.vm.ToValue(func(call goja.FunctionCall) goja.Value { return h.vm.ToValue(h.containsBlock(d, call)) }),
		isChunkLoaded: h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			return h.vm.ToValue(h.world.loaded(d, h.pos(call.Argument(0))))
		}),
		getEntities: h.vm.ToValue(func(call goja.FunctionCall) goja.Value { return h.getEntities(d, call) }),
		runCommand: h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			return h.runCommand(origin{dimension: d}, call.Argument(0).String())
		}),
	})
	h.dimensions[d] = o
	return o
}

// dimensionObject is a Dimension. It is apart from the other native objects
// because the script asks it for every cell.
type dimensionObject struct {
	readOnly
	host      *host
	dimension *store.Dimension

	getBlock, containsBlock, isChunkLoaded, getEntities, runCommand goja.Value
}

// Get returns a property or a method.
func (o *dimensionObject) Get(key string) goja.Value {
	switch key {
	case "getBlock":
		return o.getBlock
	case "containsBlock":
		return o.containsBlock
	case "isChunkLoaded":
		return o.isChunkLoaded
	case "getEntities":
		return o.getEntities
	case "runCommand":
		return o.runCommand
	case "id":
		return o.host.vm.ToValue("minecraft:" + o.dimension.Name)
	case "heightRange":
		// The engine's range ends above the highest cell.
		return o.host.enum(map[string]any{"min": o.dimension.Min, "max": o.dimension.Max + 1})
	}
	return o.host.missing("Dimension", key)
}

// getBlock returns the block at a place, undefined where the chunk is not loaded.
func (h *host) getBlock(d *store.Dimension, call goja.FunctionCall) goja.Value {
	return h.block(d, h.pos(call.Argument(0)))
}

// block returns the block at a place, undefined where the chunk is not loaded.
func (h *host) block(d *store.Dimension, p voxel.Pos) goja.Value {
	if !inside(d, p) {
		return h.throw("LocationOutOfWorldBoundariesError", "Trying to access location "+p.String()+" which is outside of the world boundaries.")
	}
	if !h.world.loaded(d, p) {
		return goja.Undefined()
	}
	return h.vm.NewDynamicObject(&blockObject{host: h, dimension: d, pos: p})
}

// containsBlock reports whether any cell of a volume passes a filter.
func (h *host) containsBlock(d *store.Dimension, call goja.FunctionCall) bool {
	volume := inner[*volumeObject](h, call.Argument(0), "BlockVolume")
	box := volume.box()
	passes := h.blockFilter(call.Argument(1))
	if !inside(d, box.Min) || !inside(d, box.Max) {
		h.throw("LocationOutOfWorldBoundariesError", "The volume is outside of the world boundaries.")
	}
	if !h.world.boxLoaded(d, box) {
		h.throw("UnloadedChunksError", "The volume contains unloaded chunks.")
	}
	return !d.All(box, func(s store.State) bool { return !passes(s) })
}

// blockFilter reads a BlockFilter. Only permutations are supported: the pack asks
// for nothing else.
func (h *host) blockFilter(v goja.Value) func(store.State) bool {
	o, ok := v.(*goja.Object)
	if !ok {
		panic(h.vm.NewTypeError("a filter must be an object"))
	}
	exclude := o.Get("excludePermutations")
	if exclude == nil || len(o.Keys()) != 1 {
		panic(h.vm.NewTypeError("the embedded world has no BlockFilter but excludePermutations"))
	}
	list := exclude.ToObject(h.vm)
	first := inner[*permutation](h, list.Get("0"), "BlockPermutation")
	if n := list.Get("length").ToInteger(); n != 1 {
		panic(h.vm.NewTypeError("the embedded world excludes one permutation, not %d", n))
	}
	return func(s store.State) bool {
		return s != first.info.state && h.world.catalog.info(s).dry != first.info.state
	}
}

// getEntities returns the mobs that stand in a volume. The pack asks for no players.
func (h *host) getEntities(d *store.Dimension, call goja.FunctionCall) goja.Value {
	query := call.Argument(0).ToObject(h.vm)
	if types, _ := query.Get("excludeTypes").Export().([]any); len(query.Keys()) != 3 || len(types) != 1 || types[0] != "minecraft:player" {
		panic(h.vm.NewTypeError("the embedded world has no EntityQueryOptions but location, volume and excludeTypes"))
	}
	low, size := h.pos(query.Get("location")), h.pos(query.Get("volume"))
	box := voxel.Box{Min: low, Max: low.Add(size)}
	var found []any
	for _, m := range h.world.mobs {
		if m.dimension == d && box.Has(m.pos) {
			found = append(found, h.object("Entity", map[string]any{"typeId": m.kind}))
		}
	}
	return h.vm.NewArray(found...)
}

// runCommand runs a command for the script.
func (h *host) runCommand(o origin, line string) goja.Value {
	r := h.world.command(o, line)
	if r.code < 0 && !r.noop {
		return h.throw("CommandError", h.world.text(r))
	}
	count := r.count
	if r.code < 0 {
		count = 0
	}
	return h.vm.NewDynamicObject(commandResult{host: h, count: count})
}

// commandResult is what runCommand returns.
type commandResult struct {
	readOnly
	host  *host
	count int
}

// Get returns a property.
func (r commandResult) Get(key string) goja.Value {
	if key == "successCount" {
		return r.host.vm.ToValue(r.count)
	}
	return r.host.missing("CommandResult", key)
}

// volumeObject is a BlockVolume.
type volumeObject struct {
	readOnly
	host     *host
	from, to voxel.Pos
}

func (h *host) newVolume(call goja.ConstructorCall) *goja.Object {
	return h.vm.NewDynamicObject(&volumeObject{host: h, from: h.pos(call.Argument(0)), to: h.pos(call.Argument(1))})
}

func (v *volumeObject) box() voxel.Box { return voxel.Cube(v.from).Union(voxel.Cube(v.to)) }

// Set moves a corner.
func (v *volumeObject) Set(key string, value goja.Value) bool {
	switch key {
	case "from":
		v.from = v.host.pos(value)
	case "to":
		v.to = v.host.pos(value)
	default:
		return false
	}
	return true
}

// Get returns a property.
func (v *volumeObject) Get(key string) goja.Value {
	switch key {
	case "from":
		return v.host.vector(v.from)
	case "to":
		return v.host.vector(v.to)
	}
	return v.host.missing("BlockVolume", key)
}
