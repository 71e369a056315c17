package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// peer is the bridge's side of one connection, just good enough for these tests.
type peer struct {
	t      testing.TB
	server *httptest.Server
	conns  chan *websocket.Conn

	mu      sync.Mutex // protects what follows
	conn    *websocket.Conn
	next    int
	replies map[string]chan message
	chunks  map[string][]string
	bodies  map[string]chan capabilityBody
	events  []message
	stray   []message
}

type message struct {
	Header struct {
		RequestID string `json:"requestId"`
		Purpose   string `json:"messagePurpose"`
		EventName string `json:"eventName"`
	} `json:"header"`
	Body map[string]any `json:"body"`
}

func (m message) code() int {
	n, _ := m.Body["statusCode"].(float64)
	return int(n)
}

type capabilityBody struct {
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Error  struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func newPeer(tb testing.TB) *peer {
	tb.Helper()
	p := &peer{
		t: tb, conns: make(chan *websocket.Conn, 16), replies: map[string]chan message{},
		chunks: map[string][]string{}, bodies: map[string]chan capabilityBody{},
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(rw, r, nil)
		if err != nil {
			return
		}
		conn.SetReadLimit(1 << 24)
		p.mu.Lock()
		p.conn = conn
		p.mu.Unlock()
		p.conns <- conn
		p.read(conn)
	}))
	tb.Cleanup(p.server.Close)
	return p
}

func (p *peer) url() string { return "ws" + strings.TrimPrefix(p.server.URL, "http") }

func (p *peer) read(conn *websocket.Conn) {
	for {
		_, data, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			p.t.Errorf("the world sent %q: %v", data, err)
			return
		}
		p.take(m)
	}
}

func (p *peer) take(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Header.Purpose == "event" {
		text, _ := m.Body["message"].(string)
		if parts := strings.SplitN(text, "|", 5); len(parts) == 5 && parts[0] == "MCBEWS" && parts[1] == "BRIDGE" && m.Body["sender"] == "MCBEWS_BRIDGE" {
			p.chunk(parts[2], parts[3], parts[4])
			return
		}
		p.events = append(p.events, m)
		return
	}
	if c := p.replies[m.Header.RequestID]; c != nil {
		delete(p.replies, m.Header.RequestID)
		c <- m
		return
	}
	p.stray = append(p.stray, m)
}

func (p *peer) chunk(id, counter, content string) {
	var i, n int
	if _, err := fmt.Sscanf(counter, "%d/%d", &i, &n); err != nil || i != len(p.chunks[id])+1 {
		p.t.Errorf("chunk %s of %s", counter, id)
	}
	p.chunks[id] = append(p.chunks[id], content)
	if i < n {
		return
	}
	var body capabilityBody
	if err := json.Unmarshal([]byte(strings.Join(p.chunks[id], "")), &body); err != nil {
		p.t.Errorf("answer to %s: %v", id, err)
	}
	delete(p.chunks, id)
	if c := p.bodies[id]; c != nil {
		delete(p.bodies, id)
		c <- body
	}
}

func (p *peer) write(v any) {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	data, _ := json.Marshal(v)
	if err := conn.Write(context.Background(), websocket.MessageText, data); err != nil {
		p.t.Errorf("write to the world: %v", err)
	}
}

func (p *peer) subscribe() {
	p.write(map[string]any{
		"header": map[string]any{"version": 1, "requestId": zeroID, "messagePurpose": "subscribe"},
		"body":   map[string]any{"eventName": "PlayerMessage"},
	})
}

// start sends a command and returns where its answer will come.
func (p *peer) start(line string) chan message {
	p.mu.Lock()
	p.next++
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", p.next)
	c := make(chan message, 1)
	p.replies[id] = c
	p.mu.Unlock()
	p.write(map[string]any{
		"header": map[string]any{"version": 1, "requestId": id, "messagePurpose": "commandRequest", "messageType": "commandRequest"},
		"body":   map[string]any{"version": 42, "commandLine": line, "origin": map[string]any{"type": "player"}},
	})
	return c
}

func (p *peer) command(line string) message {
	p.t.Helper()
	return receiveFrom(p.t, p.start(line), line)
}

func receiveFrom[T any](tb testing.TB, c chan T, what string) T {
	tb.Helper()
	select {
	case m := <-c:
		return m
	case <-time.After(20 * time.Second):
		tb.Fatalf("no answer to %s", what)
		panic("unreachable")
	}
}

func (p *peer) startCall(capability string, payload any) chan capabilityBody {
	p.mu.Lock()
	p.next++
	id := fmt.Sprintf("r%d", p.next)
	c := make(chan capabilityBody, 1)
	p.bodies[id] = c
	p.mu.Unlock()
	text, _ := json.Marshal(map[string]any{"v": 2, "request_id": id, "capability": capability, "payload": payload})
	p.start("scriptevent mcbews:bridge_req " + string(text))
	return c
}

// call asks a capability and reads its result into out.
func (p *peer) call(capability string, payload, out any) {
	p.t.Helper()
	body := p.try(capability, payload)
	if !body.OK {
		p.t.Fatalf("%s %v: %+v", capability, payload, body.Error)
	}
	if err := json.Unmarshal(body.Result, out); err != nil {
		p.t.Fatalf("%s: %v in %s", capability, err, body.Result)
	}
}

func (p *peer) try(capability string, payload any) capabilityBody {
	p.t.Helper()
	return receiveFrom(p.t, p.startCall(capability, payload), capability)
}

// begin starts a world that is connected to a new peer.
func begin(tb testing.TB, o Options) (*World, *peer) {
	tb.Helper()
	p := newPeer(tb)
	o.URL = p.url()
	w, err := Start(context.Background(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
	})
	receiveFrom(tb, p.conns, "connection")
	p.subscribe()
	if o.Tick == 0 {
		p.command("help") // nothing answers subscribe; this comes after it
	}
	return w, p
}
