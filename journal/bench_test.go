package journal

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// finished fills a journal with operations that have ended, in a town of them,
// many in one transaction.
func finished(tb testing.TB, path string, n int) {
	tb.Helper()
	j, err := Open(path, Options{NoSync: true, Now: testNow, MaxFreshPlans: n})
	must(tb, err)
	const batch = 500
	for first := 0; first < n; first += batch {
		must(tb, j.update("test", func(tx *bbolt.Tx) error {
			for i := first; i < min(first+batch, n); i++ {
				x, z := i%100*8, i/100*8
				if err := j.finish(tx, newPlan(fmt.Sprint("p", i), box(x, 64, z, x+7, 70, z+7)), fmt.Sprint("op", i)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	must(tb, j.Close())
}

// finish is a whole operation of one slice within a transaction.
func (j *Journal) finish(tx *bbolt.Tx, p *plan.Plan, id string) error {
	head, chunks, err := j.encodePlan(p)
	if err != nil {
		return err
	}
	if err := j.putPlan(tx, p, head, chunks); err != nil {
		return err
	}
	op := newOperation(p, id)
	if err := j.enqueue(tx, op, keyOf(op.Project, op.Key)); err != nil {
		return err
	}
	op.Next, op.Written, op.Status = 1, p.Changed, plan.Applied
	at, r, err := j.replace(tx, op)
	if err != nil {
		return err
	}
	if err := j.intend(tx, at, r, &plan.Intent{Operation: id, Write: p.Slices[0].Mask()}); err != nil {
		return err
	}
	return j.settle(tx, at, r, &plan.Receipt{Operation: id, Wrote: p.Slices[0].Mask()})
}

// TestAStartWithManyFinishedOperationsIsQuick opens a journal with 10,000 of them.
func TestAStartWithManyFinishedOperationsIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a journal for some seconds")
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	finished(t, path, 10_000)
	begin := time.Now()
	j, err := Open(path, Options{Now: testNow})
	must(t, err)
	_, err = j.Unfinished()
	must(t, err)
	took := time.Since(begin)
	t.Logf("start %v, %d bytes", took, size(path))
	if took > 500*time.Millisecond {
		t.Errorf("a start takes %v", took)
	}
	begin = time.Now()
	_, err = j.Operations(Filter{Project: "nobody"})
	must(t, err)
	t.Logf("looking through all operations %v", time.Since(begin))
	begin = time.Now()
	must(t, j.Check())
	t.Logf("check of everything %v", time.Since(begin))
	must(t, j.Close())
}

// BenchmarkSolid writes a solid cube of 128 cells an edge in slices of 32,768,
// with fsync, and reports cells per second.
func BenchmarkSolid(b *testing.B) {
	var boxes []voxel.Box
	for y := range 8 {
		for z := range 8 {
			boxes = append(boxes, box(0, y*16, z*16, 127, y*16+15, z*16+15))
		}
	}
	benchmarkPlan(b, newPlan("p", boxes...))
}

// BenchmarkCheckerboard writes one cell in two, the worst there is: no two cells
// of a fill, and no runs in a mask.
func BenchmarkCheckerboard(b *testing.B) {
	p := newPlan("p")
	for y := range 8 {
		var s plan.Slice
		for cell := range box(0, y*8, 0, 63, y*8+7, 63).All() {
			if (cell.X+cell.Y+cell.Z)%2 == 0 {
				s.Fills = append(s.Fills, plan.Fill{Box: voxel.Cube(cell), Before: block.Air, After: stone})
			}
		}
		p.Slices = append(p.Slices, s)
	}
	benchmarkPlan(b, p)
}

func benchmarkPlan(b *testing.B, p *plan.Plan) {
	b.Helper()
	j, err := Open(filepath.Join(b.TempDir(), "journal.db"), Options{Now: testNow, MaxFreshPlans: 1 << 30})
	must(b, err)
	defer j.Close()
	cells := 0
	for _, s := range p.Slices {
		cells += s.Cells()
	}
	n := 0
	for b.Loop() {
		n++
		q := *p
		q.ID = fmt.Sprint("p", n)
		run(b, j, &q, fmt.Sprint("op", n))
	}
	b.ReportMetric(float64(cells*n)/b.Elapsed().Seconds(), "cells/s")
	stats, err := j.Stats()
	must(b, err)
	b.ReportMetric(float64(stats.UsedBytes)/float64(cells*n), "B/cell")
}

// BenchmarkAdvance is one step of an operation of small slices.
func BenchmarkAdvance(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		b.Run(fmt.Sprint("fsync=", !noSync), func(b *testing.B) {
			j, err := Open(filepath.Join(b.TempDir(), "journal.db"), Options{Now: testNow, NoSync: noSync})
			must(b, err)
			defer j.Close()
			p := newPlan("p")
			for i := range 1 << 16 {
				cell := voxel.Cube(voxel.Pos{X: i & 255, Y: 0, Z: i >> 8})
				p.Slices = append(p.Slices, plan.Slice{Fills: []plan.Fill{{Box: cell, Before: block.Air, After: stone}}})
			}
			must(b, j.PutPlan(p))
			op, err := j.Enqueue(newOperation(p, "op"))
			must(b, err)
			op.Status = plan.Applying
			var done *plan.Receipt
			i := 0
			for b.Loop() {
				next := &plan.Intent{Operation: "op", Slice: i, Write: p.Slices[i].Mask()}
				must(b, j.Advance(op, done, next))
				done = &plan.Receipt{Operation: "op", Slice: i, Wrote: next.Write}
				i++
				op.Next, op.Written = i, i
			}
		})
	}
}
