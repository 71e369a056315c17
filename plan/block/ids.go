package block

import (
	"maps"
	"slices"
)

// IDs returns the ids of all blocks of the profile, sorted; of a narrowed registry
// those that the running game has.
func (r *Registry) IDs() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.bedrock.byID)), r.lacks)
}
