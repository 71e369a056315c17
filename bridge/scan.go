package bridge

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds the nesting of JSON from a peer.
const maxDepth = 64

// scanner walks JSON in one pass without building values. It exists for two
// reasons: the frames of a busy bridge (two for each command) must not allocate,
// and the game's own JSON is not always JSON: numbers may be nan or inf, which it
// takes when lax.
type scanner struct {
	data  []byte
	at    int
	lax   bool
	depth int
}

// SyntaxError is malformed JSON at a byte offset.
type SyntaxError struct {
	Offset int
	Msg    string
}

// Error returns the message with the offset.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset) }

func (s *scanner) fail(msg string) error { return &SyntaxError{Offset: s.at, Msg: msg} }

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// end fails unless only white space is left.
func (s *scanner) end() error {
	if s.peek() != 0 || s.at < len(s.data) {
		return s.fail("data after the value")
	}
	return nil
}

// object calls field for each member; field must consume the value. The key is
// valid until the next call.
func (s *scanner) object(field func(key []byte) error) error {
	if !s.take('{') {
		return s.fail("expected an object")
	}
	if s.depth++; s.depth > maxDepth {
		return s.fail("nested too deeply")
	}
	defer func() { s.depth-- }()
	if s.take('}') {
		return nil
	}
	for {
		if s.peek() != '"' {
			return s.fail("expected a member name")
		}
		key, err := s.text()
		if err != nil {
			return err
		}
		if !s.take(':') {
			return s.fail("expected a colon")
		}
		if err := field(key); err != nil {
			return err
		}
		if s.take(',') {
			continue
		}
		if s.take('}') {
			return nil
		}
		return s.fail("expected a comma or the end of the object")
	}
}

// array calls element for each element; element must consume the value.
func (s *scanner) array(element func() error) error {
	if !s.take('[') {
		return s.fail("expected an array")
	}
	if s.depth++; s.depth > maxDepth {
		return s.fail("nested too deeply")
	}
	defer func() { s.depth-- }()
	if s.take(']') {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if s.take(',') {
			continue
		}
		if s.take(']') {
			return nil
		}
		return s.fail("expected a comma or the end of the array")
	}
}

// skip consumes any value and returns its text.
func (s *scanner) skip() ([]byte, error) {
	c := s.peek()
	start := s.at
	var err error
	switch c {
	case '{':
		err = s.object(func([]byte) error { _, err := s.skip(); return err })
	case '[':
		err = s.array(func() error { _, err := s.skip(); return err })
	case '"':
		_, _, err = s.quoted()
	default:
		err = s.literal()
	}
	return s.data[start:s.at], err
}

// literal consumes a number, true, false or null.
func (s *scanner) literal() error {
	start := s.at
	for s.at < len(s.data) {
		c := s.data[s.at]
		if c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		s.at++
	}
	word := s.data[start:s.at]
	switch string(word) {
	case "true", "false", "null":
		return nil
	case "":
		return s.fail("expected a value")
	}
	if isNumber(word) || s.lax && isNotFinite(word) {
		return nil
	}
	s.at = start
	return s.fail("invalid literal")
}

// isNumber reports whether word is a number by the grammar of JSON.
func isNumber(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte("-"))
	whole := digits(word)
	if whole == 0 || whole > 1 && word[0] == '0' {
		return false
	}
	word = word[whole:]
	if len(word) > 0 && word[0] == '.' {
		n := digits(word[1:])
		if n == 0 {
			return false
		}
		word = word[1+n:]
	}
	if len(word) > 0 && (word[0] == 'e' || word[0] == 'E') {
		word = word[1:]
		if len(word) > 0 && (word[0] == '+' || word[0] == '-') {
			word = word[1:]
		}
		n := digits(word)
		if n == 0 {
			return false
		}
		word = word[n:]
	}
	return len(word) == 0
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}

func isNotFinite(word []byte) bool {
	switch string(bytes.ToLower(bytes.TrimLeft(word, "+-"))) {
	case "nan", "inf", "infinity":
		return true
	default:
		return false
	}
}

