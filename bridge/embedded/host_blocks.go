package embedded

import (
	"strconv"

	"github.com/dop251/goja"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// blockObject is a Block: a place, not what is there.
type blockObject struct {
	readOnly
	host      *host
	dimension *store.Dimension
	pos       voxel.Pos
}

func (b *blockObject) info() *info { return b.host.world.catalog.info(b.dimension.At(b.pos)) }

// Get returns a property or a method.
func (b *blockObject) Get(key string) goja.Value {
	switch key {
	case "permutation":
		in := b.info()
		return b.host.permutationObject(b.host.world.catalog.info(in.dry))
	case "east":
		return b.host.east
	case "isWaterlogged":
		return b.host.vm.ToValue(b.info().water)
	case "typeId":
		return b.host.vm.ToValue(b.info().id)
	case "isAir":
		return b.host.vm.ToValue(b.info().id == store.Air)
	case "location":
		return b.host.vector(b.pos)
	case "dimension":
		return b.host.dimensionObject(b.dimension)
	case "isValid":
		return b.host.vm.ToValue(b.host.world.loaded(b.dimension, b.pos))
	case "x":
		return b.host.vm.ToValue(b.pos.X)
	case "y":
		return b.host.vm.ToValue(b.pos.Y)
	case "z":
		return b.host.vm.ToValue(b.pos.Z)
	}
	if call, ok := b.host.blockCalls[key]; ok {
		return call
	}
	return b.host.missing("Block", key)
}

// blockMethod makes a method that all blocks share.
func (h *host) blockMethod(f func(*blockObject, goja.FunctionCall) goja.Value) goja.Value {
	return h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		return f(inner[*blockObject](h, call.This, "Block"), call)
	})
}

// eastOf is Block.east.
func (h *host) eastOf(b *blockObject, call goja.FunctionCall) goja.Value {
	steps := 1
	if v := call.Argument(0); !goja.IsUndefined(v) {
		steps = int(v.ToInteger())
	}
	return h.block(b.dimension, b.pos.Add(voxel.Pos{X: steps}))
}

// blockMethods are the methods that all blocks share, but those that the script
// calls for every cell.
func (h *host) blockMethods() map[string]goja.Value {
	method := h.blockMethod
	return map[string]goja.Value{
		"setPermutation": method(func(b *blockObject, call goja.FunctionCall) goja.Value {
			p := inner[*permutation](h, call.Argument(0), "BlockPermutation")
			h.write(b, p.info.state)
			return goja.Undefined()
		}),
		"setWaterlogged": method(func(b *blockObject, call goja.FunctionCall) goja.Value {
			s, err := h.world.catalog.withWater(b.dimension.At(b.pos), call.Argument(0).ToBoolean())
			if err != nil {
				return h.throw("Error", err.Error())
			}
			h.write(b, s)
			return goja.Undefined()
		}),
		"getComponent": method(func(b *blockObject, call goja.FunctionCall) goja.Value {
			return h.blockComponent(b, call.Argument(0).String())
		}),
	}
}

func (h *host) write(b *blockObject, s store.State) {
	if !h.world.loaded(b.dimension, b.pos) {
		h.throw("LocationInUnloadedChunkError", "The chunk of "+b.pos.String()+" is not loaded.")
	}
	if h.world.put(b.dimension, b.pos, s) {
		h.world.changed(b.dimension, voxel.Cube(b.pos))
	}
}

// permutation is a BlockPermutation; there is one object for each state.
type permutation struct {
	readOnly
	host *host
	info *info
	kind *goja.Object
}

// permutationObject returns the script's object of a dry state.
func (h *host) permutationObject(in *info) *goja.Object {
	if in.script == nil {
		kind := h.object("BlockType", map[string]any{"id": in.id})
		in.script = h.vm.NewDynamicObject(&permutation{host: h, info: in, kind: kind})
	}
	return in.script
}

// Get returns a property or a method.
func (p *permutation) Get(key string) goja.Value {
	if key == "type" {
		return p.kind
	}
	if call, ok := p.host.stateCalls[key]; ok {
		return call
	}
	return p.host.missing("BlockPermutation", key)
}

// permutationMethods are the methods that all permutations share.
func (h *host) permutationMethods() map[string]goja.Value {
	method := func(f func(*permutation, goja.FunctionCall) goja.Value) goja.Value {
		return h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			return f(inner[*permutation](h, call.This, "BlockPermutation"), call)
		})
	}
	return map[string]goja.Value{
		"getAllStates": method(func(p *permutation, _ goja.FunctionCall) goja.Value {
			o := h.vm.NewObject()
			for _, s := range p.info.pairs {
				h.set(o, s.name, h.stateValue(s.value))
			}
			return o
		}),
		"getState": method(func(p *permutation, call goja.FunctionCall) goja.Value {
			value, ok := p.info.value(call.Argument(0).String())
			if !ok {
				return goja.Undefined()
			}
			return h.stateValue(value)
		}),
		"matches": method(func(p *permutation, call goja.FunctionCall) goja.Value {
			return h.vm.ToValue(p.info.matches(qualify(call.Argument(0).String()), h.statePairs(call.Argument(1))))
		}),
		"canContainLiquid": method(func(p *permutation, _ goja.FunctionCall) goja.Value {
			return h.vm.ToValue(h.world.catalog.holdsWater(p.info.id))
		}),
	}
}

// stateValue gives a state's value the type that the game gives it.
func (h *host) stateValue(text string) goja.Value {
	switch text {
	case "true":
		return h.vm.ToValue(true)
	case "false":
		return h.vm.ToValue(false)
	}
	if n, err := strconv.Atoi(text); err == nil {
		return h.vm.ToValue(n)
	}
	return h.vm.ToValue(text)
}

// statePairs reads an object of states.
func (h *host) statePairs(v goja.Value) []pair {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	var pairs []pair
	for _, name := range o.Keys() {
		pairs = append(pairs, pair{name, o.Get(name).String()})
	}
	return pairs
}

// resolvePermutation is BlockPermutation.resolve.
func (h *host) resolvePermutation(call goja.FunctionCall) goja.Value {
	s, err := h.world.catalog.resolve(call.Argument(0).String(), h.statePairs(call.Argument(1)))
	if err != nil {
		return h.throw("Error", err.Error())
	}
	return h.permutationObject(h.world.catalog.info(s))
}

// blockComponent returns a component of the block, undefined for one that it has
// not.
func (h *host) blockComponent(b *blockObject, name string) goja.Value {
	e, known := b.dimension.Entity(b.pos)
	id := b.info().id
	switch name {
	case "minecraft:inventory":
		slots := max(e.Slots, len(e.Items), containerSlots(id))
		if slots == 0 {
			return goja.Undefined()
		}
		return h.inventory(e.Items, slots)
	case "minecraft:sign":
		if !isSign(id) {
			return goja.Undefined()
		}
		return h.object("BlockSignComponent", map[string]any{"getText": func(call goja.FunctionCall) goja.Value {
			side := 0
			if call.Argument(0).String() == "Back" {
				side = 1
			}
			return h.vm.ToValue(e.Text[side])
		}})
	case "minecraft:record_player":
		if id != "minecraft:jukebox" {
			return goja.Undefined()
		}
		return h.object("BlockRecordPlayerComponent", map[string]any{"getRecord": func(goja.FunctionCall) goja.Value {
			if !known || len(e.Items) == 0 {
				return goja.Undefined()
			}
			return h.item(e.Items[0])
		}})
	default:
		return goja.Undefined()
	}
}
