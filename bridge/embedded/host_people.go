package embedded

import (
	"github.com/dop251/goja"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// person is a player: the connected one, or the simulated one of the pack.
type person struct {
	host      *host
	name      string
	simulated bool
	script    *goja.Object
}

// person returns the player of a name, nil for nobody.
func (h *host) person(name string) *person {
	for _, p := range h.people {
		if p.name == name {
			return p
		}
	}
	return nil
}

// object returns the script's object of the player.
func (p *person) object() *goja.Object {
	if p.script != nil {
		return p.script
	}
	h := p.host
	p.script = h.object("Player", map[string]any{
		"id":                p.name,
		"name":              p.name,
		"nameTag":           p.name,
		"typeId":            "minecraft:player",
		"level":             0,
		"selectedSlotIndex": 0,
		"isFlying":          false,
		"isSneaking":        false,
		"isValid":           func() goja.Value { return h.vm.ToValue(h.person(p.name) == p) },
		"location":          func() goja.Value { return h.vector(p.pos()) },
		"dimension":         func() goja.Value { return h.dimensionObject(p.dimension()) },
		"getRotation":       func(goja.FunctionCall) goja.Value { return h.enum(map[string]any{"x": 0, "y": 0}) },
		"getViewDirection":  func(goja.FunctionCall) goja.Value { return h.vector(voxel.Pos{Z: 1}) },
		"getGameMode":       func(goja.FunctionCall) goja.Value { return h.vm.ToValue("Creative") },
		"getComponent":      func(call goja.FunctionCall) goja.Value { return p.component(call.Argument(0).String()) },
		"sendMessage": func(call goja.FunctionCall) goja.Value {
			h.world.sendMessage(p.name, call.Argument(0).String())
			return goja.Undefined()
		},
		"runCommand": func(call goja.FunctionCall) goja.Value {
			return h.runCommand(origin{name: p.name, dimension: p.dimension(), pos: p.pos()}, call.Argument(0).String())
		},
	})
	if err := p.script.SetPrototype(h.playerClass.Get("prototype").ToObject(h.vm)); err != nil {
		panic(h.vm.NewGoError(err))
	}
	return p.script
}

// inventorySlots is the size of a player's inventory.
const inventorySlots = 36

func (p *person) component(name string) goja.Value {
	h := p.host
	switch name {
	case "minecraft:health":
		return h.object("EntityHealthComponent", map[string]any{"currentValue": 20, "effectiveMax": 20})
	case "minecraft:inventory":
		return h.inventory(h.world.player.items, inventorySlots)
	default:
		return goja.Undefined()
	}
}

func (p *person) dimension() *store.Dimension {
	name := store.Overworld
	if !p.simulated {
		name = p.host.world.player.dimension
	}
	return p.host.world.blocks.Dimension(name)
}

func (p *person) pos() voxel.Pos {
	if p.simulated {
		return voxel.Pos{X: 300000, Y: 100, Z: 300000}
	}
	return p.host.world.player.pos
}

func (h *host) allPlayers(goja.FunctionCall) goja.Value {
	list := make([]any, len(h.people))
	for i, p := range h.people {
		list[i] = p.object()
	}
	return h.vm.NewArray(list...)
}

// gametestModule is @minecraft/server-gametest, as far as the pack uses it.
func (h *host) gametestModule() *goja.Object {
	return h.object("@minecraft/server-gametest", map[string]any{
		"spawnSimulatedPlayer": func(call goja.FunctionCall) goja.Value {
			name := call.Argument(1).String()
			if h.person(name) != nil {
				return h.throw("Error", "a player named "+name+" is in the world")
			}
			p := &person{host: h, name: name, simulated: true}
			h.people = append(h.people, p)
			return p.object()
		},
	})
}

// container makes a Container of items.
func (h *host) container(items []store.Item, slots int) *goja.Object {
	return h.vm.NewDynamicObject(&containerObject{host: h, items: items, slots: slots})
}

// containerObject is a Container. It is apart from the other native objects, as
// inventoryObject is, because a region can be full of them.
type containerObject struct {
	readOnly
	host  *host
	items []store.Item
	slots int
}

// Get returns a property or a method.
func (c *containerObject) Get(key string) goja.Value {
	switch key {
	case "size":
		return c.host.vm.ToValue(c.slots)
	case "emptySlotsCount":
		empty := c.slots
		for _, item := range c.items {
			if item.ID != "" {
				empty--
			}
		}
		return c.host.vm.ToValue(empty)
	case "getItem":
		return c.host.vm.ToValue(c.item)
	}
	return c.host.missing("Container", key)
}

func (c *containerObject) item(call goja.FunctionCall) goja.Value {
	i := int(call.Argument(0).ToInteger())
	if i < 0 || i >= c.slots {
		return c.host.throw("InvalidArgumentError", "no such slot")
	}
	if i >= len(c.items) || c.items[i].ID == "" {
		return goja.Undefined()
	}
	return c.host.item(c.items[i])
}

// inventoryObject is the inventory component of a block or a player.
type inventoryObject struct {
	readOnly
	host      *host
	container *goja.Object
}

// Get returns a property.
func (i *inventoryObject) Get(key string) goja.Value {
	if key == "container" {
		return i.container
	}
	return i.host.missing("BlockInventoryComponent", key)
}

func (h *host) inventory(items []store.Item, slots int) *goja.Object {
	return h.vm.NewDynamicObject(&inventoryObject{host: h, container: h.container(items, slots)})
}

// item makes an ItemStack.
func (h *host) item(i store.Item) *goja.Object {
	return h.object("ItemStack", map[string]any{
		"typeId": i.ID, "amount": i.Count, "nameTag": goja.Undefined(),
		"getLore":      func(goja.FunctionCall) goja.Value { return h.vm.NewArray() },
		"getComponent": func(goja.FunctionCall) goja.Value { return goja.Undefined() },
	})
}
