package block

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"groundplan/plan/fault"
)

// Profile names the set of states that a range of game versions has.
type Profile string

// The profiles.
const (
	Profile45 Profile = "1.26.45" // up to 1.26.45
	Profile50 Profile = "1.26.50" // 1.26.50 and 1.26.51: corners and connections are states
	Profile60 Profile = "1.26.60" // and redstone wire, chorus plants and fire have connections
)

// Registry knows every state of one profile. It may be used by several
// goroutines at once.
type Registry struct {
	profile Profile
	bedrock numbered
	java    numbered
	class   map[string]Class
	rows    []row // by number of the Java state
	notes   []loss

	colour map[string]Colour
	known  map[string]bool // the blocks of the running game; nil for all

	light  map[string]int  // blocks that shine
	items  []string        // that are no blocks
	noItem map[string]bool // blocks that are no items

	shapeLines []string // read when a shape is first asked for
	oldLines   []string // read when an old state is first asked for

	texts  []State // by number of the Bedrock state
	byText map[string]int32
	wet    []atomic.Pointer[State] // the same with water, made when asked for
	plain  []atomic.Pointer[State] // the same without derived states, likewise

	memo *memo

	turns   func() *turns
	inverse func() *inverse
	shapes  func() *shapes
	catalog func() *catalog
	old     func() oldBlocks
}

// loss is a note of the translation table.
type loss struct {
	quality Quality
	text    string
}

// loads decodes each profile once, when it is first asked for.
var loads = map[Profile]func() (*Registry, error){
	Profile45: sync.OnceValues(func() (*Registry, error) { return decode(Profile45) }),
	Profile50: sync.OnceValues(func() (*Registry, error) { return decode(Profile50) }),
	Profile60: sync.OnceValues(func() (*Registry, error) { return decode(Profile60) }),
}

// Load returns the registry of a profile; each is decoded once. It fails only for
// a profile that does not exist (invalid_request).
func Load(p Profile) (*Registry, error) {
	load, ok := loads[p]
	if !ok {
		return nil, fault.Errorf(fault.InvalidRequest, "unknown profile %q", p)
	}
	return load()
}

// ProfileOf returns the profile of a game version such as "1.26.51" or "26.51".
// A version that cannot be read is taken for the oldest, whose states every game
// has.
func ProfileOf(game string) Profile {
	parts := strings.Split(game, ".")
	if first, err := strconv.Atoi(parts[0]); err == nil && first != 1 {
		parts = append([]string{"1"}, parts...)
	}
	var n [3]int
	for i := range min(len(parts), len(n)) {
		v, err := strconv.Atoi(parts[i])
		if err != nil {
			return Profile45
		}
		n[i] = v
	}
	switch v := (n[0]*1000+n[1])*1000 + n[2]; {
	case v >= 1_026_060:
		return Profile60
	case v >= 1_026_050:
		return Profile50
	default:
		return Profile45
	}
}

func newRegistry(p Profile) *Registry {
	r := &Registry{profile: p, class: map[string]Class{}, colour: map[string]Colour{}, light: map[string]int{}, noItem: map[string]bool{}}
	r.bedrock.byID, r.java.byID = map[string]*variants{}, map[string]*variants{}
	return r
}

// index makes the texts of all states, in one string, and the maps over them.
func (r *Registry) index() {
	ends := make([]int, 0, r.bedrock.total)
	var b strings.Builder
	b.Grow(int(r.bedrock.total) * 128)
	var one []byte
	for _, v := range r.bedrock.list {
		for offset := range v.size {
			one = v.appendTo(one[:0], offset)
			b.Write(one)
			ends = append(ends, b.Len())
		}
	}
	all, start := strings.Clone(b.String()), 0
	r.texts = make([]State, len(ends))
	r.byText = make(map[string]int32, len(ends))
	for i, end := range ends {
		r.texts[i] = State(all[start:end])
		key, _ := r.texts[i].key()
		r.byText[key] = int32(i)
		start = end
	}
	r.wet = make([]atomic.Pointer[State], len(ends))
	r.plain = make([]atomic.Pointer[State], len(ends))
	r.memo = newMemo()
	r.turns = sync.OnceValue(func() *turns { return newTurns(r) })
	r.shapes = sync.OnceValue(func() *shapes { return newShapes(r.shapeLines) })
	r.catalog = sync.OnceValue(func() *catalog { return newCatalog(r) })
	r.old = sync.OnceValue(func() oldBlocks { return newOldBlocks(r) })
	r.inverse = sync.OnceValue(func() *inverse { return newInverse(r) })
}

// Profile returns the profile that r is the registry of.
func (r *Registry) Profile() Profile { return r.profile }

// lookup returns the number of a state and whether it has water.
func (r *Registry) lookup(s State) (i int32, wet, ok bool) {
	key, wet := s.key()
	i, ok = r.byText[key]
	return i, wet, ok
}

// text returns the state of a number.
func (r *Registry) text(i int32, wet bool) State {
	if !wet {
		return r.texts[i]
	}
	if s := r.wet[i].Load(); s != nil {
		return *s
	}
	s := r.texts[i].Wet()
	r.wet[i].Store(&s)
	return s
}

// Has reports whether s is a state of the profile, in canonical text.
func (r *Registry) Has(s State) bool {
	i, wet, ok := r.lookup(s)
	return ok && r.text(i, wet) == s && !r.lacks(s.ID())
}

// Class returns the physics classes of s; none for a block that the profile does
// not have.
func (r *Registry) Class(s State) Class { return r.class[s.ID()] }

// Plain returns s without its derived states: what is compared with the world.
// The result is no state that can be placed.
func (r *Registry) Plain(s State) State {
	i, wet, ok := r.lookup(s)
	if !ok || wet {
		return plain(s)
	}
	if p := r.plain[i].Load(); p != nil {
		return *p
	}
	p := plain(s)
	r.plain[i].Store(&p)
	return p
}

func plain(s State) State {
	id := s.ID()
	any := false
	for name := range s.All() {
		any = any || derived(id, name)
	}
	if !any {
		return s
	}
	var b strings.Builder
	b.WriteString(id)
	sep := byte('[')
	for name, value := range s.All() {
		if derived(id, name) {
			continue
		}
		b.WriteByte(sep)
		b.WriteString(name + "=" + value)
		sep = ','
	}
	if sep == ',' {
		b.WriteByte(']')
	}
	if s.Waterlogged() {
		return State(b.String()).Wet()
	}
	return State(b.String())
}

// Same reports whether a and b differ in derived states only.
func (r *Registry) Same(a, b State) bool { return a == b || r.Plain(a) == r.Plain(b) }

// derived reports whether the game computes a state of a block from its
// neighbours, or from who stands on it, and may rewrite it at any time.
func derived(id, name string) bool {
	switch name {
	case "minecraft:corner", "wall_post_bit", "in_wall_bit", "redstone_north", "redstone_east", "redstone_south", "redstone_west",
		"rail_data_bit", "update_bit", "covered_bit", "stability", "stability_check":
		return true
	case "redstone_signal":
		return id == namespace+"redstone_wire" || strings.HasSuffix(id, "_pressure_plate")
	case "powered_bit", "attached_bit", "suspended_bit":
		return id == namespace+"trip_wire" || id == namespace+"tripwire_hook"
	}
	return strings.HasPrefix(name, "minecraft:connection_") || strings.HasPrefix(name, "wall_connection_type_")
}
