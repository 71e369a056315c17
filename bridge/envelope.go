package bridge

import (
	"bytes"
	"strconv"
)

// envelope is what this service reads of a frame from the game. The slices are
// parts of the frame or of scratch; both are reused for the next frame.
type envelope struct {
	purpose   []byte
	requestID []byte
	event     []byte // name, from the header or, in old games, the body
	status    Status
	hasStatus bool
	words     []byte // statusMessage
	publicKey []byte
	player    []byte // localplayername

	// PlayerMessage, from either generation of events.
	message, sender []byte

	scratch []byte
}

// decode reads one frame. Members it does not know are skipped and may hold what
// the game takes for JSON.
func (e *envelope) decode(frame []byte) error {
	*e = envelope{scratch: e.scratch[:0]}
	s := scanner{data: frame, lax: true}
	err := s.object(func(key []byte) error {
		switch string(key) {
		case "header":
			return e.header(&s)
		case "body":
			return e.body(&s)
		default:
			_, err := s.skip()
			return err
		}
	})
	if err != nil {
		return err
	}
	return s.end()
}

// string reads a string member, or skips a member of another type.
func (e *envelope) string(s *scanner, into *[]byte) error {
	if s.peek() != '"' {
		_, err := s.skip()
		return err
	}
	raw, escaped, err := s.quoted()
	if err != nil || !escaped {
		*into = raw
		return err
	}
	// The scratch may move while it grows; what was taken of it before stays
	// valid, because append copies and leaves the old array alone.
	start := len(e.scratch)
	e.scratch, err = s.unescape(e.scratch, raw)
	*into = e.scratch[start:len(e.scratch):len(e.scratch)]
	return err
}

func (e *envelope) header(s *scanner) error {
	if s.peek() != '{' {
		_, err := s.skip()
		return err
	}
	return s.object(func(key []byte) error {
		switch string(key) {
		case "messagePurpose":
			return e.string(s, &e.purpose)
		case "requestId":
			return e.string(s, &e.requestID)
		case "eventName":
			return e.string(s, &e.event)
		default:
			_, err := s.skip()
			return err
		}
	})
}

func (e *envelope) body(s *scanner) error {
	if s.peek() != '{' {
		_, err := s.skip()
		return err
	}
	return s.object(func(key []byte) error {
		switch string(key) {
		case "statusCode":
			return e.statusCode(s)
		case "statusMessage":
			return e.string(s, &e.words)
		case "publicKey":
			return e.string(s, &e.publicKey)
		case "localplayername":
			return e.string(s, &e.player)
		case "eventName":
			if len(e.event) > 0 {
				break
			}
			return e.string(s, &e.event)
		case "message", "Message":
			return e.string(s, &e.message)
		case "sender", "Sender":
			return e.string(s, &e.sender)
		case "properties":
			return e.properties(s)
		}
		_, err := s.skip()
		return err
	})
}

// properties reads the fields of an event of the older generation, whose names
// begin with a capital.
func (e *envelope) properties(s *scanner) error {
	if s.peek() != '{' {
		_, err := s.skip()
		return err
	}
	return s.object(func(key []byte) error {
		switch string(key) {
		case "Message", "message":
			return e.string(s, &e.message)
		case "Sender", "sender":
			return e.string(s, &e.sender)
		default:
			_, err := s.skip()
			return err
		}
	})
}

func (e *envelope) statusCode(s *scanner) error {
	raw, err := s.skip()
	if err != nil {
		return err
	}
	// The code is a 32-bit integer; some libraries write it unsigned.
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		e.status, e.hasStatus = Status(int32(n)), true //nolint:gosec // the wrap is what the sign bit means
	}
	return nil
}

// fromBridge reports whether the frame is chat of the simulated player that
// carries answers.
func (e *envelope) fromBridge() bool { return string(e.sender) == BridgeSender }

// isChunk reports whether the frame's chat message begins as every chunk does.
func (e *envelope) isChunk() bool { return bytes.HasPrefix(e.message, []byte(RootPrefix)) }

// Request ids of frames have the form of a UUID, which the game demands; ours are
// a counter in its last twelve digits behind a fixed head.
const uuidHead = "67726f75-6e64-4470-8c61-"

// appendUUID appends the request id of a counter below 2^48.
func appendUUID(out []byte, n uint64) []byte {
	out = append(out, uuidHead...)
	for shift := 44; shift >= 0; shift -= 4 {
		out = append(out, hexDigits[n>>shift&15])
	}
	return out
}

// parseUUID returns the counter of a request id that appendUUID made.
func parseUUID(id []byte) (uint64, bool) {
	if len(id) != len(uuidHead)+12 || !bytes.EqualFold(id[:len(uuidHead)], []byte(uuidHead)) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(id[len(uuidHead):]), 16, 64)
	return n, err == nil
}

// appendCommandFrame appends the frame that asks the game to run a command.
// version is the version of the command's meaning, 0 to leave it out.
func appendCommandFrame(out []byte, id uint64, line []byte, version int) []byte {
	out = append(out, `{"header":{"version":1,"requestId":"`...)
	out = appendUUID(out, id)
	out = append(out, `","messagePurpose":"commandRequest"},"body":{`...)
	if version != 0 {
		out = append(out, `"version":`...)
		out = strconv.AppendInt(out, int64(version), 10)
		out = append(out, ',')
	}
	out = append(out, `"commandLine":`...)
	out = appendQuotedBytes(out, line)
	return append(out, `,"origin":{"type":"player"}}}`...)
}

// appendQuotedBytes is appendQuoted for a line that is known to be UTF-8 without
// control characters.
func appendQuotedBytes(out, line []byte) []byte {
	out = append(out, '"')
	for {
		i := bytes.IndexAny(line, `"\`)
		if i < 0 {
			return append(append(out, line...), '"')
		}
		out = append(append(out, line[:i]...), '\\', line[i])
		line = line[i+1:]
	}
}

// appendEventFrame appends a subscribe or unsubscribe frame. The game does not
// answer these.
func appendEventFrame(out []byte, purpose string, id uint64, event string) []byte {
	out = append(out, `{"header":{"version":1,"requestId":"`...)
	out = appendUUID(out, id)
	out = append(out, `","messagePurpose":"`...)
	out = append(out, purpose...)
	out = append(out, `"},"body":{"eventName":`...)
	out = appendQuoted(out, event, false)
	return append(out, "}}"...)
}
