package bridgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"groundplan/bridge"
)

// Game is the game's side of one connection.
type Game struct {
	opts Options
	conn *websocket.Conn
	done chan struct{}

	mu         sync.Mutex // protects following
	link       *link
	sealed     bool
	subscribed bool
	identity   Identity
	paused     bool
	silent     bool
	pending    int
	most       int
	held       []func()
	commands   []string
	frames     [][]byte // text frames of the server
	err        error
	work       sync.WaitGroup
}

// Connect dials the server and serves it until Close or its end.
func Connect(ctx context.Context, url string, opts Options) (*Game, error) {
	if opts.Pending == 0 {
		opts.Pending = 100
	}
	if opts.Identity == (Identity{}) {
		opts.Identity = Identity{WorldID: "w1", Epoch: "e1", Session: "s1", Player: "Steve", Game: "1.26.50"}
	}
	dial := &websocket.DialOptions{HTTPHeader: opts.Header, CompressionMode: websocket.CompressionDisabled}
	if opts.Dial != nil {
		dial.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: opts.Dial, DisableKeepAlives: true}}
	}
	if opts.Encrypt {
		dial.Subprotocols = []string{"com.microsoft.minecraft.wsencrypt"}
	}
	conn, _, err := websocket.Dial(ctx, url, dial) //nolint:bodyclose // the library owns the body
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(1 << 20)
	g := &Game{opts: opts, conn: conn, done: make(chan struct{}), identity: opts.Identity}
	go g.read()
	return g, nil
}

// Close ends the connection without a word, as a game that crashes.
func (g *Game) Close() {
	g.conn.CloseNow()
	<-g.done
}

// Done is closed when the connection has ended.
func (g *Game) Done() <-chan struct{} { return g.done }

// Err returns why the connection ended, after Done.
func (g *Game) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// Enter takes the player into another world, on the same connection.
func (g *Game) Enter(id Identity) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.identity = id
}

// Pause stops the world: commands of the world are held, those of the client
// itself are answered. Resuming runs what was held.
func (g *Game) Pause(paused bool) {
	g.mu.Lock()
	held := g.held
	g.paused = paused
	if paused {
		held = nil
	} else {
		g.held = nil
	}
	g.mu.Unlock()
	for _, run := range held {
		run()
	}
}

// Silence makes the game answer nothing at all.
func (g *Game) Silence(silent bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.silent = silent
}

// Commands returns the command lines that came in, requests to the addon
// included.
func (g *Game) Commands() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.commands...)
}

// MostPending returns the largest number of commands that were unanswered at one
// time.
func (g *Game) MostPending() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.most
}

// Encrypted reports whether the link is encrypted.
func (g *Game) Encrypted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sealed
}

// Subscribed reports whether the server wants to hear chat.
func (g *Game) Subscribed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.subscribed
}

// frame is what the server sends.
type frame struct {
	Header struct {
		RequestID string `json:"requestId"`
		Purpose   string `json:"messagePurpose"`
	} `json:"header"`
	Body struct {
		EventName   string `json:"eventName"`
		CommandLine string `json:"commandLine"`
		Version     *int   `json:"version"`
		Mode        string `json:"mode"`
		PublicKey   string `json:"publicKey"`
		Salt        string `json:"salt"`
	} `json:"body"`
}

func (g *Game) read() {
	defer close(g.done)
	for {
		kind, data, err := g.conn.Read(context.Background())
		if err != nil {
			g.mu.Lock()
			g.err = err
			g.mu.Unlock()
			g.conn.CloseNow()
			g.work.Wait()
			return
		}
		g.mu.Lock()
		if kind == websocket.MessageBinary && g.link != nil {
			g.link.open(data)
		}
		g.mu.Unlock()
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			g.conn.Close(websocket.StatusUnsupportedData, "not JSON")
			continue
		}
		g.serve(&f)
	}
}

func (g *Game) serve(f *frame) {
	switch f.Header.Purpose {
	case "subscribe", "unsubscribe":
		g.mu.Lock()
		g.subscribed = f.Header.Purpose == "subscribe"
		g.mu.Unlock()
	case "ws:encrypt":
		if g.opts.Old {
			g.respond("error", f.Header.RequestID, `{"statusCode":-2147418111,"statusMessage":"?"}`)
			return
		}
		g.handshake("ws:encrypt", f.Header.RequestID, f.Body.PublicKey, f.Body.Salt)
	case "commandRequest":
		if g.opts.NoVersion && f.Body.Version != nil {
			g.respond("commandResponse", f.Header.RequestID, fmt.Sprintf(`{"statusCode":%d}`, bridge.StatusVersionMismatch))
			return
		}
		g.command(f.Header.RequestID, f.Body.CommandLine)
	}
}

