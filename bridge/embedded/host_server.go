package embedded

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// serverModule is @minecraft/server, as far as the pack uses it.
func (h *host) serverModule() *goja.Object {
	return h.object("@minecraft/server", map[string]any{
		"world":       h.worldObject(),
		"system":      h.systemObject(),
		"BlockVolume": h.newVolume,
		"BlockPermutation": h.object("BlockPermutation", map[string]any{
			"resolve": h.resolvePermutation,
		}),
		"BlockTypes": h.object("BlockTypes", map[string]any{"getAll": h.blockTypes}),
		"Player":     h.playerClass,
		"GameMode":   h.enum(map[string]any{"Creative": "Creative", "Survival": "Survival"}),
		"LiquidType": h.enum(map[string]any{"Water": "Water"}),
		"SignSide":   h.enum(map[string]any{"Front": "Front", "Back": "Back"}),
		"CommandPermissionLevel": h.enum(map[string]any{
			"Any": 0, "GameDirectors": 1, "Admin": 2, "Host": 3, "Owner": 4,
		}),
		"CustomCommandParamType": h.enum(map[string]any{
			"Boolean": "Boolean", "Integer": "Integer", "Location": "Location", "String": "String",
		}),
		"CustomCommandStatus": h.enum(map[string]any{"Success": 0, "Failure": 1}),
	})
}

func (h *host) worldObject() *goja.Object {
	return h.object("World", map[string]any{
		"getDimension": func(call goja.FunctionCall) goja.Value {
			name := call.Argument(0).String()
			d := h.world.blocks.Dimension(strings.TrimPrefix(name, "minecraft:"))
			if d == nil {
				return h.throw("InvalidArgumentError", "no dimension "+name)
			}
			return h.dimensionObject(d)
		},
		"getDynamicProperty": func(call goja.FunctionCall) goja.Value {
			v, ok := h.world.blocks.Properties[call.Argument(0).String()]
			if !ok {
				return goja.Undefined()
			}
			return h.vm.ToValue(v)
		},
		"setDynamicProperty": h.setDynamicProperty,
		"getAllPlayers":      h.allPlayers,
		"getPlayers":         h.allPlayers,
		"afterEvents": h.signalsObject("WorldAfterEvents", "worldLoad", "playerPlaceBlock", "playerBreakBlock",
			"blockExplode", "pistonActivate"),
	})
}

// maxProperty is how many bytes a dynamic property may have (bedrock-wire §2.3).
const maxProperty = 32767

func (h *host) setDynamicProperty(call goja.FunctionCall) goja.Value {
	name, v := call.Argument(0).String(), call.Argument(1)
	if goja.IsUndefined(v) {
		delete(h.world.blocks.Properties, name)
	} else {
		value := v.Export()
		if text, ok := value.(string); ok && len(text) > maxProperty {
			return h.throw("ArgumentOutOfBoundsError", "a dynamic property is too long")
		}
		h.world.blocks.Properties[name] = value
	}
	h.world.dirty = true
	// The properties are who the world is. A process that dies before the first
	// autosave must not come back as another world, whose journal nobody can
	// settle; so they are on disk before the script goes on.
	if err := h.world.saveLocked(); err != nil {
		h.world.log.Error("the world could not be saved", "error", err)
	}
	return goja.Undefined()
}

func (h *host) systemObject() *goja.Object {
	return h.object("System", map[string]any{
		"currentTick": func() goja.Value { return h.vm.ToValue(h.world.tick) },
		"run": func(call goja.FunctionCall) goja.Value {
			return h.after(goja.FunctionCall{Arguments: call.Arguments[:min(1, len(call.Arguments))]}, false)
		},
		"runTimeout":  func(call goja.FunctionCall) goja.Value { return h.after(call, false) },
		"runInterval": func(call goja.FunctionCall) goja.Value { return h.after(call, true) },
		"clearRun":    h.cancel,
		"runJob": func(call goja.FunctionCall) goja.Value {
			h.jobs = append(h.jobs, call.Argument(0).ToObject(h.vm))
			h.world.poke()
			h.lastID++
			return h.vm.ToValue(h.lastID)
		},
		"afterEvents":  h.signalsObject("SystemAfterEvents", "scriptEventReceive"),
		"beforeEvents": h.signalsObject("SystemBeforeEvents", "startup"),
	})
}

// signalsObject makes an object of signals that a script can subscribe to.
func (h *host) signalsObject(class string, names ...string) *goja.Object {
	members := map[string]any{}
	for _, name := range names {
		s := &signal{}
		h.signals[name] = s
		members[name] = h.object(class+"."+name, map[string]any{
			"subscribe": func(call goja.FunctionCall) goja.Value {
				f, ok := goja.AssertFunction(call.Argument(0))
				if !ok {
					panic(h.vm.NewTypeError("a listener must be a function"))
				}
				l := listener{call: f, value: call.Argument(0)}
				if o, ok := call.Argument(1).(*goja.Object); ok && o.Get("namespaces") != nil {
					if err := h.vm.ExportTo(o.Get("namespaces"), &l.namespaces); err != nil {
						panic(h.vm.NewGoError(err))
					}
				}
				s.listeners = append(s.listeners, l)
				return call.Argument(0)
			},
			"unsubscribe": func(call goja.FunctionCall) goja.Value {
				s.listeners = slices.DeleteFunc(s.listeners, func(l listener) bool { return l.value.SameAs(call.Argument(0)) })
				return goja.Undefined()
			},
		})
	}
	return h.object(class, members)
}

// edited tells the script that a player placed or broke a block.
func (h *host) edited(d *store.Dimension, p voxel.Pos, old, now store.State) {
	name := "playerPlaceBlock"
	if h.world.isAir(now) {
		name = "playerBreakBlock"
	}
	h.emit(name, func() goja.Value {
		members := map[string]any{
			"block":     h.vm.NewDynamicObject(&blockObject{host: h, dimension: d, pos: p}),
			"dimension": h.dimensionObject(d),
			"player":    h.object("Player", map[string]any{"name": visitorName, "isValid": true}),
		}
		if name == "playerBreakBlock" {
			members["brokenBlockPermutation"] = h.permutationObject(h.world.catalog.info(h.world.catalog.info(old).dry))
		}
		return h.object("BlockEvent", members)
	})
}

// exploded tells the script that an explosion has destroyed a block.
func (h *host) exploded(d *store.Dimension, p voxel.Pos, old store.State) {
	h.emit("blockExplode", func() goja.Value {
		return h.object("BlockExplodeAfterEvent", map[string]any{
			"block":                    h.vm.NewDynamicObject(&blockObject{host: h, dimension: d, pos: p}),
			"dimension":                h.dimensionObject(d),
			"explodedBlockPermutation": h.permutationObject(h.world.catalog.info(h.world.catalog.info(old).dry)),
		})
	})
}

// visitorName is who edits the world for Set.
const visitorName = "Alex"

// blockTypes is BlockTypes.getAll.
func (h *host) blockTypes(goja.FunctionCall) goja.Value {
	ids := h.world.catalog.registry.IDs()
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = h.object("BlockType", map[string]any{"id": id})
	}
	return h.vm.NewArray(list...)
}
