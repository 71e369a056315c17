package main

import (
	"fmt"
	"slices"
	"strings"
)

// prop is a state of a Bedrock block or a property of a Java block, with all its
// values in the order of the game's own numbering.
type prop struct {
	name   string
	values []string
	def    int
}

// shape is the states of a block; the block has every combination of values.
type shape []prop

func (s shape) size() int {
	n := 1
	for _, p := range s {
		n *= len(p.values)
	}
	return n
}

// at returns the values of the i-th combination; the last state varies fastest.
func (s shape) at(i int) []int {
	digits := make([]int, len(s))
	for k := len(s) - 1; k >= 0; k-- {
		n := len(s[k].values)
		digits[k], i = i%n, i/n
	}
	return digits
}

func (s shape) find(name string) int {
	return slices.IndexFunc(s, func(p prop) bool { return p.name == name })
}

func (s shape) String() string {
	var b strings.Builder
	for i, p := range s {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(p.name)
		for k, v := range p.values {
			b.WriteByte(",="[b2i(k == 0)])
			if k == p.def {
				b.WriteByte('*')
			}
			b.WriteString(v)
		}
	}
	if len(s) == 0 {
		return "-"
	}
	return b.String()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cut splits "minecraft:id[k=v,…]" into id and values.
func cut(text string) (string, map[string]string, error) {
	id, rest, ok := strings.Cut(strings.TrimPrefix(text, "minecraft:"), "[")
	values := map[string]string{}
	if !ok {
		return id, values, nil
	}
	rest, ok = strings.CutSuffix(rest, "]")
	if !ok {
		return "", nil, fmt.Errorf("%q has no closing bracket", text)
	}
	if rest == "" {
		return id, values, nil
	}
	for kv := range strings.SplitSeq(rest, ",") {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return "", nil, fmt.Errorf("%q: %q is not name=value", text, kv)
		}
		values[k] = v
	}
	return id, values, nil
}
