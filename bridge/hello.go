package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// protocolVersion is the version of our own capabilities.
const protocolVersion = 1

// hello is the answer to world_hello.
type hello struct {
	Protocol   int                     `json:"protocol"`
	Addon      string                  `json:"addon"`
	Game       string                  `json:"game"`
	API        string                  `json:"api"`
	WorldID    string                  `json:"world_id"`
	Epoch      string                  `json:"world_epoch"`
	Session    string                  `json:"session"`
	Player     string                  `json:"player"`
	Dimensions map[string]plan.Heights `json:"dimensions"`
	IDs        struct {
		Count  int    `json:"count"`
		Pages  int    `json:"pages"`
		Digest string `json:"digest"`
	} `json:"ids"`
}

// decodeHello reads the result of world_hello.
func decodeHello(result []byte) (hello, error) {
	var h hello
	if err := json.Unmarshal(result, &h); err != nil {
		return h, flawed(FlawShape, -1, "world_hello: %v", err)
	}
	switch {
	case h.Protocol != protocolVersion:
		return h, fault.Errorf(fault.UnsupportedCapability, "the addon speaks version %d of the world protocol, this service version %d", h.Protocol, protocolVersion)
	case h.WorldID == "" || h.Epoch == "" || h.Session == "":
		return h, flawed(FlawShape, -1, "world_hello without world_id, world_epoch or session")
	case len(h.Dimensions) == 0:
		return h, flawed(FlawShape, -1, "world_hello without dimensions")
	}
	for name, heights := range h.Dimensions {
		if heights.Min > heights.Max || heights.Min < -1<<15 || heights.Max > 1<<15 {
			return h, flawed(FlawShape, -1, "dimension %s from %d to %d", name, heights.Min, heights.Max)
		}
	}
	return h, nil
}

// watch brings the connection up – settle, encrypt, subscribe – and then asks for
// the world's identity: when somebody waits for it, while nothing is known, and
// now and then when idle.
func (s *session) watch(ctx context.Context) {
	if err := s.open(ctx); err != nil {
		s.end(err)
		return
	}
	pause := time.Duration(0)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-s.ask:
		case <-timer.C:
		}
		if err := s.prove(ctx); err == nil {
			pause = s.server.opts.Idle
		} else {
			pause = min(max(2*pause, time.Second), 30*time.Second)
		}
		timer.Reset(pause)
	}
}

// open brings the link up.
func (s *session) open(ctx context.Context) error {
	if settle := s.server.opts.Settle; settle > 0 {
		// Some games read a frame wrongly that comes together with the answer
		// to their handshake.
		timer := time.NewTimer(settle)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.first:
		case <-s.done:
			return errClosed
		}
	}
	mode := s.server.opts.Encryption
	if mode == EncryptAlways || mode == EncryptOffered && s.offers {
		if err := s.encrypt(ctx); err != nil {
			return err
		}
	}
	return s.subscribe(ctx, purposeSubscribe)
}

// subscribe sends a frame that the game does not answer.
func (s *session) subscribe(ctx context.Context, purpose string) error {
	c := s.begin()
	c.raw, c.quiet = appendEventFrame(nil, purpose, c.id, playerMessage), true
	s.probe(ctx, c, s.server.opts.Timeout)
	return c.err
}

// command runs one of the game's own commands, not a request to the addon.
func (s *session) command(ctx context.Context, line string) *call {
	c := s.begin()
	c.line = append(c.line, line...)
	s.probe(ctx, c, s.server.opts.Timeout)
	return c
}

// prove asks the addon which world this is and tells whoever waits for it.
func (s *session) prove(ctx context.Context) error {
	s.mu.Lock()
	if s.proof == nil {
		s.proof = &proof{done: make(chan struct{})}
	}
	s.mu.Unlock()
	h, err := s.hello(ctx)
	switch {
	case err == nil:
		s.server.identified(s, h)
	case errors.Is(err, errTimedOut) && s.fresh():
		// One answer was lost or came late while the addon answered others.
		err = nil
	default:
		s.server.unproven(s, err)
	}
	s.mu.Lock()
	p := s.proof
	s.proof = nil
	s.mu.Unlock()
	p.err = err
	close(p.done)
	if err != nil && !answeredByAddon(err) {
		s.examine(ctx)
	}
	return err
}

