package strict

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"groundplan/plan/fault"
)

// Unmarshal reads one JSON value into v, a pointer, as encoding/json does, but
// strictly: struct keys must match exactly, an unknown key, a duplicate key, an
// integer that is not a plain token and trailing text are errors. null is
// accepted for pointers, slices, maps and interfaces only. Types with their own
// UnmarshalJSON or UnmarshalText decide themselves.
func Unmarshal(data []byte, v any) error {
	tree, err := Parse(data)
	if err != nil {
		return err
	}
	return tree.Into(v)
}

// Into fills a Go value from the tree as Unmarshal does; pointers in its errors
// start at the whole text.
func (v *Value) Into(target any) error {
	t := reflect.TypeOf(target)
	if t == nil || t.Kind() != reflect.Pointer {
		return fault.Errorf(fault.Internal, "strict: target %T is not a pointer", target)
	}
	if err := v.check(t.Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(v.raw), target); err != nil {
		return v.Errorf("%w", err)
	}
	return nil
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// check compares the value with what the type takes.
func (v *Value) check(t reflect.Type) error {
	if own := reflect.PointerTo(t); own.Implements(jsonUnmarshaler) || own.Implements(textUnmarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.kind == Null {
			return nil
		}
		return v.check(t.Elem())
	case reflect.Interface:
		return nil
	case reflect.Struct:
		return v.checkStruct(t)
	case reflect.Map:
		return v.checkItems(Object, t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return v.want(String)
		}
		return v.checkItems(Array, t.Elem())
	case reflect.Array:
		return v.checkItems(Array, t.Elem())
	case reflect.String:
		return v.want(String)
	case reflect.Bool:
		return v.want(Bool)
	case reflect.Float32, reflect.Float64:
		if _, ok := v.Float(); !ok {
			return v.want(Number)
		}
		return nil
	default:
		return v.checkInt(t)
	}
}

func (v *Value) want(k Kind) error {
	if v.kind != k {
		return Allow(v.Errorf("%s is required here, not %s", k, v.kind), k.String())
	}
	return nil
}

func (v *Value) checkInt(t reflect.Type) error {
	lo, hi := math.MinInt64, math.MaxInt64
	if bits := t.Bits(); bits < 64 {
		lo, hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	if t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		lo = 0
	}
	_, err := v.Integer(lo, hi)
	return err
}

// Integer returns the value if it is a plain integer within lo..hi; otherwise an
// error whose fix is the nearest such integer where that is what must be meant.
func (v *Value) Integer(lo, hi int) (int, error) {
	n, ok := v.Int()
	if ok && lo <= n && n <= hi {
		return n, nil
	}
	allowed := map[string]any{"type": "integer", "minimum": lo, "maximum": hi}
	if ok {
		err := Allow(v.Errorf("%d is outside %d..%d", n, lo, hi), allowed)
		return 0, Fix(err, v.Replace(min(max(n, lo), hi)))
	}
	err := Allow(v.Errorf("a plain integer is required here, not %s", v.Excerpt()), allowed)
	if f, isNumber := v.meant(); isNumber && f >= float64(lo) && f <= float64(hi) {
		return 0, Fix(err, v.Replace(int(math.Floor(f+0.5))))
	}
	return 0, err
}

// meant reads a number also from a string that holds one.
func (v *Value) meant() (float64, bool) {
	if v.kind == String {
		tree, err := Parse([]byte(strings.TrimSpace(v.text)))
		if err != nil {
			return 0, false
		}
		return tree.Float()
	}
	return v.Float()
}

func (v *Value) checkItems(k Kind, elem reflect.Type) error {
	if v.kind == Null {
		return nil
	}
	if err := v.want(k); err != nil {
		return err
	}
	for _, item := range v.items {
		if err := item.check(elem); err != nil {
			return err
		}
	}
	return nil
}

func (v *Value) checkStruct(t reflect.Type) error {
	if err := v.want(Object); err != nil {
		return err
	}
	fields := map[string]reflect.Type{}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields[name] = f.Type
		names = append(names, name)
	}
	for i, key := range v.keys {
		field, ok := fields[key]
		if !ok {
			return v.items[i].Unknown(names)
		}
		if err := v.items[i].check(field); err != nil {
			return err
		}
	}
	return nil
}
