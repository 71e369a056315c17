package block

import (
	"strings"
	"sync"

	"groundplan/plan/fault"
)

// Narrow returns a registry of the same profile without the blocks that a running
// game does not have: its list of ids (with or without namespace) has the last
// word. The result refuses those blocks as unsupported_block, translates no Java
// state to them, and shares all tables with r.
func (r *Registry) Narrow(ids []string) *Registry {
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		if !strings.Contains(id, ":") {
			id = namespace + id
		}
		known[id] = true
	}
	n := *r
	n.known, n.memo = known, newMemo()
	n.catalog = sync.OnceValue(func() *catalog { return newCatalog(&n) })
	return &n
}

// More returns the ids of a running game that the profile does not have: blocks
// of other packs and of newer versions. They cannot be placed, since nobody here
// knows their states.
func (r *Registry) More(ids []string) []string {
	var out []string
	for _, id := range ids {
		if !strings.Contains(id, ":") {
			id = namespace + id
		}
		if r.bedrock.byID[id] == nil {
			out = append(out, id)
		}
	}
	return out
}

// lacks reports whether the running game does not have a block.
func (r *Registry) lacks(id string) bool { return r.known != nil && !r.known[id] }

// lacking is the error for a block that the profile has and the running game has
// not.
func lacking(id string) error {
	return fault.Errorf(fault.UnsupportedBlock, "the connected game has no block %q", id).With("block", id)
}
