package recovery

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// arena is where the model's calls happen; small, so that they meet.
var arena = voxel.Box{Min: voxel.Pos{X: 0, Y: 64, Z: 0}, Max: voxel.Pos{X: 5, Y: 67, Z: 5}}

// model says in the plainest way what world and journal should be.
type model struct {
	cells  map[voxel.Pos]block.State
	owners map[voxel.Pos]*owner
	doubt  map[voxel.Pos]bool // owned, and an edit of it may have been missed
	ops    []*record          // final operations, oldest first
	stamp  int
}

// owner is the history of one cell: the version it has, and who made versions.
type owner struct {
	top    int
	layers []layer
}

type layer struct {
	op            string
	before, after int
	back          bool // an undo: after is an older version
}

// record is what the model remembers of an operation.
type record struct {
	id        string
	before    map[voxel.Pos]block.State
	after     map[voxel.Pos]block.State
	wrote     map[voxel.Pos]bool
	abandoned bool
}

func newModel() *model {
	m := &model{cells: map[voxel.Pos]block.State{}, owners: map[voxel.Pos]*owner{}, doubt: map[voxel.Pos]bool{}}
	for p := range arena.All() {
		m.cells[p], m.owners[p] = block.Air, &owner{}
	}
	return m
}

func (o *owner) owns(op string) bool {
	for _, l := range o.layers {
		if l.op == op && l.after == o.top {
			return true
		}
	}
	return false
}

// write makes op the owner of a cell. An undo of its owner goes back to the
// version below.
func (m *model) write(p voxel.Pos, op, undoOf string) {
	o := m.owners[p]
	m.stamp++
	next := layer{op: op, before: o.top, after: m.stamp}
	for _, l := range o.layers {
		if undoOf != "" && l.op == undoOf && l.after == o.top {
			next.after, next.back = l.before, true
		}
	}
	// Undo and redo in turn leave one undo, the last; a new version leaves none
	// to redo.
	o.layers = slices.DeleteFunc(o.layers, func(l layer) bool {
		return l.back && (!next.back || l.op == undoOf || l.before == next.before && l.after == next.after)
	})
	o.layers = append(o.layers, next)
	o.top = next.after
	delete(m.doubt, p)
}

// lose ends all ownership of a cell.
func (m *model) lose(p voxel.Pos) {
	m.stamp++
	*m.owners[p] = owner{top: m.stamp}
	delete(m.doubt, p)
}

// compare decides about the cells of an operation that are in doubt.
func (m *model) compare(r *record) {
	for p := range r.wrote {
		switch {
		case r.abandoned || !m.doubt[p] || !m.owners[p].owns(r.id):
		case m.cells[p] == r.after[p] || m.cells[p] == r.before[p] || m.knew(r, p):
			delete(m.doubt, p)
		default:
			m.lose(p)
		}
	}
}

// knew reports whether a cell is as an operation ahead of r found or left it: the
// world may have lost what r was built upon.
func (m *model) knew(r *record, p voxel.Pos) bool {
	newest := m.ops[max(0, len(m.ops)-verifyCount):] // no more are looked at
	for _, older := range newest[:max(0, slices.Index(newest, r))] {
		before, after := older.before[p], older.after[p]
		if before != after && (m.cells[p] == before || m.cells[p] == after) {
			return true
		}
	}
	return false
}

// play is one random sequence.
type play struct {
	*house
	*model
	rt *rapid.T
	n  int
}

func (y *play) pos(name string) voxel.Pos {
	size := arena.Size()
	return arena.Min.Add(voxel.Pos{
		X: rapid.IntRange(0, size.X-1).Draw(y.rt, name+".x"),
		Y: rapid.IntRange(0, size.Y-1).Draw(y.rt, name+".y"),
		Z: rapid.IntRange(0, size.Z-1).Draw(y.rt, name+".z"),
	})
}

func (y *play) state() block.State {
	return rapid.SampledFrom([]block.State{block.Air, stone, dirt, gold}).Draw(y.rt, "state")
}

