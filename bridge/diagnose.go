package bridge

import (
	"context"
	"errors"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// linkState is what a session has seen that helps to say why it does not work.
type linkState struct {
	status   Status // of the last answer to a scriptevent
	answered bool   // there was one
	hello    error  // why the last world_hello failed; nil when it did not
	client   bool   // the last probe of the game itself was answered
	probed   bool   // there was one
	world    Status // of the last probe of the world
	worldOK  bool   // it was answered at all
	pack     Status // of the last probe for the pack's function
	packOK   bool   // it was answered at all
	player   string // the connected player
}

// lastLink is what is kept of a connection that ended.
type lastLink struct {
	state  linkState
	cause  error
	at     time.Time
	lasted time.Duration
	offers bool
	tried  bool // there was one
}

func (s *session) lastLink(cause error) lastLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.server.now()
	return lastLink{state: s.state, cause: cause, at: now, lasted: now.Sub(s.since), offers: s.offers, tried: true}
}

// notice keeps the status of the last answer to a request. The caller holds s.mu.
func (s *session) notice(status Status) {
	s.state.status, s.state.answered = status, true
}

// mismatchInterval is how often a kind of mismatch is logged.
const mismatchInterval = time.Minute

// mismatch logs a line that looks like the protocol's and is not taken, once in
// a minute for each kind, so that timeouts are never silent.
func (s *Server) mismatch(kind, key, value string) {
	if !s.once("mismatch "+kind, mismatchInterval) {
		return
	}
	s.log.Warn("bridge_prefix_not_matched", "reason", kind, key, value)
}

// note counts a connection that was turned away at the door.
func (s *Server) note(reason string) {
	if s.once("door "+reason, mismatchInterval) {
		s.log.Warn("a connection was turned away", "reason", reason)
	}
}

// once reports whether this is the first call for the key in the interval.
func (s *Server) once(key string, interval time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if at, ok := s.told[key]; ok && now.Sub(at) < interval {
		return false
	}
	s.told[key] = now
	return true
}

// examine looks for the reason when the addon did not answer world_hello: is the
// game itself there, does the world run, is the pack in it.
func (s *session) examine(ctx context.Context, failure error) {
	if unsupported(failure) || ctx.Err() != nil {
		return
	}
	client := s.command(ctx, "getlocalplayername")
	world := s.command(ctx, "testfor @s")
	pack := s.command(ctx, "function groundplan/installed")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.probed = true
	s.state.client = client.kind == plan.Answered
	s.state.world, s.state.worldOK = world.probed()
	s.state.pack, s.state.packOK = pack.probed()
}

// probed returns the status of a probe and whether the game answered it in any
// way.
func (c *call) probed() (Status, bool) {
	if e, ok := errors.AsType[*StatusError](c.err); ok {
		return e.Status, true
	}
	return c.status, c.kind == plan.Answered
}

// farewell ends the connection as the game likes it: without it, some games go on
// believing that they are connected.
func (s *session) farewell() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.subscribe(ctx, purposeUnsubscribe) != nil {
		return
	}
	s.command(ctx, "closewebsocket")
}

// unavailable returns the error for "no world": the one sentence that says why.
// The caller holds s.mu.
func (s *Server) unavailable() error {
	return fault.Errorf(fault.WorldUnavailable, "no world is connected")
}
