package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// The tests of this file are named after the section of the wire's description
// that they hold the world to.

// expect runs commands one after the other and compares their status codes.
func (p *peer) expect(lines ...any) {
	p.t.Helper()
	for i := 0; i < len(lines); i += 2 {
		line, _ := lines[i].(string)
		code, _ := lines[i+1].(int)
		if m := p.command(line); m.code() != code {
			p.t.Errorf("%s: %d (%v), want %d", line, m.code(), m.Body["statusMessage"], code)
		}
	}
}

func state(tb testing.TB, w *World, x, y, z int) string {
	tb.Helper()
	s, ok := w.At(store.Overworld, voxel.Pos{X: x, Y: y, Z: z})
	if !ok {
		return "?"
	}
	return strings.TrimPrefix(string(s), "minecraft:")
}

func TestSection1_1RequestsAreAnsweredByTheirID(t *testing.T) {
	_, p := begin(t, Options{})
	a, b := p.start("setblock 0 0 0 stone"), p.start("testforblock 0 0 0 stone")
	if m := receiveFrom(t, b, "second"); m.code() != 0 || m.Header.Purpose != "commandResponse" {
		t.Error(m)
	}
	receiveFrom(t, a, "first")
}

func TestSection1_2SubscribeIsNotAnswered(t *testing.T) {
	_, p := begin(t, Options{})
	p.subscribe()
	p.subscribe()
	p.command("help")
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.stray) != 0 {
		t.Errorf("the world sent %v", p.stray)
	}
}

func TestSection1_4FieldsOfAnswers(t *testing.T) {
	_, p := begin(t, Options{})
	for line, want := range map[string]string{
		"setblock 1 2 3 stone":                  "position:map[x:1 y:2 z:3]",
		"fill 0 0 0 1 1 1 dirt":                 "fillCount:8",
		"clone 0 -61 0 1 -61 1 0 10 0":          "count:4",
		"testforblocks 0 -61 0 1 -61 1 4 -61 4": "compareCount:4",
		"list":                                  "currentPlayerCount:2",
		"getlocalplayername":                    "localplayername:Steve",
	} {
		if m := p.command(line); m.code() != 0 || !strings.Contains(fmt.Sprint(m.Body), want) {
			t.Errorf("%s: %v lacks %s", line, m.Body, want)
		}
	}
}

func TestSection1_6EventsOfBothGenerations(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		_, p := begin(t, Options{LegacyEvents: legacy})
		p.expect("say hello @s", 0)
		p.mu.Lock()
		m := p.events[len(p.events)-1]
		p.mu.Unlock()
		fields, message := m.Body, "message"
		if legacy {
			fields, message = m.Body["properties"].(map[string]any), "Message"
		}
		if fields[message] != "[External] hello Steve" || (m.Header.EventName == "") != legacy {
			t.Errorf("legacy %v: %+v", legacy, m)
		}
	}
}

func TestSection1_7CommandsThatTheGameCannotRead(t *testing.T) {
	_, p := begin(t, Options{})
	for _, line := range []string{
		"", "frobnicate", "setblock 0 0 0", "setblock 0 0 stone", "setblock 0 0 0 no_such_block",
		`setblock 0 0 0 oak_stairs["no_such_state"=1]`, `setblock 0 0 0 oak_stairs["weirdo_direction"=9]`,
		`setblock 0 0 0 oak_stairs[weirdo_direction=1]`, `setblock 0 0 0 oak_stairs["weirdo_direction":1]`,
		"setblock 0 0 0 stone 1", "fill 0 0 0 1 1 1 stone sideways", "fill 0 0 0 1 1 1 stone replace dirt extra",
		"execute in moon run list", "execute if block 0 0 0", "tell @s", "scriptevent minecraft:x y", "scriptevent noid y",
		`setblock 0 0 0 oak_fence["waterlogged"=true]`, "groundplan:fill 0 0 0", "structure frobnicate x", "clone 0 0 0 1 1 1 2 2 2 masked sideways",
	} {
		p.expect(line, codeParse)
	}
}

func TestSection1_8MessagesAreInTheLanguageOfTheClient(t *testing.T) {
	for language, want := range map[string]string{"": "No blocks filled", "de_DE": "Keine Blöcke gefüllt", "ja_JP": "ブロックを置き換えませんでした"} {
		_, p := begin(t, Options{Language: language})
		if m := p.command("fill 0 0 0 1 1 1 air"); m.Body["statusMessage"] != want {
			t.Errorf("%q says %v", language, m.Body["statusMessage"])
		}
	}
}

