package journal

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"groundplan/plan/voxel"
)

// The reference model of ownership: one list per cell, no bitmaps, no layers. It
// also keeps what the cell shows, so that what ownership is for can be asserted:
// a cell that an operation owns is as the operation left it.
type (
	modelWrite struct {
		op, undoOf    seq
		created       bool
		before, after int // versions
		left          int // what the operation gave the cell
		found         int // what it was before
	}
	modelCell struct {
		writes []modelWrite // that are remembered
		last   int          // the newest version ever
		now    int          // the version
		shows  int          // what is in the world
	}
)

func (c *modelCell) owns(op seq) bool {
	return slices.ContainsFunc(c.writes, func(w modelWrite) bool { return w.op == op && w.after == c.now })
}

func (c *modelCell) write(op, undoOf seq, gives int) {
	if c.owns(op) {
		return
	}
	w := modelWrite{op: op, undoOf: undoOf, created: true, before: c.now, left: gives, found: c.shows}
	for _, x := range c.writes {
		if undoOf != 0 && x.op == undoOf && x.after == c.now {
			w.created, w.after = false, x.before
		}
	}
	if w.created {
		c.last++
		w.after = c.last
		c.writes = c.ancestors()
	} else {
		c.writes = slices.DeleteFunc(c.writes, func(x modelWrite) bool {
			return !x.created && (x.op == undoOf || x.before == w.before && x.after == w.after)
		})
	}
	c.writes = append(c.writes, w)
	c.now, c.shows = w.after, gives
}

// ancestors are the writes that lead to the version of now.
func (c *modelCell) ancestors() []modelWrite {
	var line []modelWrite
	for v := c.now; v != 0; {
		i := slices.IndexFunc(c.writes, func(w modelWrite) bool { return w.created && w.after == v })
		if i < 0 {
			break
		}
		line = append(line, c.writes[i])
		v = c.writes[i].before
	}
	slices.Reverse(line)
	return line
}

// edit is somebody else's.
func (c *modelCell) edit(shows int) {
	c.writes, c.now, c.shows = nil, 0, shows
}

// undoGives is what an undo of the operation writes.
func (c *modelCell) undoGives(op seq) int {
	for _, w := range slices.Backward(c.writes) {
		if w.op == op {
			return w.found
		}
	}
	return c.shows
}

// cells of a section that the model plays with: enough for every overlap.
const modelCells = 6

func bitsOf(cells []int) voxel.Bits {
	var b voxel.Bits
	for _, c := range cells {
		b.Fill(c*700, c*700+1) // far apart, in different words
	}
	return b
}

func TestOwnershipAgreesWithItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s stack
		var model [modelCells]modelCell
		undoOf := map[seq]seq{}
		newest, token := seq(0), 0
		some := func() []int {
			return rapid.SliceOfNDistinct(rapid.IntRange(0, modelCells-1), 1, modelCells, rapid.ID).Draw(t, "cells")
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(*rapid.T) {
				newest++
				token++
				cells := some()
				s = s.write(newest, 0, bitsOf(cells))
				for _, c := range cells {
					model[c].write(newest, 0, token)
				}
			},
			"undo": func(t *rapid.T) { // of what it owns, as the Runner does
				if newest == 0 {
					t.Skip("nothing yet")
				}
				x := seq(rapid.IntRange(1, int(newest)).Draw(t, "of"))
				cells := slices.DeleteFunc(some(), func(c int) bool { return !model[c].owns(x) })
				newest++
				undoOf[newest] = x
				s = s.write(newest, x, bitsOf(cells))
				for _, c := range cells {
					model[c].write(newest, x, model[c].undoGives(x))
				}
			},
			"undo against the rules": func(t *rapid.T) { // of cells that it does not own
				if newest == 0 {
					t.Skip("nothing yet")
				}
				x := seq(rapid.IntRange(1, int(newest)).Draw(t, "of"))
				cells := slices.DeleteFunc(some(), func(c int) bool { return model[c].owns(x) })
				newest++
				token++
				undoOf[newest] = x
				s = s.write(newest, x, bitsOf(cells))
				for _, c := range cells {
					model[c].write(newest, x, token)
				}
			},
			"go on": func(t *rapid.T) { // a later slice of the newest operation
				cells := slices.DeleteFunc(some(), func(c int) bool {
					return slices.ContainsFunc(model[c].writes, func(w modelWrite) bool { return w.op == newest })
				})
				if newest == 0 || undoOf[newest] != 0 {
					t.Skip("only for plain writes")
				}
				s = s.write(newest, 0, bitsOf(cells))
				for _, c := range cells {
					model[c].write(newest, 0, token)
				}
			},
			"same receipt again": func(t *rapid.T) {
				if newest == 0 {
					t.Skip("nothing yet")
				}
				op := seq(rapid.IntRange(1, int(newest)).Draw(t, "op"))
				s = s.write(op, undoOf[op], s.owned(op))
			},
			"foreign edit": func(t *rapid.T) {
				cells := some()
				token++
				gone := bitsOf(cells)
				s = s.clear(&gone)
				for _, c := range cells {
					// The block may be put back as it was: that is an edit too.
					shows := rapid.SampledFrom([]int{token, model[c].shows}).Draw(t, "shows")
					model[c].edit(shows)
				}
			},
			"": func(t *rapid.T) {
				checkStack(t, s, &model, newest)
			},
		})
	})
}

