package block

import (
	"strings"

	"groundplan/plan/fault"
)

// Class is a set of physics classes.
type Class uint32

// The physics classes.
const (
	Solid       Class = 1 << iota // has a collision box: can support and is not flowed through
	Gravity                       // falls when nothing is below
	Fluid                         // flows
	Attached                      // breaks, dies or falls without a certain neighbour
	Half                          // one of two cells that go together
	Container                     // holds items
	BlockEntity                   // has contents that states do not show
	Redstone                      // is changed by or changes redstone
	RandomTick                    // grows, melts, spreads, decays
	Admin                         // refused by the default policy: command blocks, barriers, spawners, portals
)

// classNames are the classes' names in the order of their bits.
func classNames() []string {
	return []string{"solid", "gravity", "fluid", "attached", "half", "container", "block_entity", "redstone", "random_tick", "admin"}
}

// String returns the names of the classes, joined by commas.
func (c Class) String() string { return strings.Join(c.Names(), ",") }

// Names returns the names of the classes in the order of the constants.
func (c Class) Names() []string {
	var out []string
	for i, name := range classNames() {
		if c&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// ParseClass returns the class of a name such as "gravity", or of several joined
// by commas; an unknown name is an invalid_request.
func ParseClass(text string) (Class, error) {
	var c Class
	for name := range strings.SplitSeq(text, ",") {
		bit := Class(0)
		for i, n := range classNames() {
			if n == strings.TrimSpace(name) {
				bit = 1 << i
			}
		}
		if bit == 0 {
			return 0, fault.Errorf(fault.InvalidRequest, "%q is not a physics class", name).With("allowed", classNames())
		}
		c |= bit
	}
	return c, nil
}
