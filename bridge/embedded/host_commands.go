package embedded

import (
	"strconv"

	"github.com/dop251/goja"
)

// customCommand is a command that the script has registered.
type customCommand struct {
	call       goja.Callable
	parameters []parameter
	mandatory  int
}

type parameter struct{ name, kind string }

// maxParameters is how many parameters a command may have (bedrock-wire §4.2).
const maxParameters = 8

// startup builds the argument of the startup event: the only time at which
// commands can be registered.
func (h *host) startup() goja.Value {
	registry := h.object("CustomCommandRegistry", map[string]any{
		"registerCommand": func(call goja.FunctionCall) goja.Value {
			f, ok := goja.AssertFunction(call.Argument(1))
			if !ok {
				panic(h.vm.NewTypeError("a command needs a function"))
			}
			h.register(call.Argument(0).ToObject(h.vm), f)
			return goja.Undefined()
		},
	})
	return h.object("StartupEvent", map[string]any{"customCommandRegistry": registry})
}

func (h *host) register(command *goja.Object, f goja.Callable) {
	c := &customCommand{call: f}
	for _, list := range []string{"mandatoryParameters", "optionalParameters"} {
		var parameters []struct {
			Name string `json:"name"`
			Type string `json:"type"`
		}
		if v := command.Get(list); v != nil && !goja.IsUndefined(v) {
			for _, key := range v.ToObject(h.vm).Keys() {
				p := v.ToObject(h.vm).Get(key).ToObject(h.vm)
				parameters = append(parameters, struct {
					Name string `json:"name"`
					Type string `json:"type"`
				}{p.Get("name").String(), p.Get("type").String()})
			}
		}
		for _, p := range parameters {
			c.parameters = append(c.parameters, parameter{p.Name, p.Type})
		}
		if list == "mandatoryParameters" {
			c.mandatory = len(c.parameters)
		}
	}
	if len(c.parameters) > maxParameters {
		h.throw("CustomCommandError", "more than 8 parameters")
	}
	h.commands[command.Get("name").String()] = c
}

// runCustom runs a command of the script and returns what it says.
func (h *host) runCustom(c *customCommand, o origin, a *arguments) (result, error) {
	values := []goja.Value{h.commandOrigin(o)}
	for i, p := range c.parameters {
		if !a.more() && i >= c.mandatory {
			break
		}
		v, err := h.argument(o, p.kind, a)
		if err != nil {
			return result{}, err
		}
		values = append(values, v)
	}
	if a.more() {
		return result{}, syntax("%s", a.peek())
	}
	v, err := c.call(goja.Undefined(), values...)
	if err != nil {
		h.world.log.Error("a command of the script threw", "error", err)
		return fail(text{key: textVerbatim, args: []any{err.Error()}}), nil
	}
	r := succeed(1, text{})
	o2, ok := v.(*goja.Object)
	if !ok {
		return r, nil
	}
	if m := o2.Get("message"); m != nil && !goja.IsUndefined(m) {
		r.text = text{key: textVerbatim, args: []any{m.String()}}
	}
	if s := o2.Get("status"); s != nil && s.ToInteger() != 0 {
		r.code, r.count = codeFailed, 0
	}
	return r, nil
}

// argument reads one argument of a command of the script.
func (h *host) argument(o origin, kind string, a *arguments) (goja.Value, error) {
	if kind == "Location" {
		p, err := h.world.position(o, a)
		return h.vector(p), err
	}
	word, err := a.next()
	if err != nil {
		return nil, err
	}
	switch kind {
	case "String":
		return h.vm.ToValue(word), nil
	case "Boolean":
		if word != "true" && word != "false" {
			return nil, syntax("%s", word)
		}
		return h.vm.ToValue(word == "true"), nil
	case "Integer":
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, syntax("%s", word)
		}
		return h.vm.ToValue(n), nil
	default:
		panic(h.vm.NewTypeError("the embedded world has no command parameters of type %s", kind))
	}
}

func (h *host) commandOrigin(o origin) goja.Value {
	source := goja.Undefined()
	if p := h.person(o.name); p != nil {
		source = p.object()
	}
	return h.object("CustomCommandOrigin", map[string]any{"sourceEntity": source, "sourceBlock": goja.Undefined(), "sourceType": "Entity"})
}
