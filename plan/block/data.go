package block

import (
	_ "embed" // the registry's data
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

//go:embed registry.txt.zst
var packed []byte

// decoder reads the registry's text for one profile. The format is described in
// command gen.
type decoder struct {
	r       *Registry
	profile int // the bit of the profile in masks
	props   []property
	rule    []component
}

// component is one table of a Java block's rule.
type component struct {
	name   string
	props  []int // indices of the Java properties it depends on
	values []string
}

func unpack() (string, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return "", err
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	return string(text), err
}

func decode(profile Profile) (*Registry, error) {
	text, err := unpack()
	if err != nil {
		return nil, fmt.Errorf("embedded registry: %w", err)
	}
	d := &decoder{r: newRegistry(profile), profile: -1}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := d.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("embedded registry, line %d: %w", n, err)
		}
	}
	if d.profile < 0 {
		return nil, fmt.Errorf("embedded registry has no profile %s", profile)
	}
	d.r.index()
	return d.r, nil
}

func (d *decoder) line(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	if kind == "U" || len(d.r.oldLines) > 0 {
		d.r.oldLines = append(d.r.oldLines, line) // the last part
		return nil
	}
	switch kind {
	case "blocks":
		if rest != "1" {
			return fmt.Errorf("format %q", rest)
		}
	case "P":
		for i, name := range strings.Fields(rest) {
			if Profile(name) == d.r.profile {
				d.profile = i
			}
		}
	case "T":
		quality, text, _ := strings.Cut(rest, " ")
		d.r.notes = append(d.r.notes, loss{Quality(quality), text})
	case "B":
		return d.bedrock(rest)
	case "K":
		return d.class(rest)
	case "M":
		return d.colour(rest)
	case "L", "I", "O":
		return d.catalog(kind, rest)
	case "G", "S":
		d.r.shapeLines = append(d.r.shapeLines, line)
	case "J":
		d.props, d.rule = properties(rest), d.rule[:0]
	case "C":
		return d.component(rest)
	case "N":
		for name := range strings.FieldsSeq(rest) {
			v, rows, err := d.follow(name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			d.r.java.add(v)
			d.r.rows = append(d.r.rows, rows...)
		}
	default:
		return fmt.Errorf("kind %q", kind)
	}
	return nil
}

// properties reads "name=value,*value;name=…", or "-" for none.
func properties(text string) []property {
	if text == "-" {
		return nil
	}
	var out []property
	for part := range strings.SplitSeq(text, ";") {
		name, values, _ := strings.Cut(part, "=")
		p := property{name: name, values: strings.Split(values, ",")}
		for i, v := range p.values {
			if v, star := strings.CutPrefix(v, "*"); star {
				p.def, p.values[i] = i, v
			}
		}
		out = append(out, p)
	}
	return out
}

func (d *decoder) bedrock(rest string) error {
	head, names, _ := strings.Cut(rest, "\t")
	mask, states, _ := strings.Cut(head, " ")
	bits, err := strconv.Atoi(mask)
	if err != nil {
		return err
	}
	if d.profile < 0 || bits&(1<<d.profile) == 0 {
		return nil
	}
	for id := range strings.FieldsSeq(names) {
		v := &variants{id: namespace + id, props: properties(states)}
		for i := range v.props {
			v.props[i].derived = derived(v.id, v.props[i].name)
		}
		d.r.bedrock.add(v)
	}
	return nil
}

func (d *decoder) class(rest string) error {
	names, ids, _ := strings.Cut(rest, "\t")
	c, err := ParseClass(names)
	if err != nil {
		return err
	}
	for id := range strings.FieldsSeq(ids) {
		d.r.class[namespace+id] = c
	}
	return nil
}

func (d *decoder) component(rest string) error {
	name, table, _ := strings.Cut(rest, " ")
	props, values, ok := strings.Cut(table, "=")
	if !ok {
		return fmt.Errorf("component %q", rest)
	}
	c := component{name: name, values: strings.Split(values, ",")}
	if props != "" {
		for p := range strings.SplitSeq(props, ",") {
			for i := range d.props {
				if d.props[i].name == p {
					c.props = append(c.props, i)
				}
			}
		}
	}
	size := 1
	for _, p := range c.props {
		size *= len(d.props[p].values)
	}
	if size != len(c.values) {
		return fmt.Errorf("component %s: %d values for %d combinations", name, len(c.values), size)
	}
	d.rule = append(d.rule, c)
	return nil
}

// follow returns the block of an N line's name and what each of its states
// becomes by the current rule.
func (d *decoder) follow(name string) (*variants, []row, error) {
	id, targets, renamed := strings.Cut(name, "=")
	if !renamed {
		targets = id
	}
	v := &variants{id: namespace + id, props: append([]property(nil), d.props...)}
	v.layout()
	var blocks []*variants
	if targets != "" {
		for t := range strings.SplitSeq(targets, ",") {
			blocks = append(blocks, d.r.bedrock.byID[namespace+t])
		}
	}
	columns := make([]column, len(d.rule))
	for i, c := range d.rule {
		columns[i] = newColumn(c, v, blocks)
	}
	rows := make([]row, v.size)
	for offset := range v.size {
		rows[offset].target = -1
		if err := rows[offset].fill(columns, blocks, offset); err != nil {
			return nil, nil, err
		}
	}
	return v, rows, nil
}

// row is what one Java state becomes.
type row struct {
	target int32 // number of the Bedrock state, -1 for none
	note   uint8 // index of notes
	water  bool
	prefer bool // wins among the Java states of the same target
}

// column is a component made ready for one Java block: its values as numbers
// for each block that the rule may give.
type column struct {
	name    string
	strides []int32   // of the Java properties it depends on
	sizes   []int32   // and how many values they have
	numbers []int32   // for id, note, water and prefer
	parts   [][]int32 // for a state: what a value adds to the state's number, per block; -1: no such value
}

func newColumn(c component, v *variants, blocks []*variants) column {
	col := column{name: c.name}
	for _, p := range c.props {
		col.strides = append(col.strides, v.props[p].stride)
		col.sizes = append(col.sizes, int32(len(v.props[p].values)))
	}
	switch c.name {
	case "id", "note", "water", "prefer":
		for _, value := range c.values {
			n, err := strconv.Atoi(value)
			if err != nil {
				n = -1
			}
			col.numbers = append(col.numbers, int32(n))
		}
		return col
	}
	for _, b := range blocks {
		parts := make([]int32, len(c.values))
		var p *property
		if b != nil {
			p = b.find(c.name)
		}
		for i, value := range c.values {
			switch {
			case p == nil: // older profiles derive the state
			case p.index(value) < 0:
				parts[i] = -1
			default:
				parts[i] = int32(p.index(value)) * p.stride
			}
		}
		col.parts = append(col.parts, parts)
	}
	return col
}

// at returns the index into the component's values for a Java state.
func (c *column) at(offset int32) int32 {
	i := int32(0)
	for k, stride := range c.strides {
		i = i*c.sizes[k] + offset/stride%c.sizes[k]
	}
	return i
}

func (w *row) fill(columns []column, blocks []*variants, offset int32) error {
	which := int32(0)
	for i := range columns {
		c := &columns[i]
		switch c.name {
		case "id":
			which = c.numbers[c.at(offset)]
		case "note":
			w.note = uint8(c.numbers[c.at(offset)])
		case "water":
			w.water = c.numbers[c.at(offset)] == 1
		case "prefer":
			w.prefer = c.numbers[c.at(offset)] == 1
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	b := blocks[which]
	if b == nil {
		return fmt.Errorf("no such block in this profile")
	}
	w.target = b.base
	for i := range columns {
		if c := &columns[i]; c.parts != nil {
			part := c.parts[which][c.at(offset)]
			if part < 0 {
				return fmt.Errorf("%s has no such %s", b.id, c.name)
			}
			w.target += part
		}
	}
	return nil
}