func TestSection2_1The101stCommandIsRefused(t *testing.T) {
	w, p := begin(t, Options{Tick: time.Hour})
	_ = w
	var answers []chan message
	for range 101 {
		answers = append(answers, p.start("help"))
	}
	if m := receiveFrom(t, answers[100], "the 101st"); m.Header.Purpose != "error" || m.code() != codeTooMany {
		t.Error(m)
	}
}

func TestSection2_2LinesOfMoreThan461BytesFail(t *testing.T) {
	_, p := begin(t, Options{})
	line := "say " + strings.Repeat("é", (461-4)/2)
	p.expect(line+"x", 0, line+"é", codeParse)
}

func TestSection2_3ScriptEventsAreBounded(t *testing.T) {
	w, _ := begin(t, Options{})
	if _, err := w.Type("scriptevent a:b " + strings.Repeat("x", 2048)); err != nil {
		t.Error(err)
	}
	if _, err := w.Type("scriptevent a:b " + strings.Repeat("x", 2049)); err == nil {
		t.Error("2,049 characters were taken")
	}
}

func TestSection2_3SelectorsInMessagesAreExpanded(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("tell @s a@b.c @a[tag=x], @p! @simple @", 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if got := p.events[len(p.events)-1].Body["message"]; got != "a@b.c Steve, MCBEWS_BRIDGE, Steve! @simple @" {
		t.Error(got)
	}
}

func TestSection2_5APausedWorldIsSilentAndItsClientIsNot(t *testing.T) {
	w, p := begin(t, Options{})
	w.Pause(true)
	held := p.start("setblock 0 0 0 stone")
	p.expect("getlocalplayername", 0)
	select {
	case m := <-held:
		t.Fatalf("the paused world answered %v", m)
	case <-time.After(50 * time.Millisecond):
	}
	w.Pause(false)
	if m := receiveFrom(t, held, "command"); m.code() != 0 {
		t.Error(m)
	}
}

func TestSection2_6CloseWebSocketEndsTheConnection(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("closewebsocket", 0)
	receiveFrom(t, p.conns, "next connection")
}

func TestSection3_2StatesThatAreNotListed(t *testing.T) {
	w, p := begin(t, Options{Derived: AsWritten})
	p.expect(
		`setblock 0 0 0 oak_stairs ["weirdo_direction"=2]`, 0,
		`testforblock 0 0 0 oak_stairs ["weirdo_direction"=2]`, 0,
		`testforblock 0 0 0 minecraft:oak_stairs`, 0,
		`testforblock 0 0 0 oak_stairs["weirdo_direction"=1]`, codeFailed,
		`testforblock 0 0 0 oak_stairs["upside_down_bit"=false,"weirdo_direction"=2]`, 0,
		`setblock 1 0 0 oak_stairs []`, 0,
		`testforblock 1 0 0 oak_stairs["weirdo_direction"=0]`, 0,
		`execute if block 0 0 0 oak_stairs["weirdo_direction"=2]`, 0,
		`execute unless block 0 0 0 oak_stairs["weirdo_direction"=2]`, codeFailed,
		`fill 0 0 0 1 0 0 stone replace oak_stairs["weirdo_direction"=2]`, 0,
	)
	if a, b := state(t, w, 0, 0, 0), state(t, w, 1, 0, 0); a != "stone" || !strings.HasPrefix(b, "oak_stairs") {
		t.Errorf("the cells hold %s and %s", a, b)
	}
}

func TestSection3_3SetblockThatChangesNothingFails(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("setblock 0 0 0 stone", 0, "setblock 0 0 0 stone", codeFailed, "setblock 0 0 0 dirt keep", codeFailed,
		"setblock 0 0 0 dirt replace", 0, "setblock 0 0 0 air destroy", 0, "setblock 0 0 0 dirt keep", 0)
}

func TestSection3_3FillIsBounded(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("fill 0 0 0 31 31 31 stone", 0, "fill 0 0 0 31 31 31 stone", codeFailed, "fill 0 0 0 32 31 31 dirt", codeFailed,
		"fill 0 0 0 31 31 31 stone replace dirt", codeFailed)
	if s := state(t, w, 32, 0, 0); s != "air" {
		t.Errorf("a refused fill wrote %s", s)
	}
}

func TestSection3_3ModesOfFill(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("fill 0 0 0 2 2 2 stone", 0, "fill 0 0 0 2 2 2 dirt keep", codeFailed, "fill 0 0 0 2 2 2 glass outline", 0)
	if a, b := state(t, w, 1, 1, 1), state(t, w, 0, 1, 1); a != "stone" || b != "glass" {
		t.Errorf("outline: %s inside, %s outside", a, b)
	}
	p.expect("fill 0 0 0 2 2 2 dirt hollow", 0)
	if a, b := state(t, w, 1, 1, 1), state(t, w, 0, 1, 1); a != "air" || b != "dirt" {
		t.Errorf("hollow: %s inside, %s outside", a, b)
	}
	p.expect("fill 0 0 0 2 2 2 gold_block keep", 0)
	if a, b := state(t, w, 1, 1, 1), state(t, w, 0, 1, 1); a != "gold_block" || b != "dirt" {
		t.Errorf("keep: %s inside, %s outside", a, b)
	}
	if m := p.command("fill 0 0 0 2 2 2 stone replace dirt"); m.Body["fillCount"] != 26.0 {
		t.Error(m.Body)
	}
	p.expect("fill 5 5 5 3 3 3 stone destroy", 0, "fill ~ ~ ~ ~1 ~1 ~1 stone replace", 0)
}

func TestSection3_3OutsideOfTheWorld(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("setblock 0 320 0 stone", codeFailed, "setblock 0 -65 0 stone", codeFailed, "setblock 30000001 0 0 stone", codeFailed,
		"setblock 30000000 319 -30000000 stone", 0, "fill 0 319 0 0 320 0 stone", codeFailed, "testforblock 0 400 0 air", codeFailed,
		"execute in nether run setblock 0 128 0 stone", codeFailed, "execute in nether run setblock 0 127 0 stone", 0,
		"execute in the_end run setblock 0 255 0 stone", 0, "execute in the_end run setblock 0 256 0 stone", codeFailed)
}

func TestSection3_3UnloadedChunks(t *testing.T) {
	w, p := begin(t, Options{})
	if err := w.Load(store.Overworld, voxel.Pos{X: 16}, false); err != nil {
		t.Fatal(err)
	}
	p.expect("setblock 16 0 0 stone", codeFailed, "fill 10 0 0 20 0 0 stone", codeFailed, "testforblock 16 0 0 air", codeFailed,
		"execute if block 16 0 0 air", codeFailed, "clone 16 0 0 17 0 0 0 0 0", codeFailed, "clone 0 -61 0 1 -61 0 15 0 0", codeFailed,
		"structure save s 0 -61 0 1 -60 1", 0, "structure load s 15 0 0", 0)
	if s := state(t, w, 15, 0, 0); s != "air" {
		t.Errorf("a queued structure wrote %s", s)
	}
	if s := state(t, w, 16, 0, 0); s != "?" {
		t.Errorf("an unloaded cell shows %s", s)
	}
	p.expect("tickingarea add 16 0 0 16 0 0 site", 0)
	for start := time.Now(); state(t, w, 16, 0, 0) == "?"; {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the ticking area never loaded its chunk")
		}
		time.Sleep(time.Millisecond)
	}
	p.expect("setblock 16 0 0 stone", 0, "tickingarea remove site", 0, "tickingarea remove site", codeFailed)
}

