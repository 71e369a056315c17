package recovery

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// cursorLog is a Log that fails at its n-th Disown and keeps what the others said.
type cursorLog struct {
	Log
	failAt  int
	cursors []string
	cells   map[string]int
}

func (l *cursorLog) Disown(_, dimension string, cells *voxel.Mask, cursor string) error {
	if len(l.cursors)+1 == l.failAt {
		return errors.New("power cut")
	}
	l.cursors = append(l.cursors, cursor)
	l.cells[dimension] += cells.Len()
	return nil
}

// TestTheCursorMovesWithTheLastEditOfAPage: a crash between the dimensions of a
// page must find a cursor that shows the rest again.
func TestTheCursorMovesWithTheLastEditOfAPage(t *testing.T) {
	page := plan.Changes{Cursor: "new", List: []plan.Change{
		{Dimension: "overworld", Pos: voxel.Pos{X: 1}}, {Dimension: "nether", Pos: voxel.Pos{X: 2}}, {Dimension: "overworld", Pos: voxel.Pos{X: 3}},
	}}
	for failAt := range 4 {
		log := &cursorLog{failAt: failAt, cells: map[string]int{}}
		r := &Runner{Options: Options{Log: log}}
		err := r.disown("w", "old", page)
		whole := log.cells["overworld"] == 2 && log.cells["nether"] == 1
		if (err == nil) != whole {
			t.Errorf("stopped at %d: %v with %v", failAt, err, log.cells)
		}
		for i, cursor := range log.cursors {
			if last := i == 1; (cursor == "new") != last {
				t.Errorf("stopped at %d: the cursors are %v", failAt, log.cursors)
			}
		}
	}
}

// doubtLog is a Log that cannot record a doubt.
type doubtLog struct{ *cursorLog }

func (l doubtLog) Cursor(string) (string, error) { return "old", nil }
func (l doubtLog) Doubt(string, int64) error     { return errors.New("power cut") }

// TestTheCursorDoesNotPassAGapThatIsNotOnDisk: a crash there must see the gap again.
func TestTheCursorDoesNotPassAGapThatIsNotOnDisk(t *testing.T) {
	in(t, func(h *house) {
		log := doubtLog{&cursorLog{cells: map[string]int{}}}
		r := &Runner{Options: Options{Log: log, World: gapWorld{h.world}, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}}
		err := r.observe(t.Context())
		if _, isLog := errors.AsType[*logError](err); !isLog || len(log.cursors) != 0 {
			t.Fatalf("%v with the cursors %v", err, log.cursors)
		}
	})
}

// gapWorld is a world whose ring lost what was asked for.
type gapWorld struct{ *sim }

func (gapWorld) Changes(context.Context, string) (plan.Changes, error) {
	return plan.Changes{Cursor: "new", Gap: true}, nil
}

func TestMissedEditsAreInDoubtUntilTheCellsAreCompared(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		before := time.Now().UnixMilli()
		time.Sleep(time.Second)
		same, broken, other := voxel.Pos{X: 2, Y: 64, Z: 0}, voxel.Pos{X: 1, Y: 64, Z: 0}, corner
		h.world.edit(same, dirt, true)
		h.world.edit(same, stone, true)
		h.world.edit(broken, block.Air, true)
		h.world.edit(other, gold, true)
		h.world.overflow()
		if err := h.runner.observe(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.restart()
		doubted, since, err := h.log.Doubted("world-1", "overworld")
		if err != nil || doubted.Len() != 27 || since > before {
			t.Fatalf("%d cells are in doubt since %d (last look %d), %v", doubted.Len(), since, before, err)
		}
		// Foreign cells are somebody else's for good; one that is as before may have
		// been lost by the world, and only comparison can tell of one that is the same.
		reports, err := h.runner.Verify(t.Context(), "default", []string{op.ID})
		if err != nil || len(reports) != 1 || reports[0].Foreign != 1 || reports[0].Lost != 1 || reports[0].Present != 25 {
			t.Fatalf("reports are %+v, %v", reports, err)
		}
		if doubted, since, err = h.log.Doubted("world-1", "overworld"); err != nil || doubted.Len() != 0 || since != 0 {
			t.Fatalf("%d cells are still in doubt, %v", doubted.Len(), err)
		}
		h.world.edit(other, stone, false) // nobody says so, but it is known to be another's block
		undo, err := h.prepareUndo(op.ID, true)
		if err != nil || undo.Report.Restored != 25 || undo.Report.Reasons["owner"] != 1 || undo.Report.Reasons["changed"] != 1 {
			t.Fatalf("report %+v, %v", undo.Report, err)
		}
	})
}

func TestCellsInUnloadedChunksStayInDoubt(t *testing.T) {
	in(t, func(h *house) {
		op := h.apply(h.prepare(box(0, 64, 0, 3, 3, 3, stone)), "k1")
		h.world.overflow()
		h.world.unloaded.Add(corner)
		if _, err := h.prepareUndo(op.ID, true); err != nil {
			t.Fatal(err)
		}
		doubted, _, err := h.log.Doubted("world-1", "overworld")
		if err != nil || doubted.Len() != 1 || !doubted.Has(corner) {
			t.Fatalf("%d cells are in doubt, %v; want the unloaded one", doubted.Len(), err)
		}
	})
}
