package e2e

import (
	"math/rand/v2"
	"strings"
)

// materials are the blocks of the siege's plans, as the world writes them.
func materials() []string {
	return []string{
		air, "minecraft:stone", "minecraft:cobblestone", "minecraft:oak_planks", "minecraft:glass", "minecraft:white_wool",
		"minecraft:brick_block", "minecraft:oak_log[pillar_axis=x]",
	}
}

// sketch is a recipe and the cells that it gives, worked out by the siege itself.
type sketch struct {
	random *rand.Rand
	steps  []object
	cells  map[int]string
}

func (k *sketch) block() string { return materials()[k.random.IntN(len(materials()))] }

// box draws a box, perhaps only its faces.
func (k *sketch) box(lo, hi pos) {
	block, hollow := k.block(), k.random.IntN(2) == 0
	step := box(lo, hi, block)
	if hollow {
		step["hollow"] = true
	}
	k.steps = append(k.steps, step)
	each(lo, hi, func(p pos) {
		face := p.X == lo.X || p.X == hi.X || p.Y == lo.Y || p.Y == hi.Y || p.Z == lo.Z || p.Z == hi.Z
		if !hollow || face {
			k.set(p, block)
		}
	})
}

// mixture draws a box cell by cell, with holes.
func (k *sketch) mixture(lo, hi pos) {
	legend := map[string]string{}
	for i := range 3 {
		legend[string(rune('a'+i))] = k.block()
	}
	var layers []string
	for y := lo.Y; y <= hi.Y; y++ {
		var rows []string
		for z := lo.Z; z <= hi.Z; z++ {
			var row strings.Builder
			for x := lo.X; x <= hi.X; x++ {
				symbol := string("abc??"[k.random.IntN(5)])
				row.WriteString(symbol)
				if symbol != "?" {
					k.set(pos{x, y, z}, legend[symbol])
				}
			}
			rows = append(rows, row.String())
		}
		layers = append(layers, strings.Join(rows, ","))
	}
	k.steps = append(k.steps, object{"type": "layers", "min": lo, "legend": legend, "layers": layers})
}

func (k *sketch) set(p pos, block string) {
	if c, ok := cellAt(p); ok {
		k.cells[c] = block
	}
}

func each(lo, hi pos, f func(pos)) {
	for y := lo.Y; y <= hi.Y; y++ {
		for z := lo.Z; z <= hi.Z; z++ {
			for x := lo.X; x <= hi.X; x++ {
				f(pos{x, y, z})
			}
		}
	}
}

// plan prepares the round's i-th plan: a shape of its own or the undo of an
// earlier one. It returns nil when there is nothing to do, or nobody to ask.
func (s *siege) plan(i int) *deed {
	s.t.Helper()
	if s.random.IntN(4) == 0 {
		if d := s.undo(); d != nil {
			return d
		}
	}
	k := &sketch{random: s.random, cells: map[int]string{}}
	// Each plan of a round has an octant of its own, or lies across the others.
	half := edge / 2
	lo := pos{i & 1 * half, floor + i>>1&1*half, s.random.IntN(2) * half}
	hi := pos{lo.X + half - 1, lo.Y + half - 1, lo.Z + half - 1}
	if s.random.IntN(2) == 0 {
		lo, hi = at(s.random.IntN(cells)), at(cells-1)
	}
	for range 2 + s.random.IntN(4) {
		a, b := k.within(lo, hi), k.within(lo, hi)
		a, b = pos{min(a.X, b.X), min(a.Y, b.Y), min(a.Z, b.Z)}, pos{max(a.X, b.X), max(a.Y, b.Y), max(a.Z, b.Z)}
		if s.random.IntN(2) == 0 {
			k.box(a, b)
		} else {
			k.mixture(a, b)
		}
	}
	d := &deed{kind: "building", want: map[int]string{}, before: map[int]string{}}
	for c, text := range k.cells {
		if s.base[c] != text {
			d.want[c], d.before[c] = text, s.base[c]
		}
	}
	if len(k.cells) == 0 {
		return nil
	}
	plan, ok := must[planned](s.house, s.agent, "build_prepare", object{"recipe": recipe(k.steps...)})
	if !ok {
		return nil
	}
	if plan.Changed != len(d.want) {
		s.fail("plan %s changes %d cells and should change %d: %v", plan.PlanID, plan.Changed, len(d.want), k.steps)
	}
	d.planned = plan
	return d
}

func (k *sketch) within(lo, hi pos) pos {
	return pos{lo.X + k.random.IntN(hi.X-lo.X+1), lo.Y + k.random.IntN(hi.Y-lo.Y+1), lo.Z + k.random.IntN(hi.Z-lo.Z+1)}
}

// undo prepares the undo of one of the newest operations whose cells are all its
// own: it has to be granted, whole.
func (s *siege) undo() *deed {
	s.t.Helper()
	for _, d := range newest(s.ended, 8) {
		if d.kind != "building" || !s.clean(d) || s.random.IntN(3) == 0 {
			continue
		}
		plan, ok := must[planned](s.house, s.agent, "operation_undo_prepare", object{"operation_id": d.id})
		if !ok {
			return nil
		}
		if plan.Changed != len(d.want) {
			s.fail("the undo of %s has %d cells", d.describe(), plan.Changed)
		}
		return &deed{planned: plan, kind: "undoing", want: d.before, before: d.want}
	}
	return nil
}

// newest returns the last n of a list, the last first.
func newest(list []*deed, n int) (some []*deed) {
	for i := len(list) - 1; i >= 0 && len(some) < n; i-- {
		some = append(some, list[i])
	}
	return some
}