func TestSection3_3TickingAreasAreBounded(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("tickingarea list", codeFailed, "tickingarea add 0 0 0 159 0 159 big", 0, "tickingarea add 0 0 0 160 0 159", codeFailed,
		"tickingarea add 0 0 0 0 0 0 big", codeFailed, "tickingarea add circle 0 0 0 5", codeFailed, "tickingarea add circle 0 0 0 4 round true", 0)
	for i := range 8 {
		p.expect(fmt.Sprintf("tickingarea add 0 0 0 0 0 0 a%d", i), 0)
	}
	p.expect("tickingarea add 0 0 0 0 0 0 eleventh", codeFailed, "tickingarea list", 0, "tickingarea remove 300 0 300", codeFailed,
		"tickingarea remove_all", 0, "tickingarea remove_all", codeFailed)
}

func TestSection3_3CloneCopiesWithContents(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("setblock 0 0 0 chest", 0)
	at := voxel.Pos{}
	if err := w.SetEntity(store.Overworld, at, store.Entity{Items: []store.Item{{ID: "minecraft:dirt", Count: 3}}}); err != nil {
		t.Fatal(err)
	}
	p.expect("clone 0 0 0 1 0 0 5 0 0", 0, "clone 0 0 0 1 0 0 5 0 0", codeFailed, "clone 0 0 0 1 0 0 1 0 0", codeFailed,
		"clone 0 0 0 1 0 0 1 0 0 replace force", 0, "clone 0 0 0 1 0 0 9 0 0 filtered normal stone", codeFailed, "clone 1 0 0 1 0 0 12 0 0 masked move", 0)
	if e, _ := w.blocks.Dimension(store.Overworld).Entity(voxel.Pos{X: 5}); len(e.Items) != 1 {
		t.Errorf("the copy holds %v", e)
	}
	if a, b := state(t, w, 1, 0, 0), state(t, w, 12, 0, 0); a != "air" || !strings.HasPrefix(b, "chest") {
		t.Errorf("moved: %s stayed, %s arrived", a, b)
	}
}

