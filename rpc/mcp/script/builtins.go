package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// maxRange is how long a range may be: what a script of any use needs, and no
// way to ask for 2^40 numbers at once.
const maxRange = 1_000_000

// builtins are all that a script sees beside the language's own.
func (h *host) builtins() starlark.StringDict {
	all := starlark.StringDict{"range": starlark.NewBuiltin("range", boundedRange)}
	add := func(name string, run func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)) {
		all[name] = starlark.NewBuiltin(name, run)
	}
	for name, fields := range map[string][]string{
		"box":      {"min", "max", "block", "hollow?"},
		"line":     {"start=from", "end=to", "block"}, // from is a reserved word
		"cylinder": {"center", "radius", "height", "block", "hollow?"},
		"sphere":   {"center", "radius", "block", "hollow?"},
	} {
		add(name, h.shape(fields))
	}
	add("add", h.add)
	add("plan", h.plan)
	add("apply", h.apply)
	for name, method := range map[string]string{
		"inspect": "region_inspect", "context": "project_context", "search": "material_search", "describe": "material_describe",
	} {
		add(name, h.ask(method))
	}
	return all
}

func boundedRange(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	value, err := starlark.Call(thread, starlark.Universe["range"], args, kwargs)
	if err != nil {
		return nil, err
	}
	if n := starlark.Len(value); n > maxRange {
		return nil, fmt.Errorf("%s: %d numbers; at most %d", b.Name(), n, maxRange)
	}
	return value, nil
}

// shape returns the builtin that adds one kind of shape to the recipe.
func (h *host) shape(fields []string) func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		values := make([]starlark.Value, len(fields))
		pairs := make([]any, 0, 2*len(fields))
		for i, name := range fields {
			parameter, _, _ := strings.Cut(name, "=")
			pairs = append(pairs, parameter, &values[i])
		}
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, pairs...); err != nil {
			return nil, err
		}
		operation := map[string]any{"type": b.Name()}
		for i, value := range values {
			if value == nil {
				continue
			}
			converted, err := toJSON(value, 0)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			parameter, field, renamed := strings.Cut(fields[i], "=")
			if !renamed {
				field = strings.TrimSuffix(parameter, "?")
			}
			operation[field] = converted
		}
		return starlark.None, h.push(operation)
	}
}

// maxOperations is how many operations a recipe may have.
const maxOperations = 4096

func (h *host) push(operation any) error {
	if len(h.operations) == maxOperations {
		return fmt.Errorf("a recipe has at most %d operations; call plan() for what there is, or use repeat", maxOperations)
	}
	h.operations = append(h.operations, operation)
	return nil
}

// add puts any operation into the recipe: add("pyramid", base=(0, 64, 0), …).
func (h *host) add(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var kind string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 1, &kind); err != nil {
		return nil, err
	}
	operation, err := object(kwargs)
	if err != nil {
		return nil, err
	}
	operation["type"] = kind
	return starlark.None, h.push(operation)
}

func object(kwargs []starlark.Tuple) (map[string]any, error) {
	fields := map[string]any{}
	for _, pair := range kwargs {
		name, _ := starlark.AsString(pair[0])
		value, err := toJSON(pair[1], 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fields[name] = value
	}
	return fields, nil
}

// plan prepares a plan of the operations so far, begins a new recipe, and returns
// what build_prepare answers. Keyword arguments go into the call.
func (h *host) plan(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 0, &name); err != nil {
		return nil, err
	}
	params, err := object(kwargs)
	if err != nil {
		return nil, err
	}
	params["recipe"] = map[string]any{"version": 1, "operations": h.operations}
	if h.operations == nil {
		return nil, fmt.Errorf("plan: there is nothing to plan; add a box, a line, …")
	}
	h.operations = nil
	return h.call("build_prepare", params)
}

// apply executes a plan and returns the status that its operation ended with.
func (h *host) apply(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var p *starlark.Dict
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "plan", &p); err != nil {
		return nil, err
	}
	params := map[string]any{}
	for _, field := range []string{"plan_id", "plan_hash"} {
		value, found, err := p.Get(starlark.String(field))
		text, ok := starlark.AsString(value)
		if err != nil || !found || !ok {
			return nil, fmt.Errorf("apply: what plan() returned is needed")
		}
		params[field] = text
	}
	return h.call("build_apply", params)
}

// ask returns the builtin that calls a reading method: positional min and max for
// inspect, keywords for everything else.
func (h *host) ask(method string) func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	names := map[string][]string{"region_inspect": {"min", "max", "detail"}, "material_search": {"query"}, "material_describe": {"id"}}[method]
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > len(names) {
			return nil, fmt.Errorf("%s: at most %d positional arguments", b.Name(), len(names))
		}
		params, err := object(kwargs)
		if err != nil {
			return nil, err
		}
		for i, value := range args {
			if params[names[i]], err = toJSON(value, 0); err != nil {
				return nil, err
			}
		}
		return h.call(method, params)
	}
}
