package bridge

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// Encryption says whether the link is encrypted. Over loopback it hides nothing;
// it exists because some games insist on it.
type Encryption string

// The choices.
const (
	EncryptOffered Encryption = ""       // when the game offers it
	EncryptNever   Encryption = "never"  // never select it
	EncryptAlways  Encryption = "always" // ask for it even when it was not offered
)

// Options configure a Server. The zero value works.
type Options struct {
	Addr       string       // host:port, host must be loopback; "" means 127.0.0.1:8767
	Listener   net.Listener // used instead of Addr when not nil
	Secret     string       // the path that the game must connect to; "" makes a random one
	Encryption Encryption
	Window     int           // requests in flight at most, 1 to 90 (five of the 90 are kept for probes); 0 means 32
	Timeout    time.Duration // for one request to be answered; 0 means 5 s
	Lease      time.Duration // how long a proof of the world's identity holds; 0 means 2 s
	Idle       time.Duration // how often an idle world is asked for its identity; 0 means 10 s
	TextDelay  time.Duration // between the frames of one text; 0 means 150 ms
	Settle     time.Duration // pause between the handshake and the first frame; 0 means 100 ms, negative none
	Log        *slog.Logger  // nil discards
	Now        func() time.Time
}

func (o *Options) fill() error {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:8767"
	}
	if o.Secret == "" {
		o.Secret = rand.Text()
	}
	for _, f := range []struct {
		field *time.Duration
		value time.Duration
	}{{&o.Timeout, RequestTimeout}, {&o.Lease, 2 * time.Second}, {&o.Idle, 10 * time.Second}, {&o.Settle, 100 * time.Millisecond}, {&o.TextDelay, TextDelay}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	if o.Window < 1 || o.Window > MaxWindow {
		return fault.Errorf(fault.InvalidRequest, "a window of %d commands; 1 to %d are possible", o.Window, MaxWindow)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// Server waits for a game at one address and keeps the one that is connected.
type Server struct {
	opts     Options
	log      *slog.Logger
	now      func() time.Time
	http     *http.Server
	addr     net.Addr
	counter  atomic.Uint64 // of requests; see firstRequest
	first    uint64        // where it began
	messages chan UIMessage
	stop     context.CancelFunc
	work     sync.WaitGroup // the HTTP server and the sessions

	deliverMu    sync.Mutex // protects following
	deliverEnded bool

	mu       sync.Mutex // protects following
	session  *session   // nil while no game is connected
	world    plan.World // the identity last proven
	ready    bool       // session answers for world
	gen      uint64     // counts the identities
	missing  map[string]bool
	changed  chan struct{} // closed, and replaced, when one of the above changes
	last     lastLink      // what is known of the connection that ended last
	told     map[string]time.Time
	refusing int // connections being refused
	closing  bool
}

// Listen starts the server. It ends with ctx or Close.
func Listen(ctx context.Context, opts Options) (*Server, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	ln, err := listen(ctx, opts)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Server{
		opts: opts, log: opts.Log, now: opts.Now, addr: ln.Addr(), messages: make(chan UIMessage, 64), stop: stop,
		changed: make(chan struct{}), missing: map[string]bool{}, told: map[string]time.Time{},
	}
	s.first = firstRequest(opts.Now())
	s.counter.Store(s.first)
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 5 * time.Second, // the rest end with the upgrade
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, wireKey{}, conn)
		},
		ErrorLog: slog.NewLogLogger(opts.Log.Handler(), slog.LevelDebug),
	}
	s.http.SetKeepAlivesEnabled(false)
	s.work.Go(func() {
		if err := s.http.Serve(wireListener{ln}); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the bridge's port failed", "error", err)
		}
	})
	context.AfterFunc(ctx, func() { _ = s.http.Close() })
	return s, nil
}

// wireKey is the context's key for a connection's wire.
type wireKey struct{}

func listen(ctx context.Context, opts Options) (net.Listener, error) {
	if opts.Listener != nil {
		return opts.Listener, nil
	}
	host, _, err := net.SplitHostPort(opts.Addr)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidRequest, "bridge address %q: %w", opts.Addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fault.Errorf(fault.InvalidRequest, "bridge address %q is not loopback; the port has no other guard than its secret path", opts.Addr)
	}
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", opts.Addr)
	if err != nil {
		return nil, fault.Errorf(fault.Busy, "bridge: %w", err)
	}
	return ln, nil
}

// firstRequest returns where the counter of requests begins: far beyond any id
// that an earlier process used, because an addon may answer that one's requests
// to this one. A million requests fit each second, and eleven digits of base 36
// last beyond the year 3000.
func firstRequest(now time.Time) uint64 {
	return uint64(max(now.Unix(), 1)) << 20 & (1<<48 - 1) //nolint:gosec // not negative
}

// URL returns what the player types after /connect.
func (s *Server) URL() string { return "ws://" + s.addr.String() + "/" + s.opts.Secret }

