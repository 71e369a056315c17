package nbt

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Tag is the type of a value.
type Tag byte

// The tags, by the number they have in a file.
const (
	End Tag = iota
	Byte
	Short
	Int
	Long
	Float
	Double
	ByteArray
	String
	List
	Compound
	IntArray
	LongArray
)

var tagNames = [...]string{
	"end", "byte", "short", "int", "long", "float", "double", "byte array", "string", "list", "compound",
	"int array", "long array",
}

// String returns the tag's name in words.
func (t Tag) String() string {
	if int(t) < len(tagNames) {
		return tagNames[t]
	}
	return fmt.Sprintf("tag %d", byte(t))
}

// A returns the tag's name with its article.
func (t Tag) A() string {
	switch t {
	case End, Int, IntArray:
		return "an " + t.String()
	default:
		return "a " + t.String()
	}
}

// minSize is the least number of bytes that a payload of each tag takes.
var minSize = [...]int64{0, 1, 2, 4, 8, 4, 8, 4, 2, 5, 1, 4, 4}

// elementSize returns how many bytes an element of an array has; 0 for other tags.
func elementSize(t Tag) int64 {
	switch t {
	case ByteArray:
		return 1
	case IntArray:
		return 4
	case LongArray:
		return 8
	default:
		return 0
	}
}

// Kind tells failures apart that a caller answers differently.
type Kind uint8

// The kinds of failure.
const (
	Malformed Kind = iota // the bytes are not what they should be
	TooBig                // well-formed so far, and over a limit
	Truncated             // the bytes end too early
)

// Error says what is wrong with a document and where.
type Error struct {
	Kind   Kind
	Offset int64  // in the inflated bytes
	Path   string // of field names, such as Schematic.Palette
	Msg    string
	Err    error // what the stream said, if it was the stream
}

// Error returns the sentence with path and offset.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s (byte %d)", e.Msg, e.Offset)
	}
	return fmt.Sprintf("%s: %s (byte %d)", e.Path, e.Msg, e.Offset)
}

// Unwrap returns what the stream said.
func (e *Error) Unwrap() error { return e.Err }

// Modified returns s in modified UTF-8, the form that strings have in a file: NUL
// takes two bytes and what lies beyond the basic plane is a pair of surrogates.
func Modified(s string) string {
	plain := true
	for _, c := range s {
		if c == 0 || c > 0xffff {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var out []byte
	unit := func(u rune) { out = append(out, 0xe0|byte(u>>12), 0x80|byte(u>>6)&0x3f, 0x80|byte(u)&0x3f) }
	for _, c := range s {
		switch {
		case c == 0:
			out = append(out, 0xc0, 0x80)
		case c > 0xffff:
			hi, lo := utf16.EncodeRune(c)
			unit(hi)
			unit(lo)
		default:
			out = utf8.AppendRune(out, c)
		}
	}
	return string(out)
}

// Plain returns the text of modified UTF-8. Bytes that are neither modified nor
// ordinary UTF-8 become U+FFFD.
func Plain(b []byte) string {
	if isASCII(b) {
		return string(b)
	}
	return string(appendPlain(nil, b))
}

// WritePlain writes what Plain returns.
func WritePlain(out *strings.Builder, b []byte) {
	if !isASCII(b) {
		b = appendPlain(nil, b)
	}
	out.Write(b)
}

func isASCII(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendPlain appends what Plain returns.
func appendPlain(out, b []byte) []byte {
	for len(b) > 0 {
		if len(b) >= 2 && b[0] == 0xc0 && b[1] == 0x80 {
			out = append(out, 0)
			b = b[2:]
			continue
		}
		if hi, ok := surrogate(b); ok {
			if lo, ok := surrogate(b[3:]); ok {
				if c := utf16.DecodeRune(hi, lo); c != utf8.RuneError {
					out = utf8.AppendRune(out, c)
					b = b[6:]
					continue
				}
			}
			out = utf8.AppendRune(out, utf8.RuneError)
			b = b[3:]
			continue
		}
		c, n := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, c)
		b = b[n:]
	}
	return out
}

// surrogate reads one half of a surrogate pair.
func surrogate(b []byte) (rune, bool) {
	if len(b) < 3 || b[0] != 0xed || b[1]&0xe0 != 0xa0 || b[2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), true
}
