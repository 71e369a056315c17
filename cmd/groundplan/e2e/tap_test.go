package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"groundplan/bridge/embedded"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// tap stands between a bridge and a world, passes every frame on, and keeps
// what the bridge asks the world to do.
type tap struct {
	bridge string // URL of the bridge
	server *httptest.Server

	mu    sync.Mutex // protects lines
	lines []string   // the command lines that went to the world
}

// listenIn returns a tap on the bridge. It offers no encryption to the bridge,
// so that what it reads is plain.
func listenIn(t *testing.T, bridge string) *tap {
	t.Helper()
	p := &tap{bridge: bridge}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.server.Close)
	return p
}

// url is where the world finds the tap: the bridge's own path on our port.
func (p *tap) url(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(p.bridge)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = strings.TrimPrefix(p.server.URL, "http://")
	return u.String()
}

func (p *tap) serve(w http.ResponseWriter, r *http.Request) {
	const most = 16 << 20
	world, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // the world sees it
	}
	defer world.CloseNow()
	bridge, _, err := websocket.Dial(r.Context(), p.bridge, nil)
	if err != nil {
		return
	}
	defer bridge.CloseNow()
	world.SetReadLimit(most)
	bridge.SetReadLimit(most)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		defer cancel()
		pass(ctx, world, bridge, func([]byte) {})
	}()
	pass(ctx, bridge, world, p.hear)
}

// pass carries frames until one side is gone.
func pass(ctx context.Context, from, to *websocket.Conn, hear func([]byte)) {
	for {
		kind, frame, err := from.Read(ctx)
		if err != nil {
			return
		}
		hear(frame)
		if err := to.Write(ctx, kind, frame); err != nil {
			return
		}
	}
}

func (p *tap) hear(frame []byte) {
	var envelope struct {
		Header struct {
			Purpose string `json:"messagePurpose"`
		} `json:"header"`
		Body struct {
			Line string `json:"commandLine"`
		} `json:"body"`
	}
	line := "not JSON: " + string(frame)
	if json.Unmarshal(frame, &envelope) == nil {
		if envelope.Header.Purpose != "commandRequest" {
			return
		}
		line = envelope.Body.Line
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, line)
}

// heard returns the commands of all run_world_command requests, in order. Every
// other line must be one that cannot write.
func (p *tap) heard(t *testing.T) []string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	reads := []string{"world_hello", "read_region", "region_digest", "region_entities", "world_changes", "get_player_snapshot", "get_inventory_snapshot"}
	var commands []string
	for _, line := range p.lines {
		if len(line) > 461 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
		request, ok := strings.CutPrefix(strings.TrimPrefix(line, "/"), "scriptevent mcbews:bridge_req ")
		if !ok {
			if word := strings.Fields(line); len(word) == 0 || !slices.Contains([]string{"getlocalplayername", "list", "testforblock"}, word[0]) {
				t.Errorf("a command outside the protocol: %s", line)
			}
			continue
		}
		var call struct {
			Capability string `json:"capability"`
			Payload    struct {
				Command string `json:"command"`
			} `json:"payload"`
		}
		if err := json.Unmarshal([]byte(request), &call); err != nil {
			t.Errorf("%v in %s", err, line)
			continue
		}
		switch {
		case call.Capability == "run_world_command":
			commands = append(commands, call.Payload.Command)
		case !slices.Contains(reads, call.Capability):
			t.Errorf("capability %s is neither a read nor run_world_command", call.Capability)
		}
	}
	return commands
}

// rebuilt is a flat world to which commands are applied by the letter of the
// wire alone.
type rebuilt struct {
	registry *block.Registry
	cells    map[voxel.Pos]block.State // those that differ from the flat world
}

func (w *rebuilt) at(p voxel.Pos) block.State {
	if s, ok := w.cells[p]; ok {
		return s
	}
	switch y := p.Y; {
	case y == -64:
		return "minecraft:bedrock[infiniburn_bit=false]"
	case y < -61:
		return "minecraft:dirt"
	case y == -61:
		return "minecraft:grass_block"
	default:
		return block.Air
	}
}

