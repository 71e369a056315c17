package rpc

import (
	"testing"

	"groundplan/journal"
	"groundplan/plan/fault"
)

// TestMissedEditsAreSaidHonestly: the feed goes on over a gap and says so, the
// context says what is in doubt, and a comparison ends it.
func TestMissedEditsAreSaidHonestly(t *testing.T) {
	s := openWorld(t)
	now := ok[ChangesView](s, "region_changes", `{}`)
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone", false, room)), "k1")
	world := ok[ContextView](s, "project_context", `{}`)
	if world.Unknown != nil {
		t.Fatalf("nothing was missed, but %+v", world.Unknown)
	}
	s.must(s.journal.Doubt(world.WorldID, 5))
	if v := ok[ContextView](s, "project_context", `{}`); v.Unknown == nil || *v.Unknown != (Unknown{Since: 5, Cells: 27}) {
		t.Errorf("unknown is %+v", v.Unknown)
	}
	v := ok[ChangesView](s, "region_changes", `{"cursor":"`+now.Cursor+`"}`)
	if len(v.Changes) != 2 || v.Changes[0].Operation != op.ID {
		t.Fatalf("%+v", v)
	}
	project, _ := s.Projects.Get(DefaultProject)
	if gap := v.Changes[1]; gap.Kind != journal.EventGap || gap.Since != 5 || len(gap.Boxes) != 1 || gap.Boxes[0] != project.Region {
		t.Errorf("the gap is %+v", gap)
	}
	ok[UndoView](s, "operation_undo_prepare", `{"operation_id":"`+op.ID+`"}`)
	if v := ok[ContextView](s, "project_context", `{}`); v.Unknown != nil {
		t.Errorf("compared and still unknown: %+v", v.Unknown)
	}
	s.refused(fault.ResyncRequired, "region_changes", `{"cursor":"1@0000"}`)
}
