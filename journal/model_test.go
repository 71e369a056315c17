package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// house is the reference for a whole journal: operations as records, cells as
// lists. Its cells are a row across two sections, below zero.
type house struct {
	ops   []*modelOperation
	cells [8]modelCell
	doubt [8]bool // somebody may have edited it unseen
	token int
}

type modelOperation struct {
	op     plan.Operation
	plan   *plan.Plan
	slices [][]int // cells
	open   bool    // the slice op.Next has an intent
}

func cellAt(i int) voxel.Pos { return voxel.Pos{X: i - 4, Y: -1, Z: 7} }

func maskOfCells(cells []int) *voxel.Mask {
	m := voxel.NewMask()
	for _, c := range cells {
		m.Add(cellAt(c))
	}
	return m
}

func cellsOf(m *voxel.Mask) []int {
	var cells []int
	for p := range m.All() {
		cells = append(cells, p.X+4)
	}
	slices.Sort(cells)
	return cells
}

func (h *house) seqOf(id string) seq {
	return seq(slices.IndexFunc(h.ops, func(o *modelOperation) bool { return o.op.ID == id }) + 1)
}

// pick draws an operation for which the condition holds.
func (h *house) pick(t *rapid.T, holds func(*modelOperation) bool) *modelOperation {
	var able []*modelOperation
	for _, o := range h.ops {
		if holds(o) {
			able = append(able, o)
		}
	}
	if len(able) == 0 {
		t.Skip("none")
	}
	return rapid.SampledFrom(able).Draw(t, "operation")
}

func (h *house) undoOf(o *modelOperation) seq {
	if o.op.UndoOf == "" {
		return 0
	}
	return h.seqOf(o.op.UndoOf)
}

// underWay reports whether an open intent covers a cell.
func (h *house) underWay(cell int) bool {
	return slices.ContainsFunc(h.ops, func(o *modelOperation) bool {
		return unfinished(o) && o.open && slices.Contains(o.slices[o.op.Next], cell)
	})
}

func unfinished(o *modelOperation) bool { return !o.op.Status.Final() }

// TestAJournalAgreesWithItsModel makes random calls, with the journal closed and
// opened again in between.
func TestAJournalAgreesWithItsModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "journal.db")
		_ = os.Remove(path)
		j, err := Open(path, Options{NoSync: true, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = j.Close() }()
		h := &house{}
		some := func(least int) []int {
			return rapid.SliceOfNDistinct(rapid.IntRange(0, len(h.cells)-1), least, len(h.cells), rapid.ID).Draw(t, "cells")
		}
		ok := func(err error) {
			if err != nil {
				t.Helper()
				t.Fatal(err)
			}
		}
		begin := func(cells []int, undoOf string) {
			o := &modelOperation{plan: newPlan(fmt.Sprint("p", len(h.ops)))}
			for chunk := range slices.Chunk(cells, rapid.IntRange(1, 8).Draw(t, "slice")) {
				o.slices = append(o.slices, chunk)
				var s plan.Slice
				for _, c := range chunk {
					s.Fills = append(s.Fills, plan.Fill{Box: voxel.Cube(cellAt(c)), Before: stone, After: oak})
				}
				o.plan.Slices = append(o.plan.Slices, s)
			}
			o.plan.UndoOf = undoOf
			o.op = newOperation(o.plan, fmt.Sprint("op", len(h.ops)))
			ok(j.PutPlan(o.plan))
			_, err := j.Enqueue(o.op)
			ok(err)
			h.ops = append(h.ops, o)
		}
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(*rapid.T) { begin(some(1), "") },
			"begin an undo": func(t *rapid.T) {
				x := h.pick(t, func(o *modelOperation) bool { return o.op.Status.Final() })
				at := h.seqOf(x.op.ID)
				cells := slices.DeleteFunc(some(1), func(c int) bool { return !h.cells[c].owns(at) })
				if len(cells) > 0 {
					begin(cells, x.op.ID)
				}
			},
			"step": func(t *rapid.T) { h.step(t, j) },
			"foreign edit": func(t *rapid.T) {
				cells := some(0)
				cursor := fmt.Sprint("c", h.token)
				h.token++
				ok(j.Disown(testWorld, "overworld", maskOfCells(cells), cursor))
				for _, c := range cells {
					h.cells[c].edit(h.token)
					h.doubt[c] = false
				}
				if got, err := j.Cursor(testWorld); got != cursor {
					t.Fatal(got, err)
				}
			},
			"missed edits": func(*rapid.T) {
				ok(j.Doubt(testWorld, 1))
				for c := range h.cells {
					h.doubt[c] = h.doubt[c] || len(h.cells[c].writes) > 0
				}
			},
			"comparison": func(t *rapid.T) {
				o := h.pick(t, func(*modelOperation) bool { return true })
				cells := some(0)
				intact := rapid.IntRange(0, len(cells)).Draw(t, "intact")
				h.token++
				ok(j.Confirm(o.op.ID, maskOfCells(cells[:intact]), maskOfCells(cells[intact:])))
				for i, c := range cells {
					if !h.doubt[c] || !h.cells[c].owns(h.seqOf(o.op.ID)) || h.underWay(c) {
						continue
					}
					if h.doubt[c] = false; i >= intact {
						h.cells[c].edit(h.token)
					}
				}
			},
			"decide": func(t *rapid.T) {
				o := h.pick(t, unfinished)
				d := plan.Decision{ID: fmt.Sprint("d", h.token), Operation: o.op.ID, Verdict: rapid.SampledFrom([]plan.Verdict{plan.Abandon, plan.Rollback}).Draw(t, "verdict")}
				h.token++
				o.op.Status, o.op.Abandoned = plan.Failed, d.Verdict == plan.Abandon
				var mask []int
				for i, s := range o.slices {
					if i < o.op.Next || i == o.op.Next && o.open {
						mask = append(mask, s...)
					}
				}
				ok(j.Decide(d, o.op, maskOfCells(mask)))
				for _, c := range mask {
					if o.op.Abandoned {
						h.cells[c].edit(h.cells[c].shows)
						h.doubt[c] = false
					}
				}
			},
			"open again": func(*rapid.T) {
				ok(j.Close())
				j, err = Open(path, Options{NoSync: true, Now: testNow})
				ok(err)
			},
			"": func(t *rapid.T) { h.compare(t, j) },
		})
		ok(j.Check())
	})
}

