package bridge

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Chunk is one slice of an addon's message, as a line of chat carries it.
type Chunk struct {
	ID      string
	Index   int // from 1
	Total   int
	Content string
}

// header is a chunk's metadata; id and content are parts of the line.
type header struct {
	id, content  []byte
	index, total int
}

// parseChunk reads "PREFIX|id|index/total|content".
func parseChunk(prefix string, line []byte) (header, error) {
	var h header
	ours, rest, found := cutPrefix(line, prefix)
	if !ours {
		return h, flawed(FlawPrefix, 0, "does not begin with %s", prefix)
	}
	if !found {
		return h, flawed(FlawFieldCount, 0, "two fields instead of five")
	}
	id, rest, ok1 := bytes.Cut(rest, []byte{'|'})
	numbers, content, ok2 := bytes.Cut(rest, []byte{'|'})
	if !ok1 || !ok2 {
		return h, flawed(FlawFieldCount, 0, "fewer than five fields")
	}
	if len(id) == 0 || len(id) > MaxRequestIDBytes || !validID(id) {
		return h, flawed(FlawMetadata, 0, "id of %d bytes", len(id))
	}
	index, total, ok := bytes.Cut(numbers, []byte{'/'})
	h = header{id: id, content: content, index: natural(index), total: natural(total)}
	if !ok || h.index < 1 || h.total < 1 || h.index > h.total {
		return h, flawed(FlawMetadata, 0, "index/total %q", clip(numbers))
	}
	if h.total > MaxChunks {
		return h, flawed(FlawTooMany, 0, "%d chunks; %d is the limit", h.total, MaxChunks)
	}
	return h, nil
}

// cutPrefix reports whether line begins with the prefix as whole fields, and
// returns what follows the bar after it.
func cutPrefix(line []byte, prefix string) (ours bool, rest []byte, found bool) {
	if len(line) < len(prefix) || string(line[:len(prefix)]) != prefix {
		return false, nil, false
	}
	rest = line[len(prefix):]
	if len(rest) == 0 {
		return true, nil, false
	}
	if rest[0] != '|' {
		return false, nil, false
	}
	return true, rest[1:], true
}

// natural reads a decimal number of at most six digits without sign or leading
// zero; -1 for anything else.
func natural(b []byte) int {
	if len(b) == 0 || len(b) > 6 || b[0] == '0' && len(b) > 1 {
		return -1
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// validID reports whether id can stand between bars on a line of chat.
func validID(id []byte) bool {
	for _, c := range id {
		if c <= ' ' || c == '|' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(id)
}

func clip(b []byte) []byte { return b[:min(len(b), 32)] }

// DecodeBridgeChunk reads one line of an answer.
func DecodeBridgeChunk(line string) (Chunk, error) { return decodeChunk(BridgePrefix, line) }

// DecodeUIChunk reads one line of UI chat.
func DecodeUIChunk(line string) (Chunk, error) { return decodeChunk(UIChatPrefix, line) }

func decodeChunk(prefix, line string) (Chunk, error) {
	h, err := parseChunk(prefix, []byte(line))
	if err != nil {
		return Chunk{}, err
	}
	return Chunk{ID: string(h.id), Index: h.index, Total: h.total, Content: string(h.content)}, nil
}

// Join returns the message that the chunks, in any order, are slices of. Every
// index has to be there exactly once.
func Join(chunks []Chunk) (string, error) {
	if len(chunks) == 0 {
		return "", flawed(FlawEmpty, -1, "no chunks")
	}
	first := chunks[0]
	parts := make([]string, len(chunks))
	seen := make([]bool, len(chunks))
	size := 0
	for i, c := range chunks {
		switch {
		case c.ID != first.ID:
			return "", flawed(FlawMixedID, i, "id %q among chunks of %q", c.ID, first.ID)
		case c.Total != first.Total:
			return "", flawed(FlawMixedTotal, i, "total %d among chunks of %d", c.Total, first.Total)
		case c.Index < 1 || c.Index > c.Total:
			return "", flawed(FlawMetadata, i, "index %d of %d", c.Index, c.Total)
		case c.Index > len(chunks):
			return "", flawed(FlawMissing, -1, "%d chunks of %d", len(chunks), first.Total)
		case seen[c.Index-1]:
			return "", flawed(FlawDuplicate, i, "index %d stands twice", c.Index)
		}
		parts[c.Index-1], seen[c.Index-1] = c.Content, true
		size += len(c.Content)
	}
	if len(chunks) != first.Total {
		return "", flawed(FlawMissing, -1, "%d chunks of %d", len(chunks), first.Total)
	}
	if size > MaxMessageBytes {
		return "", flawed(FlawTooLarge, -1, "%d bytes; %d is the limit", size, MaxMessageBytes)
	}
	joined := make([]byte, 0, size)
	for _, part := range parts {
		joined = append(joined, part...)
	}
	return string(joined), nil
}

// Split says how a message is cut into chunks.
type Split struct {
	Prefix  string // BridgePrefix or UIChatPrefix
	Wrapper string // what the sender's command puts before each chunk, such as "tell @s "
	Budget  int    // bytes of wrapper and chunk together; 0 means MaxCommandLine
	Points  int    // code points of content; 0 means MaxCodePoints
}

// Chunks cuts the message. It takes time in proportion to the message's size and
// fails with FlawNoRoom when the budget has no room for one code point.
func (s Split) Chunks(id, message string) ([]string, error) {
	budget, points := s.Budget, s.Points
	if budget == 0 {
		budget = MaxCommandLine
	}
	if points == 0 {
		points = MaxCodePoints
	}
	// The number of chunks stands in every chunk, so its width has to be known
	// before the first is cut. Six widths at most are tried.
	for width := 1; width <= 6; width++ {
		lines, err := s.cut(id, message, budget, points, width)
		if err != nil {
			return nil, err
		}
		total := strconv.Itoa(len(lines))
		if len(total) > width {
			continue
		}
		for i, content := range lines {
			lines[i] = s.Prefix + "|" + id + "|" + strconv.Itoa(i+1) + "/" + total + "|" + content
		}
		return lines, nil
	}
	return nil, flawed(FlawTooLarge, -1, "more than 999999 chunks")
}

// cut returns the contents of the chunks when their number has width digits.
func (s Split) cut(id, message string, budget, points, width int) ([]string, error) {
	var contents []string
	fixed := len(s.Wrapper) + len(s.Prefix) + len(id) + width + len("||/|")
	for start := 0; start < len(message) || contents == nil; {
		room := budget - fixed - len(strconv.Itoa(len(contents)+1))
		end := start
		for n := 0; n < points && end < len(message); n++ {
			_, size := utf8.DecodeRuneInString(message[end:])
			if end+size-start > room {
				break
			}
			end += size
		}
		if room < 0 || end == start && len(message) > 0 {
			return nil, flawed(FlawNoRoom, len(contents), "a budget of %d bytes has no room for content", budget)
		}
		contents = append(contents, message[start:end])
		start = end
	}
	return contents, nil
}
