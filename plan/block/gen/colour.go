package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var hexColour = regexp.MustCompile(`^[0-9a-f]{6}$`)

// readColours reads colours.txt and returns the M lines for a palette. A block
// without a colour is an error, and so is a pattern that names no block.
func readColours(text string, p palette) ([]string, error) {
	colours := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		colour, patterns, ok := strings.Cut(line, ":")
		if !ok || !hexColour.MatchString(colour) {
			return nil, fmt.Errorf("colours.txt:%d: not \"rrggbb: patterns\"", i+1)
		}
		for pattern := range strings.FieldsSeq(patterns) {
			hit := false
			for id := range p {
				if ok, err := path.Match(pattern, id); err == nil && ok {
					colours[id], hit = colour, true
				}
			}
			if !hit {
				return nil, fmt.Errorf("colours.txt:%d: %s names no block", i+1, pattern)
			}
		}
	}
	groups := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(p)) {
		if colours[id] == "" {
			return nil, fmt.Errorf("colours.txt: no colour for %s", id)
		}
		groups[colours[id]] = append(groups[colours[id]], id)
	}
	var out []string
	for _, colour := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, "M "+colour+"\t"+strings.Join(groups[colour], " "))
	}
	return out, nil
}

// itemLines returns the L lines (blocks that shine), the I line (items that are
// no blocks) and the O line (blocks that are no items).
func itemLines(blocks, items []byte, p palette) ([]string, error) {
	var list []struct {
		Name      string
		EmitLight int
	}
	if err := json.Unmarshal(blocks, &list); err != nil {
		return nil, err
	}
	levels := map[int][]string{}
	for _, b := range list {
		if b.EmitLight > 0 {
			levels[b.EmitLight] = append(levels[b.EmitLight], b.Name)
		}
	}
	var out []string
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		slices.Sort(levels[level])
		out = append(out, "L "+itoa(level)+"\t"+strings.Join(levels[level], " "))
	}
	list = nil
	if err := json.Unmarshal(items, &list); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	var only, without []string
	for _, item := range list {
		if known[item.Name] = true; !isBlock(p, item.Name) {
			only = append(only, item.Name)
		}
	}
	for id := range p {
		if !known[id] {
			without = append(without, id)
		}
	}
	slices.Sort(only)
	slices.Sort(without)
	return append(out, "I "+strings.Join(slices.Compact(only), " "), "O "+strings.Join(without, " ")), nil
}

// isBlock tells a block without states, whose shape is nil, from no block.
func isBlock(p palette, id string) bool {
	_, ok := p[id]
	return ok
}
