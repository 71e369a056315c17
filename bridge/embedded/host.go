package embedded

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"groundplan/bridge/addon"
	"groundplan/bridge/embedded/store"
)

// host runs the pack's script. Everything in it belongs to the game's goroutine.
type host struct {
	vm    *goja.Runtime
	world *World

	dimensions map[*store.Dimension]*goja.Object
	blockCalls map[string]goja.Value
	east       goja.Value // Block.east
	stateCalls map[string]goja.Value
	people     []*person
	signals    map[string]*signal
	commands   map[string]*customCommand
	// playerClass is what players are instances of, for the script.
	playerClass *goja.Object
	forms       []*form

	events []func() // to be delivered
	timers []*timer
	jobs   []*goja.Object
	lastID int
}

// signal is a list of listeners for one event.
type signal struct{ listeners []listener }

type listener struct {
	call       goja.Callable
	value      goja.Value
	namespaces []string // of script events; nil means all
}

// timer is a call that is due at a tick.
type timer struct {
	id     int
	due    int
	period int // 0 for once
	call   goja.Callable
}

// jobBudget is how much of one tick jobs may take together.
const jobBudget = 15 * time.Millisecond

// newHost loads the pack and runs it up to the point where it waits for events.
func newHost(w *World) (*host, error) {
	h := &host{
		vm: goja.New(), world: w, dimensions: map[*store.Dimension]*goja.Object{},
		signals: map[string]*signal{}, commands: map[string]*customCommand{},
	}
	h.vm.SetRandSource(w.options.Random)
	h.vm.SetTimeSource(w.options.Now)
	h.playerClass = h.vm.ToValue(func(goja.ConstructorCall) *goja.Object {
		panic(h.vm.NewTypeError("a Player cannot be made"))
	}).ToObject(h.vm)
	h.east = h.blockMethod(h.eastOf)
	h.blockCalls, h.stateCalls = h.blockMethods(), h.permutationMethods()
	h.people = []*person{{host: h, name: w.options.Player}}
	if w.options.NoScripts {
		return h, nil
	}
	program, err := bundle(addon.Files(), addon.Entry)
	if err != nil {
		return nil, err
	}
	load, err := h.vm.RunProgram(program)
	if err != nil {
		return nil, err
	}
	call, ok := goja.AssertFunction(load)
	if !ok {
		return nil, fmt.Errorf("the bundle of %s is not a function", addon.Entry)
	}
	module := h.vm.NewObject()
	exports := h.vm.NewObject()
	if err := module.Set("exports", exports); err != nil {
		return nil, err
	}
	if _, err := call(goja.Undefined(), h.require(), module, exports, h.console()); err != nil {
		return nil, err
	}
	h.emit("startup", h.startup)
	h.emit("worldLoad", func() goja.Value { return h.vm.NewObject() })
	h.flush()
	return h, nil
}

// require gives the script the game's modules.
func (h *host) require() goja.Value {
	modules := map[string]*goja.Object{
		"@minecraft/server":          h.serverModule(),
		"@minecraft/server-ui":       h.uiModule(),
		"@minecraft/server-gametest": h.gametestModule(),
	}
	return h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		name := call.Argument(0).String()
		module, ok := modules[name]
		if !ok {
			panic(h.vm.NewTypeError("the embedded world has no module %s", name))
		}
		return module
	})
}

// console writes what the script says into the log.
func (h *host) console() goja.Value {
	write := func(log func(string, ...any)) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			parts := make([]string, len(call.Arguments))
			for i, a := range call.Arguments {
				parts[i] = a.String()
			}
			log("script", "text", strings.Join(parts, " "))
			return goja.Undefined()
		}
	}
	log := h.world.log
	return h.object("console", map[string]any{"log": write(log.Info), "info": write(log.Info), "warn": write(log.Warn), "error": write(log.Error)})
}

