package schematic

import (
	"fmt"
	"sort"
	"strings"

	"groundplan/schematic/nbt"
)

// states collects the palette of a file that has several, or none.
type states struct {
	list  []string
	index map[string]uint16
}

// add returns the index of a state, new or known.
func (s *states) add(d *document, state string) (uint16, error) {
	if i, ok := s.index[state]; ok {
		return i, nil
	}
	if s.index == nil {
		s.index = map[string]uint16{}
	}
	if len(s.list) == maxPalette {
		return 0, d.Errorf("more than %d different states", maxPalette)
	}
	i := uint16(len(s.list))
	s.list = append(s.list, state)
	s.index[state] = i
	return i, nil
}

// listPalette is a palette of compounds, as Litematica and the structure files
// have: Name and Properties, or name and states.
type listPalette struct {
	states []string
	text   int // bytes of all states
}

func (p *listPalette) read(d *document, t nbt.Tag) error {
	if t != nbt.List {
		return d.Errorf("%s instead of a list", t.A())
	}
	return d.List(func(_ int, t nbt.Tag) error {
		if t != nbt.Compound {
			return d.Errorf("%s instead of a compound", t.A())
		}
		if len(p.states) == maxPalette {
			return d.Errorf("more than %d entries", maxPalette)
		}
		state, err := d.readState()
		if err != nil {
			return err
		}
		p.text += len(state)
		if len(state) > maxState || p.text > maxPaletteText {
			return d.Errorf("a state of %d bytes, all of them of %d", len(state), p.text)
		}
		p.states = append(p.states, state)
		return nil
	})
}

// readState reads a state as a compound.
func (d *document) readState() (string, error) {
	id := ""
	var properties []string
	err := d.Compound(func(name []byte, t nbt.Tag) error {
		switch string(name) {
		case "Name", "name":
			return d.text(&id)(t)
		case "Properties", "states":
			if t != nbt.Compound {
				return d.Errorf("%s instead of a compound", t.A())
			}
			return d.Compound(func(name []byte, t nbt.Tag) error {
				if len(properties) == 64 {
					return d.Errorf("more than 64 properties")
				}
				property, err := d.readProperty(nbt.Plain(name), t)
				properties = append(properties, property)
				return err
			})
		}
		if string(name) == "version" && t == nbt.Int {
			n, err := d.Number(t)
			d.bedrock.game = max(d.bedrock.game, n)
			return err
		}
		return d.Skip(t)
	})
	if err == nil && id == "" {
		err = d.Errorf("a state without a name")
	}
	return stateOf(id, properties), err
}

// readProperty reads one property; Bedrock has bytes for true and false.
func (d *document) readProperty(name string, t nbt.Tag) (string, error) {
	if t == nbt.String {
		value, err := d.Text()
		return name + "=" + value, err
	}
	n, err := d.Number(t)
	if t == nbt.Byte {
		return fmt.Sprintf("%s=%v", name, n != 0), err
	}
	return fmt.Sprintf("%s=%d", name, n), err
}

// stateOf writes a state as text: id and, in brackets, the sorted properties.
func stateOf(id string, properties []string) string {
	if len(properties) == 0 {
		return id
	}
	sort.Strings(properties)
	return id + "[" + strings.Join(properties, ",") + "]"
}

// readTriple reads three whole numbers: a list, an int array, or the fields x, y
// and z of a compound.
func (d *document) readTriple(t nbt.Tag) (v [3]int64, err error) {
	switch t {
	case nbt.IntArray:
		n, err := d.ArrayHeader(t)
		if err == nil && n != 3 {
			err = d.Errorf("%d numbers instead of three", n)
		}
		var numbers [3]int32
		if err == nil {
			err = d.Ints(numbers[:])
		}
		return [3]int64{int64(numbers[0]), int64(numbers[1]), int64(numbers[2])}, err
	case nbt.List:
		element, n, err := d.ListHeader()
		if err == nil && n != 3 {
			err = d.Errorf("%d numbers instead of three", n)
		}
		for i := 0; i < 3 && err == nil; i++ {
			v[i], err = d.Number(element)
		}
		d.EndList()
		return v, err
	case nbt.Compound:
		has := 0
		err := d.Compound(func(name []byte, t nbt.Tag) error {
			if len(name) != 1 || name[0] < 'x' || name[0] > 'z' {
				return d.Skip(t)
			}
			axis := name[0] - 'x'
			has |= 1 << axis
			n, err := d.Number(t)
			v[axis] = n
			return err
		})
		if err == nil && has != 7 {
			err = d.Errorf("x, y or z is missing")
		}
		return v, err
	default:
		return v, d.Errorf("%s instead of three numbers", t.A())
	}
}

// readRaw copies an array's bytes, in the order of the file; most bounds them.
func (d *document) readRaw(t nbt.Tag, size, most int) ([]byte, error) {
	n, err := d.ArrayHeader(t)
	if err != nil {
		return nil, err
	}
	n *= size
	if n > most {
		return nil, d.overCells(d.limit)
	}
	raw := make([]byte, 0, min(n, 1<<20))
	for len(raw) < n {
		chunk, err := d.Bulk(n - len(raw))
		if err != nil {
			return nil, err
		}
		if need := len(raw) + len(chunk); need > cap(raw) {
			grown := make([]byte, len(raw), min(max(need, 2*cap(raw)), n))
			copy(grown, raw)
			raw = grown
		}
		raw = append(raw, chunk...)
	}
	return raw, nil
}
