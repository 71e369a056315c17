package embedded

import (
	"github.com/dop251/goja"
)

// customCommand is a command that the script has registered.
type customCommand struct {
	call goja.Callable
}

// startup builds the argument of the startup event: the only time at which
// commands can be registered.
func (h *host) startup() goja.Value {
	registry := h.object("CustomCommandRegistry", map[string]any{
		"registerCommand": func(call goja.FunctionCall) goja.Value {
			name := call.Argument(0).ToObject(h.vm).Get("name").String()
			f, ok := goja.AssertFunction(call.Argument(1))
			if !ok {
				panic(h.vm.NewTypeError("a command needs a function"))
			}
			h.commands[name] = &customCommand{call: f}
			return goja.Undefined()
		},
	})
	return h.object("StartupEvent", map[string]any{"customCommandRegistry": registry})
}

// uiModule is @minecraft/server-ui, as far as the pack uses it.
func (h *host) uiModule() *goja.Object {
	return h.object("@minecraft/server-ui", map[string]any{})
}
