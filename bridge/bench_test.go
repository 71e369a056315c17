package bridge_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
)

// BenchmarkRun is a full round trip of a run_world_command over loopback TCP, 32
// in flight; the game's side runs in the same process and costs about as much.
func BenchmarkRun(b *testing.B) {
	for _, encrypt := range []bool{false, true} {
		b.Run(fmt.Sprintf("encrypted=%v", encrypt), func(b *testing.B) {
			server, err := bridge.Listen(b.Context(), bridge.Options{Addr: "127.0.0.1:0"})
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			opts := answering()
			opts.Encrypt = encrypt
			game, err := bridgetest.Connect(b.Context(), server.URL(), opts)
			if err != nil {
				b.Fatal(err)
			}
			defer game.Close()
			world := server.World()
			if err := world.Await(b.Context()); err != nil {
				b.Fatal(err)
			}
			const command = `fill -1200 64 -1200 -1185 79 -1185 minecraft:oak_stairs["upside_down_bit"=false,"weirdo_direction"=0] replace minecraft:air`
			b.ReportAllocs()
			b.SetParallelism(bridge.DefaultWindow/2 + 1)
			var failed atomic.Int64
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
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
