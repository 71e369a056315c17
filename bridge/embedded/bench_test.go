package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"groundplan/plan/voxel"
)

// BenchmarkReadRegion measures the script alone: 32,768 cells in boxes of a page.
func BenchmarkReadRegion(b *testing.B) {
	for name, states := range map[string][]string{
		"uniform":    {"stone"},
		"solid":      {"stone", "dirt", "oak_planks", "air"},
		"waterlog":   {"oak_stairs", "oak_fence", "air", "oak_slab"},
		"containers": {"chest", "stone"},
	} {
		b.Run(name, func(b *testing.B) {
			w, err := Start(context.Background(), Options{URL: "ws://127.0.0.1:1/", Reconnect: -1})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			random := rand.New(rand.NewPCG(1, 2))
			v := voxel.NewVolume()
			for p := range (voxel.Box{Max: voxel.Pos{X: 31, Y: 31, Z: 31}}).All() {
				v.Put(p, states[random.IntN(len(states))])
			}
			if err := w.Paint("overworld", v); err != nil {
				b.Fatal(err)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			for w.script.busy() {
				w.runTick()
			}
			for b.Loop() {
				for y := 0; y < 32; y += 8 {
					message := fmt.Sprintf(`{"v":2,"request_id":"r1","capability":"read_region","payload":{"dim":"overworld","min":[0,%d,0],"max":[31,%d,31]}}`, y, y+7)
					w.script.scriptEvent(w.playerOrigin(), "mcbews:bridge_req", message)
					w.script.flush()
					for w.script.busy() {
						w.runTick()
					}
				}
			}
		})
	}
}

// BenchmarkScriptCommand measures what a run_world_command costs in the world
// alone, from the command line to the chat line of its answer.
func BenchmarkScriptCommand(b *testing.B) {
	w, err := Start(context.Background(), Options{URL: "ws://127.0.0.1:1/", Reconnect: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.script.busy() {
		w.runTick()
	}
	o := w.playerOrigin()
	for i := 0; b.Loop(); i++ {
		line := fmt.Sprintf(`scriptevent mcbews:bridge_req {"v":2,"request_id":"r1","capability":"run_world_command","payload":{"command":"fill %d 0 0 %d 3 3 stone replace air"}}`, i*4, i*4+3)
		if r := w.command(o, line); r.code != 0 {
			b.Fatal(r)
		}
		w.script.flush()
	}
}