// Requests returns how many requests were made to the game since Listen.
func (s *Server) Requests() uint64 { return s.counter.Load() - s.first }

// Close says good-bye to the game, closes the port and waits for everything that
// the server started.
func (s *Server) Close() error {
	s.mu.Lock()
	current := s.session
	s.mu.Unlock()
	if current != nil {
		current.farewell()
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.stop()
	err := s.http.Close()
	s.work.Wait()
	s.deliverMu.Lock()
	defer s.deliverMu.Unlock()
	if !s.deliverEnded {
		s.deliverEnded = true
		close(s.messages)
	}
	return err
}

// serve admits a game: the path must be the secret, a browser is none.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := []byte(r.URL.Path)
	if len(r.Header["Origin"]) > 0 {
		s.note("origin")
		http.Error(w, "browsers may not connect", http.StatusForbidden)
		return
	}
	if subtle.ConstantTimeCompare(path, []byte("/"+s.opts.Secret)) != 1 {
		s.note("path")
		http.NotFound(w, r)
		return
	}
	raw, ok := r.Context().Value(wireKey{}).(*wire)
	if !ok {
		http.Error(w, "not a plain connection", http.StatusInternalServerError)
		return
	}
	// The connection ends with the handler: it is the session's own goroutine.
	if !s.enter() {
		http.Error(w, "closing", http.StatusServiceUnavailable)
		return
	}
	defer s.work.Done()
	offers := headerHas(r.Header, "Sec-Websocket-Protocol", subprotocol)
	accept := &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled}
	if offers && s.opts.Encryption != EncryptNever {
		accept.Subprotocols = []string{subprotocol}
	}
	conn, err := websocket.Accept(w, r, accept)
	if err != nil {
		s.note("handshake")
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(MaxFrame)
	current := newSession(s, conn, raw, offers)
	for other := s.admit(current); other != nil; other = s.admit(current) {
		if !other.leaving() && other.alive(r.Context()) {
			s.refuse(conn, other)
			return
		}
		other.end(errReplaced)
		<-other.gone
	}
	s.log.Info("a game connected", "encryption_offered", offers)
	cause := current.run(r.Context())
	s.dismiss(current, cause)
	s.log.Info("the game disconnected", "error", cause)
}

// enter counts a handler that Close has to wait for; false once Close has begun.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.work.Add(1)
	}
	return !s.closing
}

// admit makes the session the current one; it returns the session that is
// current already.
func (s *Server) admit(current *session) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session
	}
	s.session, s.ready = current, false
	s.notify()
	return nil
}

func (s *Server) dismiss(current *session, cause error) {
	link := current.lastLink(cause)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == current {
		s.session, s.ready, s.last = nil, false, link
		s.notify()
	}
	close(current.gone)
}

// notify wakes everybody who waits for a change. The caller holds mu.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// maxRefusing bounds how many connections are told at one time why they are
// refused; more are closed without a word.
const maxRefusing = 4

// refuse tells a second game, in its chat and in the close frame, why it cannot
// connect.
func (s *Server) refuse(conn *websocket.Conn, other *session) {
	s.mu.Lock()
	player, busy := s.world.Player, s.refusing >= maxRefusing
	if !busy {
		s.refusing++
	}
	s.mu.Unlock()
	s.log.Warn("a second game was refused", "connected_player", player, "connected_since", other.since)
	if busy {
		return
	}
	defer func() {
		s.mu.Lock()
		s.refusing--
		s.mu.Unlock()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// A game answers the commands; unless somebody reads, it may block on that.
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() {
		for {
			if _, r, err := conn.Reader(ctx); err != nil {
				return
			} else if _, err := io.Copy(io.Discard, r); err != nil {
				return
			}
		}
	})
	words := "groundplan: another world is connected; disconnect it first (/connect off)"
	if player != "" {
		words = "groundplan: the world of " + player + " is connected; disconnect it first (/connect off)"
	}
	tellraw := appendQuoted([]byte(`tellraw @s {"rawtext":[{"text":`), words, false)
	tellraw = append(tellraw, "}]}"...)
	for _, line := range [][]byte{tellraw, []byte("closewebsocket")} {
		if conn.Write(ctx, websocket.MessageText, appendCommandFrame(nil, s.counter.Add(1), line, commandVersion)) != nil {
			return
		}
	}
	_ = conn.Close(websocket.StatusTryAgainLater, words[:min(len(words), 120)])
}

func headerHas(h http.Header, name, value string) bool {
	for _, line := range h[name] {
		for len(line) > 0 {
			item, rest, _ := cutTrim(line)
			if item == value {
				return true
			}
			line = rest
		}
	}
	return false
}

// cutTrim returns the first item of a comma-separated list and the rest.
func cutTrim(list string) (item, rest string, more bool) {
	item, rest, more = strings.Cut(list, ",")
	return strings.TrimSpace(item), rest, more
}
