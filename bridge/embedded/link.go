package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxPending is how many commands of one client may wait for their answer.
	maxPending = 100
	// inboxSize bounds the frames that wait for the game.
	inboxSize = 256
	// outboxSize bounds the frames that wait for the network; the game waits
	// beyond it.
	outboxSize = 1024
	// maxFrame is the most that a frame from the bridge may have, in bytes.
	maxFrame = 1 << 20
	// dialTimeout bounds one attempt to connect.
	dialTimeout = 10 * time.Second
)

// The purposes of messages that more than one place names.
const (
	purposeCommand = "commandRequest"
	purposeEncrypt = "ws:encrypt"
)

// link is one connection to the bridge.
type link struct {
	conn    *websocket.Conn
	out     chan outgoing
	in      *stream       // decrypts, once the link is encrypted; the reader's
	gone    chan struct{} // closed when the connection is over
	pending atomic.Int32  // commands without an answer
	// subscribed is used by the game only.
	subscribed map[string]bool
}

// outgoing is one message to the bridge.
type outgoing struct {
	data   []byte
	cipher *stream // encrypts what follows this message
	end    bool    // close the connection politely instead
}

// frame is one message from the bridge.
type frame struct {
	link *link
	request
}

// request is what the bridge may send.
type request struct {
	Header struct {
		RequestID string `json:"requestId"`
		Purpose   string `json:"messagePurpose"`
	} `json:"header"`
	Body struct {
		CommandLine string `json:"commandLine"`
		EventName   string `json:"eventName"`
		Mode        string `json:"mode"`
		PublicKey   string `json:"publicKey"`
		Salt        string `json:"salt"`
	} `json:"body"`
}

// connect keeps a connection to the bridge.
func (w *World) connect(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.session(ctx); err != nil && ctx.Err() == nil {
			w.log.Info("connection to the bridge ended", "error", err)
		}
		if w.options.Reconnect < 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(w.options.Reconnect):
		}
	}
}

// session makes one connection and reads from it until it ends.
func (w *World) session(ctx context.Context) error {
	dial, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, response, err := websocket.Dial(dial, w.options.URL, w.dialOptions())
	if response != nil && response.Body != nil {
		defer func() { _ = response.Body.Close() }() // the library has drained it
	}
	if err != nil {
		return fmt.Errorf("connect to the bridge: %w", err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxFrame)
	l := &link{conn: conn, out: make(chan outgoing, outboxSize), gone: make(chan struct{}), subscribed: map[string]bool{}}
	w.attach(l)
	defer w.detach(l)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w.wait.Go(func() {
		defer stop()
		l.write(ctx)
	})
	for {
		f, err := l.read(ctx)
		if err != nil {
			return err
		}
		if f == nil || w.handshake(*f) || !l.admit(*f) {
			continue
		}
		select {
		case w.inbox <- *f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read returns the next frame; nil for one that cannot be read.
func (l *link) read(ctx context.Context) (*frame, error) {
	kind, data, err := l.conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	if kind == websocket.MessageBinary {
		if l.in == nil {
			l.send(errorFrame("", codeMalformed, "an encrypted message on a plain connection"))
			return nil, nil
		}
		l.in.open(data)
	}
	if f := l.decode(data); f != nil {
		return f, nil
	}
	l.send(errorFrame("", codeMalformed, "malformed request"))
	return nil, nil
}

func (l *link) decode(data []byte) *frame {
	f := &frame{link: l}
	if json.Unmarshal(data, &f.request) != nil {
		return nil
	}
	return f
}

// admit reports whether a frame may wait for the game: there is room for a
// hundred commands.
func (l *link) admit(f frame) bool {
	if f.Header.Purpose != purposeCommand || l.pending.Add(1) <= maxPending {
		return true
	}
	l.pending.Add(-1)
	l.send(errorFrame(f.Header.RequestID, codeTooMany, textTooMany))
	return false
}

// handshake answers a frame that asks for encryption: one of its own purpose, or
// the command of older games. It reports whether f was one.
func (w *World) handshake(f frame) bool {
	l := f.link
	public, salt := f.Body.PublicKey, f.Body.Salt
	switch {
	case f.Header.Purpose == purposeEncrypt:
	case f.Header.Purpose == purposeCommand && strings.HasPrefix(f.Body.CommandLine, "enableencryption "):
		list, err := words(strings.TrimPrefix(f.Body.CommandLine, "enableencryption "))
		if err != nil || len(list) < 2 {
			l.send(responseFrame(f.Header.RequestID, parseFailure(syntax("enableencryption")), ""))
			return true
		}
		public, salt = list[0], list[1]
	default:
		return false
	}
	if w.options.Plain || l.in != nil {
		l.send(errorFrame(f.Header.RequestID, codeFailed, "no encryption here"))
		return true
	}
	in, out, answer, err := exchange(public, salt)
	if err != nil {
		l.send(errorFrame(f.Header.RequestID, codeFailed, "Bad public key given: "+err.Error()))
		return true
	}
	l.in = in
	data := responseFrame(f.Header.RequestID, result{fields: map[string]any{"publicKey": answer}}, "")
	if f.Header.Purpose == purposeEncrypt {
		data = appendHeader(append(appendString([]byte(`{"body":{"publicKey":`), answer), '}'), f.Header.RequestID, purposeEncrypt)
	}
	l.queue(outgoing{data: data, cipher: out})
	return true
}

func (w *World) dialOptions() *websocket.DialOptions {
	o := &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled}
	if !w.options.Plain {
		o.Subprotocols = []string{subprotocol}
	}
	return o
}

func (w *World) attach(l *link) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.link = l
}

func (w *World) detach(l *link) {
	close(l.gone)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.link == l {
		w.link, w.held, w.chaos.held = nil, nil, [2][]func(){}
	}
}

// send queues a message. It is dropped when the connection is over.
func (l *link) send(data []byte) { l.queue(outgoing{data: data}) }

func (l *link) queue(o outgoing) {
	select {
	case l.out <- o:
	case <-l.gone:
	}
}

// write sends what is queued, until ctx ends or the connection does.
func (l *link) write(ctx context.Context) {
	var encrypt *stream
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-l.out:
			if o.end {
				_ = l.conn.Close(websocket.StatusNormalClosure, "") // the peer asked for it
				return
			}
			kind := websocket.MessageText
			if encrypt != nil {
				kind = websocket.MessageBinary
				encrypt.seal(o.data)
			}
			if err := l.conn.Write(ctx, kind, o.data); err != nil {
				return
			}
			if o.cipher != nil {
				encrypt = o.cipher
			}
		}
	}
}

