package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/embedded/store"
	"groundplan/plan"
	"groundplan/plan/voxel"
)

var (
	worldKills = flag.Int("worldkills", 12, "how often the process of an embedded world is killed")
	worldSeed  = flag.Uint64("worldseed", 0, "what the kills of an embedded world are drawn from; 0 draws it, too")
)

// arena is the box in which a killed world is written.
var arena = voxel.Box{Min: voxel.Pos{X: -12, Y: 0, Z: -12}, Max: voxel.Pos{X: 11, Y: 7, Z: 11}}

// cells is what the arena holds, in y, z, x order.
type cells []string

// step is a command whose whole effect is known: the cells of the box that hold
// before, or any if that is "", hold after; then somebody else may have set one of
// them in sight of the script, and one unseen.
type step struct {
	box           voxel.Box
	before, after string
}

// others is what somebody else sets.
var others = []string{"minecraft:air", "minecraft:stone", "minecraft:cobblestone", "minecraft:oak_planks"}

func (s step) command() string {
	text := fmt.Sprintf("fill %s %s %s", corner(s.box.Min), corner(s.box.Max), s.after)
	if s.before != "" {
		text += " replace " + s.before
	}
	return text
}

func corner(p voxel.Pos) string { return fmt.Sprintf("%d %d %d", p.X, p.Y, p.Z) }

// leads reports whether the step can have made now of old.
func (s step) leads(old, now cells) bool {
	edits, i := 0, 0
	for p := range arena.All() {
		want := old[i]
		if s.box.Has(p) && (s.before == "" || s.before == want) {
			want = s.after
		}
		if now[i] != want {
			if edits++; edits > 2 || !s.box.Has(p) || !slices.Contains(others, now[i]) {
				return false
			}
		}
		i++
	}
	return true
}

// life is what one process did: the states that it showed, the first being what it
// found, and the step whose outcome nobody saw.
type life struct {
	states []cells
	unseen *step
	saved  int // index of a state that was on disk while it lived
}

// check returns which of the life's states the file holds; one more than there are
// for what the unseen step made. It fails unless that is a state that existed, and
// not one that is older than a save that was seen.
func (l *life) check(file cells) (int, error) {
	for i, state := range slices.Backward(l.states) {
		if !slices.Equal(state, file) {
			continue
		}
		if i < l.saved {
			return i, fmt.Errorf("the file holds state %d, and had held %d", i, l.saved)
		}
		return i, nil
	}
	if last := l.states[len(l.states)-1]; l.unseen != nil && l.unseen.leads(last, file) {
		return len(l.states), nil
	}
	return -1, fmt.Errorf("the file holds none of the %d states that the world had, nor what %+v makes of the last", len(l.states), l.unseen)
}

// TestAKilledWorldIsAStateThatWasSaved kills the process of a world at random
// moments, many times: while it starts, while it runs commands and is edited by
// others, while it saves. The file it leaves opens, is one of the states that the
// world had, in their order and no mixture of two, and is never older than a file
// that was seen before.
func TestAKilledWorldIsAStateThatWasSaved(t *testing.T) {
	seed := *worldSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-worldseed=%d", seed)
	k := &killer{t: t, random: rand.New(rand.NewPCG(seed, 1)), program: buildProgram(t), dir: t.TempDir()}
	now, _ := k.open()
	var young, tails, unseen, steps int
	for round := range *worldKills {
		l := k.live(now, round)
		file, id := k.open()
		at, err := l.check(file)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if k.id != "" && id != k.id {
			t.Fatalf("round %d: the world was %s and is %s", round, k.id, id)
		}
		k.id, now = id, file
		switch steps += len(l.states) - 1; {
		case len(l.states) == 1:
			young++
		case at == len(l.states):
			unseen++
		case at < len(l.states)-1:
			tails++
		}
	}
	t.Logf("%d kills, %d commands: %d processes died before their first command, %d lost a tail, %d had saved what nobody had seen",
		*worldKills, steps, young, tails, unseen)
	if steps == 0 {
		t.Error("no process lived long enough to do anything")
	}
	names, err := os.ReadDir(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) > 3 { // the world, its lock, and what the last process was writing
		t.Errorf("saves that were cut short are left behind: %v", names)
	}
}

// buildProgram builds the program, without the race detector: the script engine is too
// slow with it.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "groundplan")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// killer runs the processes of one world, one after the other.
type killer struct {
	t       *testing.T
	random  *rand.Rand
	program string
	dir     string
	id      string // of the world, once it has one
}

// open reads the arena, and who the world is, from the file.
func (k *killer) open() (cells, string) {
	k.t.Helper()
	w, err := store.Open(k.dir)
	if err != nil {
		k.t.Fatalf("the world does not open: %v", err)
	}
	d := w.Dimension(store.Overworld)
	state := make(cells, 0, arena.Volume())
	for p := range arena.All() {
		state = append(state, w.Text(d.At(p)))
	}
	id, _ := w.Properties["groundplan:world_id"].(string)
	return state, id
}

