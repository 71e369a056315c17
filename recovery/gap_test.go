package recovery

import (
	"net"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// TestUndoKeepsWhatOthersDidWhileTheServiceWasAway cuts the connection, has a player
// edit more than the addon remembers, and undoes after the game has come back.
func TestUndoKeepsWhatOthersDidWhileTheServiceWasAway(t *testing.T) {
	link := newCutter(t, 0, false)
	y := newYardWith(t, bridge.Options{}, embedded.Options{}, link.via)
	t.Cleanup(func() { link.Close() })
	address := link.listener.Addr().String()
	op := y.apply(y.prepare(box(0, -60, 0, 8, 1, 8, gold)), "k1")
	if op.Status != plan.Applied || op.Written != 64 {
		t.Fatalf("operation is %s with %d written: %s", op.Status, op.Written, op.Message)
	}

	if err := link.Close(); err != nil {
		t.Fatal(err)
	}
	y.game.Disconnect()
	player := func(p voxel.Pos, to block.State) {
		t.Helper()
		if err := y.game.Set("overworld", p, string(to), true); err != nil {
			t.Fatal(err)
		}
	}
	replaced, broken, putBack := voxel.Pos{X: 1, Y: -60}, voxel.Pos{X: 2, Y: -60}, voxel.Pos{X: 3, Y: -60}
	player(replaced, "minecraft:emerald_block")
	player(broken, block.Air)
	player(putBack, block.Air)
	player(putBack, gold)
	for i := range 4500 { // the addon remembers 4,096
		player(voxel.Pos{X: 20 + i%100, Y: -60, Z: i / 100}, stone)
	}
	remembered := voxel.Pos{X: 4, Y: -60}
	player(remembered, block.Air)
	player(remembered, gold)
	var err error
	if link.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", address); err != nil {
		t.Fatal(err)
	}
	link.work.Go(link.serve)
	if err := y.world.Await(t.Context()); err != nil {
		t.Fatal(err)
	}

	if _, err := y.runner.PrepareUndo(t.Context(), UndoRequest{Operations: []string{op.ID}}); fault.CodeOf(err) != fault.UndoConflict {
		t.Fatalf("undo gave %v, want undo_conflict", err)
	}
	undos, err := y.runner.PrepareUndo(t.Context(), UndoRequest{Operations: []string{op.ID}, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	// The addon still remembers one edit, the comparison finds two; one that was put
	// back unseen cannot be told from ours.
	report := undos[0].Report
	if report.Restored != 61 || report.Reasons["owner"] != 2 || report.Reasons["changed"] != 1 {
		t.Fatalf("report is %+v", report)
	}
	if err := y.log.PutPlan(undos[0].Plan); err != nil {
		t.Fatal(err)
	}
	if undone := y.apply(undos[0].Plan, "k2"); undone.Status != plan.Applied || undone.Written != 61 {
		t.Fatalf("undo is %s with %d written: %s", undone.Status, undone.Written, undone.Message)
	}
	for p, want := range map[voxel.Pos]block.State{
		{Y: -60}: block.Air, replaced: "minecraft:emerald_block", broken: block.Air, remembered: gold, {X: 20, Y: -60}: stone,
	} {
		if got, _ := y.game.At("overworld", p); string(got) != string(want) {
			t.Errorf("%v is %s, want %s", p, got, want)
		}
	}
	world, err := y.world.Info()
	if err != nil {
		t.Fatal(err)
	}
	if doubted, _, err := y.log.Doubted(world.ID, "overworld"); err != nil || doubted.Len() != 0 {
		t.Errorf("%d cells are still in doubt, %v", doubted.Len(), err)
	}
}