// step takes an operation one step on, with a receipt of all or some of the cells.
func (h *house) step(t *rapid.T, j *Journal) {
	o := h.pick(t, unfinished)
	var done *plan.Receipt
	var next *plan.Intent
	var wrote []int
	if o.open {
		wrote = rapid.SliceOfNDistinct(rapid.SampledFrom(o.slices[o.op.Next]), 0, -1, rapid.ID).Draw(t, "wrote")
		done = &plan.Receipt{Operation: o.op.ID, Slice: o.op.Next, Wrote: maskOfCells(wrote)}
		o.op.Next, o.op.Written, o.open = o.op.Next+1, o.op.Written+len(wrote), false
	}
	o.op.Status = plan.Applying
	if o.op.Next < len(o.slices) {
		next = &plan.Intent{Operation: o.op.ID, Slice: o.op.Next, Write: maskOfCells(o.slices[o.op.Next])}
		o.open = true
	} else {
		o.op.Status = plan.Applied
	}
	if err := j.Advance(o.op, done, next); err != nil {
		t.Fatal(err)
	}
	h.token++
	for _, c := range wrote {
		gives := h.token
		if o.op.UndoOf != "" && h.cells[c].owns(h.undoOf(o)) {
			gives = h.cells[c].undoGives(h.undoOf(o))
		}
		h.cells[c].write(h.seqOf(o.op.ID), h.undoOf(o), gives)
		h.doubt[c] = false
	}
}

// compare asks the journal for all that the model knows.
func (h *house) compare(t *rapid.T, j *Journal) {
	var doubted []int
	for c, doubt := range h.doubt {
		if doubt {
			doubted = append(doubted, c)
		}
	}
	if got, _, err := j.Doubted(testWorld, "overworld"); err != nil || !slices.Equal(cellsOf(got), doubted) {
		t.Fatalf("%v are in doubt, want %v (%v)", cellsOf(got), doubted, err)
	}
	var open []string
	for i, o := range h.ops {
		got, err := j.Operation(o.op.ID)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(o.op) {
			t.Fatalf("operation is %+v, want %+v (%v)", got, o.op, err)
		}
		if unfinished(o) {
			open = append(open, o.op.ID)
		}
		var want []int
		for c := range h.cells {
			if h.cells[c].owns(seq(i + 1)) {
				want = append(want, c)
			}
		}
		owned, err := j.Owned(o.op.ID)
		if err != nil {
			t.Fatal(err)
		}
		if cells := cellsOf(owned); !slices.Equal(cells, want) {
			t.Fatalf("%s owns %v, want %v", o.op.ID, cells, want)
		}
		entries, err := j.Entries(o.op.ID)
		if err != nil || len(entries) != o.op.Next && len(entries) != o.op.Next+1 {
			t.Fatalf("%s has %d entries after %d slices (%v)", o.op.ID, len(entries), o.op.Next, err)
		}
	}
	ops, err := j.Unfinished()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, op := range ops {
		ids = append(ids, op.ID)
	}
	if !slices.Equal(ids, open) {
		t.Fatalf("unfinished are %v, want %v", ids, open)
	}
	all, err := j.Operations(Filter{Limit: 1000})
	if err != nil || len(all) != len(h.ops) {
		t.Fatalf("%d operations, want %d (%v)", len(all), len(h.ops), err)
	}
}
