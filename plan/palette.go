package plan

import (
	"math/bits"

	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// mix draws one of several states for each position: the same for the same seed
// and position, in whatever order cells are drawn.
type mix struct {
	seed  uint64
	total uint64
	parts []share
}

type share struct {
	upTo uint64 // the sum of the weights so far
	id   voxel.ID
}

// maxWeight bounds one weight of a mix.
const maxWeight = 10_000

func (m *mix) at(p voxel.Pos) voxel.ID {
	h := scramble(m.seed ^ scramble(uint64(p.X)^scramble(uint64(p.Y)^scramble(uint64(p.Z)))))
	draw, _ := bits.Mul64(h, m.total)
	for _, s := range m.parts {
		if draw < s.upTo {
			return s.id
		}
	}
	return m.parts[len(m.parts)-1].id
}

// scramble is the finaliser of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// readPalette reads the named states and mixes of a recipe.
func (r *reader) readPalette(tree *strict.Value) {
	palette := tree.Get("palette")
	seed := uint64(r.integer(tree, "seed", -1<<31, maxInt32))
	if palette == nil || r.err != nil {
		return
	}
	if palette.Kind() != strict.Object {
		r.fail(palette.Errorf("a palette is an object of names, not %s", palette.Kind()))
		return
	}
	for i, name := range palette.Keys() {
		value := palette.Items()[i]
		if !paletteName.MatchString(name) {
			r.fail(strict.Allow(value.Errorf("%q is not a name of a palette", name), paletteName.String()))
			return
		}
		if value.Kind() == strict.Array {
			own := seed
			for _, c := range []byte(name) {
				own = scramble(own ^ uint64(c))
			}
			r.palette[name] = r.mix(value, own)
		} else {
			r.palette[name] = r.brush(value)
		}
		if r.err != nil {
			return
		}
	}
}

// mix reads [{"block":…,"weight":…},…].
func (r *reader) mix(v *strict.Value, seed uint64) brush {
	if len(v.Items()) == 0 || len(v.Items()) > 256 {
		r.fail(v.Errorf("a mix has 1 to 256 blocks, not %d", len(v.Items())))
		return brush{}
	}
	m := &mix{seed: seed}
	for _, item := range v.Items() {
		weight := 1
		var b brush
		if item.Kind() == strict.String {
			b = r.brush(item)
		} else if r.object(item, []string{"block", "weight"}, "block") {
			b = r.block(item, "block")
			if item.Get("weight") != nil {
				weight = r.integer(item, "weight", 1, maxWeight)
			}
		}
		if r.err == nil && b.mix != nil {
			r.fail(item.Errorf("a mix cannot hold another mix"))
		}
		if r.err != nil {
			return brush{}
		}
		m.total += uint64(weight)
		m.parts = append(m.parts, share{m.total, b.id})
	}
	return brush{mix: m}
}

// named returns an entry of the palette.
func (r *reader) named(v *strict.Value, name string) brush {
	if b, ok := r.palette[name]; ok {
		return b
	}
	var names []string
	for known := range r.palette {
		names = append(names, known)
	}
	names = sorted(names)
	err := strict.Allow(v.Errorf("the palette has no entry %q", name), names)
	if near := strict.Nearest(name, names); near != "" {
		err = strict.Fix(err, v.Replace("$"+near))
	}
	r.fail(err)
	return brush{}
}
