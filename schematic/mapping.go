package schematic

import (
	"path"
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// Mapping says what states of a file become instead of what the registry says. A
// key is a pattern of the file's states: an id, in which * stands for any
// characters, and in brackets the properties that a state must have; the namespace
// minecraft may be left out. A value is a Bedrock state, or "keep" for cells that
// stay as the world has them. Of several patterns that fit the longest counts, its
// namespace included, and of equally long ones the first in the alphabet.
type Mapping map[string]string

// keep is the value of a Mapping for cells that stay as they are.
const keep = "keep"

// Check refuses a mapping with a value that is no state of the registry.
func (m Mapping) Check(reg *block.Registry) error {
	for pattern, target := range m {
		if _, err := path.Match(pattern, ""); err != nil && !strings.Contains(pattern, "[") || pattern == "" {
			return fault.Errorf(fault.InvalidRequest, "mapping: the pattern %q is malformed", pattern)
		}
		if target == keep {
			continue
		}
		if _, err := reg.Parse(target); err != nil {
			return fault.Errorf(fault.InvalidRequest, "mapping: %s: %w", pattern, err)
		}
	}
	return nil
}

// translate returns what the mapping makes of a state; false when no pattern fits.
func (m Mapping) translate(reg *block.Registry, state string) (block.Translation, bool) {
	best, length := "", 0
	for pattern := range m {
		id, properties := split(pattern)
		n := len(id) + len(properties)
		if fits(pattern, state) && (n > length || n == length && pattern < best) {
			best, length = pattern, n
		}
	}
	if best == "" {
		return block.Translation{}, false
	}
	if m[best] == keep {
		return block.Translation{Keep: true, Quality: block.Exact, Note: "kept by the mapping " + best}, true
	}
	target, err := reg.Parse(m[best])
	if err != nil {
		return block.Translation{Quality: block.Unmapped, Note: "the mapping " + best + " names an unknown state: " + m[best]}, true
	}
	return block.Translation{State: target, Quality: block.Exact, Note: "by the mapping " + best}, true
}

// fits reports whether a state is one that the pattern means.
func fits(pattern, state string) bool {
	pattern, wanted := split(pattern)
	id, properties := split(state)
	if ok, err := path.Match(pattern, id); err != nil || !ok {
		return false
	}
	for property := range strings.SplitSeq(wanted, ",") {
		property = strings.TrimSpace(property)
		if property != "" && !strings.Contains(","+properties+",", ","+property+",") {
			return false
		}
	}
	return true
}

// split divides a state into its full id and what stands in the brackets.
func split(state string) (id, properties string) {
	id, properties, _ = strings.Cut(state, "[")
	if !strings.Contains(id, ":") {
		id = "minecraft:" + id
	}
	return id, strings.TrimSuffix(properties, "]")
}