func (g *Game) handshake(purpose, id, public, salt string) {
	l, own, err := exchange(public, salt, g.opts.Strip)
	if err != nil {
		g.respond("error", id, `{"statusCode":-2147418111,"statusMessage":"bad key"}`)
		return
	}
	g.respond(purpose, id, fmt.Sprintf(`{"publicKey":%q,"statusCode":0}`, own))
	g.mu.Lock()
	g.link, g.sealed = l, true
	g.mu.Unlock()
}

// command takes one command: the 101st unanswered is refused.
func (g *Game) command(id, line string) {
	g.mu.Lock()
	g.commands = append(g.commands, line)
	refuse := g.pending >= g.opts.Pending
	if !refuse {
		g.pending++
		g.most = max(g.most, g.pending)
	}
	silent, paused := g.silent, g.paused
	g.mu.Unlock()
	switch {
	case silent:
	case refuse:
		g.respond("error", id, fmt.Sprintf(`{"statusCode":%d,"statusMessage":"Too many commands have been requested, wait for one to be done"}`, bridge.StatusTooManyPending))
	case paused && !ofClient(line):
		g.mu.Lock()
		g.held = append(g.held, func() { g.run(id, line) })
		g.mu.Unlock()
	case g.opts.Delay > 0:
		g.work.Go(func() {
			time.Sleep(g.opts.Delay)
			g.run(id, line)
		})
	default:
		g.run(id, line)
	}
}

// ofClient reports whether the client itself answers the command.
func ofClient(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "getlocalplayername", "closewebsocket", "enableencryption", "help":
		return true
	default:
		return false
	}
}

func (g *Game) run(id, line string) {
	for prefix, answer := range g.opts.Commands {
		if strings.HasPrefix(line, prefix) {
			status, words := answer(line)
			g.ack(id, status, words)
			return
		}
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "scriptevent":
		g.script(id, rest)
	case "enableencryption":
		g.free()
		var public, salt string
		if _, err := fmt.Sscanf(rest, "%q %q", &public, &salt); err == nil {
			g.handshake("commandResponse", id, public, salt)
		}
	case "getlocalplayername":
		g.free()
		g.respond("commandResponse", id, fmt.Sprintf(`{"localplayername":%q,"statusCode":0}`, g.opts.Identity.Player))
	case "closewebsocket":
		g.ack(id, 0, "")
		g.work.Go(func() { g.conn.Close(websocket.StatusNormalClosure, "") })
	case "testfor", "tellraw", "list":
		g.ack(id, 0, "")
	default:
		g.ack(id, bridge.StatusParseFailure, "Syntaxfehler: unerwartetes "+word)
	}
}

func (g *Game) free() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending--
}

func (g *Game) ack(id string, status bridge.Status, words string) {
	g.free()
	body, _ := json.Marshal(map[string]any{"statusCode": int32(status), "statusMessage": words})
	g.respond("commandResponse", id, string(body))
}

// script serves a scriptevent.
func (g *Game) script(id, rest string) {
	channel, message, _ := strings.Cut(rest, " ")
	if channel == bridge.TextMessageID {
		g.mu.Lock()
		g.frames = append(g.frames, []byte(message))
		g.mu.Unlock()
		g.ack(id, 0, "")
		return
	}
	r, err := bridge.DecodeRequest([]byte(message))
	if err != nil {
		g.ack(id, 0, "")
		return
	}
	var fault Fault
	if g.opts.Fault != nil {
		fault = g.opts.Fault(r)
	}
	if fault.Error != 0 {
		g.free()
		g.respond("error", id, fmt.Sprintf(`{"statusCode":%d,"statusMessage":"!"}`, fault.Error))
		return
	}
	if fault.Status != 0 {
		words := "It failed"
		if fault.Localised {
			words = "コマンドの実行に失敗しました"
		}
		g.ack(id, fault.Status, words)
		return
	}
	if fault.NoAck {
		g.free()
	} else if !fault.AckLast {
		g.ack(id, 0, "")
	}
	g.answer(r, fault)
	if fault.AckLast && !fault.NoAck {
		g.ack(id, 0, "")
	}
}

