package embedded

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The status codes of the game (bedrock-wire §1.7).
const (
	codeSuccess       = 0
	codeParse         = -2147483648 // syntax, unknown block, state or command
	codeFailed        = -2147352576 // the command ran and did nothing, or must not
	codeNoTargets     = -2147483639
	codeMalformed     = -2147418111
	codeTooMany       = -2147418109
	codeNeedEncrypted = -2147418107
)

// eventVersion is what the header of an event has said since 1.18.30.
const eventVersion = 17039360

const zeroID = "00000000-0000-0000-0000-000000000000"

// responseFrame answers a command.
func responseFrame(id string, r result, text string) []byte {
	out := make([]byte, 0, 256)
	out = append(out, `{"body":{`...)
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		out = appendString(out, name)
		out = append(out, ':')
		value, err := json.Marshal(r.fields[name])
		if err != nil {
			value = []byte("null")
		}
		out = append(out, value...)
		out = append(out, ',')
	}
	out = append(out, `"statusCode":`...)
	out = strconv.AppendInt(out, int64(r.code), 10)
	if text != "" {
		out = append(out, `,"statusMessage":`...)
		out = appendString(out, text)
	}
	return appendHeader(append(out, '}'), id, "commandResponse")
}

// errorFrame refuses a request that did not run.
func errorFrame(id string, code int, text string) []byte {
	out := append(make([]byte, 0, 256), `{"body":{"statusCode":`...)
	out = strconv.AppendInt(out, int64(code), 10)
	out = append(out, `,"statusMessage":`...)
	out = appendString(out, text)
	if id == "" {
		id = zeroID
	}
	return appendHeader(append(out, '}'), id, "error")
}

func appendHeader(out []byte, id, purpose string) []byte {
	out = append(out, `,"header":{"messagePurpose":"`...)
	out = append(out, purpose...)
	out = append(out, `","requestId":`...)
	out = appendString(out, id)
	return append(out, `,"version":1}}`...)
}

// messageFrame is the event of a chat message, in the flat form or in that of
// games before 1.18.30.
func messageFrame(legacy bool, kind, sender, receiver, message string) []byte {
	out := make([]byte, 0, len(message)+len(message)/8+320)
	if legacy {
		out = append(out, `{"body":{"eventName":"PlayerMessage","measurements":null,"properties":{"Message":`...)
		out = appendString(out, message)
		out = append(out, `,"MessageType":`...)
		out = appendString(out, kind)
		out = append(out, `,"Receiver":`...)
		out = appendString(out, receiver)
		out = append(out, `,"Sender":`...)
		out = appendString(out, sender)
		return append(out, `}},"header":{"messagePurpose":"event","requestId":"`+zeroID+`","version":1}}`...)
	}
	out = append(out, `{"body":{"message":`...)
	out = appendString(out, message)
	out = append(out, `,"receiver":`...)
	out = appendString(out, receiver)
	out = append(out, `,"sender":`...)
	out = appendString(out, sender)
	out = append(out, `,"type":`...)
	out = appendString(out, kind)
	out = append(out, `},"header":{"eventName":"PlayerMessage","messagePurpose":"event","requestId":"`+zeroID+`","version":`...)
	out = strconv.AppendInt(out, eventVersion, 10)
	return append(out, "}}"...)
}

// appendString appends a JSON string.
func appendString(out []byte, text string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(text[i:]); r != utf8.RuneError || size > 1 {
				i += size - 1
				continue
			}
			out = append(out, text[start:i]...)
			out = append(out, `\ufffd`...)
			start = i + 1
			continue
		}
		out = append(out, text[start:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		start = i + 1
	}
	out = append(out, text[start:]...)
	return append(out, '"')
}
