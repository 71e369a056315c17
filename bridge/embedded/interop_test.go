package embedded_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/voxel"
)

// connect runs a world against the service's own bridge.
func connect(tb testing.TB, b bridge.Options, o embedded.Options) (*embedded.World, *bridge.World) {
	tb.Helper()
	b.Addr = "127.0.0.1:0"
	if b.Timeout == 0 {
		b.Timeout = time.Minute // what is read here is large, and the machine may be busy
	}
	server, err := bridge.Listen(context.Background(), b)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Close() })
	o.URL = server.URL()
	w, err := embedded.Start(context.Background(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := server.World().Await(ctx); err != nil {
		tb.Fatal(err)
	}
	return w, server.World()
}

func TestBridgeInterop(t *testing.T) {
	for _, encryption := range []bridge.Encryption{bridge.EncryptOffered, bridge.EncryptNever} {
		t.Run("encryption "+string(encryption), func(t *testing.T) {
			w, world := connect(t, bridge.Options{Encryption: encryption}, embedded.Options{})
			if out := world.Run(t.Context(), "overworld", `fill 0 0 0 15 15 15 oak_stairs["weirdo_direction"=2] replace air`); out.Kind != plan.Answered || !out.Success {
				t.Fatalf("fill: %+v", out)
			}
			box := voxel.Box{Min: voxel.Pos{X: -3, Y: -20, Z: -3}, Max: voxel.Pos{X: 20, Y: 20, Z: 20}}
			snapshot, err := world.Read(t.Context(), "overworld", []voxel.Box{box})
			if err != nil {
				t.Fatal(err)
			}
			want, err := w.Volume("overworld", box)
			if err != nil {
				t.Fatal(err)
			}
			sameCells(t, want, snapshot.Cells, box)
			digests, err := world.Digests(t.Context(), "overworld", box)
			if err != nil {
				t.Fatal(err)
			}
			if got := voxel.Digests(want, box); fmt.Sprint(got) != fmt.Sprint(digests) {
				t.Errorf("digests of the world %v, ours %v", digests, got)
			}
		})
	}
}

func sameCells(tb testing.TB, want, got *voxel.Volume, box voxel.Box) {
	tb.Helper()
	for p := range box.All() {
		a, _ := want.At(p)
		if b, _ := got.At(p); a != b {
			tb.Fatalf("at %v the world has %q, the read says %q", p, a, b)
		}
	}
}

// BenchmarkCommands measures run_world_command from end to end, 32 at a time.
func BenchmarkCommands(b *testing.B) {
	for name, encryption := range map[string]bridge.Encryption{"encrypted": bridge.EncryptOffered, "plain": bridge.EncryptNever} {
		b.Run(name, func(b *testing.B) {
			_, world := connect(b, bridge.Options{Encryption: encryption}, embedded.Options{})
			b.ResetTimer()
			const workers = 32
			var group sync.WaitGroup
			for k := range workers {
				group.Go(func() {
					for i := k; i < b.N; i += workers {
						x := i % 1000000 * 4
						if out := world.Run(b.Context(), "overworld", fmt.Sprintf("fill %d %d 0 %d %d 3 stone replace air", x, i/1000000, x+3, i/1000000)); !out.Success {
							b.Errorf("%+v", out)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
		})
	}
}