// live starts a process over the world, sends it commands, and kills it at a
// random moment.
func (k *killer) live(found cells, round int) *life {
	k.t.Helper()
	server, err := bridge.Listen(k.t.Context(), bridge.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	autosave := []string{"2ms", "20ms", "100ms"}[k.random.IntN(3)]
	child := exec.CommandContext(context.Background(), k.program, "world", "run", server.URL(), "--dir", k.dir,
		"--tick", "0s", "--autosave", autosave, "--faults", "edit=0.3,drift=0.2", "--seed", fmt.Sprint(round))
	var said strings.Builder
	child.Stderr = &said
	if err := child.Start(); err != nil {
		k.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	var killed atomic.Bool
	kill := func() {
		killed.Store(true)
		_ = child.Process.Kill() // SIGKILL; Wait tells
		cancel()
	}
	// One of four dies while it starts; the others some time after they have connected.
	delay := time.Duration(k.random.IntN(300)) * time.Millisecond
	early := k.random.IntN(4) == 0
	if early {
		defer time.AfterFunc(delay, kill).Stop()
	}
	l := &life{states: []cells{found}}
	if world := server.World(); world.Await(ctx) == nil {
		if !early {
			defer time.AfterFunc(delay, kill).Stop()
		}
		for k.act(ctx, world, l) {
		}
	}
	<-ctx.Done()
	if err := child.Wait(); err == nil || !killed.Load() {
		k.t.Fatalf("round %d: the process ended by itself: %v\n%s", round, err, said.String())
	}
	return l
}

// act takes one step and notes what came of it; false when the process is gone.
func (k *killer) act(ctx context.Context, world *bridge.World, l *life) bool {
	s := k.draw()
	l.unseen = &s
	o := world.Run(ctx, store.Overworld, s.command())
	if o.Kind != plan.Answered {
		return false
	}
	seen, err := world.Read(ctx, store.Overworld, []voxel.Box{arena})
	if err != nil {
		return false
	}
	state := make(cells, 0, arena.Volume())
	for p := range arena.All() {
		text, _ := seen.Cells.At(p)
		state = append(state, text)
	}
	if !s.leads(l.states[len(l.states)-1], state) {
		k.t.Errorf("%q made something else", s.command())
	}
	l.states, l.unseen = append(l.states, state), nil
	if k.random.IntN(4) == 0 {
		file, _ := k.open()
		if at, err := l.check(file); err != nil {
			k.t.Errorf("while the world runs: %v", err)
		} else {
			l.saved = at
		}
	}
	return true
}

// draw makes a step.
func (k *killer) draw() step {
	blocks := []string{"minecraft:stone", "minecraft:dirt", "minecraft:gold_block", "minecraft:glass", "minecraft:air", "minecraft:bookshelf"}
	size := arena.Size()
	pick := func() voxel.Pos {
		return arena.Min.Add(voxel.Pos{X: k.random.IntN(size.X), Y: k.random.IntN(size.Y), Z: k.random.IntN(size.Z)})
	}
	s := step{box: voxel.Cube(pick()).Union(voxel.Cube(pick())), after: blocks[k.random.IntN(len(blocks))]}
	if k.random.IntN(3) == 0 {
		s.before = blocks[k.random.IntN(len(blocks))]
	}
	return s
}

func TestTheCheckOfKilledWorldsSeesWhatIsNoState(t *testing.T) {
	air := make(cells, arena.Volume())
	for i := range air {
		air[i] = "minecraft:air"
	}
	set := func(old cells, from, to int, block string) cells {
		now := slices.Clone(old)
		for i := from; i < to; i++ {
			now[i] = block
		}
		return now
	}
	row := arena.Size().X
	first := set(air, 0, row, "minecraft:dirt")
	second := set(first, row, 2*row, "minecraft:dirt")
	third := step{box: voxel.Box{Min: arena.Min, Max: arena.Min.Add(voxel.Pos{X: row - 1})}, after: "minecraft:glass"}
	done := set(second, 0, row, "minecraft:glass")
	l := &life{states: []cells{air, first, second}, unseen: &third, saved: 1}
	for name, c := range map[string]struct {
		file cells
		at   int // -1 for no state
	}{
		"older than a save":                      {air, -1},
		"the saved one":                          {first, 1},
		"the last one":                           {second, 2},
		"the unseen step":                        {done, 3},
		"the unseen step and an edit":            {set(done, 3, 4, "minecraft:stone"), 3},
		"half a step":                            {set(first, row, row+5, "minecraft:dirt"), -1},
		"half of the unseen step":                {set(second, 0, row/2, "minecraft:glass"), -1},
		"the unseen step without the one before": {set(first, 0, row, "minecraft:glass"), -1},
		"a cell that nobody set":                 {set(second, 100, 101, "minecraft:gold_block"), -1},
	} {
		at, err := l.check(c.file)
		if (err != nil) != (c.at < 0) || err == nil && at != c.at {
			t.Errorf("%s: state %d, %v", name, at, err)
		}
	}
}
