package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// World is a handle on the world behind the bridge, whichever that is. It
// remembers the identity that its holder last saw with Info or Await; when the
// world behind the connection is another one, everything but these two fails
// until the holder has looked again. A holder that writes has a handle of its own
// and compares Info with its plan. A World may be used by several goroutines.
type World struct {
	server *Server
	seen   atomic.Uint64 // generation of the identity last seen; 0 before
}

// World returns a new handle.
func (s *Server) World() *World { return &World{server: s} }

// Info returns the connected world.
func (w *World) Info() (plan.World, error) {
	s := w.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready {
		return plan.World{}, s.unavailable()
	}
	w.seen.Store(s.gen)
	world := s.world
	world.Missing = s.missingLocked()
	return world, nil
}

// Await returns when a world is connected, or ctx ends. Whoever writes compares
// Info with what was expected before going on.
func (w *World) Await(ctx context.Context) error {
	s := w.server
	for {
		s.mu.Lock()
		ready, gen, changed := s.ready, s.gen, s.changed
		s.mu.Unlock()
		if ready {
			w.seen.Store(gen)
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// link returns the session that reaches the world whose identity the holder saw,
// with that generation.
func (w *World) link(ctx context.Context) (*session, uint64, error) {
	s := w.server
	s.mu.Lock()
	current := s.session
	s.mu.Unlock()
	if current == nil {
		return nil, 0, errNoWorld
	}
	if err := current.confirm(ctx); err != nil {
		return current, 0, err
	}
	s.mu.Lock()
	gen := s.gen
	s.mu.Unlock()
	w.seen.CompareAndSwap(0, gen)
	if seen := w.seen.Load(); seen != gen {
		return current, 0, errChanged
	}
	return current, gen, nil
}

var (
	errNoWorld  = errors.New("no world is connected")
	errReplaced = errors.New("the game was silent and another one connected")
)

// Run runs one command in a dimension and says what is known of it. It waits for
// a place in the window of outstanding commands. A command line that is too long
// is refused.
func (w *World) Run(ctx context.Context, dimension, command string) plan.Outcome {
	if !validDimension(dimension) {
		return plan.Outcome{Kind: plan.Refused, Message: "no dimension has the name " + strconv.Quote(dimension)}
	}
	s, gen, err := w.link(ctx)
	if err != nil {
		return plan.Outcome{Kind: plan.Refused, Message: err.Error()}
	}
	for attempt := 0; ; attempt++ {
		c := s.begin()
		c.reply, c.guarded, c.gen = true, true, gen
		c.line = appendRun(c.line, c.id, dimension, command)
		if len(c.line) > MaxCommandLine {
			return plan.Outcome{Kind: plan.Refused, Message: lineTooLong(len(c.line)).Error()}
		}
		s.do(ctx, c, w.server.opts.Timeout)
		if s.retry(ctx, c, attempt) {
			s.recycle(c)
			continue
		}
		outcome := c.outcome()
		s.recycle(c)
		return outcome
	}
}

// appendRun appends the request for a command. The addon runs it in the
// overworld, so that any other dimension is a part of the command.
func appendRun(out []byte, id uint64, dimension, command string) []byte {
	out = append(out, "scriptevent "+RequestMessageID+` {"v":2,"request_id":"`...)
	out = appendRequestID(out, id)
	out = append(out, `","capability":"`+CapabilityCommand+`","payload":{"command":`...)
	out = append(out, '"')
	if dimension != overworld && !strings.HasPrefix(command, "execute in ") {
		out = append(out, "execute in "...)
		out = append(out, dimension...)
		out = append(out, " run "...)
	}
	out = appendEscaped(out, command, true)
	return append(out, `"}}`...)
}

const overworld = "overworld"

// validDimension reports whether name can be the name of a dimension.
func validDimension(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != ':' && c != '.' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

func lineTooLong(size int) error {
	return flawed(FlawLineTooLong, -1, "the command line has %d bytes; %d is the limit", size, MaxCommandLine)
}

// retry reports whether the call has to be made again: when the game had too many
// commands, after a pause, or when it does not know the version of commands.
func (s *session) retry(ctx context.Context, c *call, attempt int) bool {
	status, ok := errors.AsType[*StatusError](c.err)
	if c.kind != plan.Refused || !ok {
		return false
	}
	switch status.Status {
	case StatusTooManyPending:
		// The pauses add up to RequestTimeout.
		if attempt >= 28 {
			return false
		}
		timer := time.NewTimer(25 * time.Millisecond << min(attempt, 3))
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-ctx.Done():
			return false
		case <-s.done:
			return false
		}
	case StatusVersionMismatch:
		// From here on commands go out without it.
		return attempt == 0
	default:
		return false
	}
}

// outcome returns what is known of a run_world_command.
func (c *call) outcome() plan.Outcome {
	if c.kind != plan.Answered {
		return plan.Outcome{Kind: c.kind, Message: c.failure().Error()}
	}
	r, err := parseReply(c.buf.message())
	if err != nil {
		return plan.Outcome{Kind: plan.Unknown, Message: err.Error()}
	}
	if r.ok {
		count, known := successCount(r.result)
		return plan.Outcome{Kind: plan.Answered, Success: count > 0 || !known}
	}
	message := r.code + ": " + r.message
	switch r.code {
	case CodeCapabilityFailed:
		return plan.Outcome{Kind: plan.Answered, Message: r.message}
	case CodeMalformedJSON, CodeInvalidRequest, CodeUnsupportedVersion, CodeUnsupportedCapability, CodeQueueFull:
		return plan.Outcome{Kind: plan.Refused, Message: message}
	default:
		// RESPONSE_SEND_FAILED, and codes that are not in the protocol: it may
		// have run.
		return plan.Outcome{Kind: plan.Unknown, Message: message}
	}
}

// Call asks the addon for a capability and returns its result. The payload is
// marshalled to a JSON object; a request that does not fit a command line is an
// error. The errors are faults: world_unavailable, timeout,
// unsupported_capability, invalid_request.
func (w *World) Call(ctx context.Context, capability string, payload any) (json.RawMessage, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidRequest, "%s: %w", capability, err)
	}
	if payload == nil {
		body = nil
	}
	escaped, err := escapePayload(body)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidRequest, "%s: %w", capability, err)
	}
	s, gen, err := w.link(ctx)
	if err != nil && (s == nil || !unsupported(err)) {
		return nil, w.fault(capability, err)
	}
	result, err := w.call(ctx, s, gen, capability, escaped)
	if err != nil {
		return nil, w.fault(capability, err)
	}
	return result, nil
}

