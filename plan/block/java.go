package block

import (
	"fmt"
	"strings"
)

// Quality says how true a translation is.
type Quality string

// The qualities.
const (
	Exact       Quality = "exact"       // looks and behaves the same
	Approximate Quality = "approximate" // the note says what is lost
	Unmapped    Quality = "unknown"     // there is no such block; State is empty
)

// keep is the quality, in the registry's data, of blocks that stand for "leave
// what is there".
const keep Quality = "keep"

// Translation is the Bedrock state for a Java state, how true it is, and what is
// lost. Keep is set for the Java states that mean "leave what is there"
// (structure_void and FAWE's __reserved__); State is then empty.
//
// Note may stand beside Exact, too: it then names what travels apart from the
// state (the text of a sign), or what was normalised.
type Translation struct {
	State   State
	Quality Quality
	Note    string
	Keep    bool
}

// Translate returns the Bedrock state for a Java state of any version from 1.13:
// old names are taken for what they became, missing properties take the block's
// defaults, unknown ones are left out and noted. waterlogged=true becomes the
// water layer.
func (r *Registry) Translate(java string) Translation { return r.TranslateFrom(java, 0) }

// TranslateFrom is Translate for a state of a known data version, which settles
// the names that meant another block then; 0 is "unknown": the newest meaning.
func (r *Registry) TranslateFrom(java string, dataVersion int) Translation {
	slot := r.memo.slot(java)
	if known := slot.Load(); known != nil && known.text == java {
		return known.translation
	}
	t := r.translate(java, dataVersion)
	// Only ids of today, as they are written today: they mean the same in every
	// version, but for the one that was renamed.
	if id, _, _ := strings.Cut(java, "["); r.java.byID[id] != nil && !renamed(id, version1_14-1) {
		r.memo.put(slot, java, t)
	}
	return t
}

func (r *Registry) translate(java string, dataVersion int) Translation {
	v, offset, note := r.readJava(java, dataVersion)
	if v == nil {
		return Translation{Quality: Unmapped, Note: note}
	}
	w := r.rows[v.base+offset]
	n := r.notes[w.note]
	t := Translation{Quality: n.quality, Note: n.text}
	if note != "" {
		t.Note = joinNotes(note, t.Note)
	}
	switch {
	case n.quality == keep:
		return Translation{Quality: Exact, Keep: true, Note: "leaves what is there"}
	case w.target >= 0 && r.known != nil && r.lacks(r.bedrock.of(w.target).id):
		return Translation{Quality: Unmapped, Note: lacking(r.bedrock.of(w.target).id).Error()}
	case w.target >= 0:
		t.State = r.text(w.target, w.water)
	}
	return t
}

func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// readJava finds the Java state of a text; nil and a sentence when there is none.
// The usual text, written by a game of the newest version, takes the short way
// through: no allocation.
func (r *Registry) readJava(text string, dataVersion int) (*variants, int32, string) {
	id, rest, bracket := strings.Cut(text, "[")
	v, ok := r.java.byID[id]
	if !ok || renamed(id, dataVersion) {
		return r.readOldJava(text, dataVersion)
	}
	offset := v.def
	if !bracket {
		return v, offset, ""
	}
	rest, ok = strings.CutSuffix(rest, "]")
	for ok && rest != "" {
		var kv string
		kv, rest, _ = strings.Cut(rest, ",")
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			return r.readOldJava(text, dataVersion)
		}
		p := v.find(name)
		if p == nil {
			return r.readOldJava(text, dataVersion)
		}
		digit := p.index(value)
		if digit < 0 {
			return r.readOldJava(text, dataVersion)
		}
		offset = p.set(offset, digit)
	}
	if !ok {
		return r.readOldJava(text, dataVersion)
	}
	return v, offset, ""
}

// readOldJava is readJava for everything else: other notations, old names, old
// properties.
func (r *Registry) readOldJava(text string, dataVersion int) (*variants, int32, string) {
	id, pairs, err := scan(text)
	if err != nil {
		return nil, 0, err.Error()
	}
	id, pairs = modern(id, pairs, dataVersion)
	v, ok := r.java.byID[id]
	if !ok {
		return nil, 0, fmt.Sprintf("Java has no block %q", clip(id))
	}
	offset, note := v.def, ""
	for _, kv := range pairs {
		p := v.find(kv.name)
		switch {
		case p == nil && kv.name == waterlogged && kv.value == "false":
		case p == nil:
			note = joinNotes(note, fmt.Sprintf("%s is no property of %s any more", clip(kv.name), strings.TrimPrefix(id, namespace)))
		case p.index(kv.value) < 0:
			note = joinNotes(note, fmt.Sprintf("%s cannot be %q", p.name, clip(kv.value)))
		default:
			offset = p.set(offset, p.index(kv.value))
		}
	}
	return v, offset, note
}