func TestSection3_3StructuresTurn(t *testing.T) {
	w, p := begin(t, Options{Derived: AsWritten})
	p.expect(`setblock 0 0 0 oak_stairs["weirdo_direction"=0]`, 0, "setblock 1 0 0 stone", 0, "structure save a 0 0 0 1 0 0", 0,
		"structure load a 10 0 10 90_degrees", 0, "structure load a 20 0 0 0_degrees z", 0, "structure load missing 0 0 0", codeFailed,
		"structure delete a", 0, "structure delete a", codeFailed, "structure save a 0 0 0 64 0 0", codeFailed)
	stairs := func(s string) string {
		want, err := w.catalog.registry.Parse("oak_stairs[weirdo_direction=" + s + "]")
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(string(want), "minecraft:")
	}
	// East becomes south when turned clockwise, and west when mirrored in x.
	for _, c := range []struct {
		x, z int
		want string
	}{{10, 10, stairs("2")}, {10, 11, "stone"}, {21, 0, stairs("1")}, {20, 0, "stone"}} {
		if got := state(t, w, c.x, 0, c.z); got != c.want {
			t.Errorf("at %d,%d is %s, want %s", c.x, c.z, got, c.want)
		}
	}
}

func TestSection3_4DimensionOfExecution(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("execute in nether run fill 0 0 0 1 1 1 stone", 0, "execute in the_end positioned 5 5 5 run setblock ~1 ~ ~ stone", 0,
		"testforblock 0 0 0 air", 0, "execute in nether if block 0 0 0 stone run setblock 0 5 0 dirt", 0,
		"execute in nether unless blocks 0 0 0 0 0 0 1 1 1 all run setblock 0 6 0 dirt", codeFailed)
	for name, pos := range map[string]voxel.Pos{store.Nether: {X: 1, Y: 1, Z: 1}, store.TheEnd: {X: 6, Y: 5, Z: 5}} {
		if s, _ := w.At(name, pos); s != "minecraft:stone" {
			t.Errorf("%s has %s", name, s)
		}
	}
}

func TestSection3_4AScriptGetsCountsAndErrors(t *testing.T) {
	_, p := begin(t, Options{})
	for command, want := range map[string]string{
		"fill 0 0 0 1 1 1 stone":           `true {"success_count":8}`,
		"fill 0 -64 0 0 -64 0 bedrock":     `true {"success_count":0}`, // nothing to do is no error
		"fill 0 0 0 1 1 1 frob":            "false CAPABILITY_FAILED",
		"fill 0 0 0 1 400 1 stone":         "false CAPABILITY_FAILED",
		"kick Steve":                       "false CAPABILITY_FAILED",
		"execute in nether run kick Steve": "false CAPABILITY_FAILED",
		"/setblock 9 9 9 stone":            `true {"success_count":1}`,
	} {
		b := p.try("run_world_command", map[string]any{"command": command})
		if got := strings.TrimSpace(fmt.Sprint(b.OK, " ", string(b.Result), b.Error.Code)); got != want {
			t.Errorf("%s: %s %s, want %s", command, got, b.Error.Message, want)
		}
	}
}

