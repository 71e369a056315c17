package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// oldVersions are the Bedrock versions whose blocks are upgraded, newest first.
// Left out are versions with a table that is known to be wrong (the doors of
// 1.21.70 to 1.21.100) and those that changed nothing.
var oldVersions = []string{"1.21.111", "1.21.60", "1.21.42", "1.21.0", "1.20.71", "1.20.50", "1.20.0", "1.19.80", "1.19.1", "1.18.30", "1.17.10", "1.17.0"}

func oldFile(version, file string) string {
	return "minecraft-data/data/bedrock/" + version + "/" + file
}

// oldBlocks returns the blocks of older versions that are no blocks of today, or
// have other states, with what their states are now. The way leads through Java:
// an old state is the Java states that became it then; of these the one nearest
// to its block's default says, by today's table, what it is now. A state that no
// Java state became takes the answer of the nearest that has one.
func oldBlocks(data files, newest palette, today []*javaBlock) ([]*javaBlock, error) {
	java := map[string]*javaBlock{}
	for _, b := range today {
		java[b.id] = b
	}
	seen, out := map[string]bool{}, []*javaBlock(nil)
	for _, version := range oldVersions {
		states, err := oldPalette(data[oldFile(version, "blockStates.json")])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", version, err)
		}
		var rows map[string]string
		if err := json.Unmarshal(data[oldFile(version, "blocksJ2B.json")], &rows); err != nil {
			return nil, fmt.Errorf("%s: %w", version, err)
		}
		answers, err := oldAnswers(rows, java)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", version, err)
		}
		for _, key := range slices.Sorted(maps.Keys(answers)) {
			group := answers[key]
			sh := group.shape(states[group.id])
			name := group.id + " " + sh.String()
			if seen[name] || current(newest, group.id, sh) {
				continue
			}
			if b := oldBlock(group.id, sh, group.rows, newest); b != nil {
				seen[name] = true
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// oldPalette reads the permutations of an older version. Their blocks need not
// have every combination; the missing ones are never asked for.
func oldPalette(text []byte) (palette, error) {
	var list []rawState
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	out := palette{}
	for _, st := range list {
		id := strings.TrimPrefix(st.Name, "minecraft:")
		sh, known := out[id]
		if !known {
			for _, name := range slices.Sorted(maps.Keys(st.States)) {
				sh = append(sh, prop{name: name})
			}
		}
		for i := range sh {
			v, err := st.value(sh[i].name)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(sh[i].values, v) {
				sh[i].values = append(sh[i].values, v)
			}
		}
		out[id] = sh
	}
	return out, nil
}

// current reports whether a block of an older version needs no upgrade: all its
// states are states of today's block.
func current(newest palette, id string, sh shape) bool {
	now, ok := newest[id]
	if !ok {
		return false
	}
	for _, s := range sh {
		i := now.find(s.name)
		if i < 0 || slices.ContainsFunc(s.values, func(v string) bool { return !slices.Contains(now[i].values, v) }) {
			return false
		}
	}
	return true
}

// answer is what an old state is now, and how far the Java state that says so is
// from its default.
type answer struct {
	states  map[string]string // the old ones
	target  target
	changes int
	java    string
}

// answered is the answers for an old block with one set of states, by state text.
type answered struct {
	id   string
	rows map[string]answer
}

// shape returns the states of the block: those of the version's palette, or of
// the table where the two disagree (a folder may hold the table of the version
// before).
func (g *answered) shape(listed shape) shape {
	values := map[string][]string{}
	for _, text := range slices.Sorted(maps.Keys(g.rows)) {
		for name, v := range g.rows[text].states {
			if !slices.Contains(values[name], v) {
				values[name] = append(values[name], v)
			}
		}
	}
	same := len(values) == len(listed)
	for _, p := range listed {
		same = same && values[p.name] != nil
	}
	if same {
		return listed
	}
	var sh shape
	for _, name := range slices.Sorted(maps.Keys(values)) {
		sh = append(sh, prop{name: name, values: values[name]})
	}
	return sh
}

// oldAnswers returns, by old id and names of its states, what old states are now.
func oldAnswers(rows map[string]string, java map[string]*javaBlock) (map[string]*answered, error) {
	out := map[string]*answered{}
	for _, text := range slices.Sorted(maps.Keys(rows)) {
		name, values, err := cut(text)
		if err != nil {
			return nil, err
		}
		b := java[renamedJava(name, values)]
		if b == nil {
			continue
		}
		n, changes := b.state(values)
		id, old, err := cut(rows[text])
		if err != nil {
			return nil, err
		}
		key := id + " " + strings.Join(slices.Sorted(maps.Keys(old)), ",")
		if out[key] == nil {
			out[key] = &answered{id: id, rows: map[string]answer{}}
		}
		a := answer{old, b.targets[n], changes, text}
		if strings.HasPrefix(name, "skeleton_") {
			a.changes-- // of the heads, whose kind was in the block entity
		}
		had, ok := out[key].rows[rows[text]]
		if !ok || a.changes < had.changes || a.changes == had.changes && a.java < had.java {
			out[key].rows[rows[text]] = a
		}
	}
	return out, nil
}

// renamedJava returns what a Java block of an older version is called now.
func renamedJava(name string, values map[string]string) string {
	switch name {
	case "grass_path":
		return "dirt_path"
	case "grass":
		return "short_grass"
	case "chain":
		return "iron_chain"
	case "cauldron":
		if l := values["level"]; l != "" && l != "0" {
			return "water_cauldron"
		}
	}
	return name
}

// state returns the number of the state with the values, the others being
// defaults, and in how many it differs from the default.
func (b *javaBlock) state(values map[string]string) (n, changes int) {
	for _, p := range b.props {
		digit := p.def
		if k := slices.Index(p.values, values[p.name]); k >= 0 {
			digit = k
		}
		changes += b2i(digit != p.def)
		n = n*len(p.values) + digit
	}
	return n, changes
}

// oldBlock returns an old block with what each of its combinations is now; nil
// when nothing is known of any.
func oldBlock(id string, sh shape, answers map[string]answer, newest palette) *javaBlock {
	if len(answers) == 0 {
		return nil
	}
	b := &javaBlock{id: id, props: sh}
	for n := range sh.size() {
		values := b.values(n)
		best, fewest := answer{}, -1
		for _, text := range slices.Sorted(maps.Keys(answers)) {
			a := answers[text]
			differ := 0
			for name, v := range values {
				differ += b2i(a.states[name] != v) * weight(name)
			}
			if fewest < 0 || differ < fewest || differ == fewest && a.changes < best.changes {
				best, fewest = a, differ
			}
		}
		if !isBlock(newest, best.target.id) {
			return nil
		}
		t := target{id: best.target.id, states: maps.Clone(best.target.states), note: note{quality: "exact"}}
		for _, s := range newest[t.id] {
			if v, ok := values[s.name]; ok && slices.Contains(s.values, v) {
				t.states[s.name] = v // what has kept its name has kept its meaning
			} else if _, ok := t.states[s.name]; !ok {
				t.states[s.name] = s.values[s.def]
			}
		}
		b.targets = append(b.targets, t)
	}
	return b
}

// weight: the state that names the kind of a block counts most.
func weight(name string) int {
	if strings.HasSuffix(name, "_type") || strings.HasPrefix(name, "color") || name == "damage" {
		return 100
	}
	return 1
}

// writeOld returns the U, C and N lines of old blocks.
func writeOld(blocks []*javaBlock) []string {
	notes := map[note]int{{quality: "exact"}: 0}
	groups, order := map[string][]string{}, []string(nil)
	for _, b := range blocks {
		text, ids := b.rule(notes)
		text = "U" + strings.TrimPrefix(text, "J")
		if groups[text] == nil {
			order = append(order, text)
		}
		name := b.id
		if len(ids) != 1 || ids[0] != b.id {
			name += "=" + strings.Join(ids, ",")
		}
		groups[text] = append(groups[text], name)
	}
	var out []string
	for _, text := range order {
		out = append(out, strings.Split(text, "\n")...)
		out = append(out, "N "+strings.Join(groups[text], " "))
	}
	return out
}
