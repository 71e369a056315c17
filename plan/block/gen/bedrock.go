package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// profiles are the target profiles and the palettes that stand for them.
// minecraft-data has no folder for the versions in between: their palettes are
// the same.
var profiles = []struct{ name, dir string }{
	{"1.26.45", "minecraft-data/data/bedrock/1.26.40/"},
	{"1.26.50", "minecraft-data/data/bedrock/1.26.51/"},
	{"1.26.60", "minecraft-data/data/bedrock/1.26.60/"},
}

// palette is every block of one profile.
type palette map[string]shape

type rawState struct {
	Name   string
	States map[string]struct {
		Type  string
		Value any
	}
}

type rawBlock struct {
	Name         string
	DefaultState int
	BoundingBox  string
	States       []struct {
		Name, Type string
		Values     []string
		Num        int `json:"num_values"`
	}
	Min int `json:"minStateId"`
}

// readPalette builds a palette from the list of permutations and the list of
// blocks, which knows the defaults. It fails when a block's permutations are not
// every combination of its values: the registry's numbering rests on that.
func readPalette(permutations, blocks []byte) (palette, error) {
	var states []rawState
	if err := json.Unmarshal(permutations, &states); err != nil {
		return nil, err
	}
	var list []rawBlock
	if err := json.Unmarshal(blocks, &list); err != nil {
		return nil, err
	}
	out, count := palette{}, map[string]int{}
	for _, st := range states {
		count[st.Name]++
		sh, known := out[st.Name]
		if !known {
			for name := range st.States {
				sh = append(sh, prop{name: name, def: -1})
			}
			slices.SortFunc(sh, func(a, b prop) int { return strings.Compare(a.name, b.name) })
			out[st.Name] = sh
		}
		if len(sh) != len(st.States) {
			return nil, fmt.Errorf("%s: permutations with different states", st.Name)
		}
		for i := range sh {
			v, err := st.value(sh[i].name)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(sh[i].values, v) {
				sh[i].values = append(sh[i].values, v)
			}
		}
	}
	for id, sh := range out {
		if sh.size() != count[id] {
			return nil, fmt.Errorf("%s: %d permutations of %d", id, count[id], sh.size())
		}
	}
	return out, out.defaults(states, list)
}

func (p palette) defaults(states []rawState, list []rawBlock) error {
	for _, b := range list {
		sh, ok := p[b.Name]
		st := states[b.DefaultState]
		if !ok || st.Name != b.Name {
			return fmt.Errorf("%s: default state is of %s", b.Name, st.Name)
		}
		for i := range sh {
			v, err := st.value(sh[i].name)
			if err != nil {
				return err
			}
			sh[i].def = slices.Index(sh[i].values, v)
		}
	}
	for id, sh := range p {
		for _, s := range sh {
			if s.def < 0 {
				return fmt.Errorf("%s: no default for %s", id, s.name)
			}
		}
	}
	return nil
}

// value returns a state as text: bytes are truth values, the others what they
// are.
func (st rawState) value(name string) (string, error) {
	s, ok := st.States[name]
	if !ok {
		return "", fmt.Errorf("%s: permutation without %s", st.Name, name)
	}
	n, isNumber := s.Value.(float64)
	switch {
	case s.Type == "byte" && isNumber && (n == 0 || n == 1):
		return strconv.FormatBool(n == 1), nil
	case s.Type == "int" && isNumber:
		return strconv.Itoa(int(n)), nil
	case s.Type == "string" && !isNumber:
		return fmt.Sprint(s.Value), nil
	}
	return "", fmt.Errorf("%s: %s is a %s of %v", st.Name, name, s.Type, s.Value)
}

var (
	vanillaID     = regexp.MustCompile(`(?m)^    '?(?:minecraft:)?([a-z0-9_]+)'?: (\w+States);`)
	vanillaPick   = regexp.MustCompile(`(?m)^export type (\w+States) = Pick<BlockStateSuperset, (.*)>;`)
	vanillaType   = regexp.MustCompile(`(?m)^    \['([^']+)'\]\?: (\w+);`)
	vanillaString = regexp.MustCompile(`'([^']+)'`)
)

// checkVanilla compares the states of every block, and their types, with the
// declarations that Mojang publishes for the same release.
func (p palette) checkVanilla(declarations []byte) error {
	text := string(declarations)
	types, picks, blocks := map[string]string{}, map[string][]string{}, map[string][]string{}
	for _, m := range vanillaType.FindAllStringSubmatch(text, -1) {
		types[m[1]] = m[2]
	}
	for _, m := range vanillaPick.FindAllStringSubmatch(text, -1) {
		for _, s := range vanillaString.FindAllStringSubmatch(m[2], -1) {
			picks[m[1]] = append(picks[m[1]], s[1])
		}
		slices.Sort(picks[m[1]])
	}
	for _, m := range vanillaID.FindAllStringSubmatch(text, -1) {
		blocks[m[1]] = picks[m[2]]
	}
	if len(blocks) < 900 || len(types) < 150 {
		return fmt.Errorf("vanilla-data: %d blocks and %d states read: the format changed", len(blocks), len(types))
	}
	for id, names := range blocks {
		sh, ok := p[id]
		if !ok {
			return fmt.Errorf("vanilla-data has %s, the palette has not", id)
		}
		var have []string
		for _, s := range sh {
			have = append(have, s.name)
			if want := types[s.name]; want != typeOf(s.values) {
				return fmt.Errorf("%s: %s is a %s in vanilla-data, a %s here", id, s.name, want, typeOf(s.values))
			}
		}
		if !slices.Equal(have, names) {
			return fmt.Errorf("%s: states %v in vanilla-data, %v here", id, names, have)
		}
	}
	return nil
}

func typeOf(values []string) string {
	if values[0] == "true" || values[0] == "false" {
		return "boolean"
	}
	if _, err := strconv.Atoi(values[0]); err == nil {
		return "number"
	}
	return "string"
}

// readSolid returns the blocks that have a collision box.
func readSolid(blocks []byte) (map[string]bool, error) {
	var list []rawBlock
	if err := json.Unmarshal(blocks, &list); err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, b := range list {
		if b.BoundingBox == "block" {
			out[b.Name] = true
		}
	}
	return out, nil
}

// readOrder returns, for each block, which combination each of its permutations
// is, in the order of the file: the order of the collision shapes.
func readOrder(permutations []byte, p palette) (map[string][]int, error) {
	var states []rawState
	if err := json.Unmarshal(permutations, &states); err != nil {
		return nil, err
	}
	out := map[string][]int{}
	for _, st := range states {
		values := map[string]string{}
		for _, s := range p[st.Name] {
			v, err := st.value(s.name)
			if err != nil {
				return nil, err
			}
			values[s.name] = v
		}
		out[st.Name] = append(out[st.Name], p[st.Name].number(values))
	}
	return out, nil
}
