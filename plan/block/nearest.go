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
		if r.class[v.id]&Admin == 0 {
			ids = append(ids, v.id)
		}
	}
	return nearestTo(id, ids, 5)
}

// nearestTo returns the n words nearest to a wrong one, best first.
func nearestTo(wrong string, words []string, n int) []string {
	wrong = wrong[:min(len(wrong), longest)]
	type scored struct {
		word  string
		score int
	}
	list := make([]scored, 0, len(words))
	for _, w := range words {
		list = append(list, scored{w, distance(wrong, w)})
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.word, b.word))
	})
	var out []string
	for _, s := range list[:min(n, len(list))] {
		out = append(out, s.word)
	}
	return out
}

// distance says how far two ids are apart: edits of letters, or of whole words
// where they share some.
func distance(a, b string) int {
	a, b = strings.TrimPrefix(a, namespace), strings.TrimPrefix(b, namespace)
	letters := 4 * edits(a, b)
	// Ids have at most seven words.
	wa, wb := strings.SplitN(a, "_", 8), strings.Split(b, "_")
	return min(letters, 5*missing(wa, wb)+3*missing(wb, wa))
}

// missing is the number of edits that the words of a need to become words of b.
func missing(a, b []string) int {
	sum := 0
	for _, w := range a {
		best := len(w)
		for _, v := range b {
			best = min(best, edits(synonym(w), synonym(v)))
		}
		sum += best
	}
	return sum
}

// synonym maps words that people use to those in ids.
func synonym(w string) string {
	switch w {
	case "plank", "boards", "wooden":
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
