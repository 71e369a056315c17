package block

import "strings"

// JavaAt is ToJava for a cell in its surroundings, which tell what a Bedrock state
// alone does not: the connections and corners that older profiles have no states
// for, the two halves of a double chest, stems under the tips of kelp and vines,
// snow on grass, hay under a campfire. neighbour returns the state at an offset of
// at most two cells; "" where nothing is known.
func (r *Registry) JavaAt(s State, neighbour func(dx, dy, dz int) State) (string, bool) {
	v, _, ok := r.find(s)
	if !ok {
		return "", false
	}
	if newest, err := Load(Profile60); err == nil && r.profile != Profile60 && r.draws(newest, v) {
		lift := func(s State) State {
			lifted, err := newest.Parse(string(s))
			if err != nil {
				return ""
			}
			return lifted
		}
		s = newest.Connect(lift(s), func(dx, dy, dz int) State { return lift(neighbour(dx, dy, dz)) })
		r = newest
	}
	i, wet, ok := r.lookup(s)
	if !ok {
		return "", false
	}
	j := r.javaFor(i, wet)
	if j < 0 {
		return "", false
	}
	return r.settle(s, j, neighbour), true
}

// Settles reports whether JavaAt may say more of s than ToJava.
func (r *Registry) Settles(s State) bool {
	v, _, ok := r.find(s)
	if !ok {
		return false
	}
	if isChest(v.id) {
		return true
	}
	switch strings.TrimPrefix(v.id, namespace) {
	case "kelp", "weeping_vines", "twisting_vines", "cave_vines", "cave_vines_head_with_berries", "cave_vines_body_with_berries",
		"grass_block", "podzol", "mycelium", "campfire", "soul_campfire":
		return true
	}
	newest, err := Load(Profile60)
	return err == nil && r.draws(newest, v)
}

// draws reports whether games of the profile draw states of a block that newer
// ones keep.
func (r *Registry) draws(newest *Registry, v *variants) bool {
	now := newest.bedrock.byID[v.id]
	return now != nil && len(now.props) > len(v.props)
}

func isChest(id string) bool {
	return strings.HasSuffix(id, "chest") && id != namespace+"ender_chest"
}

// settle changes Java state j, which s has become, as the neighbours ask for.
func (r *Registry) settle(s State, j int32, at func(dx, dy, dz int) State) string {
	id := s.ID()
	w := r.java.of(j)
	stem := func(hides bool, name string) string {
		if !hides {
			return r.javaText(j)
		}
		stem := r.java.byID[namespace+name]
		offset := stem.def
		if p, q := stem.find("berries"), w.find("berries"); p != nil && q != nil {
			offset = p.set(offset, q.digit(j-w.base))
		}
		return r.javaText(stem.base + offset)
	}
	set := func(name, value string) string {
		if p := w.find(name); p != nil && p.index(value) >= 0 {
			j = w.base + p.set(j-w.base, p.index(value))
		}
		return r.javaText(j)
	}
	above, below := at(0, 1, 0).ID(), at(0, -1, 0).ID()
	switch name := strings.TrimPrefix(id, namespace); name {
	case "kelp":
		return stem(above == id, "kelp_plant")
	case "twisting_vines":
		return stem(above == id, "twisting_vines_plant")
	case "weeping_vines":
		return stem(below == id, "weeping_vines_plant")
	case "cave_vines", "cave_vines_head_with_berries", "cave_vines_body_with_berries":
		return stem(strings.HasPrefix(below, namespace+"cave_vines"), "cave_vines_plant")
	case "grass_block", "podzol", "mycelium":
		if above == namespace+"snow_layer" || above == namespace+"snow" || above == namespace+"powder_snow" {
			return set("snowy", "true")
		}
	case "campfire", "soul_campfire":
		if below == namespace+"hay_block" {
			return set("signal_fire", "true")
		}
	default:
		if isChest(id) {
			return set("type", chestType(s, at))
		}
	}
	return r.javaText(j)
}

// chestType pairs a chest with the only one beside it that looks the same way and
// has no other beside it. Left is the half whose other half is clockwise of where
// it looks.
func chestType(s State, at func(dx, dy, dz int) State) string {
	facing := s.Value("minecraft:cardinal_direction")
	right := sideOf(clockwise.direction(facing))
	same := func(n int) bool {
		t := at(n*right.dx, 0, n*right.dz)
		return t.ID() == s.ID() && t.Value("minecraft:cardinal_direction") == facing
	}
	switch {
	case same(1) && !same(-1) && !same(2):
		return "left"
	case same(-1) && !same(1) && !same(-2):
		return "right"
	}
	return "single"
}
