package block

import (
	"cmp"
	"slices"
	"strings"

	"groundplan/plan/fault"
)

// unknown returns the error for an id that the profile does not have: what it
// means in Java Edition or meant in older versions, and the five nearest.
func (r *Registry) unknown(id string) error {
	name := strings.TrimPrefix(id, namespace)
	sentence, near := r.meaning(id)
	for _, n := range r.nearest(id) {
		if !slices.Contains(near, n) && len(near) < 5 {
			near = append(near, n)
		}
	}
	hint := ""
	if len(near) > 0 {
		hint = "; did you mean " + strings.TrimPrefix(near[0], namespace) + "?"
	}
	return fault.Errorf(fault.UnsupportedBlock, "Bedrock has no block %q%s%s", clip(name), sentence, hint).
		With("block", clip(id)).With("nearest", near)
}

// meaning says what an id is in the other edition or was in older versions, and
// the blocks that it may stand for.
func (r *Registry) meaning(id string) (sentence string, ids []string) {
	switch strings.TrimPrefix(id, namespace) {
	case "grass":
		return "; in Java Edition grass is the plant short_grass, in Bedrock up to 1.20.70 it was the grass_block",
			[]string{namespace + "short_grass", namespace + "grass_block"}
	case "stone_slab":
		return "; in Java Edition stone_slab is the slab of plain stone (normal_stone_slab), in older versions it was that of smooth stone",
			[]string{namespace + "normal_stone_slab", namespace + "smooth_stone_slab"}
	}
	if t := r.Translate(id); t.State == Air {
		return "; in Java Edition that is air", []string{string(Air)}
	} else if t.State != "" {
		name := t.State.ID()
		return "; in Java Edition that is the block that Bedrock calls " + strings.TrimPrefix(name, namespace), []string{name}
	}
	for _, b := range r.old()[id] {
		for _, w := range b.rows {
			if now := r.bedrock.of(w.target).id; !slices.Contains(ids, now) && len(ids) < 5 {
				ids = append(ids, now)
			}
		}
		sentence = "; older versions had it, and it has been split or renamed since"
	}
	return sentence, ids
}

// nearest returns the blocks whose ids are nearest to one that does not exist.
func (r *Registry) nearest(id string) []string {
	ids := make([]string, 0, len(r.bedrock.list))
	for _, v := range r.bedrock.list {
		if r.class[v.id]&Admin == 0 && !r.lacks(v.id) {
			ids = append(ids, v.id)
		}
	}
	return nearestTo(id, ids, 5)
}

// nearestTo returns the n words nearest to a wrong one, best first.
func nearestTo(wrong string, words []string, n int) []string {
	m := newMeasure(wrong)
	type scored struct {
		word  string
		score int
	}
	var best []scored // the n best so far, best first
	for _, w := range words {
		worst := int(^uint(0) >> 1)
		if len(best) == n {
			worst = best[n-1].score
		}
		next := scored{w, m.to(w, worst)}
		at, _ := slices.BinarySearchFunc(best, next, func(a, b scored) int {
			return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.word, b.word))
		})
		if at < n {
			best = slices.Insert(best, at, next)[:min(n, len(best)+1)]
		}
	}
	var out []string
	for _, s := range best {
		out = append(out, s.word)
	}
	return out
}

// measure says how far a wrong id is from others: edits of letters, or of whole
// words where they share some. It remembers the words it has compared, since ids
// are made of a few hundred.
type measure struct {
	id    string
	words []string
	known []map[string]int // per word of id: edits to the words of others
}

func newMeasure(id string) *measure {
	id = strings.TrimPrefix(id, namespace)
	m := &measure{id: id[:min(len(id), longest)]}
	for _, w := range strings.SplitN(m.id, "_", 8) { // ids have at most seven words
		m.words = append(m.words, synonym(w))
		m.known = append(m.known, map[string]int{})
	}
	return m
}

// edits returns the edits between the i-th word and w.
func (m *measure) edits(i int, w string) int {
	n, ok := m.known[i][w]
	if !ok {
		n = edits(m.words[i], synonym(w))
		m.known[i][w] = n
	}
	return n
}

// to returns the distance to an id: what its words lack weighs more than what
// they have besides. Letters are not compared where that cannot come below worst.
func (m *measure) to(id string, worst int) int {
	id = strings.TrimPrefix(id, namespace)
	words := strings.Split(id, "_")
	lacking, besides := 0, 0
	for i, w := range m.words {
		best := len(w)
		for _, v := range words {
			best = min(best, m.edits(i, v))
		}
		lacking += best
	}
	for _, v := range words {
		best := len(v)
		for i := range m.words {
			best = min(best, m.edits(i, v))
		}
		besides += best
	}
	byWords := 5*lacking + 3*besides
	if least := 4 * max(len(m.id)-len(id), len(id)-len(m.id)); least >= byWords || least > worst {
		return byWords
	}
	return min(4*edits(m.id, id), byWords)
}

// synonym maps words that people use to those in ids.
func synonym(w string) string {
	switch w {
	case "plank", "boards":
		return "planks"
	case "stair", "steps":
		return "stairs"
	case "grey":
		return "gray"
	case "silver":
		return "light_gray"
	case "block", "blocks":
		return "block"
	case "brick":
		return "bricks"
	case "lamp", "light":
		return "lantern"
	case "trunk":
		return "log"
	}
	return w
}

// longest bounds the words that edits compares; the longest id has 51 letters.
const longest = 64

// edits is the number of letters to insert, delete, replace or swap (optimal
// string alignment) to make b of a; both are cut off at the longest length.
func edits(a, b string) int {
	if a == b {
		return 0
	}
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	var rows [3][longest + 1]int
	prev2, prev, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+b2i(a[i] != b[j]))
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], prev2[j-1]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
