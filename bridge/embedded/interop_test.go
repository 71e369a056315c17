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
func connect(t testing.TB, b bridge.Options, o embedded.Options) (*embedded.World, *bridge.World) {
	t.Helper()
	b.Addr = "127.0.0.1:0"
	server, err := bridge.Listen(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	o.URL = server.URL()
	w, err := embedded.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := server.World().Await(ctx); err != nil {
		t.Fatal(err)
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
			box := voxel.Box{Min: voxel.Pos{X: -3, Y: -64, Z: -3}, Max: voxel.Pos{X: 20, Y: 20, Z: 20}}
			half := voxel.Box{Min: voxel.Pos{X: -3, Y: -20, Z: -3}, Max: voxel.Pos{X: 20, Y: 20, Z: 20}}
			snapshot, err := world.Read(t.Context(), "overworld", []voxel.Box{half})
			if err != nil {
				t.Fatal(err)
			}
			want, err := w.Volume("overworld", half)
			if err != nil {
				t.Fatal(err)
			}
			sameCells(t, want, snapshot.Cells, half)
			digests, err := world.Digests(t.Context(), "overworld", half)
			if err != nil {
				t.Fatal(err)
			}
			if got := voxel.Digests(want, half); fmt.Sprint(got) != fmt.Sprint(digests) {
				t.Errorf("digests of the world %v, ours %v", digests, got)
			}
			_ = box
		})
	}
}

func sameCells(t testing.TB, want, got *voxel.Volume, box voxel.Box) {
	t.Helper()
	for p := range box.All() {
		a, _ := want.At(p)
		if b, _ := got.At(p); a != b {
			t.Fatalf("at %v the world has %q, the read says %q", p, a, b)
		}
	}
}

func TestRates(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures")
	}
	for _, encryption := range []bridge.Encryption{bridge.EncryptOffered, bridge.EncryptNever} {
		w, world := connect(t, bridge.Options{Encryption: encryption}, embedded.Options{})
		const n, workers = 20000, 32
		start := time.Now()
		var group sync.WaitGroup
		for k := range workers {
			group.Go(func() {
				for i := k; i < n; i += workers {
					if out := world.Run(t.Context(), "overworld", fmt.Sprintf("fill %d 0 0 %d 3 3 stone replace air", i*4, i*4+3)); !out.Success {
						t.Errorf("%+v", out)
						return
					}
				}
			})
		}
		group.Wait()
		t.Logf("encryption %q: %.0f commands/s", encryption, n/time.Since(start).Seconds())
		_ = w
	}
}
