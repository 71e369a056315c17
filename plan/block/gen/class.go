package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// readClasses reads classes.txt, lines "class class: pattern pattern …" (a
// leading "-" takes classes away again), and returns the K lines for a palette.
// A pattern that names no block is an error. Blocks in solid have that class
// before the first line.
func readClasses(text string, p palette, solid map[string]bool) ([]string, error) {
	classes := map[string][]string{}
	for id := range solid {
		classes[id] = []string{"solid"}
	}
	for i, line := range strings.Split(text, "\n") {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
			continue
		}
		names, patterns, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("classes.txt:%d: no colon", i+1)
		}
		for pattern := range strings.FieldsSeq(patterns) {
			hit := false
			for id := range p {
				if ok, err := path.Match(pattern, id); err != nil || !ok {
					continue
				}
				hit = true
				for name := range strings.FieldsSeq(names) {
					classes[id] = change(classes[id], name)
				}
			}
			if !hit {
				return nil, fmt.Errorf("classes.txt:%d: %s names no block", i+1, pattern)
			}
		}
	}
	groups := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(classes)) {
		slices.Sort(classes[id])
		if key := strings.Join(classes[id], ","); key != "" {
			groups[key] = append(groups[key], id)
		}
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, "K "+key+"\t"+strings.Join(groups[key], " "))
	}
	return out, nil
}

func change(list []string, name string) []string {
	if name, minus := strings.CutPrefix(name, "-"); minus {
		return slices.DeleteFunc(list, func(s string) bool { return s == name })
	}
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