func (y *play) key() string { y.n++; return fmt.Sprintf("key-%d", y.n) }

// edit is somebody else's edit of a random cell.
func (y *play) edit() {
	p, to, event := y.pos("edit"), y.state(), rapid.Bool().Draw(y.rt, "event")
	y.world.edit(p, to, event)
	y.cells[p] = to
	if event {
		y.lose(p)
	}
}

// draft prepares a random box.
func (y *play) draft() (*plan.Plan, *record) {
	a, b := y.pos("a"), y.pos("b")
	lo := voxel.Pos{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)}
	hi := voxel.Pos{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
	to := y.state()
	r := &record{before: map[voxel.Pos]block.State{}, after: map[voxel.Pos]block.State{}, wrote: map[voxel.Pos]bool{}}
	wanted := voxel.NewVolume()
	for p := range (voxel.Box{Min: lo, Max: hi}).All() {
		wanted.Put(p, string(to))
		r.before[p], r.after[p] = y.cells[p], to
	}
	return y.prepare(wanted), r
}

// expectApply says how an apply must end, and brings the model there.
func (y *play) expectApply(r *record, undoOf string) plan.Status {
	for p, after := range r.after {
		now := y.cells[p]
		lost := undoOf != "" && after != r.before[p] && !y.owners[p].owns(undoOf)
		if lost || now != after && now != r.before[p] {
			return plan.Conflicted
		}
	}
	for p, after := range r.after {
		if y.cells[p] != after {
			y.cells[p] = after
			r.wrote[p] = true
			y.write(p, r.id, undoOf)
		}
	}
	return plan.Applied
}

// finish applies a plan, perhaps with an edit just before and with lost answers,
// and compares the end with the model's.
func (y *play) finish(p *plan.Plan, r *record, undoOf string) {
	y.t.Helper()
	if rapid.IntRange(0, 3).Draw(y.rt, "edit first") == 0 {
		y.edit()
	}
	y.world.mu.Lock()
	y.world.mute = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(y.rt, "lost answers")
	y.world.mu.Unlock()
	op := y.apply(p, y.key())
	y.world.mu.Lock()
	y.world.mute = 0
	y.world.mu.Unlock()
	r.id = op.ID
	status := y.expectApply(r, undoOf)
	if op.Status != status || op.Written != len(r.wrote) {
		y.rt.Fatalf("operation is %s with %d written (%s), the model says %s with %d", op.Status, op.Written, op.Message, status, len(r.wrote))
	}
	y.ops = append(y.ops, r)
}

func (y *play) build(*rapid.T) {
	p, r := y.draft()
	y.finish(p, r, "")
}

func (y *play) undoOne(*rapid.T) {
	if len(y.ops) == 0 {
		return
	}
	r := rapid.SampledFrom(y.ops).Draw(y.rt, "operation")
	partial := rapid.Bool().Draw(y.rt, "partial")
	undo, err := y.prepareUndo(r.id, partial)
	y.compare(r)
	back := &record{before: map[voxel.Pos]block.State{}, after: map[voxel.Pos]block.State{}, wrote: map[voxel.Pos]bool{}}
	kept := 0
	for p := range r.wrote {
		if y.owners[p].owns(r.id) && y.cells[p] == r.after[p] {
			back.before[p], back.after[p] = r.after[p], r.before[p]
		} else {
			kept++
		}
	}
	if r.abandoned || kept > 0 && !partial {
		if fault.CodeOf(err) != fault.UndoConflict {
			y.rt.Fatalf("undo gave %v, the model says undo_conflict", err)
		}
		return
	}
	if err != nil || undo.Report.Kept != kept || undo.Report.Restored != len(back.after) {
		y.rt.Fatalf("undo reports %+v, %v; the model says %d kept and %d restored", undo.Report, err, kept, len(back.after))
	}
	if err := y.log.PutPlan(undo.Plan); err != nil {
		y.rt.Fatal(err)
	}
	y.finish(undo.Plan, back, r.id)
}

