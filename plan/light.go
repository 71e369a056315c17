package plan

import (
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

const (
	leafReach = 4       // steps through leaves from a log that keep a leaf alive
	meltLight = 12      // block light at which ice and snow melt
	lightWork = 2 << 20 // how many comparisons of cells with lights are made at most
)

// sources returns the logs and the lights of the world as it will be, as far as it
// is known.
func (h *hazards) sources() (logs, lights []voxel.Pos) {
	collect := func(v *voxel.Volume, list []traits, skip *voxel.Volume) {
		interesting := false
		for _, t := range list {
			interesting = interesting || t.kind == kindLog || t.light > 0
		}
		if !interesting {
			return
		}
		for _, key := range v.Sections() {
			for p, id := range v.SectionCells(key) {
				t := list[id]
				if t.kind != kindLog && t.light == 0 || skip != nil && skip.ID(p) != voxel.None {
					continue
				}
				if t.kind == kindLog {
					logs = append(logs, p)
				} else {
					lights = append(lights, p)
				}
			}
		}
	}
	collect(h.d.wanted, h.wanted, nil)
	collect(h.d.before, h.world, h.d.wanted)
	return logs, lights
}

// changedCells yields the cells of the plan that change into a state of the wanted
// traits.
func (h *hazards) changedCells(want func(traits) bool, visit func(voxel.Pos, traits) bool) {
	any := false
	for _, t := range h.wanted {
		any = any || want(t)
	}
	if !any {
		return
	}
	for ph, v := range h.d.phases {
		if v == nil || phase(ph) == phaseKept {
			continue
		}
		for _, key := range v.Sections() {
			for p := range v.SectionCells(key) {
				if t := h.wanted[h.d.wanted.ID(p)]; want(t) && !visit(p, t) {
					return
				}
			}
		}
	}
}

// decay warns about leaves that no log keeps alive.
func (h *hazards) decay(logs []voxel.Pos) {
	any := false
	for _, t := range h.wanted {
		any = any || t.kind == kindLeaf
	}
	if !any {
		return
	}
	alive := voxel.NewMask()
	front := logs
	for range leafReach {
		var next []voxel.Pos
		for _, p := range front {
			for _, d := range neighbours {
				q := p.Add(d)
				if h.after(q).kind == kindLeaf && !alive.Has(q) {
					alive.Add(q)
					next = append(next, q)
				}
			}
		}
		front = next
	}
	h.changedCells(func(t traits) bool { return t.kind == kindLeaf }, func(p voxel.Pos, _ traits) bool {
		if !alive.Has(p) {
			h.warn(warnDecay, p)
		}
		return true
	})
}

// lamps are light sources by the section that they are in.
type lamps struct {
	by   map[voxel.Section][]voxel.Pos
	h    *hazards
	work int
}

// reach returns the strongest light that arrives at p from any source, walls
// ignored, up to enough. It knows nothing once its work is used up: then every cell
// counts as lit.
func (l *lamps) reach(p voxel.Pos, enough int) int {
	best := 0
	r := voxel.Pos{X: 15, Y: 15, Z: 15}
	for key := range (voxel.Box{Min: p.Sub(r), Max: p.Add(r)}).Sections() {
		for _, q := range l.by[key] {
			l.work--
			if l.work < 0 {
				return enough
			}
			d := abs(p.X-q.X) + abs(p.Y-q.Y) + abs(p.Z-q.Z)
			if best = max(best, int(l.h.after(q).light)-d); best >= enough {
				return best
			}
		}
	}
	return best
}

// lit warns about what is too near a light or too far from any.
func (h *hazards) lit(lights []voxel.Pos) {
	l := &lamps{by: map[voxel.Section][]voxel.Pos{}, h: h, work: lightWork}
	for _, p := range lights {
		l.by[p.Section()] = append(l.by[p.Section()], p)
	}
	frozen := func(t traits) bool { return t.kind == kindIce || t.kind == kindSnow }
	if len(lights) > 0 {
		h.changedCells(frozen, func(p voxel.Pos, _ traits) bool {
			if l.reach(p, meltLight) >= meltLight {
				h.warn(warnMelt, p)
			}
			return l.work >= 0
		})
	}
	h.changedCells(func(t traits) bool { return t.kind == kindAir }, func(p voxel.Pos, _ traits) bool {
		if h.floor(p) && h.roofed(p, l) && l.reach(p, 1) < 1 {
			h.warn(warnDark, p)
		}
		return l.work >= 0
	})
}

// floor reports whether a monster could stand at p: two cells of air over a solid
// one.
func (h *hazards) floor(p voxel.Pos) bool {
	return h.after(p.Add(below)).class == block.Solid && h.after(p.Add(above)).kind == kindAir
}

// roofed reports whether a solid cell that is known stands within 24 cells above.
func (h *hazards) roofed(p voxel.Pos, l *lamps) bool {
	for range 24 {
		p = p.Add(above)
		l.work--
		switch t := h.after(p); {
		case t.kind == kindUnknown:
			return false
		case t.class&block.Solid != 0:
			return true
		}
	}
	return false
}
