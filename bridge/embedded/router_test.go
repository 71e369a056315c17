package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// answerTo sends a raw request and returns the answer to an id.
func (p *peer) answerTo(id, message string) capabilityBody {
	p.t.Helper()
	c := make(chan capabilityBody, 1)
	p.mu.Lock()
	p.bodies[id] = c
	p.mu.Unlock()
	p.start("scriptevent mcbews:bridge_req " + message)
	return receiveFrom(p.t, c, message)
}

func TestRequestsThatAreWrong(t *testing.T) {
	_, p := begin(t, Options{})
	for message, code := range map[string]string{
		`{"v":2,"request_id":"x","capability":`:                                                                                              "MALFORMED_JSON",
		`{"v":2,"request_id":"x"}`:                                                                                                           "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":7}`:                                                                                            "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"world_hello","payload":[]}`:                                                                   "INVALID_REQUEST",
		`{"v":3,"request_id":"x","capability":"world_hello"}`:                                                                                "UNSUPPORTED_VERSION",
		`{"v":"2","request_id":"x","capability":"world_hello"}`:                                                                              "UNSUPPORTED_VERSION",
		`{"v":2,"request_id":"x","capability":"toString"}`:                                                                                   "UNSUPPORTED_CAPABILITY",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{}}`:                                                                   "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"get_player_snapshot","payload":{"target":"Nobody"}}`:                                          "CAPABILITY_FAILED",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"overworld","min":[0,0,0],"max":[32,32,32]}}`:                   "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"overworld","min":[0,-65,0],"max":[0,0,0]}}`:                    "CAPABILITY_FAILED",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"overworld","min":[1,0,0],"max":[0,0,0]}}`:                      "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"moon","min":[0,0,0],"max":[0,0,0]}}`:                           "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"nether","min":[0,0,0],"max":[0,0,0],"page":1}}`:                "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"nether","min":[0,0,0],"max":[0,0,0],"more":{}}}`:               "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"nether","min":[0,0,0],"max":[0,0,0],"more":[1]}}`:              "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"nether","min":[0,0,0],"max":[0,0,0],"more":[0,0,0,1,1,0]}}`:    "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"nether","min":[0,0,0],"max":[0,0,0],"more":[0,0,0,1,1,"1"]}}`:  "INVALID_REQUEST",
		`{"v":2,"request_id":"x","capability":"read_region","payload":{"dim":"nether","min":[0,0,0],"max":[0,0,0],"more":[0,0,0,32,32,32]}}`: "INVALID_REQUEST",
	} {
		if b := p.answerTo("x", message); b.OK || b.Error.Code != code {
			t.Errorf("%s: %+v, want %s", message, b, code)
		}
	}
}

func TestRequestsWithoutAVersionAreOfTheFirst(t *testing.T) {
	_, p := begin(t, Options{})
	if b := p.answerTo("r-1", `{"request_id":"r-1","capability":"world_hello","payload":{}}`); !b.OK {
		t.Error(b.Error)
	}
}

func TestRequestsThatComeEarlyAreAnswered(t *testing.T) {
	w, p := begin(t, Options{Tick: time.Hour}) // the simulated player comes with the first tick
	var answers []chan capabilityBody
	for range 70 {
		answers = append(answers, p.startCall("world_hello", map[string]any{}))
	}
	deadline := time.Now().Add(10 * time.Second)
	for len(w.inbox) < 71 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	w.step(w.pendingFrames())
	for i, c := range answers[:64] {
		if b := receiveFrom(t, c, fmt.Sprint("request ", i)); !b.OK {
			t.Errorf("request %d: %+v", i, b.Error)
		}
	}
	if n := len(answers[64]); n != 0 {
		t.Error("the queue has no bound")
	}
}

func TestAtSignsDoNotBecomeNames(t *testing.T) {
	_, p := begin(t, Options{Player: "a@a"})
	var snapshot struct {
		Name string `json:"name"`
	}
	p.call("get_player_snapshot", map[string]any{}, &snapshot)
	if snapshot.Name != "a@a" {
		t.Errorf("the name came as %q", snapshot.Name)
	}
}

func TestChangesByOthersAreListed(t *testing.T) {
	w, p := begin(t, Options{})
	type changes struct {
		Cursor  string `json:"cursor"`
		Gap     bool   `json:"gap"`
		More    bool   `json:"more"`
		Changes []struct {
			Pos    [3]int `json:"pos"`
			Dim    string `json:"dim"`
			Kind   string `json:"kind"`
			Player string `json:"player"`
		} `json:"changes"`
	}
	ask := func(cursor string) (c changes) {
		p.call("world_changes", map[string]any{"cursor": cursor}, &c)
		return c
	}
	start := ask("")
	p.expect("setblock 0 0 0 dirt", 0) // a command makes no event
	for _, e := range []struct {
		state string
		seen  bool
	}{{"stone", true}, {"glass", false}, {"air", true}} {
		if err := w.Set(store.Nether, voxel.Pos{X: 1, Y: 2, Z: 3}, e.state, e.seen); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Explode(store.Overworld, voxel.Box{Min: voxel.Pos{Y: -61}, Max: voxel.Pos{Y: -61}}); err != nil {
		t.Fatal(err)
	}
	got := ask(start.Cursor)
	if text := fmt.Sprint(got.Changes); text != "[{[1 2 3] nether place Alex} {[1 2 3] nether break Alex} {[0 -61 0] overworld explosion }]" || got.Gap || got.More {
		t.Errorf("%s, gap %v, more %v", text, got.Gap, got.More)
	}
	if again := ask(got.Cursor); len(again.Changes) != 0 || again.Gap {
		t.Errorf("%+v", again)
	}
	for i := range 4100 {
		if err := w.Set(store.Overworld, voxel.Pos{X: i, Y: 5}, "stone", true); err != nil {
			t.Fatal(err)
		}
	}
	c := ask(got.Cursor)
	if !c.Gap {
		t.Error("no gap although the ring has gone round")
	}
	total := len(c.Changes)
	for ; c.More; total += len(c.Changes) {
		if c = ask(c.Cursor); c.Gap {
			t.Error("a gap between two pages")
		}
	}
	if total != 4096 {
		t.Errorf("%d changes in the ring", total)
	}
	if c := ask("deadbeef:1"); !c.Gap {
		t.Error("no gap for the cursor of another session")
	}
}

func TestChatPanelAndCommand(t *testing.T) {
	w, p := begin(t, Options{})
	chat := func() string {
		t.Helper()
		for range 5000 {
			p.mu.Lock()
			for i, e := range p.events {
				text, _ := e.Body["message"].(string)
				if strings.HasPrefix(text, "MCBEWS|UI_CHAT|ui-") && e.Body["sender"] == "MCBEWS_BRIDGE" {
					p.events = p.events[i+1:]
					p.mu.Unlock()
					return strings.SplitN(text, "|", 5)[4]
				}
			}
			p.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
		t.Fatal("no chat")
		return ""
	}
	if _, err := w.Type(`groundplan:chat "build a house"`); err != nil {
		t.Fatal(err)
	}
	if got := chat(); got != `{"player":"Steve","message":"build a house"}` {
		t.Error(got)
	}
	if _, err := w.Type("groundplan:chat"); err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		if err := w.Submit("and a garden"); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := chat(); got != `{"player":"Steve","message":"and a garden"}` {
		t.Error(got)
	}
}

func TestTextResponsesAreShown(t *testing.T) {
	_, p := begin(t, Options{})
	for _, frame := range []string{`{"id":"a","i":2,"n":2,"p":"Steve","r":"assistant","c":"world"}`, `{"id":"a","i":1,"n":2,"p":"Steve","r":"assistant","c":"hello, "}`} {
		p.expect("scriptevent mcbews:text_resp "+frame, 0)
	}
	p.expect("help", 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprint(p.events)
	if !strings.Contains(text, "hello, world") || !strings.Contains(text, "Script Engine") {
		t.Error(text)
	}
}

func TestInventorySnapshot(t *testing.T) {
	w, p := begin(t, Options{})
	w.Give(store.Item{ID: "minecraft:stone", Count: 5}, store.Item{}, store.Item{ID: "minecraft:dirt", Count: 1})
	var got json.RawMessage
	p.call("get_inventory_snapshot", map[string]any{"target": "@s"}, &got)
	want := `{"name":"Steve","size":36,"selected_slot":0,"items":[{"slot":0,"item":"minecraft:stone","count":5},{"slot":2,"item":"minecraft:dirt","count":1}]}`
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCommandsThatTheHostAllows(t *testing.T) {
	w, p := begin(t, Options{})
	try := func(command string) bool { return p.try("run_world_command", map[string]any{"command": command}).OK }
	if try("clone 0 -61 0 1 -61 1 0 0 0") {
		t.Error("clone is allowed from the start")
	}
	for _, line := range []string{"groundplan:allow clone", "groundplan:allow op"} {
		if _, err := w.Type(line); err != nil {
			t.Fatal(err)
		}
	}
	for start := time.Now(); !try("clone 0 -61 0 1 -61 1 0 0 0") && time.Since(start) < 5*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if !try("clone 0 -61 0 1 -61 1 9 0 0") || try("op Steve") {
		t.Error("the list of allowed commands is not as the host said")
	}
}

func TestANewEpoch(t *testing.T) {
	w, p := begin(t, Options{})
	var one, two struct {
		ID    string `json:"world_id"`
		Epoch string `json:"world_epoch"`
	}
	p.call("world_hello", map[string]any{}, &one)
	if _, err := w.Type("groundplan:new_epoch"); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 5*time.Second; time.Sleep(time.Millisecond) {
		if p.call("world_hello", map[string]any{}, &two); two.Epoch != one.Epoch {
			break
		}
	}
	if one.ID != two.ID || one.Epoch == two.Epoch {
		t.Errorf("%+v became %+v", one, two)
	}
}

func TestWhatTheHostLacksFailsWithItsName(t *testing.T) {
	w, _ := begin(t, Options{})
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.script.vm.Set("server", w.script.serverModule())
	for code, want := range map[string]string{
		"server.world.getTimeOfDay()":                        "World.getTimeOfDay",
		"server.Entity":                                      "@minecraft/server.Entity",
		"server.world.getDimension('overworld').spawnEntity": "Dimension.spawnEntity",
		"server.world.getDimension('overworld').getBlock({x:0,y:0,z:0}).north()": "Block.north",
	} {
		if _, err := w.script.vm.RunString(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}
