package embedded

import (
	"testing"
	"time"

	"groundplan/plan/voxel"
)

// TestLongReadsArePartsOfManyTicks gives the world a clock on which every look
// takes a tenth of a millisecond, so that a read that does not fit into one tick's
// budget must go on in the next ones, and counts the looks of each tick.
func TestLongReadsArePartsOfManyTicks(t *testing.T) {
	var looks int
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time {
		looks++
		now = now.Add(100 * time.Microsecond)
		return now
	}
	w, err := Start(t.Context(), Options{URL: "ws://127.0.0.1:1/", Reconnect: -1, Now: clock, Tick: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }() // it is in memory
	v := voxel.NewVolume()
	for p := range (voxel.Box{Max: voxel.Pos{X: 31, Y: 3, Z: 31}}).All() {
		v.Put(p, []string{"stone", "dirt", "oak_stairs"}[(p.X*7+p.Y*5+p.Z*3)%3])
	}
	if err := w.Paint("overworld", v); err != nil {
		t.Fatal(err)
	}
	w.step(nil) // the simulated player comes
	w.mu.Lock()
	const message = `{"v":2,"request_id":"r1","capability":"read_region","payload":{"dim":"overworld","min":[0,0,0],"max":[31,3,31]}}`
	for range 3 {
		w.script.scriptEvent(w.playerOrigin(), "mcbews:bridge_req", message)
	}
	w.script.flush()
	w.mu.Unlock()
	ticks, most := 0, 0
	for ; len(w.script.jobs) > 0; ticks++ {
		looks = 0
		w.step(nil)
		most = max(most, looks)
		if ticks > 10000 {
			t.Fatal("the reads never end")
		}
	}
	// 12 ms are 120 looks; each of the other two jobs may take one step more, and
	// the host looks as well.
	if ticks < 3 || most > 160 {
		t.Errorf("%d ticks, %d looks in one of them", ticks, most)
	}
}