func (y *play) foreign(*rapid.T) { y.edit() }

// overflow is more edits than the world remembers, some of them here.
func (y *play) overflow(*rapid.T) {
	synctest.Wait() // the Runner's own look, at the same moment, would see a part of it
	for range rapid.IntRange(0, 3).Draw(y.rt, "edits") {
		p, to := y.pos("edit"), y.state()
		y.world.edit(p, to, true)
		y.cells[p] = to
	}
	y.world.overflow()
	for p, o := range y.owners {
		if len(o.layers) > 0 {
			y.doubt[p] = true
		}
	}
}

// verify compares an operation with the world.
func (y *play) verify(*rapid.T) {
	if len(y.ops) == 0 {
		return
	}
	r := rapid.SampledFrom(y.ops).Draw(y.rt, "operation")
	if _, err := y.runner.Verify(y.t.Context(), "", []string{r.id}); err != nil {
		y.rt.Fatal(err)
	}
	y.compare(r)
}

func (y *play) reopen(*rapid.T) { y.restart() }

// forgetful is a crash of the game: what it had not saved is gone.
func (y *play) forgetful(*rapid.T) {
	if rapid.Bool().Draw(y.rt, "saved") {
		y.world.save()
		return
	}
	synctest.Wait()
	y.world.forget()
	y.calmDown()
	for p := range y.cells {
		y.cells[p] = y.world.show(p)
	}
}

// cancel stops an operation at a random command; what it had written is its own.
func (y *play) cancel(*rapid.T) {
	p, r := y.draft()
	at := rapid.IntRange(1, 6).Draw(y.rt, "at command")
	begun := make(chan string, 1)
	y.atCommand(at, func() {
		if _, err := y.runner.Cancel(<-begun); err != nil {
			y.rt.Error(err)
		}
	})
	op, err := y.begin(p, y.key())
	if err != nil {
		y.rt.Fatal(err)
	}
	begun <- op.ID
	r.id = op.ID
	op = y.wait(op.ID)
	y.atCommand(0, nil)
	if op.Status != plan.Cancelled && op.Status != plan.Applied {
		y.rt.Fatalf("cancelled operation is %s: %s", op.Status, op.Message)
	}
	y.adopt(r, y.receipts(op.ID))
	if op.Written != len(r.wrote) {
		y.rt.Fatalf("%d written, the receipts have %d", op.Written, len(r.wrote))
	}
}

// receipts returns the cells that the journal says an operation wrote.
func (y *play) receipts(id string) *voxel.Mask {
	entries, err := y.log.Entries(id)
	if err != nil {
		y.rt.Fatal(err)
	}
	wrote := voxel.NewMask()
	for _, e := range entries {
		if e.Receipt != nil {
			wrote.Union(e.Receipt.Wrote)
		}
	}
	return wrote
}

// adopt takes over that an operation wrote some of its cells.
func (y *play) adopt(r *record, wrote *voxel.Mask) {
	for p := range wrote.All() {
		y.cells[p] = r.after[p]
		r.wrote[p] = true
		y.write(p, r.id, "")
	}
	y.ops = append(y.ops, r)
}

// crash stops the service in the middle of an operation; an admin decides.
func (y *play) crash(*rapid.T) {
	p, r := y.draft()
	if len(p.Slices) == 0 {
		return
	}
	cut := newSeam(0)
	y.runner.Close()
	y.run(tornLog{y.log, cut}, tornWorld{y.world, cut})
	cut.mu.Lock()
	cut.stopAt = cut.passed + rapid.IntRange(3, 40).Draw(y.rt, "points")
	cut.mu.Unlock()
	op, err := y.begin(p, y.key())
	if err != nil {
		y.rt.Fatal(err)
	}
	r.id = op.ID
	select {
	case <-cut.crashed:
	case <-time.After(time.Minute):
	}
	y.restart()
	if op, err = y.log.Operation(op.ID); err != nil {
		y.rt.Fatal(err)
	}
	if op.Status == plan.RecoveryRequired {
		y.decide(r)
		return
	}
	y.adopt(r, y.receipts(r.id))
}

