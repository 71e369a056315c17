package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// component is one table of a rule: a state of the target (or id, water, note)
// over the properties that it depends on.
type component struct {
	name   string
	props  []int
	values []string
}

func (c component) text(sh shape) string {
	var names []string
	for _, p := range c.props {
		names = append(names, sh[p].name)
	}
	return "C " + c.name + " " + strings.Join(names, ",") + "=" + strings.Join(c.values, ",")
}

// factor returns the smallest table that gives all values: those properties that
// never change the value are left out. As the values are a function on every
// combination, the set of properties it depends on is unique.
func factor(name string, sh shape, values []string) component {
	c := component{name: name}
	stride := len(values)
	for k, p := range sh {
		stride /= len(p.values)
		for i := range values {
			digit := i / stride % len(p.values)
			if values[i] != values[i-digit*stride] {
				c.props = append(c.props, k)
				break
			}
		}
	}
	sub := shape{}
	for _, k := range c.props {
		sub = append(sub, sh[k])
	}
	for i := range sub.size() {
		digits := make([]int, len(sh))
		for k, d := range sub.at(i) {
			digits[c.props[k]] = d
		}
		index := 0
		for k, d := range digits {
			index = index*len(sh[k].values) + d
		}
		c.values = append(c.values, values[index])
	}
	return c
}

// rule returns the rule of a block as text, and the target ids it indexes.
func (b *javaBlock) rule(notes map[note]int) (string, []string) {
	var ids, states []string
	for _, t := range b.targets {
		if t.id != "" && !slices.Contains(ids, t.id) {
			ids = append(ids, t.id)
		}
		for s := range t.states {
			if !slices.Contains(states, s) {
				states = append(states, s)
			}
		}
	}
	slices.Sort(states)
	column := func(f func(target) string) []string {
		out := make([]string, len(b.targets))
		for i, t := range b.targets {
			out[i] = f(t)
		}
		return out
	}
	lines := []string{"J " + b.props.String()}
	add := func(name string, f func(target) string, absent string) {
		c := factor(name, b.props, column(f))
		if len(c.props) > 0 || c.values[0] != absent {
			lines = append(lines, c.text(b.props))
		}
	}
	add("id", func(t target) string { return itoa(max(0, slices.Index(ids, t.id))) }, "0")
	add("note", func(t target) string { return itoa(notes[t.note]) }, "0")
	add("prefer", func(t target) string { return itoa(b2i(t.prefer)) }, "0")
	add("water", func(t target) string { return itoa(b2i(t.water)) }, "0")
	for _, s := range states {
		add(s, func(t target) string {
			if v, ok := t.states[s]; ok {
				return v
			}
			return "-"
		}, "-")
	}
	return strings.Join(lines, "\n"), ids
}

// collectNotes numbers every note; 0 is "exact" without words.
func collectNotes(blocks []*javaBlock) ([]note, map[note]int) {
	list, index := []note{{quality: "exact"}}, map[note]int{{quality: "exact"}: 0}
	for _, b := range blocks {
		for _, t := range b.targets {
			if _, ok := index[t.note]; !ok {
				index[t.note] = len(list)
				list = append(list, t.note)
			}
		}
	}
	return list, index
}

// write returns the registry's text.
func write(palettes []palette, blocks []*javaBlock, classes, extra []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, "blocks 1")
	b.WriteString("P")
	for _, p := range profiles {
		b.WriteString(" " + p.name)
	}
	b.WriteString("\n")
	notes, index := collectNotes(blocks)
	for _, n := range notes {
		fmt.Fprintf(&b, "T %s %s\n", n.quality, n.text)
	}
	writeBedrock(&b, palettes)
	for _, line := range classes {
		fmt.Fprintln(&b, line)
	}
	writeJava(&b, blocks, index)
	for _, line := range extra {
		fmt.Fprintln(&b, line)
	}
	return b.String()
}

func writeBedrock(b *strings.Builder, palettes []palette) {
	masks := map[string]map[string]int{} // id → shape text → profiles
	for n, p := range palettes {
		for id, sh := range p {
			if masks[id] == nil {
				masks[id] = map[string]int{}
			}
			masks[id][sh.String()] |= 1 << n
		}
	}
	groups := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(masks)) {
		for text, mask := range masks[id] {
			key := itoa(mask) + " " + text
			groups[key] = append(groups[key], id)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(b, "B %s\t%s\n", key, strings.Join(groups[key], " "))
	}
}

func writeJava(b *strings.Builder, blocks []*javaBlock, notes map[note]int) {
	groups := map[string][]string{}
	for _, j := range blocks {
		text, ids := j.rule(notes)
		name := j.id
		if len(ids) != 1 || ids[0] != j.id {
			name += "=" + strings.Join(ids, ",")
		}
		groups[text] = append(groups[text], name)
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(b, "%s\nN %s\n", key, strings.Join(groups[key], " "))
	}
}
