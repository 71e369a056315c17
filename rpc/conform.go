package rpc

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"groundplan/plan/fault"
	"groundplan/plan/strict"
)

// maxString is the length of a text parameter that says nothing else, as in the
// prototype.
const maxString = 256

// conform compares a parsed value with its schema and names the first place
// where they differ. It knows what schemaOf uses and no more, and says it in
// sentences for the person who wrote the call.
func conform(s *jsonschema.Schema, v *strict.Value) error {
	if v.Kind() == strict.Null {
		if slices.Contains(s.Types, "null") {
			return nil
		}
		return strict.Fix(v.Errorf("%s must not be null", pathOf(v)), v.Remove())
	}
	if !fits(s, v) {
		return mismatch(s, v)
	}
	switch v.Kind() {
	case strict.Object:
		return conformObject(s, v)
	case strict.Array:
		return conformArray(s, v)
	case strict.Number:
		return conformNumber(s, v)
	case strict.String:
		return conformText(s, v)
	default:
		return nil
	}
}

// fits reports whether the value is of the schema's type.
func fits(s *jsonschema.Schema, v *strict.Value) bool {
	switch v.Kind() {
	case strict.Object:
		return is(s, "object")
	case strict.Array:
		return is(s, "array")
	case strict.String:
		return is(s, "string")
	case strict.Bool:
		return is(s, "boolean")
	case strict.Number:
		_, whole := v.Int()
		return is(s, "number") || is(s, "integer") && whole
	default:
		return false
	}
}

// pathOf names a value in a sentence: min.x rather than /min/x.
func pathOf(v *strict.Value) string {
	path := strings.ReplaceAll(strings.TrimPrefix(v.Pointer(), "/"), "/", ".")
	if path == "" {
		return "params"
	}
	return path
}

func mismatch(s *jsonschema.Schema, v *strict.Value) error {
	want := s.Type
	if want == "" && len(s.Types) > 0 {
		want = s.Types[len(s.Types)-1]
	}
	message := "%s must be of type %s, not %s"
	if want == "integer" {
		message = "Integer required: %s must be an %s within 64 bits, not %s"
	}
	return strict.Allow(v.Errorf(message, pathOf(v), want, v.Kind()), want)
}

func conformObject(s *jsonschema.Schema, v *strict.Value) error {
	if s.Properties == nil {
		return nil // a recipe: its own compiler reads it
	}
	for i, key := range v.Keys() {
		sub := s.Properties[key]
		if sub == nil {
			allowed := slices.Clone(s.PropertyOrder)
			return v.Items()[i].Unknown(allowed)
		}
		if err := conform(sub, v.Items()[i]); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		if v.Get(name) == nil {
			return fault.Errorf(fault.InvalidRequest, "Required: %s is missing in %s", name, pathOf(v)).
				With("pointer", v.Pointer()).With("required", s.Required)
		}
	}
	return nil
}

func conformArray(s *jsonschema.Schema, v *strict.Value) error {
	n := len(v.Items())
	if s.MinItems != nil && n < *s.MinItems {
		return v.Errorf("%s needs at least %d items", pathOf(v), *s.MinItems)
	}
	if s.MaxItems != nil && n > *s.MaxItems {
		return v.Fault(fault.BudgetExceeded, "%s has %d items; at most %d are taken", pathOf(v), n, *s.MaxItems).
			With("limit", *s.MaxItems).With("got", n)
	}
	if s.Items == nil {
		return nil
	}
	for _, item := range v.Items() {
		if err := conform(s.Items, item); err != nil {
			return err
		}
	}
	return nil
}

func conformNumber(s *jsonschema.Schema, v *strict.Value) error {
	f, ok := v.Float()
	if !ok {
		return v.Errorf("%s is not a number that fits", pathOf(v))
	}
	if s.Minimum != nil && f < *s.Minimum || s.Maximum != nil && f > *s.Maximum {
		span := between(s.Minimum, s.Maximum)
		return strict.Allow(v.Errorf("%s = %s is outside %s", pathOf(v), v.Excerpt(), span), span)
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(f)) {
		return notOneOf(s, v)
	}
	return nil
}

func between(low, high *float64) string {
	text := ".."
	if low != nil {
		text = strconv.FormatFloat(*low, 'f', -1, 64) + text
	}
	if high != nil {
		text += strconv.FormatFloat(*high, 'f', -1, 64)
	}
	return text
}

func conformText(s *jsonschema.Schema, v *strict.Value) error {
	text, _ := v.Text()
	least, most := 0, maxString
	if s.MinLength != nil {
		least = *s.MinLength
	}
	if s.MaxLength != nil {
		most = *s.MaxLength
	}
	if n := len([]rune(text)); n < least || n > most || least > 0 && strings.TrimSpace(text) == "" {
		return v.Errorf("Required bounded string: %s has %d characters; %d to %d are taken", pathOf(v), n, least, most)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 }) {
		return v.Errorf("%s has control characters", pathOf(v))
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		return notOneOf(s, v)
	}
	if s.Pattern == "" {
		return nil
	}
	shape, err := regexp.Compile(s.Pattern)
	if err != nil {
		return err
	}
	if !shape.MatchString(text) {
		return strict.Allow(v.Errorf("%s does not have the form %s", pathOf(v), s.Pattern), s.Pattern)
	}
	return nil
}

func notOneOf(s *jsonschema.Schema, v *strict.Value) error {
	names := make([]string, len(s.Enum))
	for i, one := range s.Enum {
		names[i] = fmt.Sprint(one)
	}
	err := strict.Allow(v.Errorf("%s must be one of %s", pathOf(v), strings.Join(names, ", ")), s.Enum)
	if text, ok := v.Text(); ok {
		if near := strict.Nearest(text, names); near != "" {
			return strict.Fix(err, v.Replace(near))
		}
	}
	return err
}

// short cuts what a client sent before it is shown back.
func short(text string) string {
	const most = 64
	if len(text) <= most {
		return text
	}
	return cut(text, most) + "…"
}
