package block

import (
	"slices"
	"strings"

	"groundplan/plan/fault"
)

// Description is what is known of one material.
type Description struct {
	ID           string              `json:"id"`
	Block        bool                `json:"block"`
	Item         bool                `json:"item"`
	Version      string              `json:"catalog_version"`
	Placeable    bool                `json:"placeable"`
	DefaultState State               `json:"default_state,omitempty"`
	Properties   map[string][]string `json:"properties,omitempty"` // states and their values
	Derived      []string            `json:"derived,omitempty"`    // states that the game computes from neighbours
	Behaviour    []string            `json:"behavior,omitempty"`   // gravity, fluid, waterloggable, half_property, …
	Classes      []string            `json:"classes,omitempty"`    // physics classes
	Shape        string              `json:"shape,omitempty"`
	Colour       string              `json:"colour,omitempty"` // in words
	RGB          string              `json:"rgb,omitempty"`
	Light        int                 `json:"light,omitempty"` // 1 to 15
	Java         string              `json:"java,omitempty"`  // the Java state of the default state
}

// Describe returns what is known of a material; the namespace may be left out. An
// unknown one is an unsupported_block error with the nearest ids.
func (r *Registry) Describe(id string) (Description, error) {
	if len(id) > 128 || strings.Contains(id, "[") {
		return Description{}, fault.Errorf(fault.InvalidRequest, "an id such as minecraft:oak_stairs, of at most 128 characters").With("reason", "invalid_material")
	}
	id, _, err := scan(id)
	if err != nil {
		return Description{}, err
	}
	c := r.catalog()
	v, ok := r.bedrock.byID[id]
	if !ok {
		if slices.Contains(r.items, strings.TrimPrefix(id, namespace)) {
			return Description{ID: id, Item: true, Version: c.version}, nil
		}
		return Description{}, r.unknown(id)
	}
	if r.lacks(id) {
		return Description{}, lacking(id)
	}
	class := r.class[id]
	d := Description{
		ID: id, Block: true, Item: !r.noItem[id], Version: c.version, Placeable: true, DefaultState: r.texts[v.base+v.def],
		Classes: class.Names(), Shape: r.shapeClass(v), Colour: r.colour[id].Name(), RGB: r.colour[id].String(), Light: r.light[id],
		Behaviour: r.behaviour(v),
	}
	for i := range v.props {
		p := &v.props[i]
		if d.Properties == nil {
			d.Properties = map[string][]string{}
		}
		d.Properties[p.name] = slices.Clone(p.values)
		if p.derived {
			d.Derived = append(d.Derived, p.name)
		}
	}
	if java, ok := r.ToJava(d.DefaultState); ok {
		d.Java = java
	}
	return d, nil
}

// behaviour names what a builder must know of a block.
func (r *Registry) behaviour(v *variants) []string {
	var out []string
	add := func(name string, on bool) {
		if on {
			out = append(out, name)
		}
	}
	class := r.class[v.id]
	add("gravity", class&Gravity != 0)
	add("fluid", class&Fluid != 0)
	add("waterloggable", r.waterloggable(v))
	add("multi_block", class&Half != 0)
	add("half_property", v.find("minecraft:vertical_half") != nil || v.find("upper_block_bit") != nil || v.find("upside_down_bit") != nil)
	add("attachment_sensitive", class&Attached != 0)
	add("leaf_decay", v.find("persistent_bit") != nil)
	add("block_entity", class&BlockEntity != 0)
	return out
}

// waterloggable reports whether water can share the cell: Java says so of the
// block that becomes this one.
func (r *Registry) waterloggable(v *variants) bool {
	j := r.javaFor(v.base+v.def, true)
	return j >= 0 && r.rows[j].water
}

