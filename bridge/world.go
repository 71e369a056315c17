package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
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

// readAhead is how many cells are asked for at one time. The world reads one box
// after the other, so more would only wait, and a large box that waits behind
// others can miss its deadline; the pages on their way stay below
// MaxBufferedBytes.
const readAhead = 2 * MaxRegionCells

// Read returns the cells of the boxes, each of at most MaxRegionCells cells.
// Cells in chunks that are not loaded are absent from the snapshot. The boxes are
// read side by side, the pages of a box one after the other, so a box is not a
// picture of one moment.
func (w *World) Read(ctx context.Context, dimension string, boxes []voxel.Box) (*plan.Snapshot, error) {
	for _, box := range boxes {
		if !box.Valid() || box.Volume() > MaxRegionCells {
			return nil, fault.Errorf(fault.BudgetExceeded, "a region of %v; one read has at most %d cells", box, MaxRegionCells)
		}
	}
	s, gen, err := w.link(ctx)
	if err != nil {
		return nil, w.fault("read", err)
	}
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	snapshot := &plan.Snapshot{Cells: voxel.NewVolume()}
	var (
		group sync.WaitGroup
		room  = semaphore.NewWeighted(readAhead)
		mu    sync.Mutex // protects snapshot and first
		first error
	)
	for _, box := range boxes {
		weight := int64(max(box.Volume(), readAhead/w.server.opts.Window))
		if room.Acquire(ctx, weight) != nil {
			break // a read failed, or the caller gave up
		}
		group.Go(func() {
			defer room.Release(weight)
			err := w.readBox(ctx, s, gen, dimension, box, snapshot, &mu)
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if first == nil {
				first = err
			}
			cancel()
		})
	}
	group.Wait()
	if first == nil && outer.Err() != nil {
		first = outer.Err()
	}
	if first != nil {
		return nil, w.fault("read "+dimension, first)
	}
	return snapshot, nil
}

// readBox reads the pages of one box.
func (w *World) readBox(ctx context.Context, s *session, gen uint64, dimension string, box voxel.Box, into *plan.Snapshot, mu *sync.Mutex) error {
	cells := box.Volume()
	for from := 0; ; {
		result, err := w.call(ctx, s, gen, CapabilityRead, regionPayload(dimension, box, from))
		if err != nil {
			return err
		}
		page, err := DecodeRegionPage(result, cells)
		if err != nil {
			return err
		}
		if page.From != from {
			return flawed(FlawShape, -1, "page from cell %d where cell %d was asked for", page.From, from)
		}
		mu.Lock()
		page.Paint(into, box)
		mu.Unlock()
		if page.Next < 0 {
			return nil
		}
		from = page.Next
	}
}

// regionPayload returns the payload for a box's page from a cell on.
func regionPayload(dimension string, box voxel.Box, from int) []byte {
	out := appendQuoted([]byte(`{"dim":`), dimension, true)
	out = appendCorner(append(out, `,"min":[`...), box.Min)
	out = appendCorner(append(out, `],"max":[`...), box.Max)
	out = strconv.AppendInt(append(out, `],"page":`...), int64(from), 10)
	return append(out, '}')
}

func appendCorner(out []byte, p voxel.Pos) []byte {
	out = strconv.AppendInt(out, int64(p.X), 10)
	out = strconv.AppendInt(append(out, ','), int64(p.Y), 10)
	return strconv.AppendInt(append(out, ','), int64(p.Z), 10)
}

