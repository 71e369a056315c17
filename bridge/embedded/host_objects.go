package embedded

import (
	"math"

	"github.com/dop251/goja"

	"groundplan/plan/voxel"
)

// native is an object of the game's API whose members are fixed. A name that it
// does not have throws, so that a call of something the host lacks is noticed
// where it happens.
type native struct {
	host    *host
	class   string
	members map[string]goja.Value
	getters map[string]func() goja.Value
}

// object makes a native object. A member is a value, a
// func(goja.FunctionCall) goja.Value, or a func() goja.Value that is called at
// each access.
func (h *host) object(class string, members map[string]any) *goja.Object {
	n := &native{host: h, class: class, members: map[string]goja.Value{}, getters: map[string]func() goja.Value{}}
	for name, m := range members {
		if getter, ok := m.(func() goja.Value); ok {
			n.getters[name] = getter
			continue
		}
		n.members[name] = h.vm.ToValue(m)
	}
	return h.vm.NewDynamicObject(n)
}

// Get returns a member, or throws.
func (n *native) Get(key string) goja.Value {
	if v, ok := n.members[key]; ok {
		return v
	}
	if getter, ok := n.getters[key]; ok {
		return getter()
	}
	return n.host.missing(n.class, key)
}

// Set refuses.
func (n *native) Set(string, goja.Value) bool { return false }

// Has reports whether there is such a member: the script may ask before it uses
// one.
func (n *native) Has(key string) bool {
	_, member := n.members[key]
	_, getter := n.getters[key]
	return member || getter
}

// Delete refuses.
func (n *native) Delete(string) bool { return false }

// Keys returns nothing: the game's members are not enumerable.
func (n *native) Keys() []string { return nil }

// missing is what an object returns for a name that it does not have: what every
// object has comes from its prototype, all else is a part of the API that the
// host lacks.
func (h *host) missing(class, key string) goja.Value {
	switch key {
	case "toString", "valueOf", "toJSON", "constructor", "hasOwnProperty", "then", "next":
		return nil
	}
	panic(h.vm.NewTypeError("the embedded world has no %s.%s", class, key))
}

// readOnly are the parts of a dynamic object that only has properties to read.
type readOnly struct{}

// Set refuses.
func (readOnly) Set(string, goja.Value) bool { return false }

// Has says that any property may be there.
func (readOnly) Has(string) bool { return true }

// Delete refuses.
func (readOnly) Delete(string) bool { return false }

// Keys returns nothing.
func (readOnly) Keys() []string { return nil }

// enum makes an object of constants.
func (h *host) enum(values map[string]any) *goja.Object {
	o := h.vm.NewObject()
	for name, v := range values {
		h.set(o, name, v)
	}
	return o
}

// set defines a property of an object that the host has just made.
func (h *host) set(o *goja.Object, name string, v any) {
	if err := o.Set(name, v); err != nil {
		panic(h.vm.NewGoError(err))
	}
}

// throw throws an error of one of the game's classes.
func (h *host) throw(name, message string) goja.Value {
	e := h.vm.NewTypeError("%s", message)
	h.set(e, "name", name)
	panic(e)
}

// pos reads an object with x, y and z.
func (h *host) pos(v goja.Value) voxel.Pos {
	o, ok := v.(*goja.Object)
	if !ok {
		panic(h.vm.NewTypeError("a position must be an object"))
	}
	return voxel.Pos{X: h.axis(o, "x"), Y: h.axis(o, "y"), Z: h.axis(o, "z")}
}

func (h *host) axis(o *goja.Object, name string) int {
	v := o.Get(name)
	if v == nil {
		panic(h.vm.NewTypeError("a position needs %s", name))
	}
	if n := v.ToInteger(); float64(n) == v.ToFloat() {
		return int(n)
	}
	return int(math.Floor(v.ToFloat()))
}

// vector makes an object with x, y and z.
func (h *host) vector(p voxel.Pos) *goja.Object {
	o := h.vm.NewObject()
	h.set(o, "x", p.X)
	h.set(o, "y", p.Y)
	h.set(o, "z", p.Z)
	return o
}

// inner returns the Go side of an object that the host made.
func inner[T any](h *host, v goja.Value, what string) T {
	if o, ok := v.(*goja.Object); ok {
		if t, ok := o.Export().(T); ok {
			return t
		}
	}
	panic(h.vm.NewTypeError("not a %s", what))
}

// scriptEvent is the argument of a scriptEventReceive listener.
type scriptEvent struct {
	readOnly
	host        *host
	id, message string
	origin      origin
}

// Get returns a property.
func (e *scriptEvent) Get(key string) goja.Value {
	switch key {
	case "id":
		return e.host.vm.ToValue(e.id)
	case "message":
		return e.host.vm.ToValue(e.message)
	case "sourceType":
		if e.origin.player {
			return e.host.vm.ToValue("Entity")
		}
		return e.host.vm.ToValue("Server")
	case "sourceEntity":
		if p := e.host.person(e.origin.name); p != nil {
			return p.object()
		}
		return goja.Undefined()
	case "sourceBlock", "initiator":
		return goja.Undefined()
	}
	return e.host.missing("ScriptEventCommandMessageAfterEvent", key)
}
