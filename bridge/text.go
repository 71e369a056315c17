package bridge

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"groundplan/plan/fault"
)

// Text is a message to a player that the addon shows in its panel.
type Text struct {
	ID           string
	Player       string
	Role         string // user, assistant or approval
	Text         string
	Conversation string          // optional
	Title        string          // optional
	Usage        json.RawMessage // optional; travels on the last frame only
}

// TextFrame is one slice of a Text, as a scriptevent carries it.
type TextFrame struct {
	ID           string          `json:"id"`
	Index        int             `json:"i"` // from 1
	Total        int             `json:"n"`
	Player       string          `json:"p"`
	Role         string          `json:"r"`
	Content      string          `json:"c"`
	Conversation string          `json:"cid,omitempty"`
	Title        string          `json:"t,omitempty"`
	Usage        json.RawMessage `json:"u,omitempty"`
}

// EncodeText returns the command lines of a text, each within MaxCommandLine
// bytes and MaxTextPoints code points of content.
func EncodeText(t Text) ([]string, error) {
	switch {
	case t.ID == "" || !utf8.ValidString(t.ID):
		return nil, flawed(FlawMetadata, -1, "text without an id")
	case t.Role != "user" && t.Role != "assistant" && t.Role != "approval":
		return nil, flawed(FlawUnknownRole, -1, "role %q; user, assistant and approval are possible", t.Role)
	}
	if len(t.Usage) > 0 {
		usage, err := escapePayload(t.Usage)
		if err != nil {
			return nil, err
		}
		t.Usage = usage
	}
	// The number of frames stands in every frame: try each width of it, as for
	// chunks.
	for width := 1; width <= 6; width++ {
		total := strings.Repeat("9", width)
		contents, err := t.cut(total)
		if err != nil {
			return nil, err
		}
		if n := strconv.Itoa(len(contents)); len(n) <= width {
			lines := make([]string, len(contents))
			for i, content := range contents {
				lines[i] = string(t.appendFrame(nil, i+1, n, content, i == len(contents)-1))
			}
			return lines, nil
		}
	}
	return nil, flawed(FlawTooLarge, -1, "more than 999999 frames")
}

// cut returns the contents of the frames when their number is as wide as total.
func (t Text) cut(total string) ([]string, error) {
	// Usage may stand on any frame until it is known which is the last, so room
	// for it is left on all.
	fixed := len(t.appendFrame(nil, 0, total, "", true)) - 1
	var contents []string
	for start := 0; start < len(t.Text) || contents == nil; {
		room := MaxCommandLine - fixed - len(strconv.Itoa(len(contents)+1))
		end := start
		for n := 0; n < MaxTextPoints && end < len(t.Text); n++ {
			_, size := utf8.DecodeRuneInString(t.Text[end:])
			if room -= escapedSize(t.Text[end : end+size]); room < 0 {
				break
			}
			end += size
		}
		if end == start && (len(t.Text) > 0 || room < 0) {
			return nil, flawed(FlawNoRoom, len(contents), "%d bytes of frame have no room for content", fixed)
		}
		contents = append(contents, t.Text[start:end])
		start = end
	}
	return contents, nil
}

// escapedSize returns how many bytes appendEscaped makes of one code point.
func escapedSize(point string) int {
	switch c := point[0]; {
	case len(point) > 1:
		return len(point)
	case c == '"' || c == '\\':
		return 2
	case c < 0x20 || c == 0x7f || c == '@':
		return 6
	case c >= utf8.RuneSelf:
		return len("\ufffd")
	default:
		return 1
	}
}

func (t Text) appendFrame(out []byte, index int, total, content string, last bool) []byte {
	out = appendQuoted(append(out, "scriptevent "+TextMessageID+` {"id":`...), t.ID, true)
	out = strconv.AppendInt(append(out, `,"i":`...), int64(index), 10)
	out = append(append(out, `,"n":`...), total...)
	out = appendQuoted(append(out, `,"p":`...), t.Player, true)
	out = appendQuoted(append(out, `,"r":`...), t.Role, true)
	out = appendQuoted(append(out, `,"c":`...), content, true)
	if t.Conversation != "" {
		out = appendQuoted(append(out, `,"cid":`...), t.Conversation, true)
	}
	if t.Title != "" {
		out = appendQuoted(append(out, `,"t":`...), t.Title, true)
	}
	if last && len(t.Usage) > 0 {
		out = append(append(out, `,"u":`...), t.Usage...)
	}
	return append(out, '}')
}

