package bridge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
	"groundplan/plan/voxel"
)

// BenchmarkSplit shows that cutting a message takes time in proportion to its
// size: compare MB/s.
func BenchmarkSplit(b *testing.B) {
	split := bridge.Split{Prefix: bridge.BridgePrefix, Wrapper: "tell @s "}
	for _, size := range []int{256, 1 << 12, 1 << 16, 1 << 20} {
		message := strings.Repeat("né😀\"12345678", size/16)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := split.Chunks("r1", message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkJoin is the reassembly of an answer of 16 K characters by the pure
// function; BenchmarkReassemble16K is the way it takes in a session.
func BenchmarkJoin(b *testing.B) {
	for _, size := range []int{256, 1 << 12, 1 << 14} {
		lines, err := bridge.Split{Prefix: bridge.BridgePrefix, Wrapper: "tell @s "}.Chunks("r1", strings.Repeat("x", size))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			chunks := make([]bridge.Chunk, len(lines))
			for b.Loop() {
				for i, line := range lines {
					chunks[i], _ = bridge.DecodeBridgeChunk(line)
				}
				if _, err := bridge.Join(chunks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead is a read_region of 8 boxes of 32,768 cells over loopback.
func BenchmarkRead(b *testing.B) {
	server, err := bridge.Listen(b.Context(), bridge.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	page := json.RawMessage(`{"from":0,"palette":["air","stone"],"runs":"` + strings.Repeat("0*s,1*4,", 1023) + `0*s,1*4","next":null,"be":[],"tick":1}`)
	game, err := bridgetest.Connect(b.Context(), server.URL(), bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){
		bridge.CapabilityRead: func(json.RawMessage) (any, error) { return page, nil },
	}})
	if err != nil {
		b.Fatal(err)
	}
	defer game.Close()
	var boxes []voxel.Box
	for x := range 8 {
		boxes = append(boxes, voxel.Box{Min: voxel.Pos{X: x * 32}, Max: voxel.Pos{X: x*32 + 31, Y: 31, Z: 31}})
	}
	world := server.World()
	b.ReportAllocs()
	for b.Loop() {
		if err := world.Await(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := world.Read(b.Context(), "overworld", boxes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*8*bridge.MaxRegionCells/b.Elapsed().Seconds(), "cells/s")
}

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

// BenchmarkRunAll is a slice of 1,000 commands in their order.
func BenchmarkRunAll(b *testing.B) {
	server, err := bridge.Listen(b.Context(), bridge.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	game, err := bridgetest.Connect(b.Context(), server.URL(), answering())
	if err != nil {
		b.Fatal(err)
	}
	defer game.Close()
	world := server.World()
	if err := world.Await(b.Context()); err != nil {
		b.Fatal(err)
	}
	commands := slices.Repeat([]string{`execute in nether run fill -1200 64 -1200 -1185 79 -1185 minecraft:stone replace minecraft:air`}, 1000)
	b.ReportAllocs()
	for b.Loop() {
		for _, got := range world.RunAll(b.Context(), commands) {
			if got.Kind != plan.Answered {
				b.Fatalf("%+v", got)
			}
		}
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "calls/s")
}
