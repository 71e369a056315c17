package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// javaBlock is a Java block with what each of its states becomes.
type javaBlock struct {
	id      string
	props   shape
	targets []target // by combination of props

	harmless map[string]bool // properties that may be dropped without a word
}

// target is what a Java state becomes: a Bedrock block with its states (those of
// the newest profile; older ones have fewer), the water layer, and a note.
type target struct {
	id     string
	states map[string]string
	water  bool
	note   note
	prefer bool // wins among the Java states that become the same Bedrock state
}

// note says how true a translation is and what is lost.
type note struct {
	quality string // "exact", "approximate", "unknown", "keep"
	text    string
}

// likeNew names, for blocks newer than the Java block list, an older block with
// the same properties, whose defaults they share.
var likeNew = []struct{ suffix, like string }{
	{"_stairs", "oak_stairs"},
	{"_slab", "oak_slab"},
	{"_wall", "cobblestone_wall"},
	{"sulfur_spike", "pointed_dripstone"},
}

// newShapes are the properties of newer blocks that are like no other.
var newShapes = map[string]shape{
	"potent_sulfur": {{name: "potent_sulfur_state", values: []string{"dry", "wet", "dormant", "erupting", "continuous"}}},
}

// readJava builds the Java blocks from the translation table and the list of
// blocks, which knows order of values and defaults.
func readJava(table, blocks []byte) ([]*javaBlock, error) {
	var rows map[string]string
	if err := json.Unmarshal(table, &rows); err != nil {
		return nil, err
	}
	var list []rawBlock
	if err := json.Unmarshal(blocks, &list); err != nil {
		return nil, err
	}
	shapes := map[string]shape{}
	for _, b := range list {
		sh, err := b.shape()
		if err != nil {
			return nil, err
		}
		shapes[b.Name] = sh
	}
	byID := map[string]map[string]string{} // id → state text → target
	for java, bedrock := range rows {
		id, _, err := cut(java)
		if err != nil {
			return nil, err
		}
		if byID[id] == nil {
			byID[id] = map[string]string{}
		}
		byID[id][java] = bedrock
	}
	var out []*javaBlock
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		b := &javaBlock{id: id, harmless: map[string]bool{}}
		var err error
		if b.props, err = javaShape(id, shapes, byID[id]); err != nil {
			return nil, err
		}
		if err := b.fill(byID[id]); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	for id := range shapes {
		if byID[id] == nil {
			return nil, fmt.Errorf("java block %s has no row in the table", id)
		}
	}
	return out, nil
}

func javaShape(id string, shapes map[string]shape, rows map[string]string) (shape, error) {
	if sh, ok := shapes[id]; ok {
		return sh, nil
	}
	if _, plain := rows["minecraft:"+id+"[]"]; plain && len(rows) == 1 {
		return nil, nil
	}
	for _, l := range likeNew {
		if sh, ok := shapes[l.like]; ok && strings.HasSuffix(id, l.suffix) && sh.size() == len(rows) {
			return sh, nil
		}
	}
	if sh, ok := newShapes[id]; ok {
		return sh, nil
	}
	return nil, fmt.Errorf("java block %s is in the table only, and like no other", id)
}

func (b rawBlock) shape() (shape, error) {
	var sh shape
	index := b.DefaultState - b.Min
	for _, s := range b.States {
		p := prop{name: s.Name, values: s.Values}
		switch {
		case s.Type == "bool":
			p.values = []string{"true", "false"}
		case len(s.Values) == 0:
			return nil, fmt.Errorf("%s: %s has no values", b.Name, s.Name)
		}
		if s.Num != len(p.values) {
			return nil, fmt.Errorf("%s: %s has %d values of %d", b.Name, s.Name, len(p.values), s.Num)
		}
		sh = append(sh, p)
	}
	for i, digit := range sh.at(index) {
		sh[i].def = digit
	}
	return sh, nil
}

func (b *javaBlock) fill(rows map[string]string) error {
	if len(rows) != b.props.size() {
		return fmt.Errorf("%s: %d rows for %d states", b.id, len(rows), b.props.size())
	}
	names := make([]int, len(b.props))
	for i := range names {
		names[i] = i
	}
	slices.SortFunc(names, func(x, y int) int { return strings.Compare(b.props[x].name, b.props[y].name) })
	for i := range b.props.size() {
		digits := b.props.at(i)
		var kv []string
		for _, n := range names {
			kv = append(kv, b.props[n].name+"="+b.props[n].values[digits[n]])
		}
		row, ok := rows["minecraft:"+b.id+"["+strings.Join(kv, ",")+"]"]
		if !ok {
			return fmt.Errorf("%s: no row for %v", b.id, kv)
		}
		id, states, err := cut(row)
		if err != nil {
			return err
		}
		t := target{id: id, states: states, note: note{quality: "exact"}}
		if w := b.props.find("waterlogged"); w >= 0 {
			t.water = b.props[w].values[digits[w]] == "true"
		}
		b.targets = append(b.targets, t)
	}
	return nil
}

func (b *javaBlock) values(i int) map[string]string {
	out := map[string]string{}
	for k, digit := range b.props.at(i) {
		out[b.props[k].name] = b.props[k].values[digit]
	}
	return out
}

// check fails when a target is not in a profile's palette. States that a
// profile's block does not have are left out: older games derive them.
func (b *javaBlock) check(newest palette, all []palette) error {
	for i, t := range b.targets {
		if t.note.quality == "unknown" || t.note.quality == "keep" {
			continue
		}
		if sh := newest[t.id]; len(sh) != len(t.states) {
			return fmt.Errorf("%s %v: %s has %d states, the rule gives %v", b.id, b.values(i), t.id, len(sh), t.states)
		}
		for n, p := range all {
			sh, ok := p[t.id]
			if !ok {
				return fmt.Errorf("%s: %s is not in profile %s", b.id, t.id, profiles[n].name)
			}
			for _, s := range sh {
				if !slices.Contains(s.values, t.states[s.name]) {
					return fmt.Errorf("%s %v: %s has no %s=%q in profile %s", b.id, b.values(i), t.id, s.name, t.states[s.name], profiles[n].name)
				}
			}
		}
	}
	return nil
}

// checkLosses fails when two states that differ in one property become the same,
// both are called exact, and no patch says that the property is harmless: a loss
// that nobody has named.
func (b *javaBlock) checkLosses() error {
	for i, t := range b.targets {
		if t.note.quality != "exact" {
			continue
		}
		stride := len(b.targets)
		for _, p := range b.props {
			stride /= len(p.values)
			first := i - i/stride%len(p.values)*stride
			u := b.targets[first]
			if first == i || b.harmless[p.name] || u.note.quality != "exact" {
				continue
			}
			if t.id == u.id && t.water == u.water && maps.Equal(t.states, u.states) {
				return fmt.Errorf("%s: %s is lost without a word (%v)", b.id, p.name, b.values(i))
			}
		}
	}
	return nil
}

func itoa(i int) string { return strconv.Itoa(i) }
