package embedded

import (
	"strconv"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// physicsBudget is how many cells one tick looks at.
const physicsBudget = 4096

// site is a cell that may have to move.
type site struct {
	dimension *store.Dimension
	pos       voxel.Pos
}

// moving is the set of cells to look at, in the order in which they were noticed.
type moving struct {
	queue  []site
	queued map[site]bool
}

func (m *moving) add(s site) {
	if m.queued == nil {
		m.queued = map[site]bool{}
	}
	if !m.queued[s] {
		m.queued[s] = true
		m.queue = append(m.queue, s)
	}
}

const unstable = block.Gravity | block.Fluid | block.Attached | block.Half

// disturb notes the cells in and around a box that its change may move. One half
// of a door that was just placed does not look for the other: that comes next.
func (w *World) disturb(d *store.Dimension, box voxel.Box) {
	for _, p := range d.Find(around(d, box), func(s store.State) bool { return w.class(s)&unstable != 0 }) {
		if !box.Has(p) || w.class(d.At(p))&block.Half == 0 {
			w.moving.add(site{d, p})
		}
	}
}

func (w *World) class(s store.State) block.Class {
	return w.catalog.registry.Class(block.State(w.blocks.Text(s)))
}

// settle lets the noticed cells fall, flow and break, for one tick.
func (w *World) settle() {
	n := min(len(w.moving.queue), physicsBudget)
	batch := w.moving.queue[:n]
	w.moving.queue = w.moving.queue[n:]
	for _, s := range batch {
		delete(w.moving.queued, s)
		if w.loaded(s.dimension, s.pos) {
			w.settleCell(s.dimension, s.pos)
		}
	}
}

func (w *World) settleCell(d *store.Dimension, p voxel.Pos) {
	s := d.At(p)
	in := w.catalog.info(s)
	switch class := w.class(s); {
	case class&block.Gravity != 0:
		w.fall(d, p, s)
	case class&block.Fluid != 0:
		w.flow(d, p, in)
	case class&block.Half != 0 && !w.otherHalf(d, p, in):
		w.move(d, p, w.leftBehind(in))
	case class&block.Attached != 0 && !w.supported(d, p, in):
		w.move(d, p, w.leftBehind(in))
	}
}

// move writes a cell and lets the world react.
func (w *World) move(d *store.Dimension, p voxel.Pos, s store.State) {
	if w.put(d, p, s) {
		w.changed(d, voxel.Cube(p))
	}
}

// leftBehind is what a cell holds when its block is gone: its water, if any.
func (w *World) leftBehind(in *info) store.State {
	if !in.water {
		return 0
	}
	s, err := w.catalog.resolve("minecraft:water", nil)
	if err != nil {
		return 0
	}
	return s
}

// fall drops a block to where it comes to rest. The game makes it an entity on
// the way; here it is there at once.
func (w *World) fall(d *store.Dimension, p voxel.Pos, s store.State) {
	to := p
	for below := (voxel.Pos{X: to.X, Y: to.Y - 1, Z: to.Z}); d.Has(below.Y) && w.loaded(d, below) && w.yields(d.At(below)); below.Y-- {
		to = below
	}
	if to == p {
		return
	}
	w.move(d, p, 0)
	w.move(d, to, s)
}

// yields reports whether a falling or flowing block takes the place of a state.
func (w *World) yields(s store.State) bool {
	return w.isAir(s) || w.class(s)&block.Fluid != 0
}

// fluidOf returns what fluid a state is and its depth: 0 is a source, up to 7
// flows, from 8 falls.
func fluidOf(in *info) (kind string, depth int) {
	switch in.id {
	case "minecraft:water", "minecraft:flowing_water":
		kind = "water"
	case "minecraft:lava", "minecraft:flowing_lava":
		kind = "lava"
	default:
		return "", 0
	}
	value, _ := in.value("liquid_depth")
	depth, err := strconv.Atoi(value)
	if err != nil {
		return kind, 0
	}
	return kind, depth
}

const (
	maxDepth = 7 // the lowest that fluid flows
	falling  = 8 // the depth of fluid that falls
)

// flow lets a fluid dry up, fall and spread.
func (w *World) flow(d *store.Dimension, p voxel.Pos, in *info) {
	kind, depth := fluidOf(in)
	if kind == "" {
		return
	}
	if kind == "lava" && w.touchesWater(d, p) {
		w.meet(d, p, kind, depth)
		return
	}
	if depth > 0 && !w.fed(d, p, kind, depth) {
		w.move(d, p, 0)
		return
	}
	step := 1
	if kind == "lava" {
		step = 2
	}
	below := voxel.Pos{X: p.X, Y: p.Y - 1, Z: p.Z}
	if d.Has(below.Y) && w.reach(d, below, kind, falling) {
		return
	}
	next := depth + step
	if depth >= falling {
		next = step
	}
	if next > maxDepth {
		return
	}
	for _, side := range sides() {
		w.reach(d, p.Add(side), kind, next)
	}
}

// sides returns the ways to the neighbours on the same level.
func sides() []voxel.Pos { return []voxel.Pos{{X: 1}, {X: -1}, {Z: 1}, {Z: -1}} }

// fed reports whether flowing fluid has something to flow from.
func (w *World) fed(d *store.Dimension, p voxel.Pos, kind string, depth int) bool {
	if above := (voxel.Pos{X: p.X, Y: p.Y + 1, Z: p.Z}); d.Has(above.Y) {
		if k, _ := fluidOf(w.catalog.info(d.At(above))); k == kind {
			return true
		}
	}
	for _, side := range sides() {
		n := p.Add(side)
		if !inside(d, n) {
			continue
		}
		k, other := fluidOf(w.catalog.info(d.At(n)))
		if k == kind && depth < falling && (other < depth || other >= falling) {
			return true
		}
	}
	return false
}

// touchesWater reports whether there is water above or beside a cell.
func (w *World) touchesWater(d *store.Dimension, p voxel.Pos) bool {
	for _, way := range append([]voxel.Pos{{Y: 1}}, sides()...) {
		if n := p.Add(way); inside(d, n) {
			if kind, _ := fluidOf(w.catalog.info(d.At(n))); kind == "water" {
				return true
			}
		}
	}
	return false
}

// reach lets fluid of a depth come to a cell and reports whether the cell took
// it, or has more of it already.
func (w *World) reach(d *store.Dimension, p voxel.Pos, kind string, depth int) bool {
	if !inside(d, p) || !w.loaded(d, p) {
		return false
	}
	s := d.At(p)
	k, there := fluidOf(w.catalog.info(s))
	switch {
	case k == kind:
		if depth == falling || there == 0 || there >= falling || there <= depth {
			return depth == falling
		}
	case k == "water" && depth < falling:
		return false // this lava becomes stone itself
	case k != "":
		w.meet(d, p, k, there)
		return true
	case !w.isAir(s):
		return false
	}
	flowing, err := w.catalog.resolve("minecraft:flowing_"+kind, []pair{{"liquid_depth", strconv.Itoa(depth)}})
	if err != nil {
		return false
	}
	w.move(d, p, flowing)
	return true
}

// meet makes stone of the cell where water and lava come together: of a source of
// lava obsidian, of flowing lava cobblestone, of water that lava falls into stone.
func (w *World) meet(d *store.Dimension, p voxel.Pos, there string, depth int) {
	id := "minecraft:cobblestone"
	switch {
	case there == "lava" && depth == 0:
		id = "minecraft:obsidian"
	case there == "water":
		id = "minecraft:stone"
	}
	if s, err := w.catalog.resolve(id, nil); err == nil {
		w.move(d, p, s)
	}
}
