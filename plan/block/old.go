package block

import (
	"fmt"
	"strings"
)

// oldBlock is a block of an older Bedrock version, with what its states are now.
type oldBlock struct {
	*variants
	rows []row
}

// oldBlocks are the blocks of older versions by id, the newest version first.
type oldBlocks map[string][]oldBlock

// newOldBlocks reads the U, C and N lines of the registry's text. The tests read
// all of them, so that an error is a bug of the generator.
func newOldBlocks(r *Registry) oldBlocks {
	out := oldBlocks{}
	d := &decoder{r: r}
	for _, line := range r.oldLines {
		kind, rest, _ := strings.Cut(line, " ")
		var err error
		switch kind {
		case "U":
			d.props, d.rule = properties(rest), d.rule[:0]
		case "C":
			err = d.component(rest)
		default:
			for name := range strings.FieldsSeq(rest) {
				v, rows, e := d.follow(name)
				if e != nil {
					err = e
					break
				}
				key := strings.ToLower(v.id)
				out[key] = append(out[key], oldBlock{v, rows})
			}
		}
		if err != nil {
			panic(fmt.Sprintf("embedded registry: %v in %q", err, clip(line)))
		}
	}
	return out
}

// ParseOld reads a Bedrock state as Parse does, and also the blocks and states of
// older versions since 1.17, such as planks[wood_type=birch] or
// wooden_door[direction=0]: what saved structures hold. What Parse takes means
// what it means today. The error is that of Parse.
func (r *Registry) ParseOld(text string) (State, error) {
	id, pairs, err := scan(text)
	if err != nil || r.current(id, pairs) {
		return r.Parse(text)
	}
	for _, b := range r.old()[id] {
		if offset, wet, ok := b.read(pairs); ok {
			if now := r.bedrock.of(b.rows[offset].target).id; r.lacks(now) {
				return "", lacking(now)
			}
			return r.text(b.rows[offset].target, wet), nil
		}
	}
	return r.Parse(text) // for its error
}

// current reports whether the names and values are those of a block of today.
func (r *Registry) current(id string, pairs []pair) bool {
	v := r.bedrock.byID[id]
	if v == nil {
		return false
	}
	_, _, ok := oldBlock{variants: v}.read(pairs)
	return ok
}

// read returns the combination that the pairs name, if all of them are states of
// the block.
func (b oldBlock) read(pairs []pair) (offset int32, wet, ok bool) {
	offset = b.def
	for _, kv := range pairs {
		p := b.find(kv.name)
		if p == nil {
			p = b.find(namespace + kv.name)
		}
		if p == nil {
			if kv.name != waterlogged {
				return 0, false, false
			}
			wet = kv.value == "true"
			continue
		}
		digit := p.lenient(kv.value)
		if digit < 0 {
			return 0, false, false
		}
		offset = p.set(offset, digit)
	}
	return offset, wet, true
}
