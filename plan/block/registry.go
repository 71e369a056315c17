package block

// STUB: the signatures other packages build against; replaced by the generated registry.

// Profile names the set of states that a range of game versions has.
type Profile string

// The profiles.
const (
	Profile45 Profile = "1.26.45" // up to 1.26.45
	Profile50 Profile = "1.26.50" // 1.26.50 and 1.26.51: corners and connections are states
	Profile60 Profile = "1.26.60" // and redstone wire, chorus plants and fire have connections
)

// Registry knows every state of one profile.
type Registry struct{}

// Load returns the registry of a profile; each is decoded once.
func Load(p Profile) (*Registry, error) { return &Registry{}, nil }

// ProfileOf returns the profile of a game version such as "1.26.51".
func ProfileOf(game string) Profile { return Profile50 }

// Parse reads a Bedrock state in any of the accepted notations.
func (r *Registry) Parse(text string) (State, error) { return State(text), nil }

// Has reports whether s is a state of the profile.
func (r *Registry) Has(s State) bool { return true }

// Plain returns s without its derived states: what is compared with the world.
func (r *Registry) Plain(s State) State { return s }

// Same reports whether a and b differ in derived states only.
func (r *Registry) Same(a, b State) bool { return r.Plain(a) == r.Plain(b) }

// Command returns s as the block argument of setblock and fill: id and, in
// brackets, every state, without the water layer.
func (r *Registry) Command(s State) string { return string(s) }

// Filter returns s as the filter of fill … replace: every state that is not
// derived.
func (r *Registry) Filter(s State) string { return string(s) }

// Short returns s as Command does, without namespace and default states.
func (r *Registry) Short(s State) string { return string(s) }

// Class is a set of physics classes.
type Class uint32

// The physics classes.
const (
	Solid Class = 1 << iota
	Gravity
	Fluid
	Attached
	Half
	Container
	BlockEntity
	Redstone
	RandomTick
)

// Class returns the physics classes of s.
func (r *Registry) Class(s State) Class { return Solid }

// Quality says how true a translation is.
type Quality string

// The qualities.
const (
	Exact       Quality = "exact"
	Approximate Quality = "approximate"
	Unmapped    Quality = "unknown"
)

// Translation is the Bedrock state for a Java state, how true it is, and what is
// lost. Keep is set for the Java states that mean "leave what is there"
// (structure_void and FAWE's __reserved__); State is then empty.
type Translation struct {
	State   State
	Quality Quality
	Note    string
	Keep    bool
}

// Translate returns the Bedrock state for a Java state of any version from 1.13.
func (r *Registry) Translate(java string) Translation {
	return Translation{State: State(java), Quality: Exact}
}

// ToJava returns the Java state for a Bedrock state; false where Java has none.
func (r *Registry) ToJava(s State) (string, bool) { return string(s), true }

// Rotate returns s after clockwise quarter turns seen from above.
func (r *Registry) Rotate(s State, turns int) State { return s }

// Axis is the axis along which Mirror flips: X swaps east and west.
type Axis uint8

// The axes.
const (
	X Axis = iota
	Z
)

// Mirror returns s mirrored along an axis.
func (r *Registry) Mirror(s State, along Axis) State { return s }
