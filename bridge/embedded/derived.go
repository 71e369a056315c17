package embedded

import (
	"strings"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// connects reports whether a state has values that the game computes from the
// neighbours (bedrock-wire §3.5, the first two rows).
func (in *info) connects() bool {
	if in.derived == 0 {
		in.derived = -1
		for _, p := range in.pairs {
			if p.name == "minecraft:corner" || p.name == "wall_post_bit" || p.name == "in_wall_bit" ||
				strings.HasPrefix(p.name, "minecraft:connection_") || strings.HasPrefix(p.name, "redstone_") && p.name != "redstone_signal" {
				in.derived = 1
				break
			}
		}
	}
	return in.derived > 0
}

// derivePasses is how often the cells are gone through: what a block connects to
// can depend on what its neighbour has become, such as the wall above it.
const derivePasses = 2

// derive computes the derived states in and around a box that has changed.
func (w *World) derive(d *store.Dimension, box voxel.Box) {
	box = around(d, box)
	for range derivePasses {
		changed := false
		for _, p := range d.Find(box, func(s store.State) bool { return w.catalog.info(s).connects() }) {
			if w.deriveCell(d, p) {
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

// deriveCell computes the derived states of one cell and reports whether they
// changed.
func (w *World) deriveCell(d *store.Dimension, p voxel.Pos) bool {
	if !w.loaded(d, p) {
		return false
	}
	old := d.At(p)
	text := w.catalog.registry.Connect(block.State(w.blocks.Text(old)), func(dx, dy, dz int) block.State {
		n := p.Add(voxel.Pos{X: dx, Y: dy, Z: dz})
		if !inside(d, n) || !w.loaded(d, n) {
			return ""
		}
		return block.State(w.blocks.Text(d.At(n)))
	})
	s, err := w.blocks.Intern(string(text))
	if err != nil || s == old {
		return false // a full palette leaves the cell as it was written
	}
	entity, has := d.Entity(p)
	d.Set(p, s)
	if has {
		d.SetEntity(p, entity)
	}
	w.dirty = true
	return true
}

// around returns the box and the cells next to it that the world has.
func around(d *store.Dimension, box voxel.Box) voxel.Box {
	one := voxel.Pos{X: 1, Y: 1, Z: 1}
	return voxel.Box{Min: box.Min.Sub(one), Max: box.Max.Add(one)}.Intersect(voxel.Box{
		Min: voxel.Pos{X: -worldEdge, Y: d.Min, Z: -worldEdge}, Max: voxel.Pos{X: worldEdge, Y: d.Max, Z: worldEdge},
	})
}
