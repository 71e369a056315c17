package embedded

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// catalog knows every state that the world has met.
type catalog struct {
	registry *block.Registry
	world    *store.World
	infos    []*info // by store.State
	written  map[string]store.State
	filters  map[string]*filter
}

// maxCached bounds the caches of command texts.
const maxCached = 1 << 14

// info is what is known of one state.
type info struct {
	state  store.State
	text   string // canonical
	id     string
	pairs  []pair // in canonical order
	water  bool   // the second layer is full of water
	dry    store.State
	script *goja.Object // the permutation, of the dry state only

	derived int8 // whether it connects: 0 not asked yet, 1 yes, -1 no
}

type pair struct{ name, value string }

func newCatalog(registry *block.Registry, world *store.World) *catalog {
	return &catalog{registry: registry, world: world, written: map[string]store.State{}, filters: map[string]*filter{}}
}

// info returns what is known of a state.
func (c *catalog) info(s store.State) *info {
	if int(s) < len(c.infos) && c.infos[s] != nil {
		return c.infos[s]
	}
	in := newInfo(s, c.world.Text(s))
	in.dry = s
	if in.water {
		dry, err := c.world.Intern(in.dryText())
		if err == nil {
			in.dry = dry
		}
	}
	for len(c.infos) <= max(int(s), int(in.dry)) {
		c.infos = append(c.infos, nil)
	}
	c.infos[s] = in
	return in
}

func newInfo(s store.State, text string) *info {
	in := &info{state: s, text: text}
	id, list, found := strings.Cut(text, "[")
	in.id = id
	if !found {
		return in
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "waterlogged" {
			in.water = value == "true"
			continue
		}
		in.pairs = append(in.pairs, pair{name, value})
	}
	return in
}

func (in *info) dryText() string { return canonical(in.id, in.pairs, false) }

// value returns the value of one state.
func (in *info) value(name string) (string, bool) {
	for _, p := range in.pairs {
		if p.name == name {
			return p.value, true
		}
	}
	return "", false
}

// canonical writes a state; the pairs must be sorted.
func canonical(id string, pairs []pair, water bool) string {
	if len(pairs) == 0 && !water {
		return id
	}
	var b strings.Builder
	b.WriteString(id)
	b.WriteByte('[')
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.name)
		b.WriteByte('=')
		b.WriteString(p.value)
	}
	if water {
		if len(pairs) > 0 {
			b.WriteByte(',')
		}
		b.WriteString("waterlogged=true")
	}
	b.WriteByte(']')
	return b.String()
}

// resolve returns the state of an id and some of its states; the others take
// their defaults. It fails for what the game does not know.
func (c *catalog) resolve(id string, pairs []pair) (store.State, error) {
	sorted := slices.SortedFunc(slices.Values(pairs), func(a, b pair) int { return strings.Compare(a.name, b.name) })
	state, err := c.registry.Parse(canonical(qualify(id), sorted, false))
	if err != nil {
		return 0, err
	}
	return c.world.Intern(string(state))
}

// parse returns the state of any text that the registry reads.
func (c *catalog) parse(text string) (store.State, error) {
	state, err := c.registry.Parse(text)
	if err != nil {
		return 0, err
	}
	if state.Waterlogged() && !c.holdsWater(state.ID()) {
		return 0, fault.Errorf(fault.UnsupportedBlock, "%s cannot hold water", state.ID())
	}
	return c.world.Intern(string(state))
}

func qualify(id string) string {
	if strings.Contains(id, ":") {
		return id
	}
	return "minecraft:" + id
}

// withWater returns the state with its second layer full of water, or empty.
func (c *catalog) withWater(s store.State, water bool) (store.State, error) {
	in := c.info(s)
	if in.water == water {
		return s, nil
	}
	if water && !c.holdsWater(in.id) {
		return 0, fault.Errorf(fault.UnsupportedBlock, "%s cannot hold water", in.id)
	}
	return c.world.Intern(canonical(in.id, in.pairs, water))
}

// filter matches the states that have an id and some values, as commands do:
// what is not listed is not compared, nor is the water layer.
type filter struct {
	id    string
	pairs []pair
	known []int8 // by store.State: 0 not asked yet, 1 matches, -1 does not
}

func (c *catalog) matches(f *filter, s store.State) bool {
	for len(f.known) <= int(s) {
		f.known = append(f.known, 0)
	}
	if f.known[s] == 0 {
		f.known[s] = -1
		if c.info(s).matches(f.id, f.pairs) {
			f.known[s] = 1
		}
	}
	return f.known[s] > 0
}

func (in *info) matches(id string, pairs []pair) bool {
	if in.id != id {
		return false
	}
	for _, p := range pairs {
		if value, ok := in.value(p.name); !ok || value != p.value {
			return false
		}
	}
	return true
}

// blockArgument reads the block of a command: an id and its states in brackets,
// "" for none.
func (c *catalog) blockArgument(id, states string) (store.State, error) {
	key := id + states
	if s, ok := c.written[key]; ok {
		return s, nil
	}
	pairs, err := parseStates(states)
	if err != nil {
		return 0, err
	}
	s, err := c.resolve(id, pairs)
	if err != nil {
		return 0, err
	}
	if len(c.written) >= maxCached {
		clear(c.written)
	}
	c.written[key] = s
	return s, nil
}

// filterArgument reads the filter of a command.
func (c *catalog) filterArgument(id, states string) (*filter, error) {
	key := id + states
	if f, ok := c.filters[key]; ok {
		return f, nil
	}
	pairs, err := parseStates(states)
	if err != nil {
		return nil, err
	}
	if _, err := c.resolve(id, pairs); err != nil {
		return nil, err
	}
	if len(c.filters) >= maxCached {
		clear(c.filters)
	}
	f := &filter{id: qualify(id), pairs: pairs}
	c.filters[key] = f
	return f, nil
}