// Await returns when a bridge is connected, or the world has ended, or ctx.
func (w *World) Await(ctx context.Context) error {
	for {
		w.mu.Lock()
		connected := w.link != nil
		w.mu.Unlock()
		if connected {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.done:
			return errors.New("the world has ended")
		case <-time.After(time.Millisecond):
		}
	}
}

// Disconnect breaks the connection as a lost network would.
func (w *World) Disconnect() {
	w.mu.Lock()
	l := w.link
	w.mu.Unlock()
	if l != nil {
		_ = l.conn.CloseNow() // nobody waits for its outcome
	}
}

// receive does what a frame asks for.
func (w *World) receive(f frame) {
	if f.link != w.link {
		return // of a connection that is over
	}
	switch f.Header.Purpose {
	case purposeCommand:
		w.receiveCommand(f)
	case "subscribe":
		f.link.subscribed[f.Body.EventName] = true
	case "unsubscribe":
		delete(f.link.subscribed, f.Body.EventName)
	default:
		f.link.send(errorFrame(f.Header.RequestID, codeMalformed, "unknown message purpose "+f.Header.Purpose))
	}
}

func (w *World) receiveCommand(f frame) {
	if w.paused && !ofClient(f.Body.CommandLine) {
		w.held = append(w.held, f)
		return
	}
	r := w.command(w.playerOrigin(), f.Body.CommandLine)
	f.link.pending.Add(-1)
	w.transmit(f.link, responseFrame(f.Header.RequestID, r, w.text(r)))
	if r.end {
		f.link.queue(outgoing{end: true})
	}
}

// ofClient reports whether the client itself runs a command, so that a paused
// world answers it.
func ofClient(line string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	switch name {
	case "getlocalplayername", "closewebsocket", "help":
		return true
	default:
		return false
	}
}

// transmit sends a message, with the faults of the way.
func (w *World) transmit(l *link, data []byte) {
	if !w.chaos.way() {
		l.send(data)
		return
	}
	// A message is encrypted where it is, so one that is sent twice is copied.
	w.pass(outward, l, func() { l.send(slices.Clone(data)) })
}

// arrive takes a frame from the connection, with the faults of the way.
func (w *World) arrive(f frame) {
	command := f.Header.Purpose == purposeCommand
	if command && w.befall(f) {
		return
	}
	if !w.chaos.way() {
		w.receive(f)
		return
	}
	first := true
	w.pass(inward, f.link, func() {
		if command && !first {
			f.link.pending.Add(1) // the same command once more
		}
		first = false
		w.receive(f)
	})
}

// playerMessage sends a chat message, if the bridge has subscribed to them.
func (w *World) playerMessage(kind, sender, receiver, message string) {
	if w.link == nil || !w.link.subscribed["PlayerMessage"] {
		return
	}
	w.transmit(w.link, messageFrame(w.options.LegacyEvents, kind, sender, receiver, message))
}
