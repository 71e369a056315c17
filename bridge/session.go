package bridge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"groundplan/plan"
)

// Times of a session.
const (
	writeTimeout  = 10 * time.Second // for the socket to take a batch of frames
	frameTimeout  = 30 * time.Second // from the first byte of a message to its last
	silenceLimit  = 2 * time.Minute  // without any frame, in spite of probes
	lostAfter     = 5 * time.Minute  // a command without an answer is forgotten
	sweepInterval = time.Second
	keptBuffer    = 1 << 20 // a read buffer that grew beyond this is dropped after use
)

// session is one connection of a game, from the accepted handshake to the end of
// its four goroutines: read (the handler's own), write, watch and sweep.
type session struct {
	server *Server
	conn   *websocket.Conn
	wire   *wire
	log    *slog.Logger
	offers bool // the game offers encryption
	since  time.Time

	cancel context.CancelFunc // ends what watch waits for

	done  chan struct{} // closed when the session ends
	gone  chan struct{} // closed when the server has let go of it
	first chan struct{} // closed when the first frame came in
	wake  chan struct{} // capacity 1: the queue has calls
	ask   chan struct{} // capacity 1: somebody waits for a proof
	slots chan struct{} // the window: one value for each call that holds a place

	lastRead   atomic.Int64 // when a frame was last read, Unix nanoseconds
	frameSince atomic.Int64 // when the frame being read began; 0 between frames

	mu         sync.Mutex // protects the following and the marked fields of calls
	closed     bool
	cause      error            // why it ended
	queue      []*call          // handed to the writer, not yet taken
	pending    map[uint64]*call // taken by the writer; until both answers are in
	unanswered int              // commands among pending that the game has not answered
	free       []*call
	used       budget               // what incomplete messages hold
	ui         map[string]*uiBuffer // incomplete UI chat by message id
	cipher     *cipherPair          // nil while the link is plain
	version    int                  // body.version of commands; 0 leaves it out
	gen        uint64               // the generation of the world last proven; 0 before
	hold       bool                 // a sign that the world changed: prove it first
	provenAt   time.Time            // when the addon last answered
	proof      *proof               // what waiters for the next proof wait for
	state      linkState            // for Diagnose
}

// proof is the next answer to world_hello; err is set before done is closed.
type proof struct {
	done chan struct{}
	err  error
}

func newSession(server *Server, conn *websocket.Conn, w *wire, offers bool) *session {
	s := &session{
		server: server, conn: conn, wire: w, log: server.log, offers: offers, since: server.now(),
		done: make(chan struct{}), gone: make(chan struct{}), first: make(chan struct{}),
		wake: make(chan struct{}, 1), ask: make(chan struct{}, 1),
		slots:   make(chan struct{}, min(server.opts.Window, MaxWindow-reserved)),
		pending: map[uint64]*call{}, ui: map[string]*uiBuffer{}, version: commandVersion,
	}
	s.lastRead.Store(s.since.UnixNano())
	return s
}

// commandVersion selects the meaning of commands: the newest known, with = in
// block states and the new execute (reference/bedrock-wire.md §1.3).
const commandVersion = 42

// run serves the connection until it ends and returns when every goroutine of it
// has.
func (s *session) run(ctx context.Context) error {
	ctx, s.cancel = context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { s.end(s.write()) })
	group.Go(func() { s.watch(ctx) })
	group.Go(s.sweep)
	stop := context.AfterFunc(ctx, func() { s.end(errClosed) })
	s.end(s.read())
	stop()
	group.Wait()
	return s.cause
}

// end closes the session once: what was sent and not answered is unknown, what
// was not sent is refused.
func (s *session) end(cause error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed, s.cause = true, cause
	for _, c := range s.pending {
		s.finish(c, plan.Unknown, errClosed)
	}
	for _, c := range s.queue {
		s.finish(c, plan.Refused, errClosed)
	}
	clear(s.pending)
	clear(s.ui)
	s.queue, s.free, s.used, s.unanswered = nil, nil, budget{}, 0
	close(s.done)
	s.mu.Unlock()
	s.cancel()
	s.conn.CloseNow()
}

// read takes frames off the socket until it fails.
func (s *session) read() error {
	var e envelope
	var buf []byte
	first := s.first
	for {
		kind, r, err := s.conn.Reader(context.Background())
		if err != nil {
			return err
		}
		now := s.server.now().UnixNano()
		s.frameSince.Store(now)
		buf, err = readAll(buf[:0], r)
		s.frameSince.Store(0)
		if err != nil {
			return err
		}
		if s.lastRead.Store(now); first != nil {
			close(first)
			first = nil
		}
		if kind == websocket.MessageBinary {
			if err := s.decrypt(buf); err != nil {
				return err
			}
		}
		if err := e.decode(buf); err != nil {
			s.server.mismatch("malformed", "frame", err.Error())
		} else {
			s.handle(&e)
		}
		if cap(buf) > keptBuffer {
			buf = nil
		}
	}
}

func readAll(buf []byte, r io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, max(512, cap(buf)))...)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// handle acts on one frame.
func (s *session) handle(e *envelope) {
	switch string(e.purpose) {
	case purposeResponse, purposeEncrypt:
		s.answered(e, false)
	case purposeError:
		s.answered(e, true)
	case purposeEvent:
		if string(e.event) == playerMessage {
			s.chat(e)
		}
	}
}

