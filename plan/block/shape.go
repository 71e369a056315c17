package block

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Colour is the colour of a block as seen from afar: red, green, blue.
type Colour [3]uint8

// String returns the colour as rrggbb.
func (c Colour) String() string { return hex.EncodeToString(c[:]) }

// Colour returns the colour of s; grey for a block that the profile does not have.
func (r *Registry) Colour(s State) Colour {
	if c, ok := r.colour[s.ID()]; ok {
		return c
	}
	return Colour{128, 128, 128}
}

// Cuboid is a box inside a cell, in sixteenths: from (x, y, z) to (x, y, z).
type Cuboid [6]uint8

// Faces is a set of the six faces of a cell.
type Faces uint8

// The faces.
const (
	Down Faces = 1 << iota
	Up
	North
	South
	West
	East

	// AllFaces are the faces of a full cube.
	AllFaces = Down | Up | North | South | West | East
)

// solid is a collision shape and which of its faces are full squares.
type solid struct {
	boxes []Cuboid
	full  Faces
}

// shapeTable is the numbers of the shapes of a block's states, over the states
// they depend on.
type shapeTable struct {
	names   []string
	sizes   []int32
	numbers []uint16
}

func (d *decoder) colour(rest string) error {
	colour, ids, _ := strings.Cut(rest, "\t")
	raw, err := hex.DecodeString(colour)
	if err != nil || len(raw) != 3 {
		return fmt.Errorf("colour %q", colour)
	}
	for id := range strings.FieldsSeq(ids) {
		d.r.colour[namespace+id] = Colour(raw)
	}
	return nil
}

// shapes is the collision shapes of the newest profile.
type shapes struct {
	solids []solid
	tables map[string]shapeTable
}

// newShapes reads the G and S lines of the registry's text. The tests of the
// embedded file read all of them, so that an error is a bug of the generator.
func newShapes(lines []string) *shapes {
	s := &shapes{tables: map[string]shapeTable{}}
	for _, line := range lines {
		var err error
		if rest, ok := strings.CutPrefix(line, "G "); ok {
			err = s.solid(rest)
		} else {
			err = s.table(strings.TrimPrefix(line, "S "))
		}
		if err != nil {
			panic(fmt.Sprintf("embedded registry: %v in %q", err, clip(line)))
		}
	}
	return s
}

func (s *shapes) solid(rest string) error {
	faces, boxes, _ := strings.Cut(rest, " ")
	mask, err := strconv.Atoi(faces)
	if err != nil {
		return err
	}
	out := solid{full: Faces(mask)}
	if boxes != "" {
		for box := range strings.SplitSeq(boxes, ";") {
			var c Cuboid
			for i, n := range strings.Split(box, ",") {
				v, err := strconv.ParseUint(n, 10, 8)
				if err != nil || i >= len(c) {
					return fmt.Errorf("box %q", box)
				}
				c[i] = uint8(v)
			}
			out.boxes = append(out.boxes, c)
		}
	}
	s.solids = append(s.solids, out)
	return nil
}

func (s *shapes) table(rest string) error {
	table, ids, _ := strings.Cut(rest, "\t")
	props, numbers, _ := strings.Cut(table, "=")
	t := shapeTable{}
	if props != "" {
		for p := range strings.SplitSeq(props, ",") {
			end := strings.LastIndexByte(p, ':')
			size, err := strconv.Atoi(p[end+1:])
			if err != nil {
				return err
			}
			t.names, t.sizes = append(t.names, p[:end]), append(t.sizes, int32(size))
		}
	}
	for n := range strings.SplitSeq(numbers, ",") {
		v, err := strconv.Atoi(n)
		if err != nil || v >= len(s.solids) {
			return fmt.Errorf("shape %q", n)
		}
		t.numbers = append(t.numbers, uint16(v))
	}
	for id := range strings.FieldsSeq(ids) {
		s.tables[namespace+id] = t
	}
	return nil
}

// solid returns the collision shape of a state.
func (r *Registry) solid(v *variants, offset int32) solid {
	all := r.shapes()
	t, ok := all.tables[v.id]
	if !ok {
		return solid{}
	}
	n := int32(0)
	for i, name := range t.names {
		n *= t.sizes[i]
		if p := v.find(name); p != nil { // a state that an older profile lacks counts as 0: not connected
			n += int32(p.digit(offset))
		}
	}
	return all.solids[t.numbers[n]]
}

// Collision returns what a player bumps into: the boxes of s, none where there is
// nothing to bump into, and which faces of the cell they fill. Fences and walls
// are cut off at the cell's upper face.
func (r *Registry) Collision(s State) ([]Cuboid, Faces) {
	v, offset, ok := r.find(s)
	if !ok {
		return nil, 0
	}
	c := r.solid(v, offset)
	return c.boxes, c.full
}

