package bridge

import (
	"encoding/json"
)

// reply is the body of an answer; the slices are parts of it.
type reply struct {
	ok      bool
	result  []byte // an object, or empty
	code    string
	message string
}

// DecodeReply reads the body of an answer and returns its result. An answer that
// says no is a CapabilityError; one that is no answer is a FrameError.
func DecodeReply(body []byte) (json.RawMessage, error) {
	r, err := parseReply(body)
	if err != nil {
		return nil, err
	}
	if !r.ok {
		return nil, &CapabilityError{Code: r.code, Message: r.message}
	}
	return r.result, nil
}

// parseReply reads {"ok":true,"result":{…}} or {"ok":false,"error":{"code":…,
// "message":…}}. The reference addon's command handler says payload for result,
// and a failure of its kind has no error object but a payload with output.
func parseReply(body []byte) (reply, error) {
	var r reply
	var result, payload, failure []byte
	sawOK := false
	s := scanner{data: body}
	if s.peek() != '{' {
		if _, err := s.skip(); err != nil {
			return r, flawed(FlawJSON, -1, "answer: %v", err)
		}
		return r, flawed(FlawNotObject, -1, "the answer is not an object")
	}
	err := s.object(func(key []byte) error {
		var err error
		switch string(key) {
		case "ok":
			sawOK = true
			r.ok, err = s.boolean()
		case "result":
			result, err = s.skip()
		case "payload":
			payload, err = s.skip()
		case "error":
			failure, err = s.skip()
		default:
			_, err = s.skip()
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return r, flawed(FlawJSON, -1, "answer: %v", err)
	}
	if !sawOK {
		return r, flawed(FlawShape, -1, "the answer has no member ok")
	}
	r.result = result
	if len(result) == 0 {
		r.result = payload
	}
	if !r.ok {
		r.code, r.message = parseFailure(failure, r.result)
	}
	return r, nil
}

// parseFailure returns code and message of a failed answer in either shape.
func parseFailure(failure, payload []byte) (code, message string) {
	code = CodeCapabilityFailed
	for _, object := range [][]byte{failure, payload} {
		s := scanner{data: object}
		switch s.peek() {
		case '"':
			if text, err := s.text(); err == nil {
				return code, string(text)
			}
			continue
		case '{':
		default:
			continue
		}
		err := s.object(func(key []byte) error {
			if s.peek() != '"' {
				_, err := s.skip()
				return err
			}
			text, err := s.text()
			switch string(key) {
			case "code":
				code = string(text)
			case "message", "output", "error":
				message = string(text)
			}
			return err
		})
		if err == nil {
			return code, message
		}
	}
	return code, message
}

// successCount reads the result of a command: success_count from an addon of the
// protocol, successCount from the reference's. false when it has neither.
func successCount(result []byte) (int, bool) {
	count, found := 0, false
	s := scanner{data: result}
	if s.peek() != '{' {
		return 0, false
	}
	err := s.object(func(key []byte) error {
		switch string(key) {
		case "success_count", "successCount":
			n, err := s.integer()
			count, found = n, err == nil
			return err
		default:
			_, err := s.skip()
			return err
		}
	})
	return count, found && err == nil
}
