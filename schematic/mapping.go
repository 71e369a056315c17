package schematic

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
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
		if err := checkPattern(pattern); err != nil {
			return err
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

// checkPattern refuses what no state fits.
func checkPattern(pattern string) error {
	id, properties := split(pattern)
	if _, err := path.Match(id, ""); err != nil || pattern == "" || strings.ContainsAny(properties, "[]") ||
		strings.Contains(pattern, "[") != strings.HasSuffix(pattern, "]") {
		return fault.Errorf(fault.InvalidRequest, "the pattern %.100q is malformed", pattern)
	}
	return nil
}

// Bounds of a mapping that is kept.
const (
	maxMapping     = 4096    // patterns
	maxMappingFile = 4 << 20 // bytes
)

// mappingExtension is that of the files of kept mappings.
const mappingExtension = ".mapping.json"

// PutMapping keeps a mapping under a name, which follows the rule of ids, in place
// of an older one. An empty mapping removes the name.
func (l *Library) PutMapping(name string, m Mapping) error {
	if err := CheckID(name); err != nil {
		return err
	}
	if len(m) > maxMapping {
		return fault.Errorf(fault.BudgetExceeded, "the mapping has %d patterns; the limit is %d", len(m), maxMapping)
	}
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return fault.Wrap(fault.Internal, err, "the mapping cannot be written")
	}
	if len(data) > maxMappingFile {
		return fault.Errorf(fault.BudgetExceeded, "the mapping has %d bytes; the limit is %d", len(data), maxMappingFile)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := l.makeRoot()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // the files in it were closed with a check
	if len(m) == 0 {
		if err = root.Remove(name + mappingExtension); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else {
		err = writeFile(root, name+mappingExtension, append(data, '\n'))
	}
	if err != nil {
		return fault.Wrap(fault.StorageFailed, err, "the mapping "+name+" cannot be kept")
	}
	return nil
}

// Mapping returns the mapping that is kept under a name.
func (l *Library) Mapping(name string) (Mapping, error) {
	if err := CheckID(name); err != nil {
		return nil, err
	}
	root, err := l.root()
	if err != nil {
		return nil, err
	}
	missing := fault.Errorf(fault.NotFound, "there is no mapping %s", name)
	if root == nil {
		return nil, missing
	}
	defer root.Close() //nolint:errcheck // only read
	info, err := root.Lstat(name + mappingExtension)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing
	case err != nil:
		return nil, fault.Wrap(fault.StorageFailed, err, "the mapping "+name+" cannot be read")
	case !info.Mode().IsRegular() || info.Size() > maxMappingFile:
		return nil, fault.Errorf(fault.StorageFailed, "the mapping %s is not a regular file of at most %d bytes", name, maxMappingFile)
	}
	data, err := root.ReadFile(name + mappingExtension)
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the mapping "+name+" cannot be read")
	}
	var m Mapping
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the mapping "+name+" is not a JSON object of texts")
	}
	return m, nil
}

// Mappings returns the names of the kept mappings, sorted.
func (l *Library) Mappings() ([]string, error) {
	root, err := l.root()
	if err != nil || root == nil {
		return []string{}, err
	}
	defer root.Close() //nolint:errcheck // only read
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fault.Wrap(fault.StorageFailed, err, "the folder of schematics cannot be listed")
	}
	names := []string{}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), mappingExtension); ok && assetID.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
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