// answered takes the game's answer to a command: a commandResponse or, when the
// game did not run it, an error frame. Answers to unknown ids are ignored; agent
// commands have two.
func (s *session) answered(e *envelope, refused bool) {
	id, ok := parseUUID(e.requestID)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.pending[id]
	if c == nil || c.acked {
		return
	}
	if c.state == callEnded {
		s.acknowledge(c)
		return
	}
	c.status = e.status
	if e.status == StatusVersionMismatch {
		s.version = 0
	}
	switch {
	case refused:
		s.finish(c, plan.Refused, &StatusError{Status: e.status, Message: string(e.words)})
		s.notice(e.status)
	case c.reply && e.status.Failed():
		s.finish(c, plan.Refused, &StatusError{Status: e.status, Message: string(e.words)})
		s.notice(e.status)
		// A scriptevent fails when the player is in no world or in another.
		if e.status != StatusVersionMismatch && c.guarded {
			s.hold = true
			s.poke()
		}
	case !c.reply:
		var err error
		if c.exchange != nil && len(e.publicKey) > 0 {
			err = s.exchanged(c, e.publicKey)
		}
		if len(e.player) > 0 {
			s.state.player = string(e.player)
		}
		if e.status.Failed() {
			c.words = string(e.words)
		}
		s.finish(c, plan.Answered, err)
	default:
		s.notice(StatusSuccess)
	}
	s.acknowledge(c)
}

// chat takes a line of chat: a chunk of the addon's, or nothing of ours.
func (s *session) chat(e *envelope) {
	if !e.isChunk() {
		return
	}
	isBridge, _, _ := cutPrefix(e.message, BridgePrefix)
	isUI, _, _ := cutPrefix(e.message, UIChatPrefix)
	switch {
	case !isBridge && !isUI:
		s.server.mismatch("prefix", "message", string(clip(e.message)))
	case !e.fromBridge():
		s.server.mismatch("sender", "sender", string(clip(e.sender)))
	case isBridge:
		s.bridgeChunk(e.message)
	default:
		s.uiChunk(e.message)
	}
}

// bridgeChunk adds a chunk to the answer it belongs to. A chunk with an id that
// nobody waits for is ignored.
func (s *session) bridgeChunk(line []byte) {
	h, err := parseChunk(BridgePrefix, line)
	if err != nil {
		s.server.mismatch("malformed", "chunk", err.Error())
		return
	}
	id, ok := parseRequestID(h.id)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.pending[id]
	if c == nil || !c.reply || c.state != callSent {
		return
	}
	complete, err := c.buf.add(h, &s.used)
	switch {
	case err != nil:
		s.finish(c, plan.Unknown, err)
	case complete:
		s.finish(c, plan.Answered, nil)
	}
}

// write takes calls off the queue and sends them, as many as there are in one
// system call.
func (s *session) write() error {
	var out outbox
	for {
		select {
		case <-s.wake:
		case <-s.done:
			return nil
		}
		for s.collect(&out) {
			if err := s.flush(&out); err != nil {
				return err
			}
		}
	}
}

// outbox is a batch of frames, one behind the other in data.
type outbox struct {
	data   []byte
	ends   []int
	cipher *cipherPair
}

// collect moves the queue into the outbox. From here on a call counts as sent. It
// reports whether there is anything to send.
func (s *session) collect(out *outbox) bool {
	out.data, out.ends = out.data[:0], out.ends[:0]
	s.mu.Lock()
	defer s.mu.Unlock()
	out.cipher = s.cipher
	now := s.server.now()
	for _, c := range s.queue {
		switch {
		case c.state != callQueued:
			continue
		case c.guarded && c.gen != s.gen:
			s.finish(c, plan.Refused, errChanged)
			s.leave(c)
			continue
		case c.guarded && s.hold:
			s.finish(c, plan.Refused, errUnconfirmed)
			s.leave(c)
			continue
		}
		if c.raw != nil {
			out.data = append(out.data, c.raw...)
		} else {
			out.data = appendCommandFrame(out.data, c.id, c.line, s.version)
		}
		out.ends = append(out.ends, len(out.data))
		c.state, c.sentAt = callSent, now
		if c.quiet {
			s.finish(c, plan.Answered, nil)
			s.leave(c)
			continue
		}
		s.pending[c.id] = c
		s.unanswered++
	}
	clear(s.queue)
	s.queue = s.queue[:0]
	return len(out.ends) > 0
}

// flush writes the outbox to the socket.
func (s *session) flush(out *outbox) error {
	s.wire.cork()
	start := 0
	for _, end := range out.ends {
		frame, kind := out.data[start:end], websocket.MessageText
		start = end
		if out.cipher != nil {
			frame, kind = out.cipher.seal(frame), websocket.MessageBinary
		}
		if err := s.conn.Write(context.Background(), kind, frame); err != nil {
			return err
		}
	}
	return s.wire.uncork()
}

// sweep ends what peers leave hanging: messages that never complete, commands
// that are never answered, frames that never end, silence.
func (s *session) sweep() {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.done:
			return
		}
		now := s.server.now()
		s.expire(now)
		if since := s.frameSince.Load(); since != 0 && now.Sub(time.Unix(0, since)) > frameTimeout {
			s.end(errors.New("a message took longer than 30 seconds"))
		}
		if now.Sub(time.Unix(0, s.lastRead.Load())) > silenceLimit {
			s.end(errors.New("the game has been silent for two minutes"))
		}
	}
}

// expire forgets chunks of UI chat after BufferTTL, gives back the window's
// places of commands whose answer is overdue, and at last forgets the commands.
func (s *session) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, u := range s.ui {
		if now.Sub(u.since) > BufferTTL {
			u.release(&s.used)
			delete(s.ui, id)
		}
	}
	for id, c := range s.pending {
		if c.state != callEnded {
			continue
		}
		age := now.Sub(c.sentAt)
		if age > s.server.opts.Timeout {
			s.leave(c)
		}
		if age > lostAfter && !c.acked {
			delete(s.pending, id)
			s.unanswered--
		}
	}
}