// emit queues an event; make builds its argument when it is delivered.
func (h *host) emit(name string, build func() goja.Value) {
	s := h.signals[name]
	if s == nil || len(s.listeners) == 0 {
		return
	}
	h.events = append(h.events, func() {
		argument := build()
		for _, l := range s.listeners {
			h.guard(l.call, argument)
		}
	})
}

// guard calls into the script and logs what it throws, as the game does.
func (h *host) guard(call goja.Callable, arguments ...goja.Value) {
	if _, err := call(goja.Undefined(), arguments...); err != nil {
		h.world.log.Error("the script threw", "error", err)
	}
}

// scriptEvent queues the event of the scriptevent command.
func (h *host) scriptEvent(o origin, id, message string) {
	s := h.signals["scriptEventReceive"]
	if s == nil {
		return
	}
	h.events = append(h.events, func() {
		namespace, _, _ := strings.Cut(id, ":")
		event := h.vm.NewDynamicObject(&scriptEvent{host: h, id: id, message: message, origin: o})
		for _, l := range s.listeners {
			if l.wants(namespace) {
				h.guard(l.call, event)
			}
		}
	})
}

func (l listener) wants(namespace string) bool {
	return l.namespaces == nil || slices.Contains(l.namespaces, namespace)
}

// flush delivers the queued events, and those that arise meanwhile.
func (h *host) flush() {
	for len(h.events) > 0 {
		events := h.events
		h.events = nil
		for _, deliver := range events {
			deliver()
		}
	}
}

// busy reports whether something is due at one of the next ticks. What repeats
// for ever does not count: it would keep a world without ticks of its own awake.
func (h *host) busy() bool {
	if len(h.jobs) > 0 {
		return true
	}
	for _, t := range h.timers {
		if t.period == 0 {
			return true
		}
	}
	return false
}

// tick runs the timers that are due and a slice of the jobs.
func (h *host) tick(now int) {
	due := h.timers
	h.timers = nil
	for _, t := range due {
		if t.due > now {
			h.timers = append(h.timers, t)
			continue
		}
		if t.period > 0 {
			t.due = now + t.period
			h.timers = append(h.timers, t)
		}
		h.guard(t.call)
	}
	h.runJobs()
}

// runJobs gives every job at least one step, and more while the budget lasts.
func (h *host) runJobs() {
	start := h.world.options.Now()
	for first := true; len(h.jobs) > 0 && (first || h.world.options.Now().Sub(start) < jobBudget); first = false {
		jobs := h.jobs
		h.jobs = nil
		for _, job := range jobs {
			if h.stepJob(job) {
				h.jobs = append(h.jobs, job)
			}
		}
	}
}

// stepJob runs a generator up to its next yield and reports whether it goes on.
func (h *host) stepJob(job *goja.Object) bool {
	next, ok := goja.AssertFunction(job.Get("next"))
	if !ok {
		return false
	}
	value, err := next(job)
	if err != nil {
		h.world.log.Error("a job of the script threw", "error", err)
		return false
	}
	return !value.ToObject(h.vm).Get("done").ToBoolean()
}

// after registers a call that is due in some ticks, and returns its id.
func (h *host) after(call goja.FunctionCall, repeat bool) goja.Value {
	f, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(h.vm.NewTypeError("the first argument must be a function"))
	}
	ticks := max(1, int(call.Argument(1).ToInteger()))
	h.lastID++
	t := &timer{id: h.lastID, due: h.world.tick + ticks, call: f}
	if repeat {
		t.period = ticks
	}
	h.timers = append(h.timers, t)
	h.world.poke()
	return h.vm.ToValue(t.id)
}

func (h *host) cancel(call goja.FunctionCall) goja.Value {
	id := int(call.Argument(0).ToInteger())
	for i, t := range h.timers {
		if t.id == id {
			h.timers = append(h.timers[:i:i], h.timers[i+1:]...)
			break
		}
	}
	return goja.Undefined()
}

// players returns the names of all players.
func (h *host) players() []string {
	names := make([]string, len(h.people))
	for i, p := range h.people {
		names[i] = p.name
	}
	return names
}
