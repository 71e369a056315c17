package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"groundplan/plan/fault"
)

// maxDepth bounds how deep arrays and objects may nest.
const maxDepth = 64

// Parse reads one JSON value with nothing but white space around it. Errors are
// invalid_request with the detail offset (in bytes) or pointer.
func Parse(data []byte) (*Value, error) {
	if !utf8.Valid(data) {
		return nil, fault.Errorf(fault.InvalidRequest, "JSON text is not valid UTF-8")
	}
	if !json.Valid(data) {
		return nil, syntaxError(data)
	}
	p := parser{text: string(data)}
	v, err := p.value(nil, "", 0)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func syntaxError(data []byte) error {
	var ignored json.RawMessage
	err := json.Unmarshal(data, &ignored)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fault.Errorf(fault.InvalidRequest, "JSON syntax at byte %d: %s", syntax.Offset, syntax.Error()).
			With("offset", syntax.Offset)
	}
	return fault.Errorf(fault.InvalidRequest, "JSON syntax error")
}

// parser walks a text that json.Valid accepted, so it checks no syntax again.
type parser struct {
	text string
	pos  int
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) value(parent *Value, key string, depth int) (*Value, error) {
	p.space()
	v := &Value{parent: parent, key: key}
	if depth > maxDepth {
		return nil, fault.Errorf(fault.InvalidRequest, "JSON nests deeper than %d levels", maxDepth).With("offset", p.pos)
	}
	start := p.pos
	var err error
	switch p.text[p.pos] {
	case '{':
		v.kind = Object
		err = p.object(v, depth)
	case '[':
		v.kind = Array
		err = p.array(v, depth)
	case '"':
		v.kind = String
		v.text, err = p.quoted()
	case 't', 'f':
		v.kind = Bool
		p.token()
	case 'n':
		v.kind = Null
		p.token()
	default:
		v.kind = Number
		p.token()
	}
	v.raw = p.text[start:p.pos]
	return v, err
}

// token passes over a number, true, false or null.
func (p *parser) token() {
	for p.pos < len(p.text) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(p.text[p.pos])) {
		p.pos++
	}
}

func (p *parser) quoted() (string, error) {
	start, escaped := p.pos, false
	for p.pos++; p.text[p.pos] != '"'; p.pos++ {
		if p.text[p.pos] == '\\' {
			escaped = true
			p.pos++
		}
	}
	p.pos++
	if !escaped {
		return p.text[start+1 : p.pos-1], nil
	}
	var text string
	if err := json.Unmarshal([]byte(p.text[start:p.pos]), &text); err != nil {
		return "", fault.Errorf(fault.InvalidRequest, "JSON string at byte %d: %w", start, err).With("offset", start)
	}
	return text, nil
}

// indexed is the number of keys from which on duplicates are looked for with a
// map.
const indexed = 16

func (p *parser) object(v *Value, depth int) error {
	var seen map[string]bool
	for p.pos++; ; {
		p.space()
		if p.text[p.pos] == '}' {
			p.pos++
			return nil
		}
		if p.text[p.pos] == ',' {
			p.pos++
			continue
		}
		key, err := p.quoted()
		if err != nil {
			return err
		}
		if seen == nil && len(v.keys) >= indexed {
			seen = map[string]bool{}
			for _, k := range v.keys {
				seen[k] = true
			}
		}
		if seen[key] || seen == nil && v.Get(key) != nil {
			return fault.Errorf(fault.InvalidRequest, "key %q stands twice", key).
				With("pointer", v.Pointer()+"/"+escapePointer(key)).With("offset", p.pos)
		}
		if seen != nil {
			seen[key] = true
		}
		p.space()
		p.pos++ // the colon
		item, err := p.value(v, key, depth+1)
		if err != nil {
			return err
		}
		v.keys, v.items = append(v.keys, key), append(v.items, item)
	}
}

func (p *parser) array(v *Value, depth int) error {
	for p.pos++; ; {
		p.space()
		switch p.text[p.pos] {
		case ']':
			p.pos++
			return nil
		case ',':
			p.pos++
			continue
		}
		item, err := p.value(v, strconv.Itoa(len(v.items)), depth+1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
}