// answer sends the addon's answer with what is wrong with it.
func (g *Game) answer(r bridge.Request, fault Fault) {
	body := fault.Reply
	if body == "" {
		body = g.Reply(r)
	}
	if fault.NoReply {
		return
	}
	lines := fault.Lines
	if lines == nil {
		var err error
		lines, err = bridge.Split{Prefix: bridge.BridgePrefix, Wrapper: "tell @s ", Points: g.opts.Points}.Chunks(r.ID, body)
		if err != nil {
			panic(err) // a test's own mistake
		}
	}
	if fault.Reverse {
		for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	sender := fault.Sender
	if sender == "" {
		sender = bridge.BridgeSender
	}
	for i, line := range lines[:max(len(lines)-fault.Drop, 0)] {
		g.Say(sender, line)
		if fault.Double {
			g.Say(sender, line)
		}
		if fault.HangUp && i == 0 {
			g.conn.CloseNow()
			return
		}
	}
}

// Reply returns the body of the addon's answer.
func (g *Game) Reply(r bridge.Request) string {
	var result any
	var err error
	do, known := g.opts.Capabilities[r.Capability]
	switch {
	case known:
		result, err = do(r.Payload)
	case r.Capability == bridge.CapabilityHello:
		result = g.hello()
	default:
		err = &bridge.CapabilityError{Code: bridge.CodeUnsupportedCapability, Message: r.Capability}
	}
	if err != nil {
		failure := map[string]string{"code": bridge.CodeCapabilityFailed, "message": err.Error()}
		if e, ok := errors.AsType[*bridge.CapabilityError](err); ok {
			failure = map[string]string{"code": e.Code, "message": e.Message}
		}
		body, _ := json.Marshal(map[string]any{"ok": false, "error": failure})
		return string(body)
	}
	body, err := json.Marshal(map[string]any{"ok": true, "result": result})
	if err != nil {
		panic(err) // a test's own mistake
	}
	return string(body)
}

func (g *Game) hello() any {
	g.mu.Lock()
	id := g.identity
	g.mu.Unlock()
	return map[string]any{
		"protocol": 1, "addon": "0.1.0", "game": id.Game, "api": "2.6.0",
		"world_id": id.WorldID, "world_epoch": id.Epoch, "session": id.Session, "player": id.Player,
		"dimensions": map[string]any{
			"overworld": map[string]int{"min": -64, "max": 319}, "nether": map[string]int{"min": 0, "max": 127}, "the_end": map[string]int{"min": 0, "max": 255},
		},
		"ids": map[string]any{"count": 0, "pages": 0, "digest": ""},
	}
}

// Say sends a PlayerMessage event.
func (g *Game) Say(sender, message string) {
	g.mu.Lock()
	wanted := g.subscribed && !g.silent
	g.mu.Unlock()
	if !wanted {
		return
	}
	var data []byte
	if g.opts.Legacy {
		data, _ = json.Marshal(map[string]any{
			"header": map[string]any{"messagePurpose": "event", "requestId": "00000000-0000-0000-0000-000000000000", "version": 1},
			"body": map[string]any{
				"eventName": "PlayerMessage", "measurements": nil,
				"properties": map[string]any{"AccountType": 1, "Message": message, "MessageType": "tell", "Sender": sender},
			},
		})
	} else {
		data, _ = json.Marshal(map[string]any{
			"header": map[string]any{"eventName": "PlayerMessage", "messagePurpose": "event", "requestId": "00000000-0000-0000-0000-000000000000", "version": 17039360},
			"body":   map[string]any{"message": message, "receiver": "", "sender": sender, "type": "tell"},
		})
	}
	g.Send(data)
}

func (g *Game) respond(purpose, id, body string) {
	g.mu.Lock()
	silent := g.silent
	g.mu.Unlock()
	if !silent {
		g.Send(fmt.Appendf(nil, `{"body":%s,"header":{"messagePurpose":%q,"requestId":%q,"version":17039360}}`, body, purpose, id))
	}
}

// Send sends a raw frame, encrypted when the link is.
func (g *Game) Send(data []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kind := websocket.MessageText
	if g.link != nil {
		kind = websocket.MessageBinary
		g.link.seal(data)
	}
	_ = g.conn.Write(context.Background(), kind, data) // its end shows in read
}

// Texts returns the messages of the text channel that came in, frame by frame.
func (g *Game) Texts() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var texts []string
	for _, f := range g.frames {
		texts = append(texts, string(f))
	}
	return texts
}
