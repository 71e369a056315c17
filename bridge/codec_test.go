package bridge_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"groundplan/bridge"
)

// vectors are the protocol's own, published by its authors.
type vectors struct {
	Requests []struct {
		Name    string `json:"name"`
		Version int    `json:"version"`
		Message string `json:"message"`
	} `json:"bridge_requests"`
	UIChat []struct {
		Name         string `json:"name"`
		Message      string `json:"message"`
		Player       string `json:"player_name"`
		Conversation string `json:"conversation_id"`
		Text         string `json:"text"`
	} `json:"ui_chat"`
	Text []struct {
		Name  string          `json:"name"`
		Frame json.RawMessage `json:"frame"`
	} `json:"text_response"`
	Behavior struct {
		Chunking []struct {
			Name    string `json:"name"`
			Prefix  string `json:"prefix"`
			ID      string `json:"id"`
			Payload string `json:"payload"`
			Budget  int    `json:"budget"`
			Points  int    `json:"max_content_code_points"`
			Wrapper string `json:"wrapper_prefix"`
		} `json:"chunking"`
		Text []struct {
			Name     string            `json:"name"`
			Chunks   []json.RawMessage `json:"chunks"`
			Error    string            `json:"expected_error"`
			Expected struct {
				Player       string          `json:"player_name"`
				Role         string          `json:"role"`
				Text         string          `json:"text"`
				ID           string          `json:"response_id"`
				Conversation string          `json:"conversation_id"`
				Usage        json.RawMessage `json:"usage"`
			} `json:"expected"`
		} `json:"text_response"`
	} `json:"behavior"`
}

// reference reads a file of the reference material, which is not a part of the
// repository.
func reference(tb testing.TB, name string, into any) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "shared", "reference", name))
	if errors.Is(err, os.ErrNotExist) {
		tb.Skip("the reference material is not beside the repository")
	}
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		tb.Fatal(err)
	}
}

func TestConstantsAreThoseOfTheManifest(t *testing.T) {
	var m struct {
		Wire     map[string]string `json:"wire"`
		Versions map[string]int    `json:"versions"`
		Limits   map[string]any    `json:"limits"`
		Codes    []string          `json:"error_codes"`
	}
	reference(t, "mcbews-v1-manifest.json", &m)
	for name, ours := range map[string]string{
		"capability_request_script_event_id": bridge.RequestMessageID,
		"capability_response_chat_prefix":    bridge.BridgePrefix,
		"ui_chat_chunk_prefix":               bridge.UIChatPrefix,
		"text_response_script_event_id":      bridge.TextMessageID,
		"trusted_bridge_player_name":         bridge.BridgeSender,
	} {
		if m.Wire[name] != ours {
			t.Errorf("%s is %q, ours %q", name, m.Wire[name], ours)
		}
	}
	if v := m.Versions["capability_request_schema"]; v != bridge.RequestVersion {
		t.Errorf("request version %d, ours %d", v, bridge.RequestVersion)
	}
	for name, ours := range map[string]int{
		"command_line_byte_budget":         bridge.MaxCommandLine,
		"upstream_max_content_code_points": bridge.MaxCodePoints,
		"response_max_buffers":             bridge.MaxBuffers,
		"response_max_chunks_per_message":  bridge.MaxChunks,
		"response_max_message_bytes":       bridge.MaxMessageBytes,
		"response_max_total_buffer_bytes":  bridge.MaxBufferedBytes,
		"response_buffer_ttl_ms":           int(bridge.BufferTTL.Milliseconds()),
	} {
		if m.Limits[name] != float64(ours) {
			t.Errorf("%s is %v, ours %d", name, m.Limits[name], ours)
		}
	}
	for _, code := range []string{
		bridge.CodeMalformedJSON, bridge.CodeInvalidRequest, bridge.CodeUnsupportedVersion, bridge.CodeUnsupportedCapability,
		bridge.CodeCapabilityFailed, bridge.CodeResponseSendFailed, bridge.CodeQueueFull,
	} {
		if !slices.Contains(m.Codes, code) {
			t.Errorf("the manifest has no error code %s", code)
		}
	}
}

func TestVectorsOfRequests(t *testing.T) {
	var v vectors
	reference(t, "mcbews-v1-vectors.json", &v)
	for _, vector := range v.Requests {
		r, err := bridge.DecodeRequest([]byte(vector.Message))
		if err != nil || r.Version != vector.Version || r.ID != "r-1" || r.Capability != "greet" || string(r.Payload) != `{"name":"Steve"}` {
			t.Errorf("%s: %+v, %v", vector.Name, r, err)
		}
		if vector.Version != bridge.RequestVersion {
			continue
		}
		line, err := bridge.EncodeRequest(r)
		if want := "scriptevent mcbews:bridge_req " + vector.Message; err != nil || line != want {
			t.Errorf("%s: encoded %q, %v, want %q", vector.Name, line, err, want)
		}
	}
}

