package embedded

import (
	"github.com/dop251/goja"

	"groundplan/plan/fault"
)

// form is a panel that a player has open.
type form struct {
	fields  int
	resolve func(any) error
}

// uiModule is @minecraft/server-ui, as far as the pack uses it.
func (h *host) uiModule() *goja.Object {
	return h.object("@minecraft/server-ui", map[string]any{"ModalFormData": h.newForm})
}

// newForm is the constructor of ModalFormData.
func (h *host) newForm(goja.ConstructorCall) *goja.Object {
	f := &form{}
	var o *goja.Object
	chain := func(field bool) func(goja.FunctionCall) goja.Value {
		return func(goja.FunctionCall) goja.Value {
			if field {
				f.fields++
			}
			return o
		}
	}
	o = h.object("ModalFormData", map[string]any{
		"title":     chain(false),
		"textField": chain(true),
		"show": func(goja.FunctionCall) goja.Value {
			promise, resolve, _ := h.vm.NewPromise()
			f.resolve = resolve
			h.forms = append(h.forms, f)
			return h.vm.ToValue(promise)
		},
	})
	return o
}

// Submit fills in the oldest panel that is open for the player, one value for
// each field; without values the player closes it.
func (w *World) Submit(values ...string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.script
	if len(h.forms) == 0 {
		return fault.Errorf(fault.NotFound, "no panel is open")
	}
	f := h.forms[0]
	if len(values) != 0 && len(values) != f.fields {
		return fault.Errorf(fault.InvalidRequest, "the panel has %d fields", f.fields)
	}
	h.forms = h.forms[1:]
	answer := h.vm.NewObject()
	h.set(answer, "canceled", len(values) == 0)
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	h.set(answer, "formValues", h.vm.NewArray(list...))
	if err := f.resolve(answer); err != nil {
		return fault.Wrap(fault.Internal, err, "the panel's answer failed")
	}
	// The engine runs what waits for a promise when a script returns.
	_, err := h.vm.RunString("undefined")
	w.poke()
	return err
}

// Type runs a command as the connected player does who types it into the chat,
// and returns what the game says.
func (w *World) Type(line string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.playerOrigin()
	o.player = false
	r := w.command(o, line)
	w.script.flush()
	w.poke()
	if r.code < 0 {
		return "", fault.Errorf(fault.InvalidRequest, "%s", w.text(r))
	}
	return w.text(r), nil
}

func (w *World) playerOrigin() origin {
	return origin{player: true, name: w.player.name, dimension: w.blocks.Dimension(w.player.dimension), pos: w.player.pos}
}