var (
	fillCommand     = regexp.MustCompile(`^fill (-?\d+) (-?\d+) (-?\d+) (-?\d+) (-?\d+) (-?\d+) ([a-z0-9_:]+) ?(\[[^\]]*\])? ?(?:replace ([a-z0-9_:]+) ?(\[[^\]]*\])?)?$`)
	setblockCommand = regexp.MustCompile(`^setblock (-?\d+) (-?\d+) (-?\d+) ([a-z0-9_:]+) ?(\[[^\]]*\])?( replace)?$`)
	stateInCommand  = regexp.MustCompile(`"([a-z0-9_:]+)"=("?)([a-z0-9_]+)"?`)
)

// run applies one command.
func (w *rebuilt) run(t *testing.T, command string) {
	t.Helper()
	if m := setblockCommand.FindStringSubmatch(command); m != nil {
		w.cells[corner(t, m[1:4])] = w.state(t, m[4], m[5])
		return
	}
	m := fillCommand.FindStringSubmatch(command)
	if m == nil {
		t.Fatalf("neither fill nor setblock: %s", command)
	}
	area := voxel.Box{Min: corner(t, m[1:4]), Max: corner(t, m[4:7])}
	after := w.state(t, m[7], m[8])
	if n := area.Volume(); n < 1 || n > 32768 {
		t.Errorf("%d cells in %s", n, command)
	}
	for p := range area.All() {
		if m[9] == "" || matches(w.at(p), m[9], m[10]) {
			w.cells[p] = after
		}
	}
}

// corner reads three coordinates.
func corner(t *testing.T, texts []string) voxel.Pos {
	t.Helper()
	var list [3]int
	for i, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = n
	}
	return voxel.Pos{X: list[0], Y: list[1], Z: list[2]}
}

func (w *rebuilt) state(t *testing.T, id, states string) block.State {
	t.Helper()
	s, err := w.registry.Parse(id + states)
	if err != nil {
		t.Fatalf("%s%s: %v", id, states, err)
	}
	return s
}

// matches reports whether a cell passes the filter of fill … replace: the id is
// equal, and so is every state that the filter lists.
func matches(cell block.State, id, states string) bool {
	if strings.TrimPrefix(cell.ID(), "minecraft:") != strings.TrimPrefix(id, "minecraft:") {
		return false
	}
	for _, m := range stateInCommand.FindAllStringSubmatch(states, -1) {
		if !regexp.MustCompile(`[\[,]` + regexp.QuoteMeta(m[1]+"="+m[3]) + `[\],]`).MatchString(string(cell)) {
			return false
		}
	}
	return true
}

// connected is a service in connect mode, and an embedded world of this test's
// own at the other end of a tap.
type connected struct {
	*service
	world *embedded.World
	tap   *tap
}