// integer consumes a number that has to be an integer of at most 53 bits.
func (s *scanner) integer() (int, error) {
	raw, err := s.skip()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n > 1<<53 || n < -1<<53 {
		return 0, s.fail("expected an integer")
	}
	return int(n), nil
}

// boolean consumes true or false.
func (s *scanner) boolean() (bool, error) {
	raw, err := s.skip()
	if err != nil {
		return false, err
	}
	switch string(raw) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return false, s.fail("expected true or false")
	}
}

// quoted consumes a string and returns what stands between the quotes and
// whether it has escapes.
func (s *scanner) quoted() (raw []byte, escaped bool, err error) {
	if !s.take('"') {
		return nil, false, s.fail("expected a string")
	}
	start := s.at
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.data[start : s.at-1], escaped, nil
		case c == '\\':
			escaped = true
			if !s.lax && !validEscape(s.data[s.at+1:]) {
				return nil, false, s.fail("broken escape")
			}
			s.at += 2
		case c < 0x20 && !s.lax:
			return nil, false, s.fail("control character in a string")
		default:
			s.at++
		}
	}
	s.at = len(s.data)
	return nil, false, s.fail("unterminated string")
}

// text consumes a string and returns its contents: a part of the data when it
// has no escapes, otherwise a new slice.
func (s *scanner) text() ([]byte, error) {
	raw, escaped, err := s.quoted()
	if err != nil || !escaped {
		return raw, err
	}
	return s.unescape(make([]byte, 0, len(raw)), raw)
}

func (s *scanner) unescape(out, raw []byte) ([]byte, error) {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(out, raw...), nil
		}
		out = append(out, raw[:i]...)
		if i+1 >= len(raw) {
			return out, s.fail("broken escape")
		}
		c := raw[i+1]
		raw = raw[i+2:]
		if c == 'u' {
			r, n := unicodeEscape(raw)
			if n == 0 {
				return out, s.fail("broken escape")
			}
			out = utf8.AppendRune(out, r)
			raw = raw[n:]
			continue
		}
		plain, ok := plainEscape(c)
		if !ok {
			return out, s.fail("unknown escape")
		}
		out = append(out, plain)
	}
	return out, nil
}

// validEscape reports whether what follows a backslash is an escape of JSON.
func validEscape(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == 'u' {
		_, ok := hex4(raw[1:])
		return ok
	}
	_, ok := plainEscape(raw[0])
	return ok
}

func plainEscape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	default:
		return 0, false
	}
}

// unicodeEscape reads the digits after \u, with the second half of a surrogate
// pair where there is one; a lone half becomes U+FFFD. It returns how many bytes
// it read, 0 when they are no escape.
func unicodeEscape(raw []byte) (rune, int) {
	first, ok := hex4(raw)
	if !ok {
		return 0, 0
	}
	if first < 0xd800 || first > 0xdfff {
		return first, 4
	}
	if first < 0xdc00 && len(raw) >= 10 && raw[4] == '\\' && raw[5] == 'u' {
		if second, ok := hex4(raw[6:]); ok && 0xdc00 <= second && second <= 0xdfff {
			return (first-0xd800)<<10 | (second - 0xdc00) + 0x10000, 10
		}
	}
	return utf8.RuneError, 4
}

func hex4(raw []byte) (rune, bool) {
	if len(raw) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range raw[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends text as a JSON string. A message argument of the game
// expands @ selectors, so with at it becomes \u0040; bytes that are not UTF-8
// become U+FFFD.
func appendQuoted(out []byte, text string, at bool) []byte {
	return append(appendEscaped(append(out, '"'), text, at), '"')
}

// appendEscaped is appendQuoted without the quotes.
func appendEscaped(out []byte, text string, at bool) []byte {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x80 {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				out = append(append(out, text[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && (c != '@' || !at) {
			i++
			continue
		}
		out = append(out, text[start:i]...)
		if c == '"' || c == '\\' {
			out = append(out, '\\', c)
		} else {
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(out, text[start:]...)
}
