package embedded_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestFaultsAreReadFromText(t *testing.T) {
	f, err := embedded.ParseFaults("drop=0.5,max_delay=2s,edit=1")
	if err != nil || f.Drop != 0.5 || f.MaxDelay != 2*time.Second || f.Edit != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	if again, err := embedded.ParseFaults(f.String()); err != nil || again != f {
		t.Errorf("%s is read as %+v (%v)", f, again, err)
	}
	for _, text := range []string{"drop=2", "drop=x", "drop", "fire=1", "max_delay=-1s", "drop=NaN"} {
		if _, err := embedded.ParseFaults(text); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNoFaultMakesAnAnswerThatIsNotSo sends commands through every fault of the
// way. Whatever is answered must have happened; whatever is unknown may have.
func TestNoFaultMakesAnAnswerThatIsNotSo(t *testing.T) {
	faults, err := embedded.ParseFaults("drop=0.05,duplicate=0.1,reorder=0.1,delay=0.1,refuse=0.05,disconnect=0.01,pause=0.01,max_delay=20ms,pause_for=100ms")
	if err != nil {
		t.Fatal(err)
	}
	w, world := connect(t, bridge.Options{Timeout: 300 * time.Millisecond}, embedded.Options{Seed: 42, Reconnect: time.Millisecond})
	w.SetFaults(faults)
	kinds, refusals := map[plan.OutcomeKind]int{}, map[string]int{}
	for x := range 150 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if err := world.Await(ctx); err != nil {
			cancel()
			continue // it could not connect in time: that is an outcome too
		}
		out := world.Run(ctx, "overworld", fmt.Sprintf("setblock %d 0 0 stone", x))
		cancel()
		kinds[out.Kind]++
		if out.Kind == plan.Refused {
			refusals[out.Message]++
			time.Sleep(20 * time.Millisecond) // a connection that broke is not noticed at once
		}
		if s, _ := w.At("overworld", voxel.Pos{X: x}); out.Kind == plan.Answered && out.Success && s != "minecraft:stone" {
			t.Errorf("setblock at x %d was answered, the cell holds %s", x, s)
		}
	}
	if kinds[plan.Answered] < 50 || kinds[plan.Unknown]+kinds[plan.Refused] == 0 {
		t.Errorf("outcomes %v, faults %v, refusals %v", kinds, w.Committed(), refusals)
	}
}

func TestFaultsOfTheWorld(t *testing.T) {
	w, world := connect(t, bridge.Options{}, embedded.Options{Faults: embedded.Faults{Edit: 1}, Seed: 1})
	start, err := world.Changes(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for x := range 20 {
		world.Run(t.Context(), "overworld", fmt.Sprintf("setblock %d 0 0 gold_block", x))
	}
	page, err := world.Changes(t.Context(), start.Cursor)
	if err != nil || len(page.List) != 20 {
		t.Errorf("%d changes by somebody else: %v", len(page.List), err)
	}
	if n := w.Committed()["edit"]; n != 20 {
		t.Errorf("%d edits", n)
	}
}

func TestUnloadedChunksComeBack(t *testing.T) {
	_, world := connect(t, bridge.Options{}, embedded.Options{Faults: embedded.Faults{Unload: 1, UnloadFor: 20 * time.Millisecond}, Seed: 1})
	if out := world.Run(t.Context(), "overworld", "setblock 0 0 0 stone"); out.Kind != plan.Answered || out.Success {
		t.Errorf("%+v", out)
	}
	box := cube(voxel.Pos{}, voxel.Pos{X: 1, Y: 1, Z: 1})
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		s, err := world.Read(t.Context(), "overworld", []voxel.Box{box})
		if err != nil {
			t.Fatal(err)
		}
		if s.Cells.Len() == 1 {
			return
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the chunk never came back")
		}
	}
}

func TestACrashForgetsWhatWasNotSaved(t *testing.T) {
	dir := t.TempDir()
	w, world := connect(t, bridge.Options{}, embedded.Options{Dir: dir, Autosave: -1})
	world.Run(t.Context(), "overworld", "setblock 0 0 0 stone")
	if err := w.Save(); err != nil {
		t.Fatal(err)
	}
	world.Run(t.Context(), "overworld", "setblock 1 0 0 stone")
	w.Crash()
	select {
	case <-w.Done():
	default:
		t.Error("the world runs on after its crash")
	}
	again, _ := connect(t, bridge.Options{}, embedded.Options{Dir: dir})
	saved, _ := again.At("overworld", voxel.Pos{})
	lost, _ := again.At("overworld", voxel.Pos{X: 1})
	if saved != "minecraft:stone" || lost != "minecraft:air" {
		t.Errorf("the world came back with %s and %s", saved, lost)
	}
}

func TestTheSameSeedMeetsTheSameFaults(t *testing.T) {
	run := func(seed uint64) string {
		w, world := connect(t, bridge.Options{}, embedded.Options{Faults: embedded.Faults{Drift: 0.5, Edit: 0.3}, Seed: seed})
		for x := range 30 {
			world.Run(t.Context(), "overworld", fmt.Sprintf("fill %d 0 0 %d 3 3 gold_block", 4*x, 4*x+3))
		}
		v, err := w.Volume("overworld", cube(voxel.Pos{}, voxel.Pos{X: 120, Y: 4, Z: 4}))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(voxel.Digests(v, cube(voxel.Pos{}, voxel.Pos{X: 120, Y: 4, Z: 4})))
	}
	if a, b := run(5), run(5); a != b {
		t.Error("two runs with one seed differ")
	}
	if a, b := run(5), run(6); a == b {
		t.Error("two seeds give the same world")
	}
}

func TestACrashFaultEndsTheWorld(t *testing.T) {
	w, world := connect(t, bridge.Options{Timeout: time.Second}, embedded.Options{})
	w.SetFaults(embedded.Faults{Crash: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	world.Run(ctx, "overworld", "setblock 0 0 0 stone")
	select {
	case <-w.Done():
	case <-ctx.Done():
		t.Error("the world did not crash")
	}
}

// TestEachFaultDoesWhatItsNameSays commits every fault alone, from the text of the
// flag.
func TestEachFaultDoesWhatItsNameSays(t *testing.T) {
	const cell = "minecraft:gold_block"
	for text, check := range map[string]func(out plan.Outcome, held string) bool{
		"drop=1":                 func(out plan.Outcome, _ string) bool { return out.Kind == plan.Unknown },
		"duplicate=1":            func(out plan.Outcome, held string) bool { return out.Success && held == cell },
		"reorder=1":              func(plan.Outcome, string) bool { return true }, // the order is the seed's
		"delay=1,max_delay=5ms":  func(out plan.Outcome, held string) bool { return out.Success && held == cell },
		"refuse=1":               func(out plan.Outcome, held string) bool { return out.Kind == plan.Refused && held == "minecraft:air" },
		"disconnect=1":           func(out plan.Outcome, _ string) bool { return out.Kind != plan.Answered },
		"pause=1,pause_for=20ms": func(out plan.Outcome, held string) bool { return out.Success && held == cell },
		"crash=1":                func(out plan.Outcome, _ string) bool { return out.Kind != plan.Answered },
		"unload=1,unload_for=1h": func(out plan.Outcome, held string) bool { return !out.Success && held == "" },
		"edit=1":                 func(out plan.Outcome, held string) bool { return out.Success && held != cell },
		"drift=1":                func(out plan.Outcome, held string) bool { return out.Success && held != cell },
	} {
		t.Run(text, func(t *testing.T) {
			faults, err := embedded.ParseFaults(text)
			if err != nil {
				t.Fatal(err)
			}
			w, world := connect(t, bridge.Options{Timeout: time.Second}, embedded.Options{Seed: 1, Reconnect: -1})
			w.SetFaults(faults)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			out := world.Run(ctx, "overworld", "setblock 0 0 0 gold_block")
			held, _ := w.At("overworld", voxel.Pos{})
			name, _, _ := strings.Cut(text, "=")
			if !check(out, string(held)) || w.Committed()[name] == 0 {
				t.Errorf("%+v, the cell holds %q, committed %v", out, held, w.Committed())
			}
		})
	}
}
