package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// patch is one line of patches.txt:
//
//	ids[prop=value|value,prop!=value] => action; action   # reason
//
// ids is a comma-separated list of patterns as of path.Match. The actions:
//
//	id=block             the target block (its states stay)
//	state=value          a state of the target, only where a pattern's target is a real block
//	state=$prop          the value of a Java property
//	state=!$prop         its opposite
//	state=$prop{a:b,c:d} its value, replaced where listed
//	drop state           the target has no such state
//	water                the water layer is always there
//	loses TEXT           approximate: TEXT is lost
//	notes TEXT           exact, but worth knowing
//	faces                huge_mushroom_bits from the faces that show the cap
//	unknown TEXT         there is no such block
//	keep                 means "leave what is there"
//	prefer               this Java state wins among those that become the same state
//	harmless PROPERTY    not carrying this property loses nothing: the game derives it,
//	                     or it is transient
//	add                  the block is in no list; it has no properties
type patch struct {
	line    int
	ids     []string
	conds   []cond
	actions []string
	reason  string
	used    bool
}

type cond struct {
	prop   string
	not    bool
	values []string
}

func readPatches(text string) ([]*patch, error) {
	var out []*patch
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, err := readPatch(line)
		if err != nil {
			return nil, fmt.Errorf("patches.txt:%d: %w", i+1, err)
		}
		p.line = i + 1
		out = append(out, p)
	}
	return out, nil
}

func readPatch(line string) (*patch, error) {
	rule, reason, _ := strings.Cut(line, " # ")
	left, right, ok := strings.Cut(rule, "=>")
	p := &patch{reason: strings.TrimSpace(reason)}
	if !ok || p.reason == "" {
		return nil, fmt.Errorf("%q is not \"ids => actions # reason\"", line)
	}
	ids, conds, bracket := strings.Cut(strings.TrimSpace(left), "[")
	p.ids = strings.Split(ids, ",")
	if bracket {
		for c := range strings.SplitSeq(strings.TrimSuffix(conds, "]"), ",") {
			name, values, ok := strings.Cut(c, "=")
			if !ok {
				return nil, fmt.Errorf("condition %q", c)
			}
			name, not := strings.CutSuffix(name, "!")
			p.conds = append(p.conds, cond{prop: name, not: not, values: strings.Split(values, "|")})
		}
	}
	for a := range strings.SplitSeq(right, ";") {
		p.actions = append(p.actions, strings.TrimSpace(a))
	}
	return p, nil
}

func (p *patch) matches(id string) bool {
	return slices.ContainsFunc(p.ids, func(pattern string) bool {
		ok, err := path.Match(pattern, id)
		return err == nil && ok
	})
}

func (c cond) holds(values map[string]string) bool {
	v, ok := values[c.prop]
	return ok && slices.Contains(c.values, v) != c.not
}

// apply runs the patches over the blocks in their order and returns the blocks,
// with those that patches add. A patch that touches nothing is an error: the
// data changed and its reason is gone.
func apply(patches []*patch, blocks []*javaBlock) ([]*javaBlock, error) {
	for _, p := range patches {
		if slices.Contains(p.actions, "add") {
			for _, id := range p.ids {
				blocks = append(blocks, &javaBlock{id: id, harmless: map[string]bool{}, targets: []target{{note: note{quality: "exact"}, states: map[string]string{}}}})
			}
		}
		for _, b := range blocks {
			if !p.matches(b.id) {
				continue
			}
			if err := p.patch(b); err != nil {
				return nil, fmt.Errorf("patches.txt:%d: %s: %w", p.line, b.id, err)
			}
		}
		if !p.used {
			return nil, fmt.Errorf("patches.txt:%d changes nothing", p.line)
		}
	}
	return blocks, nil
}

func (p *patch) patch(b *javaBlock) error {
	for i := range b.targets {
		values := b.values(i)
		if slices.ContainsFunc(p.conds, func(c cond) bool { return !c.holds(values) }) {
			continue
		}
		p.used = true
		t := &b.targets[i]
		for _, a := range p.actions {
			if prop, ok := strings.CutPrefix(a, "harmless "); ok {
				b.harmless[prop] = true
				continue
			}
			if err := t.act(a, values); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *target) act(action string, values map[string]string) error {
	word, rest, _ := strings.Cut(action, " ")
	switch word {
	case "add":
		return nil
	case "prefer":
		t.prefer = true
		return nil
	case "water":
		t.water = true
		return nil
	case "keep":
		*t = target{note: note{quality: "keep"}}
		return nil
	case "unknown":
		*t = target{note: note{quality: "unknown", text: rest}}
		return nil
	case "drop":
		delete(t.states, rest)
		return nil
	case "faces":
		t.faces(values)
		return nil
	case "loses":
		text := rest
		if t.note.text != "" && t.note.quality == "approximate" && t.note.text != rest {
			text = t.note.text + "; " + rest
		}
		t.note = note{quality: "approximate", text: text}
		return nil
	case "notes":
		if t.note.quality == "exact" {
			t.note.text = rest
		}
		return nil
	}
	name, expr, ok := strings.Cut(action, "=")
	if !ok {
		return fmt.Errorf("no action %q", action)
	}
	v, err := evaluate(expr, values)
	if err != nil {
		return err
	}
	if name == "id" {
		t.id = v
		return nil
	}
	t.states[name] = v
	return nil
}

// evaluate returns the value of the right side of state=….
func evaluate(expr string, values map[string]string) (string, error) {
	expr, not := strings.CutPrefix(expr, "!")
	name, isProp := strings.CutPrefix(expr, "$")
	if !isProp {
		return expr, nil
	}
	name, mapping, mapped := strings.Cut(name, "{")
	v, ok := values[name]
	if !ok {
		return "", fmt.Errorf("no property %s", name)
	}
	if mapped {
		for pair := range strings.SplitSeq(strings.TrimSuffix(mapping, "}"), ",") {
			if from, to, _ := strings.Cut(pair, ":"); from == v {
				v = to
				break
			}
		}
	}
	if not {
		return map[string]string{"true": "false", "false": "true"}[v], nil
	}
	return v, nil
}
