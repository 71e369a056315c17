package block

import "slices"

// variants is a block of either edition with all combinations of its properties.
// Its states are numbered base … base+size-1; the last property varies fastest.
type variants struct {
	id    string // with namespace
	props []property
	base  int32
	size  int32
	def   int32 // number of the default state, from base
}

// property is a Bedrock state or a Java property.
type property struct {
	name    string
	values  []string
	def     int
	stride  int32
	derived bool
}

// layout sets strides, size and default, once the properties are known.
func (v *variants) layout() {
	v.size, v.def = 1, 0
	for i := len(v.props) - 1; i >= 0; i-- {
		p := &v.props[i]
		p.stride = v.size
		v.size *= int32(len(p.values))
		v.def += p.stride * int32(p.def)
	}
}

func (v *variants) find(name string) *property {
	for i := range v.props {
		if v.props[i].name == name {
			return &v.props[i]
		}
	}
	return nil
}

func (p *property) index(value string) int {
	for i, v := range p.values {
		if v == value {
			return i
		}
	}
	return -1
}

// digit returns the value's number in the combination of offset.
func (p *property) digit(offset int32) int {
	return int(offset / p.stride % int32(len(p.values)))
}

// set returns offset with the property's value replaced.
func (p *property) set(offset int32, digit int) int32 {
	return offset + (int32(digit)-int32(p.digit(offset)))*p.stride
}

// appendTo appends the text of a combination: brackets only where there is a
// property.
func (v *variants) appendTo(b []byte, offset int32) []byte {
	b = append(b, v.id...)
	for i := range v.props {
		p := &v.props[i]
		b = append(b, ",["[b2i(i == 0)])
		b = append(b, p.name...)
		b = append(b, '=')
		b = append(b, p.values[p.digit(offset)]...)
	}
	if len(v.props) > 0 {
		b = append(b, ']')
	}
	return b
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numbered is all blocks of one edition; it finds blocks by id and by number.
type numbered struct {
	list  []*variants
	byID  map[string]*variants
	total int32
}

func (n *numbered) add(v *variants) {
	v.layout()
	v.base = n.total
	n.total += v.size
	n.list = append(n.list, v)
	n.byID[v.id] = v
}

// of returns the block that has state number i.
func (n *numbered) of(i int32) *variants {
	k, exact := slices.BinarySearchFunc(n.list, i, func(v *variants, i int32) int { return int(v.base - i) })
	if !exact {
		k--
	}
	return n.list[k]
}
