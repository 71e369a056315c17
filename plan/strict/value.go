package strict

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the word for the kind in a sentence.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Value is one value of a parsed text. Values are not changed after Parse.
type Value struct {
	kind   Kind
	raw    string // the source text
	text   string // String: the decoded text
	keys   []string
	items  []*Value // of an array, or of an object in the order of keys
	parent *Value
	key    string // in the parent: the key, or the index in decimal
}

// Kind returns the value's JSON type.
func (v *Value) Kind() Kind { return v.kind }

// Raw returns the value's source text.
func (v *Value) Raw() json.RawMessage { return json.RawMessage(v.raw) }

// Text returns the decoded text of a string, and false for another kind.
func (v *Value) Text() (string, bool) { return v.text, v.kind == String }

// Bool returns a boolean, and false for another kind.
func (v *Value) Bool() (value, ok bool) { return v.raw == "true", v.kind == Bool }

// Int returns an integer that is written as a plain integer token and fits 64
// bits, and false for everything else.
func (v *Value) Int() (int, bool) {
	if v.kind != Number || strings.ContainsAny(v.raw, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(v.raw, 10, 64)
	return int(n), err == nil && v.raw != "-0"
}

// Float returns a number as a float, and false for another kind or beyond the
// range of one.
func (v *Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	return f, err == nil
}

// Items returns the elements of an array or the values of an object, in the order
// of the text.
func (v *Value) Items() []*Value { return v.items }

// Keys returns the keys of an object, in the order of the text.
func (v *Value) Keys() []string { return v.keys }

// Key returns the key under which the value stands in its object.
func (v *Value) Key() string { return v.key }

// Get returns the value of a key; nil when the value is no object or has no such
// key.
func (v *Value) Get(key string) *Value {
	for i, k := range v.keys {
		if k == key {
			return v.items[i]
		}
	}
	return nil
}

// Pointer returns the JSON pointer of the value; "" is the whole text.
func (v *Value) Pointer() string {
	if v.parent == nil {
		return ""
	}
	return v.parent.Pointer() + "/" + escapePointer(v.key)
}

func escapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// Excerpt returns the value's source text, cut to at most 120 bytes.
func (v *Value) Excerpt() string {
	const most = 120
	if len(v.raw) <= most {
		return v.raw
	}
	return strings.ToValidUTF8(v.raw[:most], "") + "…"
}