// answeredByAddon reports whether the failure is an addon's own answer: then the
// game has nothing to add.
func answeredByAddon(err error) bool {
	_, frame := errors.AsType[*FrameError](err)
	return frame || unsupported(err) || fault.CodeOf(err) == fault.UnsupportedCapability
}

func (s *session) hello(ctx context.Context) (hello, error) {
	for attempt := 0; ; attempt++ {
		c := s.begin()
		c.reply = true
		c.line = appendRequest(c.line, string(appendRequestID(nil, c.id)), CapabilityHello, []byte("{}"))
		s.probe(ctx, c, s.server.opts.Timeout)
		if s.retry(ctx, c, attempt) {
			s.recycle(c)
			continue
		}
		result, err := c.answer()
		if err != nil {
			return hello{}, err
		}
		h, err := decodeHello(result)
		s.recycle(c)
		return h, err
	}
}

// answer returns the result of a bridge request, or the error that says why there
// is none.
func (c *call) answer() ([]byte, error) {
	if c.kind != plan.Answered {
		return nil, c.failure()
	}
	r, err := parseReply(c.buf.message())
	if err != nil {
		return nil, err
	}
	if !r.ok {
		return nil, &CapabilityError{Code: r.code, Message: r.message}
	}
	return r.result, nil
}

// failure returns why the call was refused or is unknown.
func (c *call) failure() error {
	if c.err == nil {
		return errTimedOut
	}
	return c.err
}

// identified notes the world that the session is in.
func (s *Server) identified(current *session, h hello) {
	world := plan.World{
		ID: h.WorldID, Epoch: h.Epoch, Session: h.Session, Game: h.Game, Addon: h.Addon, Player: h.Player, Dimensions: h.Dimensions,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != current {
		return
	}
	same := s.gen > 0 && s.world.ID == world.ID && s.world.Epoch == world.Epoch && s.world.Session == world.Session
	if !same {
		s.gen++
		clear(s.missing)
		s.log.Info("a world is connected", "world_id", world.ID, "world_epoch", world.Epoch, "game", world.Game, "addon", world.Addon, "player", world.Player)
	}
	s.world = world
	gen := s.gen
	current.mu.Lock()
	current.gen, current.hold = gen, false
	current.state = linkState{}
	current.mu.Unlock()
	if !s.ready || !same {
		s.ready = true
		s.notify()
	}
}

// unproven notes that the session could not say which world it is in.
func (s *Server) unproven(current *session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current.mu.Lock()
	current.hold = true
	current.state.hello = err
	current.mu.Unlock()
	if s.session == current && s.ready {
		s.ready = false
		s.log.Warn("the world does not answer", "error", err)
		s.notify()
	}
}

// fresh reports whether the addon answered within the time of the lease.
func (s *session) fresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.freshLocked()
}

func (s *session) freshLocked() bool {
	return s.gen > 0 && !s.hold && s.server.now().Sub(s.provenAt) < s.server.opts.Lease
}

// confirm returns when the identity of the session's world is fresh, asking for
// it when nothing was heard of the addon for the time of the lease.
func (s *session) confirm(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	if s.freshLocked() {
		s.mu.Unlock()
		return nil
	}
	p := s.proof
	if p == nil {
		p = &proof{done: make(chan struct{})}
		s.proof = p
	}
	s.mu.Unlock()
	s.poke()
	select {
	case <-p.done:
		return p.err
	case <-s.done:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// noteMissing remembers a capability that the addon does not have.
func (s *Server) noteMissing(capability string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing[capability] = true
}

func (s *Server) missingLocked() []string {
	var names []string
	for name := range s.missing {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unsupported reports whether the addon answered that it does not know what it
// was asked.
func unsupported(err error) bool {
	e, ok := errors.AsType[*CapabilityError](err)
	return ok && (e.Code == CodeUnsupportedCapability || e.Code == CodeUnsupportedVersion)
}