// shapeClass names the form of a block.
func (r *Registry) shapeClass(v *variants) string {
	name := strings.TrimPrefix(v.id, namespace)
	for _, f := range [...]struct{ suffix, class string }{
		{"_stairs", "stairs"},
		{"_double_slab", "cube"},
		{"double_cut_copper_slab", "cube"},
		{"_slab", "slab"},
		{"_wall", "wall"},
		{"fence_gate", "gate"},
		{"_fence", "fence"},
		{"trapdoor", "trapdoor"},
		{"_door", "door"},
		{"_pane", "pane"},
		{"_bars", "pane"},
		{"_carpet", "carpet"},
		{"_button", "button"},
		{"_pressure_plate", "plate"},
		{"_sign", "sign"},
		{"_banner", "banner"},
		{"torch", "torch"},
		{"lantern", "lantern"},
		{"rail", "rail"},
		{"candle", "candle"},
		{"_chain", "chain"},
		{"_leaves", "leaves"},
	} {
		if strings.HasSuffix(name, f.suffix) && name != "sea_lantern" {
			return f.class
		}
	}
	s := r.solid(v, v.def)
	switch {
	case r.class[v.id]&Fluid != 0:
		return "fluid"
	case len(s.boxes) == 0 && r.class[v.id]&Attached != 0:
		return "plant"
	case len(s.boxes) == 0:
		return "empty"
	case s.full == AllFaces:
		return "cube"
	default:
		return "part"
	}
}

// words returns what a query may call a block besides its id.
func (r *Registry) words(v *variants, m Material) []string {
	c := r.colour[v.id]
	out := append([]string{m.Shape}, c.words()...)
	out = append(out, r.class[v.id].Names()...)
	add := func(word string, on bool) {
		if on {
			out = append(out, word)
		}
	}
	add("warm", c.warm())
	add("cool", c.cool())
	add("cold", c.cool())
	add("grey", slices.Contains(out, "gray"))
	add("full", m.Shape == "cube")
	add("block", m.Shape == "cube")
	add("luminous", r.light[v.id] > 0)
	add("light", r.light[v.id] > 0)
	add("glowing", r.light[v.id] > 0)
	add("transparent", strings.Contains(v.id, "glass") || strings.Contains(v.id, "ice"))
	for _, k := range kinds() {
		if slices.ContainsFunc(k.parts, func(part string) bool { return strings.Contains(v.id, part) }) {
			out = append(out, k.words...)
		}
	}
	return out
}

// kinds maps parts of ids to what the blocks are made of.
func kinds() []struct{ words, parts []string } {
	return []struct{ words, parts []string }{
		{[]string{"wood", "wooden", "timber"}, []string{
			"oak_", "spruce", "birch", "jungle", "acacia", "mangrove", "cherry", "bamboo", "poplar", "crimson_", "warped_",
			"wooden", "crafting_table", "bookshelf", "barrel", "lectern", ":fence_gate", ":trapdoor", "loom", ":ladder", "composter",
		}},
		{[]string{"stone", "rock"}, []string{
			"stone", "granite", "diorite", "andesite", "deepslate", "tuff", "basalt", "calcite", "dripstone", "brick", "prismarine", "quartz",
			"purpur", "obsidian", "netherrack", "sulfur", "cinnabar",
		}},
		{[]string{"metal"}, []string{"iron", "gold", "copper", "netherite_block", "anvil", "hopper", "cauldron", "chain", "lightning_rod", "lantern"}},
		{[]string{"glass", "window"}, []string{"glass"}},
		{[]string{"cloth", "fabric"}, []string{"wool", "carpet", "banner"}},
		{[]string{"earth", "soil"}, []string{"dirt", "mud", "podzol", "grass_block", "mycelium", "clay", "farmland", "sand", "gravel", "soul_soil"}},
		{[]string{"plant", "flower", "vegetation"}, []string{
			"sapling", "tulip", "dandelion", "poppy", "orchid", "allium", "bluet", "daisy", "cornflower", "lily", "rose", "peony", "lilac",
			"sunflower", "fern", "grass", "vine", "leaves", "moss", "mushroom", "bush", "petals", "eyeblossom", "azalea", "dripleaf", "roots",
		}},
	}
}