func connect(t *testing.T) connected {
	t.Helper()
	s := start(t, t.TempDir(), "--world", "connect", "--allow-local-automation")
	c := connected{service: s, tap: listenIn(t, s.Bridge)}
	world, err := embedded.Start(t.Context(), embedded.Options{URL: c.tap.url(t), Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	c.world = world
	t.Cleanup(func() { _ = world.Close() }) // the service is gone by then, and the world says so
	deadline := time.Now().Add(20 * time.Second)
	for {
		a := s.send(t, s.agent, "region_inspect", object{"min": pos{0, 0, 0}, "max": pos{0, 0, 0}})
		if a.OK {
			return c
		}
		if a.Error.Code != "world_unavailable" || time.Now().After(deadline) {
			t.Fatalf("while the world connects: %+v", a.Error)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestEveryWriteIsACommandOnTheWire(t *testing.T) {
	c := connect(t)
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	w := &rebuilt{registry: registry, cells: map[voxel.Pos]block.State{}}

	// Two builds that overlap, into the ground and above it, the undo of the
	// second, and a conflict in between.
	c.mustApply(t, c.prepare(t, stripes(pos{-9, -63, -9}, 18, 12, 18)...), "first", 18*12*18)
	plan := c.prepare(t,
		object{"type": "cylinder", "center": pos{0, -56, 0}, "radius": 7, "height": 9, "block": "minecraft:brick_block", "hollow": true},
		object{"type": "line", "from": pos{-9, -60, -9}, "to": pos{9, -50, 4}, "block": "minecraft:oak_stairs[weirdo_direction=2]"},
	)
	second := c.mustApply(t, plan, "second", plan.Changed)
	late := c.prepare(t, hollow(pos{20, 0, 20}))
	c.mustApply(t, c.prepare(t, box(pos{20, 0, 20}, pos{20, 0, 20}, "minecraft:gold_block")), "gold", 1)
	if op := c.apply(t, late, "late"); op.Status != "conflict" || op.Written != 0 {
		t.Errorf("%+v, want a conflict", op)
	}
	undo := call[planned](t, c.service, "operation_undo_prepare", object{"operation_id": second.OperationID})
	c.mustApply(t, undo, "undo", plan.Changed)

	commands := c.tap.heard(t)
	for _, command := range commands {
		w.run(t, command)
	}
	different := 0
	around := voxel.Box{Min: voxel.Pos{X: -24, Y: -64, Z: -24}, Max: voxel.Pos{X: 24, Y: 3, Z: 24}}
	for p := range around.All() {
		got, ok := c.world.At("overworld", p)
		if !ok {
			t.Fatalf("%v is not loaded", p)
		}
		if want := w.at(p); !registry.Same(got, want) {
			if different++; different <= 5 {
				t.Errorf("at %v the world has %s, the wire says %s", p, got, want)
			}
		}
	}
	t.Logf("%d commands, %d cells written, %d cells differ", len(commands), len(w.cells), different)
}

func TestACellChangedBehindTheServicesBackIsKept(t *testing.T) {
	for name, asPlayer := range map[string]bool{"by a player": true, "by something without an event": false} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			lo, hi := pos{4, 4, 4}, pos{6, 6, 6}
			plan := c.prepare(t, hollow(lo))
			c.world.Set("overworld", voxel.Pos(lo), "minecraft:gold_block", asPlayer)
			sent := len(c.tap.heard(t))

			op := c.apply(t, plan, "key")
			checkOneConflict(t, op, lo, "minecraft:gold_block")
			if got := c.palette(t, lo, hi); !maps.Equal(got, map[string]int{"minecraft:gold_block": 1, "minecraft:air": 26}) {
				t.Errorf("after the conflict: %v", got)
			}
			if commands := c.tap.heard(t)[sent:]; len(commands) > 0 {
				t.Errorf("commands were sent: %v", commands)
			}
		})
	}
}

// A foreign edit after the build: undo is refused and nothing is lost.
func TestUndoIsRefusedWhereSomebodyBuiltSince(t *testing.T) {
	c := connect(t)
	lo, hi := pos{4, 4, 4}, pos{6, 6, 6}
	op := c.mustApply(t, c.prepare(t, hollow(lo)), "key", 26)
	c.world.Set("overworld", voxel.Pos(lo), "minecraft:gold_block", true)
	c.refused(t, "operation_undo_prepare", object{"operation_id": op.OperationID}, "undo_conflict")
	if got := c.palette(t, lo, hi); !maps.Equal(got, map[string]int{"minecraft:gold_block": 1, "minecraft:stone": 25, "minecraft:air": 1}) {
		t.Errorf("after the refusal: %v", got)
	}
}

// While the world is away the service answers, and says so.
func TestWithoutAWorldTheServiceSaysSo(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "connect", "--allow-local-automation")
	r := s.refused(t, "build_prepare", object{"recipe": recipe(box(pos{0, 0, 0}, pos{0, 0, 0}, "minecraft:stone"))}, "world_unavailable")
	if !r.Retryable {
		t.Error("world_unavailable is not marked as retryable")
	}
	call[map[string]any](t, s, "project_context", nil)
	s.stop(t)
}
