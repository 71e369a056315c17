package bridge_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/voxel"
)

// inhabited starts a server with the embedded world connected to it.
func inhabited(tb testing.TB, settings bridge.Options, opts embedded.Options) (*bridge.World, *embedded.World) {
	tb.Helper()
	settings.Addr = "127.0.0.1:0"
	server, err := bridge.Listen(tb.Context(), settings)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { server.Close() })
	opts.URL = server.URL()
	inside, err := embedded.Start(tb.Context(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { inside.Close() })
	world := server.World()
	if err := world.Await(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return world, inside
}

func TestTheEmbeddedWorldAnswersEverything(t *testing.T) {
	for name, test := range map[string]struct {
		settings bridge.Options
		opts     embedded.Options
	}{
		"encrypted":       {},
		"never encrypted": {settings: bridge.Options{Encryption: bridge.EncryptNever}},
		"not offered":     {opts: embedded.Options{Plain: true}},
		"older events":    {opts: embedded.Options{LegacyEvents: true, Language: "ja_JP"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			world, inside := inhabited(t, test.settings, test.opts)
			start, err := world.Changes(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"fill 0 0 0 3 3 3 stone", "execute in nether run fill 0 40 0 1 40 1 gold_block"} {
				if got := world.Run(ctx, "overworld", command); got.Kind != plan.Answered || !got.Success {
					t.Errorf("%s: %+v", command, got)
				}
			}
			if got := world.Run(ctx, "nether", "fill 0 40 0 1 40 1 gold_block"); got.Kind != plan.Answered || got.Success {
				t.Errorf("a second time: %+v", got)
			}
			got, err := world.Read(ctx, "nether", []voxel.Box{{Min: voxel.Pos{Y: 40}, Max: voxel.Pos{X: 1, Y: 40, Z: 1}}})
			if err != nil || got.Cells.Counts()["minecraft:gold_block"] != 4 {
				t.Errorf("%v, %v", got, err)
			}
			if err := inside.Set("overworld", voxel.Pos{X: 2, Y: 2, Z: 2}, "minecraft:dirt", true); err != nil {
				t.Fatal(err)
			}
			changes, err := world.Changes(ctx, start.Cursor)
			if err != nil || changes.Gap || !slices.ContainsFunc(changes.List, func(c plan.Change) bool { return c.Pos == voxel.Pos{X: 2, Y: 2, Z: 2} }) {
				t.Errorf("%+v, %v", changes, err)
			}
			ids, err := world.IDs(ctx)
			if err != nil || !slices.Contains(ids, "oak_stairs") || len(ids) < 1000 {
				t.Errorf("%d ids, %v", len(ids), err)
			}
			for _, capability := range []string{bridge.CapabilityPlayer, bridge.CapabilityInventory} {
				if raw, err := world.Call(ctx, capability, map[string]string{"target": "@s"}); err != nil || len(raw) < 10 {
					t.Errorf("%s: %s, %v", capability, raw, err)
				}
			}
		})
	}
}

// BenchmarkEmbedded is a run_world_command that the addon's own script answers in
// the embedded world.
func BenchmarkEmbedded(b *testing.B) {
	for _, plain := range []bool{true, false} {
		b.Run(fmt.Sprintf("plain=%v", plain), func(b *testing.B) {
			world, _ := inhabited(b, bridge.Options{}, embedded.Options{Plain: plain})
			b.SetParallelism(bridge.DefaultWindow/2 + 1)
			var failed, n atomic.Int64
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := n.Add(1)
					command := fmt.Sprintf("fill %d 5 %d %d 5 %d stone", i%16, i/16%16, i%16, i/16%16)
					if world.Run(b.Context(), "overworld", command).Kind != plan.Answered {
						failed.Add(1)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			if failed.Load() > 0 {
				b.Fatalf("%d calls failed", failed.Load())
			}
		})
	}
}
