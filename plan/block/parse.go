package block

import (
	"strings"

	"groundplan/plan/fault"
)

// maxStateText bounds what Parse and Translate look at; the longest state of the
// game has 200 bytes.
const maxStateText = 2048

// Parse reads a Bedrock state in any of the accepted notations and returns its
// canonical text: namespace optional, the command syntax ["name"=value] or plain
// name=value, spaces, 0 and 1 for truth values, minecraft: left out of names of
// states, missing states (they take the block's defaults), and waterlogged=true.
//
// An unknown block, state or value is an unsupported_block error with the details
// "nearest" (up to five ids), "state" and "allowed".
func (r *Registry) Parse(text string) (State, error) {
	if i, wet, ok := r.lookup(State(text)); ok && r.text(i, wet) == State(text) && r.known == nil {
		return r.text(i, wet), nil
	}
	id, pairs, err := scan(text)
	if err != nil {
		return "", err
	}
	v, ok := r.bedrock.byID[id]
	if !ok {
		return "", r.unknown(id)
	}
	if r.lacks(id) {
		return "", lacking(id)
	}
	offset, wet := v.def, false
	seen := map[string]bool{}
	for _, kv := range pairs {
		p, err := v.property(kv.name)
		if err != nil {
			return "", err
		}
		name := waterlogged
		if p == nil {
			value, err := oneOf(v.id, waterlogged, []string{"false", "true"}, kv.value)
			if err != nil {
				return "", err
			}
			wet = value == 1
		} else {
			name = p.name
			value, err := oneOf(v.id, p.name, p.values, kv.value)
			if err != nil {
				return "", err
			}
			offset = p.set(offset, value)
		}
		if seen[name] {
			return "", fault.Errorf(fault.InvalidRequest, "block state %q has %s twice", clip(text), name)
		}
		seen[name] = true
	}
	return r.text(v.base+offset, wet), nil
}

const waterlogged = "waterlogged"

// property finds a state by its name, with or without namespace; nil without
// error is the water layer.
func (v *variants) property(name string) (*property, error) {
	if p := v.find(name); p != nil {
		return p, nil
	}
	if p := v.find(namespace + name); p != nil {
		return p, nil
	}
	if name == waterlogged {
		return nil, nil //nolint:nilnil // the water layer is no property
	}
	names := make([]string, 0, len(v.props)+1)
	for i := range v.props {
		names = append(names, v.props[i].name)
	}
	names = append(names, waterlogged)
	return nil, fault.Errorf(fault.UnsupportedBlock, "%s has no state %q; it has %s", v.id, clip(name), strings.Join(names, ", ")).
		With("state", clip(name)).With("allowed", names).With("nearest", nearestTo(name, names, 5))
}

func oneOf(id, name string, values []string, value string) (int, error) {
	p := property{values: values}
	if i := p.lenient(value); i >= 0 {
		return i, nil
	}
	return 0, fault.Errorf(fault.UnsupportedBlock, "%s of %s cannot be %q; it can be %s", name, id, clip(value), strings.Join(values, ", ")).
		With("state", name).With("allowed", values).With("nearest", nearestTo(value, values, 5))
}

// lenient returns the number of a value, also where a truth value is written as
// 0 or 1; -1 when there is none.
func (p *property) lenient(value string) int {
	if i := p.index(value); i >= 0 {
		return i
	}
	switch strings.TrimSuffix(value, "b") {
	case "0":
		return p.index("false")
	case "1":
		return p.index("true")
	}
	return -1
}

type pair struct{ name, value string }

// scan splits a state text into its full id and its pairs, whatever their
// notation.
func scan(text string) (id string, pairs []pair, err error) {
	if len(text) > maxStateText {
		return "", nil, fault.Errorf(fault.InvalidRequest, "a block state of %d bytes; at most %d are read", len(text), maxStateText)
	}
	id, rest, bracket := strings.Cut(text, "[")
	id = strings.ToLower(strings.Trim(strings.TrimSpace(id), `"`))
	if id == "" || strings.ContainsFunc(id, notInID) || strings.Count(id, ":") > 1 {
		return "", nil, fault.Errorf(fault.InvalidRequest, "%q is not a block state such as oak_stairs[upside_down_bit=true]", clip(text))
	}
	if !strings.Contains(id, ":") {
		id = namespace + id
	}
	if !bracket {
		return id, nil, nil
	}
	rest, closed := strings.CutSuffix(strings.TrimSpace(rest), "]")
	if !closed {
		return "", nil, fault.Errorf(fault.InvalidRequest, "block state %q has no closing bracket", clip(text))
	}
	if strings.TrimSpace(rest) == "" {
		return id, nil, nil
	}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, ok := cutPair(strings.TrimSpace(part))
		if !ok {
			return "", nil, fault.Errorf(fault.InvalidRequest, "block state %q: %q is not name=value", clip(text), clip(part))
		}
		pairs = append(pairs, pair{name, value})
	}
	return id, pairs, nil
}

// cutPair splits name=value, "name"=value and the older "name":value.
func cutPair(part string) (name, value string, ok bool) {
	if rest, quoted := strings.CutPrefix(part, `"`); quoted {
		if name, value, ok = strings.Cut(rest, `"`); !ok {
			return "", "", false
		}
		value = strings.TrimSpace(value)
		if value == "" || (value[0] != '=' && value[0] != ':') {
			return "", "", false
		}
		value = value[1:]
	} else if name, value, ok = strings.Cut(part, "="); !ok {
		return "", "", false
	}
	name = strings.ToLower(strings.TrimSpace(name))
	value = strings.ToLower(strings.TrimSpace(value))
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	return name, value, name != "" && value != ""
}

func notInID(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("_.-/:", c)
}

// clip shortens text from outside for a message.
func clip(text string) string {
	if len(text) <= 80 {
		return text
	}
	return strings.ToValidUTF8(text[:80], "") + "…"
}
