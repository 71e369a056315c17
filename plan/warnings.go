package plan

import (
	"slices"
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// The codes of warnings.
const (
	warnGravity     = "gravity"
	warnFluid       = "open_fluid"
	warnUnsupported = "unsupported"
	warnHalf        = "half"
	warnDecay       = "decay"
	warnMelt        = "melt"
	warnDark        = "dark"
)

// sentences say what each warning means.
var sentences = []struct{ code, message string }{
	{warnGravity, "blocks that fall have nothing under them"},
	{warnFluid, "water or lava has an open side and will flow out"},
	{warnUnsupported, "blocks that need a support have none beside or below them and will drop"},
	{warnHalf, "half of a door, bed or tall plant is without its other half, or is replaced after it: the game may remove it"},
	{warnDecay, "leaves without persistent_bit are too far from any log and will decay"},
	{warnMelt, "ice or snow is so near a light that it will melt"},
	{warnDark, "roofed floor is so far from any light that monsters may appear"},
}

// traits are what warnings need to know of a state.
type traits struct {
	class block.Class
	kind  kind
	light int8 // the light that it gives
}

type kind uint8

const (
	kindOther   kind = iota
	kindUnknown      // not read
	kindAir
	kindLeaf // that decays
	kindLog
	kindIce
	kindSnow
)

// hazards looks for what the game may do to cells after they are placed. It judges
// the world as it will be: planned cells after, others as the snapshot shows them;
// what the snapshot does not show counts as harmless.
type hazards struct {
	d      *differ
	wanted []traits // by ID of the wanted volume
	world  []traits // by ID of the snapshot
	found  map[string]*places
}

// warnings returns what may move or break once the plan is applied.
func warnings(d *differ, env *Env) []Hint {
	h := &hazards{d: d, found: map[string]*places{}}
	h.wanted, h.world = traitsOf(d.wanted, env.Registry), traitsOf(d.before, env.Registry)
	watched := h.watched()
	for ph, v := range d.phases {
		if v == nil || phase(ph) == phaseKept {
			continue
		}
		for _, key := range v.Sections() {
			for p, change := range v.SectionCells(key) {
				if watched[change] {
					h.cell(p)
				}
			}
		}
	}
	logs, lights := h.sources()
	h.decay(logs)
	h.lit(lights)
	var out []Hint
	for _, s := range sentences {
		if l := h.found[s.code]; l != nil {
			slices.SortFunc(l.cells, voxel.Pos.Compare)
			out = append(out, Hint{Code: s.code, Message: s.message, Count: l.count, Cells: l.cells})
		}
	}
	return out
}

// Surroundings returns the cells beside the wanted ones that before does not show
// and that the warnings of Draft look at: neighbours of what falls, flows, leans or
// is half of something, and of what is taken away. Once a caller has read them into
// before, the warnings hold at the edge of the plan, too.
func Surroundings(wanted *voxel.Volume, before *Snapshot, env Env) *voxel.Mask {
	d := &differ{env: &env, wanted: wanted, before: before.Cells}
	around := voxel.NewMask()
	if d.run() != nil {
		return around // Draft will say what is wrong
	}
	for ph, v := range d.phases {
		if v == nil || phase(ph) == phaseKept {
			continue
		}
		for _, key := range v.Sections() {
			for p, change := range v.SectionCells(key) {
				if !d.restless(&d.pairs[change], true) {
					continue
				}
				for _, n := range neighbours {
					if q := p.Add(n); wanted.ID(q) == voxel.None && before.Cells.ID(q) == voxel.None {
						around.Add(q)
					}
				}
			}
		}
	}
	return around
}

// watched returns for each change whether its cells may be in danger or endanger
// their neighbours: most cells are plain blocks that replace plain blocks.
func (h *hazards) watched() []bool {
	any := false
	for _, t := range h.world {
		any = any || t.class&restless != 0
	}
	out := make([]bool, len(h.d.pairs))
	for i := range h.d.pairs {
		out[i] = i > 0 && h.d.restless(&h.d.pairs[i], any)
	}
	return out
}

// restless are the classes of what does not stay by itself.
const restless = block.Gravity | block.Fluid | block.Attached | block.Half

// restless reports whether the cells of a change may be in danger or, where any of
// what is around them does not stay by itself, endanger that.
func (d *differ) restless(c *pair, any bool) bool {
	r := d.env.Registry
	return r.Class(c.after)&restless != 0 || c.after.Waterlogged() ||
		any && (c.after == block.Air || r.Class(c.before)&block.Half != 0)
}

func (h *hazards) warn(code string, p voxel.Pos) {
	l := h.found[code]
	if l == nil {
		l = &places{}
		h.found[code] = l
	}
	l.add(p)
}

func traitsOf(v *voxel.Volume, r *block.Registry) []traits {
	out := make([]traits, len(v.Palette()))
	out[voxel.None].kind = kindUnknown
	for i, content := range v.Palette()[1:] {
		s := block.State(content)
		out[i+1] = traits{class: r.Class(s), kind: kindOf(s), light: lightOf(s)}
	}
	return out
}

func kindOf(s block.State) kind {
	id := strings.TrimPrefix(s.ID(), "minecraft:")
	switch {
	case s == block.Air:
		return kindAir
	case strings.HasSuffix(id, "leaves") || strings.HasSuffix(id, "leaves_flowered"):
		if s.Value("persistent_bit") == "false" {
			return kindLeaf
		}
	case strings.HasSuffix(id, "_log") || strings.HasSuffix(id, "_wood"):
		return kindLog
	case id == "ice" || id == "frosted_ice":
		return kindIce
	case id == "snow_layer":
		return kindSnow
	}
	return kindOther
}

// lightOf returns the light of the common sources; others count as dark.
func lightOf(s block.State) int8 {
	id := strings.TrimPrefix(s.ID(), "minecraft:")
	switch id {
	case "glowstone", "sea_lantern", "lantern", "lava", "flowing_lava", "fire", "lit_pumpkin", "lit_redstone_lamp", "shroomlight",
		"beacon", "ochre_froglight", "pearlescent_froglight", "verdant_froglight", "conduit":
		return 15
	case "torch", "end_rod", "copper_torch":
		return 14
	case "soul_torch", "soul_lantern", "soul_fire", "crying_obsidian":
		return 10
	case "redstone_torch", "enchanting_table", "ender_chest", "glow_lichen":
		return 7
	case "campfire":
		if s.Value("extinguished") != "true" {
			return 15
		}
	}
	if level, ok := strings.CutPrefix(id, "light_block_"); ok && len(level) <= 2 {
		n := 0
		for _, c := range level {
			n = 10*n + int(c-'0')
		}
		return int8(min(max(n, 0), 15))
	}
	return 0
}

// after returns what will be at a position.
func (h *hazards) after(p voxel.Pos) traits {
	if id := h.d.wanted.ID(p); id != voxel.None {
		return h.wanted[id]
	}
	return h.world[h.d.before.ID(p)]
}

var (
	below      = voxel.Pos{Y: -1}
	above      = voxel.Pos{Y: 1}
	beside     = [4]voxel.Pos{{X: -1}, {X: 1}, {Z: -1}, {Z: 1}}
	neighbours = [6]voxel.Pos{{X: -1}, {X: 1}, {Z: -1}, {Z: 1}, below, above}
)

// open reports whether a fluid would flow into the cell, or a block fall into it.
func (t traits) open() bool { return t.kind == kindAir }

// holds reports whether something may lean on the cell.
func (t traits) holds() bool { return t.kind == kindUnknown || t.class&block.Solid != 0 }

// cell looks at one cell that changes.
func (h *hazards) cell(p voxel.Pos) {
	t := h.wanted[h.d.wanted.ID(p)]
	if t.kind == kindAir {
		h.cleared(p)
		return
	}
	if t.class&block.Gravity != 0 {
		if b := h.after(p.Add(below)); b.open() || b.class&block.Fluid != 0 {
			h.warn(warnGravity, p)
		}
	}
	if t.class&block.Fluid != 0 || h.wet(p) {
		if h.after(p.Add(below)).open() || slices.ContainsFunc(beside[:], func(d voxel.Pos) bool { return h.after(p.Add(d)).open() }) {
			h.warn(warnFluid, p)
		}
	}
	if t.class&block.Half != 0 {
		h.half(p)
	} else if t.class&block.Attached != 0 && !h.supported(p) {
		h.warn(warnUnsupported, p)
	}
	h.halfLeft(p)
}

func (h *hazards) wet(p voxel.Pos) bool {
	return block.State(h.d.wanted.Content(h.d.wanted.ID(p))).Waterlogged()
}

// supported reports whether anything beside, below or above could hold the block;
// which side it needs depends on the block.
func (h *hazards) supported(p voxel.Pos) bool {
	return slices.ContainsFunc(neighbours[:], func(d voxel.Pos) bool { return h.after(p.Add(d)).holds() })
}

// cleared looks at the neighbours of a cell that becomes air.
func (h *hazards) cleared(p voxel.Pos) {
	for _, d := range neighbours {
		q := p.Add(d)
		if h.d.wanted.ID(q) != voxel.None {
			continue
		}
		t := h.world[h.d.before.ID(q)]
		switch {
		case t.class&block.Fluid != 0 && d != below:
			h.warn(warnFluid, q)
		case t.class&block.Attached != 0 && t.class&block.Half == 0 && !h.supported(q):
			h.warn(warnUnsupported, q)
		case t.class&block.Gravity != 0 && d == above:
			h.warn(warnGravity, q)
		}
	}
	h.halfLeft(p)
}

// partner returns where the other half of a door, bed or tall plant is and how its
// state differs; false when the state is no half.
func partner(s block.State) (d voxel.Pos, state, value string, ok bool) {
	switch {
	case s.Value("upper_block_bit") == "true":
		return below, "upper_block_bit", "false", true
	case s.Value("upper_block_bit") == "false":
		return above, "upper_block_bit", "true", true
	case s.Value("head_piece_bit") == "":
		return voxel.Pos{}, "", "", false
	}
	ways := map[string]voxel.Pos{"0": {Z: 1}, "1": {X: -1}, "2": {Z: -1}, "3": {X: 1}}
	d = ways[s.Value("direction")]
	if s.Value("head_piece_bit") == "true" {
		return voxel.Pos{X: -d.X, Z: -d.Z}, "head_piece_bit", "false", true
	}
	return d, "head_piece_bit", "true", true
}

// half checks that the other half of a placed half is there.
func (h *hazards) half(p voxel.Pos) {
	s := block.State(h.d.wanted.Content(h.d.wanted.ID(p)))
	d, state, value, ok := partner(s)
	if !ok {
		return
	}
	other, known := h.stateAfter(p.Add(d))
	if known && (other.ID() != s.ID() || other.Value(state) != value) {
		h.warn(warnHalf, p)
	}
}

func (h *hazards) stateAfter(p voxel.Pos) (block.State, bool) {
	s, ok := h.d.wanted.At(p)
	if !ok {
		s, ok = h.d.before.At(p)
	}
	return block.State(s), ok
}

// halfLeft checks that a half that goes does not leave the other behind. Where
// another block takes the place of either, whichever is written second may be gone
// by then, and a cell that is not as it was read is a conflict.
func (h *hazards) halfLeft(p voxel.Pos) {
	id := h.d.before.ID(p)
	if h.world[id].class&block.Half == 0 {
		return
	}
	was := block.State(h.d.before.Content(id))
	d, state, value, ok := partner(was)
	if !ok {
		return
	}
	q := p.Add(d)
	left, known := h.stateAfter(q)
	now, _ := h.stateAfter(p)
	if !known || now.ID() == was.ID() {
		return
	}
	isOther := func(s block.State) bool { return s.ID() == was.ID() && s.Value(state) == value }
	switch other, _ := h.d.before.At(q); {
	case isOther(left):
		h.warn(warnHalf, q)
	case isOther(block.State(other)) && now != block.Air:
		h.warn(warnHalf, p)
	}
}