func TestVectorsOfUIChat(t *testing.T) {
	var v vectors
	reference(t, "mcbews-v1-vectors.json", &v)
	for _, vector := range v.UIChat {
		c, err := bridge.DecodeUIChunk(vector.Message)
		if err != nil {
			t.Fatal(err)
		}
		text, err := bridge.Join([]bridge.Chunk{c})
		if err != nil {
			t.Fatal(err)
		}
		m, err := bridge.DecodeUIChat(c.ID, []byte(text))
		want := bridge.UIMessage{ID: "ui-1", Player: vector.Player, Text: vector.Text, Conversation: vector.Conversation}
		if err != nil || m != want {
			t.Errorf("%s: %+v, %v, want %+v", vector.Name, m, err, want)
		}
	}
}

func TestVectorsOfTextFrames(t *testing.T) {
	var v vectors
	reference(t, "mcbews-v1-vectors.json", &v)
	for _, vector := range v.Text {
		f, err := bridge.DecodeTextFrame(vector.Frame)
		if err != nil {
			t.Fatal(err)
		}
		text, err := bridge.JoinText([]bridge.TextFrame{f})
		if err != nil {
			t.Fatal(err)
		}
		lines, err := bridge.EncodeText(text)
		if err != nil || len(lines) != 1 {
			t.Fatalf("%s: %q, %v", vector.Name, lines, err)
		}
		var got, want any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[0], "scriptevent mcbews:text_resp ")), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(vector.Frame, &want); err != nil {
			t.Fatal(err)
		}
		if !equalJSON(got, want) {
			t.Errorf("%s: %v, want %v", vector.Name, got, want)
		}
	}
}

func equalJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func TestVectorsOfChunking(t *testing.T) {
	var v vectors
	reference(t, "mcbews-v1-vectors.json", &v)
	for _, vector := range v.Behavior.Chunking {
		split := bridge.Split{Prefix: vector.Prefix, Wrapper: vector.Wrapper, Budget: vector.Budget, Points: vector.Points}
		lines, err := split.Chunks(vector.ID, vector.Payload)
		if vector.Name == "empty-wrapper-no-room" {
			if !errors.Is(err, &bridge.FrameError{Flaw: bridge.FlawNoRoom}) {
				t.Errorf("%s: %v", vector.Name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checkSplit(t, split, vector.ID, vector.Payload, lines)
	}
}

// checkSplit fails unless the lines are the message within its limits.
func checkSplit(t *testing.T, split bridge.Split, id, message string, lines []string) {
	t.Helper()
	var chunks []bridge.Chunk
	for _, line := range lines {
		decode := bridge.DecodeBridgeChunk
		if split.Prefix == bridge.UIChatPrefix {
			decode = bridge.DecodeUIChunk
		}
		c, err := decode(line)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(split.Wrapper) + len(line); n > split.Budget || utf8.RuneCountInString(c.Content) > split.Points {
			t.Errorf("a line of %d bytes, %d code points", n, utf8.RuneCountInString(c.Content))
		}
		if c.ID != id || !utf8.ValidString(c.Content) {
			t.Errorf("chunk %+v", c)
		}
		chunks = append(chunks, c)
	}
	if joined, err := bridge.Join(chunks); err != nil || joined != message {
		t.Errorf("joined %q, %v, want %q", joined, err, message)
	}
}

func TestSplitJoinsToTheMessage(t *testing.T) {
	check := func(message string, budget, points uint8) bool {
		message = strings.ToValidUTF8(strings.Repeat(message, 3), "?")
		split := bridge.Split{Prefix: bridge.BridgePrefix, Wrapper: "tell @s ", Budget: 40 + int(budget), Points: 1 + int(points)}
		lines, err := split.Chunks("id", message)
		if err != nil {
			return false
		}
		if len(lines) <= bridge.MaxChunks {
			checkSplit(t, split, "id", message, lines)
		}
		return true
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

func TestVectorsOfTextJoining(t *testing.T) {
	var v vectors
	reference(t, "mcbews-v1-vectors.json", &v)
	flaws := map[string]bridge.Flaw{"metadata": bridge.FlawMixedMeta, "duplicate": bridge.FlawDuplicate}
	for _, vector := range v.Behavior.Text {
		var frames []bridge.TextFrame
		for _, raw := range vector.Chunks {
			f, err := bridge.DecodeTextFrame(raw)
			if err != nil {
				t.Fatal(err)
			}
			frames = append(frames, f)
		}
		got, err := bridge.JoinText(frames)
		if vector.Error != "" {
			if flaw := flaws[vector.Error]; flaw == "" || !errors.Is(err, &bridge.FrameError{Flaw: flaw}) {
				t.Errorf("%s: %v", vector.Name, err)
			}
			continue
		}
		want := vector.Expected
		if err != nil || got.Text != want.Text || got.ID != want.ID || got.Player != want.Player || got.Role != want.Role ||
			got.Conversation != want.Conversation || string(got.Usage) != string(want.Usage) {
			t.Errorf("%s: %+v, %v, want %+v", vector.Name, got, err, want)
		}
	}
}

func TestEveryFlawOfAChunkHasItsOwnError(t *testing.T) {
	long := strings.Repeat("x", bridge.MaxRequestIDBytes+1)
	for line, want := range map[string]bridge.Flaw{
		"":                                 bridge.FlawPrefix,
		"hello":                            bridge.FlawPrefix,
		"MCBEWS|UI_CHAT|a|1/1|x":           bridge.FlawPrefix,
		"MCBEAI|RESP|a|1/1|x":              bridge.FlawPrefix,
		"MCBEWS|BRIDGES|a|1/1|x":           bridge.FlawPrefix,
		"mcbews|bridge|a|1/1|x":            bridge.FlawPrefix,
		"MCBEWS|BRIDGE":                    bridge.FlawFieldCount,
		"MCBEWS|BRIDGE|a":                  bridge.FlawFieldCount,
		"MCBEWS|BRIDGE|a|1/1":              bridge.FlawFieldCount,
		"MCBEWS|BRIDGE||1/1|x":             bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a b|1/1|x":          bridge.FlawMetadata,
		"MCBEWS|BRIDGE|" + long + "|1/1|x": bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|1|x":              bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|0/1|x":            bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|2/1|x":            bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|1/0|x":            bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|-1/2|x":           bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|+1/2|x":           bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|01/2|x":           bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|1/2/3|x":          bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|1/9999999|x":      bridge.FlawMetadata,
		"MCBEWS|BRIDGE|a|1/129|x":          bridge.FlawTooMany,
	} {
		if _, err := bridge.DecodeBridgeChunk(line); !errors.Is(err, &bridge.FrameError{Flaw: want}) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	for _, line := range []string{"MCBEWS|BRIDGE|a|1/128|", "MCBEWS|BRIDGE|req-1|1/2|{\"ok\":true,", "MCBEWS|BRIDGE|a|1/1|a|b|c"} {
		if _, err := bridge.DecodeBridgeChunk(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := bridge.DecodeUIChunk("MCBEWS|BRIDGE|a|1/1|x"); !errors.Is(err, &bridge.FrameError{Flaw: bridge.FlawPrefix}) {
		t.Error(err)
	}
}

func TestEveryFlawOfASequenceNamesTheFrame(t *testing.T) {
	chunk := func(id string, index, total int) bridge.Chunk {
		return bridge.Chunk{ID: id, Index: index, Total: total, Content: "x"}
	}
	for name, test := range map[string]struct {
		chunks []bridge.Chunk
		flaw   bridge.Flaw
		frame  int
	}{
		"empty":         {nil, bridge.FlawEmpty, -1},
		"missing first": {[]bridge.Chunk{chunk("a", 2, 2)}, bridge.FlawMissing, -1},
		"missing last":  {[]bridge.Chunk{chunk("a", 1, 2)}, bridge.FlawMissing, -1},
		"duplicate":     {[]bridge.Chunk{chunk("a", 1, 2), chunk("a", 1, 2)}, bridge.FlawDuplicate, 1},
		"mixed ids":     {[]bridge.Chunk{chunk("a", 1, 2), chunk("b", 2, 2)}, bridge.FlawMixedID, 1},
		"mixed totals":  {[]bridge.Chunk{chunk("a", 1, 3), chunk("a", 2, 3), chunk("a", 3, 2)}, bridge.FlawMixedTotal, 2},
		"index":         {[]bridge.Chunk{chunk("a", 1, 2), chunk("a", 3, 2)}, bridge.FlawMetadata, 1},
	} {
		_, err := bridge.Join(test.chunks)
		e, ok := errors.AsType[*bridge.FrameError](err)
		if !ok || e.Flaw != test.flaw || e.Frame != test.frame {
			t.Errorf("%s: %v, want %s at frame %d", name, err, test.flaw, test.frame)
		}
	}
	big := bridge.Chunk{ID: "a", Index: 1, Total: 1, Content: strings.Repeat("x", bridge.MaxMessageBytes+1)}
	if _, err := bridge.Join([]bridge.Chunk{big}); !errors.Is(err, &bridge.FrameError{Flaw: bridge.FlawTooLarge}) {
		t.Error(err)
	}
}

func TestEveryFlawOfAnAnswerHasItsOwnError(t *testing.T) {
	for body, want := range map[string]bridge.Flaw{
		``:                    bridge.FlawJSON,
		`{"ok":true`:          bridge.FlawJSON,
		`{"ok":true} x`:       bridge.FlawJSON,
		`{"ok":nan}`:          bridge.FlawJSON,
		`{"ok":1}`:            bridge.FlawJSON,
		`[]`:                  bridge.FlawNotObject,
		`"ok"`:                bridge.FlawNotObject,
		`null`:                bridge.FlawNotObject,
		`{}`:                  bridge.FlawShape,
		`{"result":{"a":[]}}`: bridge.FlawShape,
	} {
		if _, err := bridge.DecodeReply([]byte(body)); !errors.Is(err, &bridge.FrameError{Flaw: want}) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

func TestAnswersOfBothShapesAreTaken(t *testing.T) {
	for body, want := range map[string]string{
		`{"ok": true, "result": {"name":"Steve"}}`:    `{"name":"Steve"}`,
		`{"ok":true,"payload":{"output":"1"}}`:        `{"output":"1"}`,
		`{"ok":true,"result":{"a":1},"payload":null}`: `{"a":1}`,
		`{"ok":true}`: ``,
	} {
		if got, err := bridge.DecodeReply([]byte(body)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", body, got, err)
		}
	}
	for body, want := range map[string]bridge.CapabilityError{
		`{"ok":false,"error":{"code":"UNSUPPORTED_CAPABILITY","message":"no"}}`: {Code: "UNSUPPORTED_CAPABILITY", Message: "no"},
		`{"ok":false,"error":"no"}`:                               {Code: "CAPABILITY_FAILED", Message: "no"},
		`{"ok":false,"payload":{"output":"no","successCount":0}}`: {Code: "CAPABILITY_FAILED", Message: "no"},
		`{"ok":false}`: {Code: "CAPABILITY_FAILED"},
	} {
		_, err := bridge.DecodeReply([]byte(body))
		if e, ok := errors.AsType[*bridge.CapabilityError](err); !ok || *e != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestUIChatNeedsAMessage(t *testing.T) {
	for body, want := range map[string]bridge.Flaw{
		`{"player":"Steve"}`:      bridge.FlawNoMessage,
		`{"message":""}`:          bridge.FlawNoMessage,
		`{"message":7}`:           bridge.FlawNoMessage,
		`[1]`:                     bridge.FlawNotObject,
		`{"player":"Steve","mes`:  bridge.FlawJSON,
		`{"message":"x"}{"a":"b"`: bridge.FlawJSON,
	} {
		if _, err := bridge.DecodeUIChat("id", []byte(body)); !errors.Is(err, &bridge.FrameError{Flaw: want}) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

func TestRequestLinesAreMeasuredAfterEscaping(t *testing.T) {
	request := func(text string) bridge.Request {
		payload, _ := json.Marshal(map[string]string{"c": text})
		return bridge.Request{ID: "r1", Capability: "x", Payload: payload}
	}
	empty, err := bridge.EncodeRequest(request(""))
	if err != nil {
		t.Fatal(err)
	}
	room := bridge.MaxCommandLine - len(empty)
	for name, test := range map[string]struct {
		unit  string
		bytes int // on the line
	}{"letter": {"a", 1}, "quote": {`"`, 2}, "at": {"@", 6}, "two-byte letter": {"é", 2}, "emoji": {"😀", 4}} {
		fits := strings.Repeat(test.unit, room/test.bytes)
		line, err := bridge.EncodeRequest(request(fits))
		if err != nil || len(line) > bridge.MaxCommandLine || strings.Contains(line, "@") {
			t.Errorf("%s: %d bytes, %v", name, len(line), err)
		}
		_, err = bridge.EncodeRequest(request(fits + test.unit))
		if !errors.Is(err, &bridge.FrameError{Flaw: bridge.FlawLineTooLong}) {
			t.Errorf("%s: one more is %v", name, err)
		}
		r, err := bridge.DecodeRequest([]byte(strings.TrimPrefix(line, "scriptevent mcbews:bridge_req ")))
		var p struct{ C string }
		if err != nil || json.Unmarshal(r.Payload, &p) != nil || p.C != fits {
			t.Errorf("%s: decodes to %+v, %v", name, r, err)
		}
	}
}

func TestRequestsThatCannotBeSentAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		request bridge.Request
		flaw    bridge.Flaw
	}{
		"no id":              {bridge.Request{Capability: "x"}, bridge.FlawMetadata},
		"id with a bar":      {bridge.Request{ID: "a|b", Capability: "x"}, bridge.FlawMetadata},
		"no capability":      {bridge.Request{ID: "a"}, bridge.FlawMetadata},
		"payload of a list":  {bridge.Request{ID: "a", Capability: "x", Payload: json.RawMessage(`[]`)}, bridge.FlawNotObject},
		"payload not JSON":   {bridge.Request{ID: "a", Capability: "x", Payload: json.RawMessage(`{`)}, bridge.FlawJSON},
		"payload and more":   {bridge.Request{ID: "a", Capability: "x", Payload: json.RawMessage(`{} {}`)}, bridge.FlawJSON},
		"payload not UTF-8":  {bridge.Request{ID: "a", Capability: "x", Payload: json.RawMessage("{\"a\":\"\xff\"}")}, bridge.FlawJSON},
		"payload line break": {bridge.Request{ID: "a", Capability: "x", Payload: json.RawMessage("{\"a\":\"\n\"}")}, bridge.FlawJSON},
	} {
		if _, err := bridge.EncodeRequest(test.request); !errors.Is(err, &bridge.FrameError{Flaw: test.flaw}) {
			t.Errorf("%s: %v, want %s", name, err, test.flaw)
		}
	}
	for message, flaw := range map[string]bridge.Flaw{
		`{"v":3,"request_id":"a","capability":"x"}`:              bridge.FlawVersion,
		`{"v":2,"capability":"x"}`:                               bridge.FlawShape,
		`{"v":2,"request_id":"a"}`:                               bridge.FlawShape,
		`{"v":2,"request_id":"a","capability":"x","payload":[]}`: bridge.FlawNotObject,
		`[]`:       bridge.FlawNotObject,
		`{"v":"2"`: bridge.FlawJSON,
	} {
		if _, err := bridge.DecodeRequest([]byte(message)); !errors.Is(err, &bridge.FrameError{Flaw: flaw}) {
			t.Errorf("%s: %v, want %s", message, err, flaw)
		}
	}
}

func TestTextIsCutWithinTheLine(t *testing.T) {
	for _, text := range []string{"", "hello", strings.Repeat("a@\"\\\n", 400), strings.Repeat("😀", 900), strings.Repeat("x", 401)} {
		want := bridge.Text{ID: "resp-1", Player: "Steve @ home", Role: "assistant", Text: text, Conversation: "chat", Title: "T", Usage: json.RawMessage(`{"i":3}`)}
		lines, err := bridge.EncodeText(want)
		if err != nil {
			t.Fatal(err)
		}
		var frames []bridge.TextFrame
		for _, line := range lines {
			message, ok := strings.CutPrefix(line, "scriptevent mcbews:text_resp ")
			if !ok || len(line) > bridge.MaxCommandLine || strings.ContainsAny(line, "@\n") {
				t.Errorf("line %q", line)
			}
			f, err := bridge.DecodeTextFrame([]byte(message))
			if err != nil {
				t.Fatal(err)
			}
			frames = append(frames, f)
		}
		slices.Reverse(frames)
		got, err := bridge.JoinText(frames)
		if err != nil || got.Text != want.Text || got.Player != want.Player || got.Title != "T" || string(got.Usage) != `{"i":3}` {
			t.Errorf("%d frames join to %+v, %v", len(frames), got, err)
		}
	}
	if _, err := bridge.EncodeText(bridge.Text{ID: "a", Role: "system"}); !errors.Is(err, &bridge.FrameError{Flaw: bridge.FlawUnknownRole}) {
		t.Error(err)
	}
	if _, err := bridge.EncodeText(bridge.Text{ID: "a", Role: "user", Player: strings.Repeat("p", 450), Text: "x"}); !errors.Is(err, &bridge.FrameError{Flaw: bridge.FlawNoRoom}) {
		t.Error(err)
	}
}