// find returns the block and the combination of a state.
func (r *Registry) find(s State) (*variants, int32, bool) {
	i, _, ok := r.lookup(s)
	if !ok {
		return nil, 0, false
	}
	v := r.bedrock.of(i)
	return v, i - v.base, true
}

// Shape returns what one sees of s, roughly: the collision boxes, and boxes of
// about the right size for plants, torches, carpets, rails and fluids, which have
// none. Air has no boxes; a block that the profile does not have is a full cube.
func (r *Registry) Shape(s State) []Cuboid {
	if s.ID() == string(Air) {
		return nil
	}
	v, offset, ok := r.find(s)
	if !ok {
		return []Cuboid{{0, 0, 0, 16, 16, 16}}
	}
	if boxes := r.solid(v, offset).boxes; len(boxes) > 0 {
		return boxes
	}
	return visible(v, offset)
}

// visible returns boxes for a block without collision.
func visible(v *variants, offset int32) []Cuboid {
	name := strings.TrimPrefix(v.id, namespace)
	switch {
	case name == "structure_void" || strings.HasPrefix(name, "light_block_") || name == "air":
		return nil
	case v.find("liquid_depth") != nil:
		depth, _ := strconv.Atoi(v.value(offset, "liquid_depth"))
		if depth >= 8 { // falling
			return []Cuboid{{0, 0, 0, 16, 16, 16}}
		}
		return []Cuboid{{0, 0, 0, 16, uint8(14 - 2*min(depth, 6)), 16}}
	case v.find("multi_face_direction_bits") != nil:
		return sheets(v.value(offset, "multi_face_direction_bits"), Down, Up, South, West, North, East)
	case v.find("vine_direction_bits") != nil:
		return sheets(v.value(offset, "vine_direction_bits"), South, West, North, East)
	case v.find("facing_direction") != nil && !strings.HasSuffix(name, "_stem"):
		return onFace(v.value(offset, "facing_direction"), strings.HasSuffix(name, "_button"))
	case v.find("torch_facing_direction") != nil:
		return []Cuboid{{7, 0, 7, 9, 10, 9}}
	case strings.HasSuffix(name, "standing_sign"), name == "standing_banner":
		return []Cuboid{{7, 0, 7, 9, 9, 9}, {0, 9, 7, 16, 16, 9}}
	case strings.HasSuffix(name, "_pressure_plate"):
		return []Cuboid{{1, 0, 1, 15, 1, 15}}
	case name == "snow_layer":
		return []Cuboid{{0, 0, 0, 16, 2, 16}}
	case name == "lever":
		return []Cuboid{{5, 4, 5, 11, 12, 11}}
	case strings.HasSuffix(name, "rail"), name == "redstone_wire", name == "trip_wire", name == "leaf_litter", name == "pink_petals",
		name == "wildflowers", name == "frog_spawn":
		return []Cuboid{{0, 0, 0, 16, 1, 16}}
	case name == "portal", name == "web", name == "fire", name == "soul_fire", name == "end_gateway", name == "powder_snow", name == "bubble_column":
		return []Cuboid{{0, 0, 0, 16, 16, 16}}
	case v.find("upper_block_bit") != nil, name == "reeds", name == "kelp", name == "seagrass", strings.Contains(name, "vines"):
		return []Cuboid{{3, 0, 3, 13, 16, 13}}
	}
	return []Cuboid{{4, 0, 4, 12, 11, 12}} // plants and other small things
}

// sheets returns a thin box on each face of a set of bits.
func sheets(bits string, faces ...Faces) []Cuboid {
	set, err := strconv.Atoi(bits)
	if err != nil {
		return nil
	}
	var out []Cuboid
	for i, f := range faces {
		if set&(1<<i) != 0 {
			out = append(out, sheet(f))
		}
	}
	if len(out) == 0 {
		out = append(out, sheet(Up))
	}
	return out
}

func sheet(f Faces) Cuboid {
	switch f {
	case Down:
		return Cuboid{0, 0, 0, 16, 1, 16}
	case Up:
		return Cuboid{0, 15, 0, 16, 16, 16}
	case North:
		return Cuboid{0, 0, 0, 16, 16, 1}
	case South:
		return Cuboid{0, 0, 15, 16, 16, 16}
	case West:
		return Cuboid{0, 0, 0, 1, 16, 16}
	default:
		return Cuboid{15, 0, 0, 16, 16, 16}
	}
}

// onFace returns the box of a sign, ladder or frame, or of a button, which looks
// in a direction and so hangs on the opposite face.
func onFace(facing string, small bool) []Cuboid {
	f, ok := map[string]Faces{"0": Up, "1": Down, "2": South, "3": North, "4": East, "5": West}[facing]
	if !ok {
		return nil
	}
	c := sheet(f)
	if small {
		for i := range 3 {
			if c[i] == 0 && c[i+3] == 16 {
				c[i], c[i+3] = 6, 10
			}
		}
	}
	return []Cuboid{c}
}