// call makes one request; gen 0 is for an addon that cannot name its world.
func (w *World) call(ctx context.Context, s *session, gen uint64, capability string, payload []byte) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		c := s.begin()
		c.reply, c.guarded, c.gen = true, gen > 0, gen
		c.line = appendRequest(c.line, string(appendRequestID(nil, c.id)), capability, payload)
		if len(c.line) > MaxCommandLine {
			return nil, lineTooLong(len(c.line))
		}
		s.do(ctx, c, w.server.opts.Timeout)
		if s.retry(ctx, c, attempt) {
			s.recycle(c)
			continue
		}
		result, err := c.answer()
		if err == nil {
			result = append([]byte(nil), result...)
			s.recycle(c)
		} else if unsupported(err) {
			w.server.noteMissing(capability)
		}
		return result, err
	}
}

// fault gives an error of the bridge its code.
func (w *World) fault(what string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	code := fault.WorldUnavailable
	if _, ok := errors.AsType[*FrameError](err); ok {
		code = fault.UnsupportedCapability
		if errors.Is(err, &FrameError{Flaw: FlawLineTooLong}) {
			code = fault.InvalidRequest
		}
	}
	if e, ok := errors.AsType[*CapabilityError](err); ok {
		code = fault.InvalidRequest
		if unsupported(err) {
			code = fault.UnsupportedCapability
		}
		return fault.Errorf(code, "the world's addon refused %s: %w", what, err).With("addon_code", e.Code)
	}
	switch {
	case errors.Is(err, errTimedOut):
		code = fault.Timeout
	case errors.Is(err, context.Canceled):
		code = fault.Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		code = fault.Timeout
	case errors.Is(err, errNoWorld):
		w.server.mu.Lock()
		defer w.server.mu.Unlock()
		return w.server.unavailable()
	}
	return fault.Errorf(code, "%s: %w", what, err)
}
