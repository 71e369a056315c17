package block

import (
	"maps"
	"slices"
)

// IDs returns the ids of all blocks of the profile, sorted.
func (r *Registry) IDs() []string { return slices.Sorted(maps.Keys(r.bedrock.byID)) }