func checkStack(t *rapid.T, s stack, model *[modelCells]modelCell, newest seq) {
	if what := s.broken(); what != "" {
		t.Fatal(what)
	}
	for op := seq(1); op <= newest; op++ {
		var want []int
		for c := range model {
			if !model[c].owns(op) {
				continue
			}
			want = append(want, c)
			for _, w := range model[c].writes {
				if w.op == op && w.after == model[c].now && w.left != model[c].shows {
					t.Fatalf("operation %d owns cell %d, which it left as %d and which is %d", op, c, w.left, model[c].shows)
				}
			}
		}
		if got := s.owned(op); got != bitsOf(want) {
			t.Fatalf("operation %d owns other cells than %v", op, want)
		}
	}
	again, err := decodeStack(s.encode())
	if err != nil || fmt.Sprint(again) != fmt.Sprint(s) && len(s) > 0 {
		t.Fatalf("stack does not survive its record: %v", err)
	}
	// What is remembered of a cell is bounded by its versions: for each, who made
	// it, one way back from it and one way up to it again.
	for c := range model {
		versions := map[int]bool{}
		for _, w := range model[c].writes {
			versions[w.before], versions[w.after] = true, true
		}
		if n := len(model[c].writes); n > 3*len(versions) {
			t.Fatalf("cell %d remembers %d writes of %d versions", c, n, len(versions))
		}
	}
}

func TestUndoAndRedoInTurnDoNotGrowTheStack(t *testing.T) {
	var all voxel.Bits
	all.Fill(0, 4096)
	s := stack(nil).write(1, 0, all)
	last := seq(1)
	for op := seq(2); op < 200; op++ {
		undoes := last
		if op%4 == 0 { // sometimes the first operation is undone again, and not the redo
			undoes = 1
			owned := s.owned(1)
			if owned.Empty() {
				undoes = last
			}
		}
		s = s.write(op, undoes, all)
		last = op
		if len(s) > 4 {
			t.Fatalf("after %d operations the stack has %d layers", op, len(s))
		}
	}
}

func TestABuriedUndoIsForgotten(t *testing.T) {
	var all voxel.Bits
	all.Fill(0, 4096)
	s := stack(nil).write(1, 0, all).write(2, 0, all).write(3, 2, all).write(4, 0, all)
	if len(s) != 2 || s[0].op != 1 || s[1].op != 4 {
		t.Fatalf("layers are of %d operations", len(s))
	}
	s = s.write(5, 4, all) // and under what was taken back is the first again
	if owned := s.owned(1); owned != all {
		t.Error("the first operation does not own its cells again")
	}
}

func TestSlicesOfAnOperationShareALayer(t *testing.T) {
	var s stack
	for slice := range 32 {
		var cells voxel.Bits
		cells.Fill(slice*128, slice*128+128)
		s = s.write(1, 0, cells)
	}
	if len(s) != 1 || s[0].cells.Len() != 4096 {
		t.Fatalf("%d layers", len(s))
	}
	for slice := range 32 {
		var cells voxel.Bits
		cells.Fill(slice*128, slice*128+128)
		s = s.write(2, 1, cells)
	}
	if len(s) != 2 {
		t.Fatalf("%d layers after the undo", len(s))
	}
}

func TestTheOldestLayersGoWhenThereAreTooMany(t *testing.T) {
	var s stack
	var one voxel.Bits
	one.Fill(7, 8)
	for op := range seq(maxLayers) {
		s = append(s, layer{op: op + 1, created: true, before: version(op), after: version(op + 1), cells: one})
	}
	s = s.write(maxLayers+1, 0, one)
	if len(s) != maxLayers || s[0].op != 2 || s[len(s)-1].op != maxLayers+1 || s.broken() != "" {
		t.Fatalf("%d layers, from %d to %d", len(s), s[0].op, s[len(s)-1].op)
	}
}
