package main

import (
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
