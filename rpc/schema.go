package rpc

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// schemaOf returns the JSON Schema of a parameters or result type: what
// jsonschema.ForType makes of the types, with the bounds that the fields' tags
// add:
//
//	check:"min=1,max=64"     length of a text, size of a number or of a list
//	check:"enum=a|b"         one of these
//	check:"default=a"        what leaving it out means
//	check:"pattern=[a-z]+"   the whole text (no comma in it)
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	position := &jsonschema.Schema{
		Type: "object", Required: []string{"x", "y", "z"}, PropertyOrder: []string{"x", "y", "z"},
		Properties:           map[string]*jsonschema.Schema{"x": coordinate(), "y": coordinate(), "z": coordinate()},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[voxel.Pos]():       position,
		reflect.TypeFor[block.State]():     {Type: "string", Description: "canonical block state"},
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
	}})
	if err != nil {
		return nil, err
	}
	return s, refine(s, t)
}

func coordinate() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(float64(math.MinInt32)), Maximum: new(float64(math.MaxInt32))}
}

// refine adds the bounds of t's field tags to its schema.
func refine(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		if s.Items != nil {
			return refine(s.Items, t.Elem())
		}
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			sub := s.Properties[name]
			if sub == nil || name == "" || field.Anonymous {
				continue
			}
			if err := refine(sub, field.Type); err != nil {
				return err
			}
			if err := bound(sub, field.Tag.Get("check")); err != nil {
				return fmt.Errorf("%s.%s: %w", t, field.Name, err)
			}
		}
	default:
	}
	return nil
}

// bound adds the bounds of one tag to a property.
func bound(s *jsonschema.Schema, tag string) error {
	if tag == "" {
		return nil
	}
	for rule := range strings.SplitSeq(tag, ",") {
		key, text, _ := strings.Cut(rule, "=")
		switch key {
		case "min", "max":
			n, err := strconv.Atoi(text)
			if err != nil {
				return err
			}
			limit(s, key == "min", n)
		case "enum":
			for one := range strings.SplitSeq(text, "|") {
				s.Enum = append(s.Enum, literal(s, one))
			}
		case "default":
			raw, err := json.Marshal(literal(s, text))
			if err != nil {
				return err
			}
			s.Default = raw
		case "pattern":
			s.Pattern = "^(" + text + ")$"
		default:
			return fmt.Errorf("unknown rule %q", rule)
		}
	}
	return nil
}

// literal reads a tag's value as the property's type has it.
func literal(s *jsonschema.Schema, text string) any {
	if is(s, "integer") || is(s, "number") {
		if n, err := strconv.Atoi(text); err == nil {
			return float64(n)
		}
	}
	if is(s, "boolean") {
		return text == "true"
	}
	return text
}

func limit(s *jsonschema.Schema, low bool, n int) {
	switch {
	case is(s, "string") && low:
		s.MinLength = &n
	case is(s, "string"):
		s.MaxLength = &n
	case is(s, "array") && low:
		s.MinItems = &n
	case is(s, "array"):
		s.MaxItems = &n
	case low:
		s.Minimum = new(float64(n))
	default:
		s.Maximum = new(float64(n))
	}
}

func is(s *jsonschema.Schema, name string) bool {
	return s.Type == name || slices.Contains(s.Types, name)
}