func (y *play) decide(r *record) {
	ruling := y.ruling(r.id)
	switch rapid.SampledFrom([]plan.Verdict{plan.Abandon, plan.Resume, plan.Rollback}).Draw(y.rt, "verdict") {
	case plan.Resume:
		if _, err := y.runner.Resume(y.t.Context(), ruling); err != nil {
			y.rt.Fatal(err)
		}
		if op := y.wait(r.id); op.Status != plan.Applied {
			y.rt.Fatalf("resumed operation is %s: %s", op.Status, op.Message)
		}
		maps.Copy(y.cells, r.after)
		y.adopt(r, y.receipts(r.id))
	case plan.Rollback:
		_, undo, err := y.runner.Rollback(y.t.Context(), ruling)
		if err != nil {
			y.rt.Fatal(err)
		}
		if undo = y.wait(undo.ID); undo.Status != plan.Applied {
			y.rt.Fatalf("rollback is %s: %s", undo.Status, undo.Message)
		}
		wrote := y.receipts(r.id)
		y.adopt(r, wrote)
		back := &record{id: undo.ID, before: r.after, after: r.before, wrote: r.wrote}
		for p := range wrote.All() {
			y.cells[p] = r.before[p]
			y.write(p, undo.ID, r.id)
		}
		y.ops = append(y.ops, back)
	case plan.Abandon:
		for _, c := range y.review(r.id).Cells {
			y.cells[c.Pos] = c.Current
			y.lose(c.Pos)
		}
		if _, err := y.runner.Abandon(y.t.Context(), ruling); err != nil {
			y.rt.Fatal(err)
		}
		r.abandoned = true
		y.ops = append(y.ops, r)
	}
}

// agree compares the whole world, and who owns what, with the model.
func (y *play) agree(*rapid.T) {
	for p, want := range y.cells {
		if got := y.world.show(p); got != want {
			y.rt.Fatalf("%v is %s, the model says %s", p, got, want)
		}
	}
	if err := y.runner.observe(y.t.Context()); err != nil {
		y.rt.Fatal(err)
	}
	y.calmDown()
	doubted, _, err := y.log.Doubted("world-1", "overworld")
	if err != nil || doubted.Len() != len(y.doubt) {
		y.rt.Fatalf("%d cells are in doubt, the model says %d (%v)", doubted.Len(), len(y.doubt), err)
	}
	for p := range y.doubt {
		if !doubted.Has(p) {
			y.rt.Fatalf("%v is not in doubt", p)
		}
	}
	for _, r := range y.ops {
		owned, err := y.log.Owned(r.id)
		if err != nil {
			y.rt.Fatal(err)
		}
		for p := range r.wrote {
			if want := !r.abandoned && y.owners[p].owns(r.id); owned.Has(p) != want {
				y.rt.Fatalf("operation %s owns %v: %v, the model says %v", r.id, p, owned.Has(p), want)
			}
		}
	}
}

// TestRandomCallsAgreeWithTheModel runs random builds, undos, edits by others, missed
// edits, cancels, crashes and lost answers against the model. Run more of them with
// -rapid.checks=N.
func TestRandomCallsAgreeWithTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // rapid fails by a panic, which must not leave the bubble
		synctest.Test(t, func(t *testing.T) {
			y := &play{house: newHouse(t), model: newModel(), rt: rt}
			y.calm = true
			defer y.close()
			defer func() { failure = recover() }()
			y.start()
			if err := y.runner.observe(t.Context()); err != nil {
				rt.Fatal(err)
			}
			rt.Repeat(map[string]func(*rapid.T){
				"build": y.build, "undo": y.undoOne, "foreign": y.foreign, "reopen": y.reopen,
				"forget": y.forgetful, "cancel": y.cancel, "crash": y.crash,
				"overflow": y.overflow, "verify": y.verify, "": y.agree,
			})
		})
		if failure != nil {
			panic(failure)
		}
	})
}