// Digests returns one digest for each section that the box touches, in y, z, x
// order, over the section's cells inside the box; voxel.UnknownDigest where one of
// them is not loaded. voxel.Digests makes the same of a Volume.
func (w *World) Digests(ctx context.Context, dimension string, box voxel.Box) ([]string, error) {
	if !box.Valid() {
		return nil, fault.Errorf(fault.InvalidRequest, "the box %v is upside down", box)
	}
	s, gen, err := w.link(ctx)
	if err != nil {
		return nil, w.fault("digest", err)
	}
	lo, hi := box.Min.Section(), box.Max.Section()
	want := voxel.Box{Min: voxel.Pos(lo), Max: voxel.Pos(hi)}.Volume()
	var digests []string
	for from := 0; ; {
		result, err := w.call(ctx, s, gen, CapabilityDigest, regionPayload(dimension, box, from))
		if err != nil {
			return nil, w.fault("digest "+dimension, err)
		}
		page, next, err := decodeDigests(result)
		if err != nil {
			return nil, w.fault("digest "+dimension, err)
		}
		digests = append(digests, page...)
		switch {
		case next < 0 && len(digests) == want:
			return digests, nil
		case next <= from || len(digests) >= want || len(page) == 0:
			return nil, w.fault("digest "+dimension, flawed(FlawShape, -1, "%d digests for %d sections", len(digests), want))
		}
		from = next
	}
}

// decodeDigests reads a page of digests; next is -1 on the last.
func decodeDigests(result []byte) (digests []string, next int, err error) {
	var page struct {
		Digests string `json:"digests"`
		Next    *int   `json:"next"`
	}
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, 0, flawed(FlawShape, -1, "digests: %v", err)
	}
	const size = len(voxel.UnknownDigest)
	if len(page.Digests)%size != 0 {
		return nil, 0, flawed(FlawShape, -1, "digests of %d characters", len(page.Digests))
	}
	for at := 0; at < len(page.Digests); at += size {
		d := page.Digests[at : at+size]
		if d != voxel.UnknownDigest && !isHex(d) {
			return nil, 0, flawed(FlawShape, -1, "digest %q", d)
		}
		digests = append(digests, d)
	}
	if page.Next == nil || *page.Next < 0 {
		return digests, -1, nil
	}
	return digests, *page.Next, nil
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// maxChanges bounds the changes that one call of Changes returns; the next call
// goes on where it ended.
const maxChanges = 1 << 17

// Changes returns the edits by others after the cursor; "" asks for where the
// ring stands now.
func (w *World) Changes(ctx context.Context, cursor string) (plan.Changes, error) {
	s, gen, err := w.link(ctx)
	if err != nil {
		return plan.Changes{}, w.fault("changes", err)
	}
	changes := plan.Changes{Cursor: cursor}
	for {
		payload := append(appendQuoted([]byte(`{"cursor":`), changes.Cursor, true), '}')
		result, err := w.call(ctx, s, gen, CapabilityChanges, payload)
		if err != nil {
			return plan.Changes{}, w.fault("changes", err)
		}
		more, err := decodeChanges(result, &changes)
		if err != nil {
			return plan.Changes{}, w.fault("changes", err)
		}
		if !more || len(changes.List) >= maxChanges {
			return changes, nil
		}
	}
}

// decodeChanges adds a page of the ring to the changes.
func decodeChanges(result []byte, changes *plan.Changes) (more bool, err error) {
	var page struct {
		Cursor  string `json:"cursor"`
		Gap     bool   `json:"gap"`
		More    bool   `json:"more"`
		Changes []struct {
			Pos    []int  `json:"pos"`
			Dim    string `json:"dim"`
			Kind   string `json:"kind"`
			Player string `json:"player"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(result, &page); err != nil {
		return false, flawed(FlawShape, -1, "changes: %v", err)
	}
	if page.Cursor == "" || page.More && page.Cursor == changes.Cursor {
		return false, flawed(FlawShape, -1, "changes without a cursor that leads on")
	}
	for i, c := range page.Changes {
		if len(c.Pos) != 3 || c.Dim == "" {
			return false, flawed(FlawShape, i, "change without position or dimension")
		}
		changes.List = append(changes.List, plan.Change{
			Pos: voxel.Pos{X: c.Pos[0], Y: c.Pos[1], Z: c.Pos[2]}, Dimension: c.Dim, Kind: c.Kind, Player: c.Player,
		})
	}
	changes.Cursor, changes.Gap = page.Cursor, changes.Gap || page.Gap
	return page.More, nil
}
