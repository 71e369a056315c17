package script

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"
)

// position is how the protocol writes a tuple of three whole numbers.
type position struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// maxNesting bounds what is converted.
const maxNesting = 32

// toJSON returns what the protocol has for a value; a tuple of three whole
// numbers is a position.
func toJSON(v starlark.Value, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("a value nested over %d levels", maxNesting)
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, fmt.Errorf("%v is too large", v)
		}
		return n, nil
	case starlark.Float:
		return float64(v), nil
	case starlark.Tuple:
		if p, ok := positionOf(v); ok {
			return p, nil
		}
		return listOf(v, depth)
	case *starlark.Dict:
		object := make(map[string]any, v.Len())
		for _, item := range v.Items() {
			key, ok := starlark.AsString(item[0])
			if !ok {
				return nil, fmt.Errorf("a key must be a string, not %s", item[0].Type())
			}
			value, err := toJSON(item[1], depth+1)
			if err != nil {
				return nil, err
			}
			object[key] = value
		}
		return object, nil
	case starlark.Iterable:
		return listOf(v, depth)
	default:
		return nil, fmt.Errorf("a %s cannot be sent", v.Type())
	}
}

func positionOf(t starlark.Tuple) (position, bool) {
	if len(t) != 3 {
		return position{}, false
	}
	var n [3]int
	for i, v := range t {
		if starlark.AsInt(v, &n[i]) != nil {
			return position{}, false
		}
	}
	return position{n[0], n[1], n[2]}, true
}

func listOf(v starlark.Iterable, depth int) (any, error) {
	list := []any{}
	for item := range starlark.Elements(v) {
		value, err := toJSON(item, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

// fromJSON returns the value for a result.
func fromJSON(raw json.RawMessage) (starlark.Value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return fromAny(v)
}

func fromAny(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return starlark.MakeInt64(n), nil
		}
		f, err := v.Float64()
		return starlark.Float(f), err
	case []any:
		list := make([]starlark.Value, len(v))
		for i, item := range v {
			value, err := fromAny(item)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return starlark.NewList(list), nil
	case map[string]any:
		object := starlark.NewDict(len(v))
		for key, item := range v {
			value, err := fromAny(item)
			if err != nil {
				return nil, err
			}
			if err := object.SetKey(starlark.String(key), value); err != nil {
				return nil, err
			}
		}
		return object, nil
	default:
		return nil, fmt.Errorf("a result of type %T", v)
	}
}
