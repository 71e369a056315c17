package recovery

import (
	"errors"
	"testing"

	"groundplan/plan"
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
