package recovery

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

// Every port has its real implementation.
var (
	_ World = (*bridge.World)(nil)
	_ Log   = (*journal.Journal)(nil)
)

// yard is a Runner with a journal that syncs, over a real WebSocket to the
// embedded world.
type yard struct {
	tb       testing.TB
	registry *block.Registry
	project  plan.Project
	log      *journal.Journal
	game     *embedded.World
	world    *bridge.World
	runner   *Runner
	ids      atomic.Int64
}

func newYard(tb testing.TB) *yard {
	tb.Helper()
	return newYardWith(tb, bridge.Options{}, embedded.Options{}, nil)
}

// newYardWith starts a yard whose link is as the options say; via may put
// something between the game and the bridge and returns the address to dial.
func newYardWith(tb testing.TB, link bridge.Options, game embedded.Options, via func(url string) string) *yard {
	tb.Helper()
	y := &yard{tb: tb}
	var err error
	if y.registry, err = block.Load(block.Profile50); err != nil {
		tb.Fatal(err)
	}
	link.Addr, link.Settle = "127.0.0.1:0", -1
	server, err := bridge.Listen(context.Background(), link)
	if err != nil {
		tb.Fatal(err)
	}
	y.world = server.World()
	game.URL, game.Dir = server.URL(), tb.TempDir()
	if via != nil {
		game.URL = via(game.URL)
	}
	if y.game, err = embedded.Start(context.Background(), game); err != nil {
		tb.Fatal(err)
	}
	if err := y.world.Await(context.Background()); err != nil {
		tb.Fatal(err)
	}
	if y.log, err = journal.Open(filepath.Join(tb.TempDir(), "journal.db"), journal.Options{}); err != nil {
		tb.Fatal(err)
	}
	y.project = plan.Project{
		ID: "default", Dimension: "overworld", Limits: plan.DefaultLimits(),
		Region: voxel.Box{Min: voxel.Pos{X: -256, Y: -64, Z: -256}, Max: voxel.Pos{X: 255, Y: 319, Z: 255}},
	}
	y.project.Limits.PlanCells = 1 << 22
	y.runner, err = Start(context.Background(), Options{
		Log: y.log, World: y.world, Registry: func() *block.Registry { return y.registry },
		Project: func(string) (plan.Project, bool) { return y.project, true },
		NewID:   func() string { return fmt.Sprintf("id-%d", y.ids.Add(1)) },
		Retry:   20 * time.Millisecond,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		y.runner.Close()
		if err := y.log.Check(); err != nil {
			tb.Error(err)
		}
		if err := y.log.Close(); err != nil {
			tb.Error(err)
		}
		if err := y.game.Close(); err != nil {
			tb.Error(err)
		}
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	return y
}

func (y *yard) prepare(wanted *voxel.Volume) *plan.Plan {
	y.tb.Helper()
	snap, world := y.look(wanted)
	now := time.Now().UnixMilli()
	p, err := plan.Draft(wanted, snap, plan.Plan{
		ID: fmt.Sprintf("plan-%d", y.ids.Add(1)), Project: "default", WorldID: world.ID, WorldEpoch: world.Epoch, Dimension: "overworld",
		Region: y.project.Region, CreatedAt: now, ExpiresAt: now + 600_000,
	}, plan.Env{Registry: y.registry, Limits: y.project.Limits, Region: y.project.Region})
	if err != nil {
		y.tb.Fatal(err)
	}
	if err := y.log.PutPlan(p); err != nil {
		y.tb.Fatal(err)
	}
	return p
}

// look reads cells and which world they are of, again while the link fails.
func (y *yard) look(wanted *voxel.Volume) (*plan.Snapshot, plan.World) {
	y.tb.Helper()
	for range 100 {
		snap, err := y.world.Read(y.tb.Context(), "overworld", wanted.Mask().Reads(maxRead))
		if err == nil {
			var world plan.World
			if world, err = y.world.Info(); err == nil {
				return snap, world
			}
		}
		if !transient(err) {
			y.tb.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	y.tb.Fatal("the link never came back")
	return nil, plan.World{}
}

func (y *yard) apply(p *plan.Plan, key string) plan.Operation {
	y.tb.Helper()
	op, err := y.runner.Apply(y.project, "console", p.ID, p.Hash, key)
	for i := 0; i < 100 && transient(err); i++ {
		time.Sleep(50 * time.Millisecond)
		op, err = y.runner.Apply(y.project, "console", p.ID, p.Hash, key)
	}
	if err != nil {
		y.tb.Fatal(err)
	}
	if op, err = y.runner.Wait(y.tb.Context(), op.ID, 1<<62); err != nil {
		y.tb.Fatal(err)
	}
	return op
}

func TestEmbeddedWorldIsWrittenAndUndoneOverTheRealBridge(t *testing.T) {
	y := newYard(t)
	wanted := box(0, -61, 0, 12, 9, 7, "minecraft:oak_planks")
	for z := range 7 {
		wanted.Put(voxel.Pos{X: 3, Y: -55, Z: z}, "minecraft:oak_log[pillar_axis=z]")
	}
	op := y.apply(y.prepare(wanted), "k1")
	if op.Status != plan.Applied || op.Written != 12*9*7 {
		t.Fatalf("operation is %s with %d written: %s", op.Status, op.Written, op.Message)
	}
	for p, id := range wanted.All() {
		if got, ok := y.game.At("overworld", p); !ok || string(got) != wanted.Content(id) {
			t.Fatalf("%v is %s, want %s", p, got, wanted.Content(id))
		}
	}
	undos, err := y.runner.PrepareUndo(t.Context(), UndoRequest{Operations: []string{op.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if err := y.log.PutPlan(undos[0].Plan); err != nil {
		t.Fatal(err)
	}
	if op = y.apply(undos[0].Plan, "k2"); op.Status != plan.Applied {
		t.Fatalf("undo is %s: %s", op.Status, op.Message)
	}
	if got, _ := y.game.At("overworld", voxel.Pos{X: 0, Y: -61, Z: 0}); got != "minecraft:grass_block" {
		t.Fatalf("after the undo the ground is %s", got)
	}
}

// mixed returns a box of random blocks, the worst case for the box cover.
func mixed(sx, sy, sz int) *voxel.Volume {
	v := voxel.NewVolume()
	blocks := []string{"minecraft:stone", "minecraft:dirt", "minecraft:oak_planks", "minecraft:stone_bricks", "minecraft:glass", "minecraft:air"}
	random := rand.New(rand.NewPCG(1, 2))
	for p := range (voxel.Box{Max: voxel.Pos{X: sx - 1, Y: sy - 1, Z: sz - 1}}).All() {
		v.Put(p, blocks[random.IntN(len(blocks))])
	}
	return v
}

// layered returns a box whose layers differ, as terrain does.
func layered(sx, sy, sz int) *voxel.Volume {
	v := voxel.NewVolume()
	blocks := []string{"minecraft:stone", "minecraft:dirt", "minecraft:oak_planks", "minecraft:stone_bricks"}
	for p := range (voxel.Box{Max: voxel.Pos{X: sx - 1, Y: sy - 1, Z: sz - 1}}).All() {
		v.Put(p, blocks[(p.X/7+p.Y/3+p.Z/11)%len(blocks)])
	}
	return v
}

// corpusDir holds builds of real people; it is not part of the repository.
const corpusDir = "../../shared/corpus"

// real returns the blocks of a build of the corpus, without its air.
func real(tb testing.TB, file string) *voxel.Volume {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(corpusDir, file))
	if err != nil {
		tb.Skip("the corpus of real files is not here")
	}
	s, err := schematic.Open(bytes.NewReader(data), plan.DefaultLimits())
	if err != nil {
		tb.Fatal(err)
	}
	registry, err := block.Load(block.Profile50)
	if err != nil {
		tb.Fatal(err)
	}
	wanted, err := s.Place(registry, schematic.Placement{Anchor: schematic.AnchorCorner, SkipAir: true})
	if err != nil {
		tb.Fatal(err)
	}
	return wanted
}

// BenchmarkApply compares the full path – intent, commands, read-back, receipt,
// audit – with sending the same commands and nothing else. The two take turns in
// one world, so that what else the machine does falls on both.
func BenchmarkApply(b *testing.B) {
	made := map[string]*voxel.Volume{
		"solid-128":          box(0, 0, 0, 128, 128, 128, stone),
		"layered-100x60x100": layered(100, 60, 100),
		"mixed-32":           mixed(32, 32, 32),
	}
	for _, name := range []string{
		"solid-128", "layered-100x60x100", "mixed-32",
		"schematic/PrismarineJS__viking-house1.schematic", "schem/LOOHP__2_spawn.schem", "litematic/SandroHc__mansion.litematic",
	} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			wanted, ok := made[name]
			if !ok {
				wanted = real(b, name)
			}
			y := newYard(b)
			var full, raw, fullCPU, rawCPU time.Duration
			for i := range b.N {
				p := y.prepare(wanted)
				var lines []string
				for _, s := range p.Slices {
					for _, f := range s.Fills {
						line, _ := plan.Lines(f, y.registry, "overworld")
						lines = append(lines, line)
					}
				}
				start, cpu := time.Now(), cpuTime(b)
				y.world.RunAll(b.Context(), lines)
				raw, rawCPU = raw+time.Since(start), rawCPU+cpuTime(b)-cpu
				y.clear(wanted)
				start, cpu = time.Now(), cpuTime(b)
				op := y.apply(p, fmt.Sprint("k", i))
				full, fullCPU = full+time.Since(start), fullCPU+cpuTime(b)-cpu
				if op.Status != plan.Applied {
					b.Fatalf("operation is %s: %s", op.Status, op.Message)
				}
				y.clear(wanted)
				b.ReportMetric(float64(len(lines)), "commands")
				b.ReportMetric(float64(p.Changed), "cells")
			}
			b.ReportMetric(float64(b.N*wanted.Len())/full.Seconds(), "cells/s")
			b.ReportMetric(float64(b.N*wanted.Len())/raw.Seconds(), "raw-cells/s")
			b.ReportMetric(raw.Seconds()/full.Seconds(), "of-raw")
			b.ReportMetric(rawCPU.Seconds()/fullCPU.Seconds(), "of-raw-cpu")
		})
	}
}

// cpuTime returns the processor time that this process has used, the game's
// included.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// clear makes the cells air again without a trace.
func (y *yard) clear(v *voxel.Volume) {
	for p := range v.All() {
		if err := y.game.Set("overworld", p, string(block.Air), false); err != nil {
			y.tb.Fatal(err)
		}
	}
}
