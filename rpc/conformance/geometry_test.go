package conformance

import (
	"fmt"
	"slices"
	"testing"
)

// count prepares a recipe and returns how many cells it wants.
func (s *service) count(t *testing.T, operations ...obj) int {
	t.Helper()
	return int(s.call(t, "build_prepare", obj{"recipe": recipe(operations...)})["changed_blocks"].(float64))
}

func line(from, to obj) obj {
	return obj{"type": "line", "from": from, "to": to, "block": "minecraft:stone"}
}

// G: the recipe's shapes, by the vectors of the reference.
func TestGeometry(t *testing.T) {
	s := open(t)
	s.clean(t)
	for _, c := range []struct {
		size [3]int
		want int
	}{{[3]int{3, 3, 3}, 26}, {[3]int{3, 4, 5}, 54}, {[3]int{1, 1, 1}, 1}, {[3]int{2, 2, 2}, 8}, {[3]int{16, 16, 16}, 1352}} {
		got := s.count(t, box(at(-8, 0, -8), at(c.size[0]-9, c.size[1]-1, c.size[2]-9), "minecraft:stone", true))
		want(t, fmt.Sprintf("hollow box %v", c.size), got, c.want)
	}
	for radius, cells := range [][2]int{{1, 1}, {5, 4}, {13, 8}, {29, 16}, {49, 20}, {81, 32}, {113, 32}, {149, 36}, {197, 48}} {
		for i, hollow := range []bool{false, true} {
			got := s.count(t, obj{"type": "cylinder", "center": at(0, 0, 0), "radius": radius, "height": 1, "block": "minecraft:stone", "hollow": hollow})
			want(t, fmt.Sprintf("cylinder of radius %d, hollow %v", radius, hollow), got, cells[i])
		}
	}
	want(t, "diagonal", s.count(t, line(at(3, 3, 3), at(-2, 8, -2))), 6)
	want(t, "a line of one cell", s.count(t, line(at(0, 0, 0), at(0, 0, 0))), 1)
	want(t, "repeat", s.count(t, obj{"type": "repeat", "count": 3, "offset": pos(2, 0, 0), "operations": []obj{line(at(-8, 0, 0), at(-7, 0, 0))}}), 6)
	want(t, "nothing", s.count(t), 0)
}

// G: a line's cells, read back.
func TestLineCells(t *testing.T) {
	s := open(t)
	s.clean(t)
	op := s.build(t, recipe(line(at(0, 0, 0), at(5, 2, 0))))
	var got []string
	for _, b := range s.call(t, "region_inspect", obj{"min": at(0, 0, 0), "max": at(5, 2, 0), "detail": "blocks"})["blocks"].([]any) {
		cell := b.(obj)
		if cell["state"] != "minecraft:air" {
			p := cell["pos"].(obj)
			got = append(got, fmt.Sprintf("%v,%v", p["x"].(float64)-8, p["y"].(float64)-96))
		}
	}
	slices.Sort(got)
	want(t, "cells", got, []string{"0,0", "1,0", "2,1", "3,1", "4,2", "5,2"})
	s.undo(t, op)
}

// G: what is no recipe is refused before anything is read.
func TestRecipesAreRefused(t *testing.T) {
	s := open(t)
	stone := "minecraft:stone"
	for name, r := range map[string]obj{
		"version":    {"version": 2, "operations": []obj{}},
		"unknown":    {"version": 1, "operations": []obj{}, "extra": 1},
		"shape":      recipe(obj{"type": "blob"}),
		"fraction":   recipe(box(obj{"x": 0.5, "y": 96, "z": 0}, at(0, 0, 0), stone, false)),
		"overflow":   recipe(line(pos(2147483647, 96, 0), pos(2147483648, 96, 0))),
		"turned":     recipe(box(at(2, 0, 0), at(0, 0, 0), stone, false)),
		"height":     recipe(obj{"type": "cylinder", "center": at(0, 0, 0), "radius": 1, "height": 0, "block": stone}),
		"many":       recipe(obj{"type": "repeat", "count": 1025, "offset": pos(0, 1, 0), "operations": []obj{}}),
		"field":      recipe(obj{"type": "box", "min": at(0, 0, 0), "max": at(0, 0, 0), "block": stone, "colour": "red"}),
		"namespaces": recipe(box(at(0, 0, 0), at(0, 0, 0), "not a block", false)),
	} {
		a := s.refused(t, "build_prepare", obj{"recipe": r}, "invalid_request", "unsupported_block")
		if a.Status != 400 {
			t.Errorf("%s: %d", name, a.Status)
		}
	}
	s.refused(t, "build_prepare", obj{"recipe": recipe(box(pos(-200, -60, -200), pos(200, 200, 200), stone, false))}, "budget_exceeded")
}