func TestSection3_5NeighboursConnect(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("fill 0 0 0 2 0 0 oak_fence", 0)
	if s := state(t, w, 1, 0, 0); !strings.Contains(s, "connection_east=true") || !strings.Contains(s, "connection_west=true") || !strings.Contains(s, "connection_north=false") {
		t.Errorf("the middle is %s", s)
	}
	p.expect("setblock 2 0 0 air", 0)
	if s := state(t, w, 1, 0, 0); !strings.Contains(s, "connection_east=false") {
		t.Errorf("the end is %s", s)
	}
	p.expect(`setblock 0 5 0 oak_stairs["weirdo_direction"=0]`, 0, `setblock 1 5 0 oak_stairs["weirdo_direction"=2]`, 0)
	if s := state(t, w, 0, 5, 0); strings.Contains(s, "corner=none") {
		t.Errorf("the corner is %s", s)
	}
}

func TestSection3_5OlderGamesDrawConnectionsThemselves(t *testing.T) {
	w, p := begin(t, Options{Game: "1.26.40"})
	p.expect("fill 0 0 0 2 0 0 oak_fence", 0)
	if s := state(t, w, 1, 0, 0); s != "oak_fence" {
		t.Errorf("the middle is %s", s)
	}
}

func TestSection3_5PhysicsMovesTheWorld(t *testing.T) {
	w, p := begin(t, Options{Physics: true})
	p.expect("setblock 0 10 0 sand", 0, "setblock 5 -60 0 stone", 0, `setblock 5 -59 0 torch["torch_facing_direction"="top"]`, 0,
		`setblock 9 -60 9 water`, 0, "setblock 20 -60 20 lava", 0, "setblock 22 -60 20 water", 0)
	settled := func(what string, f func() bool) {
		t.Helper()
		for start := time.Now(); !f(); time.Sleep(time.Millisecond) {
			if time.Since(start) > 10*time.Second {
				t.Fatalf("%s", what)
			}
		}
	}
	settled("the sand did not fall", func() bool { return state(t, w, 0, -60, 0) == "sand" && state(t, w, 0, 10, 0) == "air" })
	settled("the water did not flow", func() bool { return state(t, w, 12, -60, 9) == "flowing_water[liquid_depth=3]" })
	p.expect("setblock 5 -60 0 air", 0)
	settled("the torch stayed in the air", func() bool { return state(t, w, 5, -59, 0) == "air" })
	settled("no stone where water met lava", func() bool {
		s := state(t, w, 21, -60, 20)
		return s == "stone" || s == "cobblestone" || state(t, w, 20, -60, 20) == "obsidian"
	})
	p.expect("setblock 9 -60 9 air", 0)
	settled("the water did not dry up", func() bool { return state(t, w, 12, -60, 9) == "air" })
}

func TestSection3_5HalvesGoTogether(t *testing.T) {
	w, p := begin(t, Options{Physics: true})
	p.expect(`setblock 0 -60 0 wooden_door["upper_block_bit"=false]`, 0, `setblock 0 -59 0 wooden_door["upper_block_bit"=true]`, 0)
	p.command("help")
	if s := state(t, w, 0, -60, 0); !strings.HasPrefix(s, "wooden_door") {
		t.Fatalf("the door became %s", s)
	}
	p.expect("setblock 0 -59 0 air", 0)
	for start := time.Now(); state(t, w, 0, -60, 0) != "air"; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the lower half stayed")
		}
	}
}

func TestSection1_4TestforTellsWhomItFound(t *testing.T) {
	_, p := begin(t, Options{})
	if m := p.command("testfor @s"); m.code() != 0 || fmt.Sprint(m.Body["victim"]) != "[Steve]" {
		t.Error(m.Body)
	}
	p.expect("testfor Nobody", codeNoTargets)
}

// A function needs no Beta APIs: a world that runs it and answers no request has
// the pack and lacks them.
func TestFunctionsRunWithoutScripts(t *testing.T) {
	_, p := begin(t, Options{NoScripts: true})
	p.expect("function groundplan/installed", 0, "function no/such", codeParse, "groundplan:chat", codeParse, "setblock 0 0 0 stone", 0,
		`scriptevent mcbews:bridge_req {"v":2,"request_id":"x","capability":"world_hello"}`, 0)
}

func TestSection4_7ScriptEventsComeFromThePlayer(t *testing.T) {
	_, p := begin(t, Options{Player: "Anna"})
	var snapshot struct {
		Name string `json:"name"`
	}
	p.call("get_player_snapshot", map[string]any{"target": "@s"}, &snapshot)
	if snapshot.Name != "Anna" {
		t.Errorf("the source is %q", snapshot.Name)
	}
}
