package bridge

import (
	"context"
	"errors"
	"time"

	"groundplan/plan"
)

// call is one request on its way: a command the game answers, and for a bridge
// request also the addon's answer to it.
type call struct {
	id      uint64
	line    []byte // the command line; nil for a raw frame
	raw     []byte // a frame that is no command
	quiet   bool   // the game does not answer it
	reply   bool   // it ends with the addon's answer, not with the game's
	guarded bool   // it may run only in the world of generation gen
	gen     uint64
	buf     buffer // the answer's chunks

	exchange *handshake // not nil for a key exchange

	done  chan struct{} // capacity 1; one value when the call has ended
	timer *time.Timer

	// Protected by session.mu.
	state  callState
	acked  bool // the game answered the command
	slot   bool // it holds a place in the window
	sentAt time.Time

	// Written before done, read after it.
	kind   plan.OutcomeKind
	status Status
	words  string
	key    []byte // the game's public key, after a key exchange
	err    error  // why it was refused or is unknown
}

type callState uint8

const (
	callNew    callState = iota
	callQueued           // waits for the writer
	callSent             // the writer took it
	callEnded            // the caller has been told
)

// Why a call did not end with an answer.
var (
	errClosed      = errors.New("the connection to the world ended")
	errTimedOut    = errors.New("the world did not answer in time")
	errUnanswered  = errors.New("the world leaves too many commands unanswered")
	errChanged     = errors.New("the world behind the connection has changed")
	errUnconfirmed = errors.New("the world behind the connection is not confirmed")
)

// begin returns a call that is ready for a line.
func (s *session) begin() *call {
	s.mu.Lock()
	var c *call
	if n := len(s.free); n > 0 {
		c = s.free[n-1]
		s.free = s.free[:n-1]
	}
	s.mu.Unlock()
	if c == nil {
		c = &call{done: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
		c.timer.Stop()
	}
	*c = call{line: c.line[:0], buf: c.buf, done: c.done, timer: c.timer}
	c.buf.reset()
	c.id = s.server.counter.Add(1)
	return c
}

// recycle takes back a call whose answer has been used. A call that the game may
// still answer, or that may still stand in the queue, is left to the garbage
// collector.
func (s *session) recycle(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.acked && !s.closed && len(s.free) < MaxWindow {
		s.free = append(s.free, c)
	}
}

// do sends the call and returns when it has ended: answered, refused or unknown,
// the last when the deadline or ctx came first. It waits for a place in the
// window as long as ctx allows.
func (s *session) do(ctx context.Context, c *call, timeout time.Duration) {
	if s.send(ctx, c, timeout) {
		s.wait(ctx, c)
	}
}

// send waits for a place in the window and hands the call to the writer. It
// reports whether the call is on its way; otherwise it has ended as refused.
func (s *session) send(ctx context.Context, c *call, timeout time.Duration) bool {
	if err := ctx.Err(); err != nil {
		c.refuse(err)
		return false
	}
	select {
	case s.slots <- struct{}{}:
		c.slot = true
	case <-ctx.Done():
		c.refuse(ctx.Err())
		return false
	case <-s.done:
		c.refuse(errClosed)
		return false
	}
	c.timer.Reset(timeout)
	if err := s.enqueue(c, MaxWindow-reserved); err != nil {
		c.timer.Stop()
		c.slot = false
		<-s.slots
		c.refuse(err)
		return false
	}
	return true
}

// reserved is how many of MaxWindow are kept for probes.
const reserved = 5

// probe is do for the few commands that a full window must not hold up.
func (s *session) probe(ctx context.Context, c *call, timeout time.Duration) {
	c.timer.Reset(timeout)
	if err := s.enqueue(c, MaxWindow); err != nil {
		c.timer.Stop()
		c.refuse(err)
		return
	}
	s.wait(ctx, c)
}

// enqueue hands the call to the writer. At most limit commands may be unanswered.
func (s *session) enqueue(c *call, limit int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.unanswered+len(s.queue) >= limit {
		return errUnanswered
	}
	c.state = callQueued
	s.queue = append(s.queue, c)
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

func (s *session) wait(ctx context.Context, c *call) {
	select {
	case <-c.done:
	case <-c.timer.C:
		s.giveUp(c, errTimedOut)
	case <-ctx.Done():
		s.giveUp(c, ctx.Err())
	}
	c.timer.Stop()
}

// giveUp ends a call whose caller waits no longer. The game may still answer a
// command that was sent: until then it counts as unanswered.
func (s *session) giveUp(c *call, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c.state {
	case callEnded:
		<-c.done
	case callSent:
		s.finish(c, plan.Unknown, err)
		<-c.done
		s.leave(c)
		if c.guarded && errors.Is(err, errTimedOut) && !s.closed {
			s.poke() // is the world still there
		}
	default:
		// The writer drops what is not queued any more.
		s.finish(c, plan.Refused, err)
		<-c.done
		s.leave(c)
	}
}

// refuse ends a call that was never handed to the writer.
func (c *call) refuse(err error) {
	c.state, c.kind, c.err = callEnded, plan.Refused, err
}

// finish ends a call and wakes its caller. The caller of finish holds s.mu.
func (s *session) finish(c *call, kind plan.OutcomeKind, err error) {
	if c.state == callEnded {
		return
	}
	c.buf.release(&s.used)
	c.state, c.kind, c.err = callEnded, kind, err
	if kind == plan.Answered && c.reply {
		// Another world's addon does not know the request, so its answer shows
		// that the world is still the one it was sent to.
		s.provenAt = s.server.now()
	}
	if c.acked {
		delete(s.pending, c.id)
		s.leave(c)
	}
	c.done <- struct{}{}
}

// leave gives the call's place in the window back. The caller holds s.mu.
func (s *session) leave(c *call) {
	if c.slot {
		c.slot = false
		<-s.slots
	}
}

// acknowledge notes that the game answered the command. The caller holds s.mu.
func (s *session) acknowledge(c *call) {
	c.acked = true
	s.unanswered--
	if c.state != callEnded {
		return
	}
	delete(s.pending, c.id)
	s.leave(c)
	if s.hold && c.kind == plan.Unknown {
		s.poke() // a late answer: the world runs again
	}
}

// poke makes watch ask for the world's identity now.
func (s *session) poke() {
	select {
	case s.ask <- struct{}{}:
	default:
	}
}
