package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// cuboid is a box in sixteenths of a block: from and to.
type cuboid [6]int

// rawShapes is a file of collision shapes.
type rawShapes struct {
	Blocks map[string]json.RawMessage
	Shapes map[string][][6]float64
}

func readShapes(text []byte) (rawShapes, error) {
	var s rawShapes
	return s, json.Unmarshal(text, &s)
}

// of returns the shape of the i-th state of a block.
func (s rawShapes) of(id string, i int) ([]cuboid, error) {
	var one int
	var many []int
	if err := json.Unmarshal(s.Blocks[id], &one); err != nil {
		if err := json.Unmarshal(s.Blocks[id], &many); err != nil || i >= len(many) {
			return nil, fmt.Errorf("%s: no shape %d", id, i)
		}
		one = many[i]
	}
	var out []cuboid
	for _, box := range s.Shapes[itoa(one)] {
		var c cuboid
		for k, v := range box {
			c[k] = min(16, max(0, int(math.Round(v*16)))) // fences are taller than they look
		}
		if c[0] < c[3] && c[1] < c[4] && c[2] < c[5] {
			out = append(out, c)
		}
	}
	return out, nil
}

// cells returns the shape as a set of the block's 4,096 sixteenths.
func cells(shape []cuboid) (set [16][16][16]bool) {
	for _, c := range shape {
		for x := c[0]; x < c[3]; x++ {
			for y := c[1]; y < c[4]; y++ {
				for z := c[2]; z < c[5]; z++ {
					set[x][y][z] = true
				}
			}
		}
	}
	return set
}

// fullFaces returns the faces that are full squares, as bits: down, up, north,
// south, west, east.
func fullFaces(shape []cuboid) int {
	set, mask := cells(shape), 0
	faces := [6]func(a, b int) bool{
		func(a, b int) bool { return set[a][0][b] },
		func(a, b int) bool { return set[a][15][b] },
		func(a, b int) bool { return set[a][b][0] },
		func(a, b int) bool { return set[a][b][15] },
		func(a, b int) bool { return set[0][a][b] },
		func(a, b int) bool { return set[15][a][b] },
	}
	for i, face := range faces {
		full := true
		for a := range 16 {
			for b := range 16 {
				full = full && face(a, b)
			}
		}
		mask |= b2i(full) << i
	}
	return mask
}

// shapeTable collects shapes and gives them numbers; 0 is nothing.
type shapeTable struct {
	numbers map[string]int
	lines   []string
}

func (t *shapeTable) number(shape []cuboid) int {
	shape = slices.Clone(shape)
	slices.SortFunc(shape, func(a, b cuboid) int { return slices.Compare(a[:], b[:]) })
	var parts []string
	for _, c := range shape {
		parts = append(parts, strings.Trim(strings.ReplaceAll(fmt.Sprint([6]int(c)), " ", ","), "[]"))
	}
	text := strings.Join(parts, ";")
	if n, ok := t.numbers[text]; ok {
		return n
	}
	n := len(t.lines)
	t.numbers[text] = n
	t.lines = append(t.lines, fmt.Sprintf("G %d %s", fullFaces(shape), text))
	return n
}

// shapeLines returns the G and S lines: the shape of every state of the newest
// palette. Java's shapes are finer and right for doors, so they are taken where a
// Java state becomes the Bedrock state.
func shapeLines(p palette, order map[string][]int, blocks []*javaBlock, java, bedrock rawShapes) ([]string, error) {
	table := &shapeTable{numbers: map[string]int{}}
	table.number(nil)
	shapes := map[string]map[int][]cuboid{}
	for _, b := range blocks {
		for i, t := range b.targets {
			if java.Blocks[b.id] == nil || t.note.quality != "exact" || t.water {
				continue
			}
			shape, err := java.of(b.id, i)
			if err != nil {
				return nil, err
			}
			n := p[t.id].number(t.states)
			if shapes[t.id] == nil {
				shapes[t.id] = map[int][]cuboid{}
			}
			if _, known := shapes[t.id][n]; !known {
				shapes[t.id][n] = shape
			}
		}
	}
	groups := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(p)) {
		sh := p[id]
		numbers := make([]string, sh.size()) // by combination
		for i, n := range order[id] {
			shape, finer := shapes[id][n]
			if !finer {
				var err error
				if shape, err = bedrock.of(id, i); err != nil {
					return nil, err
				}
			} else if strings.HasSuffix(id, "_stairs") {
				// The two editions mean the same by inner, outer, left and right.
				other, err := bedrock.of(id, i)
				if err != nil || cells(shape) != cells(other) {
					return nil, fmt.Errorf("%s: Java's shape is not Bedrock's in combination %d", id, n)
				}
			}
			numbers[n] = itoa(table.number(shape))
		}
		c := factor("", sh, numbers)
		if len(c.props) == 0 && c.values[0] == "0" {
			continue
		}
		var props []string
		for _, k := range c.props {
			props = append(props, sh[k].name+":"+itoa(len(sh[k].values)))
		}
		key := "S " + strings.Join(props, ",") + "=" + strings.Join(c.values, ",")
		groups[key] = append(groups[key], id)
	}
	out := table.lines
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, key+"\t"+strings.Join(groups[key], " "))
	}
	return out, nil
}

// number returns the combination of the values.
func (s shape) number(values map[string]string) int {
	n := 0
	for _, p := range s {
		n = n*len(p.values) + max(0, slices.Index(p.values, values[p.name]))
	}
	return n
}
