package block

import (
	"iter"
	"strings"
)

// State is a Bedrock block state in canonical text: full id, every state listed,
// names sorted, values true|false|integer|word, no spaces, no quotes, no brackets
// when there are no states; waterlogged=true is written last as a pseudo-state,
// because it is a second layer.
type State string

// Air is the state of an empty cell.
const Air State = "minecraft:air"

const (
	namespace = "minecraft:"
	wetEnd    = ",waterlogged=true]"
	wetOnly   = "[waterlogged=true]"
)

// ID returns the block's id, such as minecraft:oak_stairs.
func (s State) ID() string {
	id, _, _ := strings.Cut(string(s), "[")
	return id
}

// Waterlogged reports whether the cell holds water besides the block.
func (s State) Waterlogged() bool {
	return strings.HasSuffix(string(s), wetEnd) || strings.HasSuffix(string(s), wetOnly)
}

// Dry returns s without the water layer.
func (s State) Dry() State {
	if t, ok := strings.CutSuffix(string(s), wetEnd); ok {
		return State(t + "]")
	}
	return State(strings.TrimSuffix(string(s), wetOnly))
}

// Wet returns s with the water layer.
func (s State) Wet() State {
	switch {
	case s.Waterlogged():
		return s
	case strings.HasSuffix(string(s), "]"):
		return s[:len(s)-1] + wetEnd
	default:
		return s + wetOnly
	}
}

// All yields the names and values of the states in canonical order, without the
// water layer.
func (s State) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		_, rest, ok := strings.Cut(string(s.Dry()), "[")
		if !ok {
			return
		}
		for kv := range strings.SplitSeq(strings.TrimSuffix(rest, "]"), ",") {
			name, value, _ := strings.Cut(kv, "=")
			if !yield(name, value) {
				return
			}
		}
	}
}

// Value returns the value of one state, "" when there is none of that name.
func (s State) Value(name string) string {
	for n, v := range s.All() {
		if n == name {
			return v
		}
	}
	return ""
}

// key returns what the index knows s by: the dry text without the closing
// bracket, which is a part of the text with and without water.
func (s State) key() (key string, wet bool) {
	t := string(s)
	if k, ok := strings.CutSuffix(t, wetEnd); ok {
		return k, true
	}
	if k, ok := strings.CutSuffix(t, wetOnly); ok {
		return k, true
	}
	return strings.TrimSuffix(t, "]"), false
}
