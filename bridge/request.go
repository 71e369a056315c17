package bridge

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Request is what an addon is asked.
type Request struct {
	Version    int // 1 for an old request without v, otherwise 2
	ID         string
	Capability string
	Payload    json.RawMessage // an object; {} when empty
}

// EncodeRequest returns the command line of a request. It is an error of
// FlawLineTooLong when it is over MaxCommandLine bytes, and of FlawMetadata or
// FlawNotObject when its parts cannot be sent.
func EncodeRequest(r Request) (string, error) {
	if r.ID == "" || len(r.ID) > MaxRequestIDBytes || !validID([]byte(r.ID)) {
		return "", flawed(FlawMetadata, -1, "request id %q", r.ID)
	}
	if r.Capability == "" {
		return "", flawed(FlawMetadata, -1, "no capability")
	}
	payload, err := escapePayload(r.Payload)
	if err != nil {
		return "", err
	}
	line := appendRequest(nil, r.ID, r.Capability, payload)
	if len(line) > MaxCommandLine {
		return "", flawed(FlawLineTooLong, -1, "the command line has %d bytes; %d is the limit", len(line), MaxCommandLine)
	}
	return string(line), nil
}

// appendRequest appends the command line. The payload is an object whose text
// has no @ and no control character.
func appendRequest(out []byte, id, capability string, payload []byte) []byte {
	out = append(out, "scriptevent "+RequestMessageID+` {"v":2,"request_id":`...)
	out = appendQuoted(out, id, true)
	out = append(out, `,"capability":`...)
	out = appendQuoted(out, capability, true)
	out = append(out, `,"payload":`...)
	return append(append(out, payload...), '}')
}

// escapePayload returns the payload in the form that survives the game's message
// argument: compact, no raw @ (the game expands selectors), no control character.
func escapePayload(payload json.RawMessage) ([]byte, error) {
	if len(payload) == 0 {
		return []byte("{}"), nil
	}
	s := scanner{data: payload}
	if s.peek() != '{' {
		return nil, flawed(FlawNotObject, -1, "the payload is not an object")
	}
	if _, err := s.skip(); err != nil {
		return nil, flawed(FlawJSON, -1, "payload: %v", err)
	}
	if err := s.end(); err != nil {
		return nil, flawed(FlawJSON, -1, "payload: %v", err)
	}
	if !utf8.Valid(payload) {
		return nil, flawed(FlawJSON, -1, "payload: not UTF-8")
	}
	out := make([]byte, 0, len(payload)+16)
	inside := false
	for i := 0; i < len(payload); i++ {
		c := payload[i]
		switch {
		case inside && c == '\\':
			out = append(out, c, payload[i+1])
			i++
			continue
		case c == '"':
			inside = !inside
		case !inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		case c == '@' || c == 0x7f:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			continue
		}
		out = append(out, c)
	}
	return out, nil
}

// DecodeRequest reads the JSON message of a request, as an addon gets it. A
// request without v is one of version 1.
func DecodeRequest(message []byte) (Request, error) {
	r := Request{Version: 1}
	s := scanner{data: message}
	if s.peek() != '{' {
		return r, flawed(FlawNotObject, 0, "the request is not an object")
	}
	err := s.object(func(key []byte) error {
		switch string(key) {
		case "v":
			n, err := s.integer()
			r.Version = n
			return err
		case "request_id":
			text, err := s.text()
			r.ID = string(text)
			return err
		case "capability":
			text, err := s.text()
			r.Capability = string(text)
			return err
		case "payload":
			raw, err := s.skip()
			r.Payload = append(json.RawMessage(nil), raw...)
			return err
		default:
			_, err := s.skip()
			return err
		}
	})
	if err == nil {
		err = s.end()
	}
	switch {
	case err != nil:
		return r, flawed(FlawJSON, 0, "request: %v", err)
	case r.Version != 1 && r.Version != RequestVersion:
		return r, flawed(FlawVersion, 0, "request version %d", r.Version)
	case r.ID == "" || r.Capability == "":
		return r, flawed(FlawShape, 0, "request without request_id or capability")
	case len(r.Payload) > 0 && r.Payload[0] != '{':
		return r, flawed(FlawNotObject, 0, "the payload is not an object")
	}
	return r, nil
}

// appendRequestID appends the request id of a counter: r and its digits in base
// 36, twelve characters at most.
func appendRequestID(out []byte, n uint64) []byte {
	return strconv.AppendUint(append(out, 'r'), n, 36)
}

// parseRequestID returns the counter of an id that appendRequestID made.
func parseRequestID(id []byte) (uint64, bool) {
	if len(id) < 2 || len(id) > 12 || id[0] != 'r' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(id[1:]), 36, 64)
	return n, err == nil
}
