package block

import "strings"

// Axis is the axis along which Mirror flips: X swaps east and west.
type Axis uint8

// The axes.
const (
	X Axis = iota
	Z
)

// Rotate returns s after clockwise quarter turns seen from above; negative turns
// are counterclockwise. A state that the profile does not have stays as it is.
//
// coral_fan_direction stays: the game derives it when a fan is placed, and Java
// has nothing like it.
func (r *Registry) Rotate(s State, turns int) State {
	i, wet, ok := r.lookup(s)
	if !ok {
		return s
	}
	t := r.turns()
	for range quarter(turns) {
		i = t.bedrock[clockwise][i]
	}
	return r.text(i, wet)
}

// Mirror returns s mirrored along an axis.
func (r *Registry) Mirror(s State, along Axis) State {
	i, wet, ok := r.lookup(s)
	if !ok {
		return s
	}
	return r.text(r.turns().bedrock[mirror(along)][i], wet)
}

// RotateJava returns a Java state after clockwise quarter turns; false when there
// is no such state.
func (r *Registry) RotateJava(java string, turns int) (string, bool) {
	v, offset, _ := r.readJava(java, 0)
	if v == nil {
		return "", false
	}
	i, t := v.base+offset, r.turns()
	for range quarter(turns) {
		i = t.java[clockwise][i]
	}
	return r.javaText(i), true
}

// MirrorJava returns a Java state mirrored along an axis; false when there is no
// such state.
func (r *Registry) MirrorJava(java string, along Axis) (string, bool) {
	v, offset, _ := r.readJava(java, 0)
	if v == nil {
		return "", false
	}
	return r.javaText(r.turns().java[mirror(along)][v.base+offset]), true
}

func (r *Registry) javaText(j int32) string {
	v := r.java.of(j)
	return string(v.appendTo(make([]byte, 0, 96), j-v.base))
}

func quarter(turns int) int { return (turns%4 + 4) % 4 }

// motion is a symmetry of the horizontal plane; the others are made of these.
type motion int

const (
	clockwise motion = iota
	mirrorX
	mirrorZ
)

const motions = 3

func mirror(along Axis) motion {
	if along == Z {
		return mirrorZ
	}
	return mirrorX
}

// direction returns where a direction points afterwards; other words stay.
func (m motion) direction(d string) string {
	switch m {
	case clockwise:
		switch d {
		case "north":
			return "east"
		case "east":
			return "south"
		case "south":
			return "west"
		case "west":
			return "north"
		}
	case mirrorX:
		switch d {
		case "east":
			return "west"
		case "west":
			return "east"
		}
	case mirrorZ:
		switch d {
		case "north":
			return "south"
		case "south":
			return "north"
		}
	}
	return d
}

// sixteenth returns where a sixteenth of the circle (0 south, 4 west) points.
func (m motion) sixteenth(n int) int {
	switch m {
	case clockwise:
		return (n + 4) % 16
	case mirrorX:
		return (16 - n) % 16
	default:
		return (24 - n) % 16
	}
}

// word moves the directions inside a word such as ascending_north, north_west or
// down_east_west.
func (m motion) word(w string) string {
	parts := strings.Split(w, "_")
	for i, p := range parts {
		parts[i] = m.direction(p)
	}
	w = strings.Join(parts, "_")
	for _, order := range [...][2]string{
		{"west_east", "east_west"},
		{"south_north", "north_south"},
		{"east_south", "south_east"},
		{"west_south", "south_west"},
		{"east_north", "north_east"},
		{"west_north", "north_west"},
	} {
		if rest, ok := strings.CutSuffix(w, order[0]); ok {
			return rest + order[1]
		}
	}
	return w
}

// axis swaps x and z in a quarter turn.
func (m motion) axis(a string) string {
	if m != clockwise {
		return a
	}
	switch a {
	case "x":
		return "z"
	case "z":
		return "x"
	}
	return a
}

// hand swaps left and right in a mirror.
func (m motion) hand(w string) string {
	if m == clockwise {
		return w
	}
	if rest, ok := strings.CutSuffix(w, "left"); ok {
		return rest + "right"
	}
	if rest, ok := strings.CutSuffix(w, "right"); ok {
		return rest + "left"
	}
	return w
}

// turns holds, for every state of both editions, where each motion takes it.
type turns struct {
	bedrock, java [motions][]int32
}

func newTurns(r *Registry) *turns {
	t := &turns{}
	for m := range motion(motions) {
		t.bedrock[m] = table(&r.bedrock, m, bedrockMover)
		t.java[m] = table(&r.java, m, javaMover)
	}
	return t
}

// mover says what a motion does to one property: its values move by the
// function, to another property where the name changes (north to east).
type mover func(m motion, id string, p *property) (to string, value func(string) string)

func table(n *numbered, m motion, move mover) []int32 {
	out := make([]int32, n.total)
	for _, v := range n.list {
		type column struct {
			p    *property
			part []int32 // by value: what it adds to the number of the moved state
		}
		columns := make([]column, len(v.props))
		for i := range v.props {
			p := &v.props[i]
			to, f := move(m, v.id, p)
			q := v.find(to)
			columns[i] = column{p, make([]int32, len(p.values))}
			for k, value := range p.values {
				if f != nil {
					value = f(value)
				}
				digit := q.index(value)
				if digit < 0 {
					digit = k // an unused number
				}
				columns[i].part[k] = q.stride * int32(digit)
			}
		}
		special := jointly(v, m)
		for offset := range v.size {
			moved := int32(0)
			for i := range columns {
				moved += columns[i].part[columns[i].p.digit(offset)]
			}
			if special != nil {
				moved = special(offset, moved)
			}
			out[v.base+offset] = v.base + moved
		}
	}
	return out
}
