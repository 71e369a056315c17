package journal

import (
	"fmt"
	"io"
	"sync"
	"testing"

	"groundplan/plan/fault"
)

// TestReadersDoNotDisturbTheWriter reads everything from several goroutines while
// one writes and another closes the journal in the end.
func TestReadersDoNotDisturbTheWriter(t *testing.T) {
	j := open(t, Options{CachedFills: 4})
	run(t, j, newPlan("first", box(0, 0, 0, 20, 3, 20)), "first")
	reads := []func() error{
		func() error { _, err := j.Operations(Filter{Limit: 5}); return err },
		func() error { _, err := j.Unfinished(); return err },
		func() error { _, err := j.Owned("first"); return err },
		func() error { _, err := j.Entries("first"); return err },
		func() error { _, err := j.Plan("first"); return err },
		func() error { _, _, err := j.Events(testWorld, "overworld", 0, 10); return err },
		func() error { _, err := j.Explain("first"); return err },
		func() error { _, err := j.Stats(); return err },
		func() error { return j.Export(io.Discard) },
		j.Check,
	}
	for i := range 12 {
		var group sync.WaitGroup
		for _, read := range reads {
			group.Go(func() {
				if err := read(); err != nil {
					t.Error(err)
				}
			})
		}
		run(t, j, newPlan(fmt.Sprint("p", i), box(i, 0, 0, i+3, 1, 5)), fmt.Sprint("op", i))
		group.Wait()
	}
	must(t, j.Check())
	var group sync.WaitGroup
	for _, read := range reads {
		group.Go(func() {
			if err := read(); err != nil && (!j.Closed() || fault.CodeOf(err) != fault.StorageFailed) {
				t.Error(err)
			}
		})
	}
	must(t, j.Close())
	group.Wait()
}

// TestOneKeyIsOneOperation asks for the same key from many goroutines at once.
func TestOneKeyIsOneOperation(t *testing.T) {
	j := open(t, Options{})
	p := newPlan("p", box(0, 0, 0, 0, 0, 0))
	must(t, j.PutPlan(p))
	got := make([]string, 16)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			op := newOperation(p, fmt.Sprint("op", i))
			op.Key = "the key"
			stored, err := j.Enqueue(op)
			if err != nil {
				t.Error(err)
			}
			got[i] = stored.ID
		})
	}
	group.Wait()
	for _, id := range got {
		if id != got[0] {
			t.Fatalf("the key has the operations %v", got)
		}
	}
	ops, err := j.Operations(Filter{})
	must(t, err)
	if len(ops) != 1 {
		t.Errorf("%d operations are recorded", len(ops))
	}
}