// DecodeTextFrame reads the JSON message of a text frame.
func DecodeTextFrame(message []byte) (TextFrame, error) {
	var f TextFrame
	s := scanner{data: message}
	if s.peek() != '{' {
		return f, flawed(FlawNotObject, 0, "the text frame is not an object")
	}
	if err := json.Unmarshal(message, &f); err != nil {
		return f, flawed(FlawJSON, 0, "text frame: %v", err)
	}
	switch {
	case f.ID == "" || f.Index < 1 || f.Total < 1 || f.Index > f.Total:
		return f, flawed(FlawMetadata, 0, "text frame %q, %d of %d", f.ID, f.Index, f.Total)
	case f.Total > MaxChunks:
		return f, flawed(FlawTooMany, 0, "%d text frames; %d is the limit", f.Total, MaxChunks)
	case f.Role != "user" && f.Role != "assistant" && f.Role != "approval":
		return f, flawed(FlawUnknownRole, 0, "role %q", f.Role)
	}
	return f, nil
}

// JoinText returns the text whose frames, in any order, these are. A frame may
// come twice with the same contents.
func JoinText(frames []TextFrame) (Text, error) {
	if len(frames) == 0 {
		return Text{}, flawed(FlawEmpty, -1, "no frames")
	}
	first := frames[0]
	t := Text{ID: first.ID, Player: first.Player, Role: first.Role, Conversation: first.Conversation, Title: first.Title}
	parts := map[int]TextFrame{}
	for i, f := range frames {
		old, twice := parts[f.Index]
		switch {
		case f.ID != first.ID:
			return Text{}, flawed(FlawMixedID, i, "id %q among frames of %q", f.ID, first.ID)
		case f.Total != first.Total:
			return Text{}, flawed(FlawMixedTotal, i, "total %d among frames of %d", f.Total, first.Total)
		case f.Index < 1 || f.Index > f.Total:
			return Text{}, flawed(FlawMetadata, i, "index %d of %d", f.Index, f.Total)
		case f.Player != t.Player || f.Role != t.Role || f.Conversation != t.Conversation || f.Title != t.Title:
			return Text{}, flawed(FlawMixedMeta, i, "metadata differs from the first frame's")
		case len(f.Usage) > 0 && f.Index != f.Total:
			return Text{}, flawed(FlawUnknownUsage, i, "usage on frame %d of %d", f.Index, f.Total)
		case twice && (old.Content != f.Content || string(old.Usage) != string(f.Usage)):
			return Text{}, flawed(FlawDuplicate, i, "duplicate of index %d with different content", f.Index)
		}
		parts[f.Index] = f
	}
	if len(parts) != first.Total {
		return Text{}, flawed(FlawMissing, -1, "%d frames of %d", len(parts), first.Total)
	}
	var joined strings.Builder
	for i := 1; i <= first.Total; i++ {
		joined.WriteString(parts[i].Content)
	}
	t.Text, t.Usage = joined.String(), parts[first.Total].Usage
	return t, nil
}

// Tell sends a text to a player through the addon's panel: role is user,
// assistant or approval. It returns when the game took every frame, 150 ms apart.
func (s *Server) Tell(ctx context.Context, player, id, role, text string) error {
	return s.Send(ctx, Text{ID: id, Player: player, Role: role, Text: text})
}

// Send is Tell with everything that a text can carry.
func (s *Server) Send(ctx context.Context, t Text) error {
	lines, err := EncodeText(t)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "%w", err)
	}
	if len(lines) > MaxChunks {
		return fault.Errorf(fault.BudgetExceeded, "a text of %d frames; the addon takes %d", len(lines), MaxChunks)
	}
	s.mu.Lock()
	current := s.session
	s.mu.Unlock()
	w := &World{server: s}
	if current == nil {
		return w.fault("tell", errNoWorld)
	}
	for i, line := range lines {
		if i > 0 {
			if err := pause(ctx, s.opts.TextDelay); err != nil {
				return w.fault("tell", err)
			}
		}
		c := current.begin()
		c.line = append(c.line, line...)
		current.do(ctx, c, s.opts.Timeout)
		err := c.commandError()
		current.recycle(c)
		if err != nil {
			return w.fault("tell", err)
		}
	}
	return nil
}

// commandError returns why a command of the game did not succeed, nil when it
// did.
func (c *call) commandError() error {
	if c.err != nil {
		return c.err
	}
	if c.status.Failed() {
		return &StatusError{Status: c.status, Message: c.words}
	}
	return nil
}

// pause waits, or fails with ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
