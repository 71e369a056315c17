package bridge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestFramesOfEveryKindAreRead(t *testing.T) {
	const id = "67726f75-6e64-4470-8c61-00000000002a"
	for name, test := range map[string]struct {
		frame string
		want  envelope
	}{
		"response": {
			`{"header":{"version":1,"messagePurpose":"commandResponse","requestId":"` + id + `"},"body":{"statusCode":0,"statusMessage":"ok","position":{"x":1}}}`,
			envelope{purpose: []byte("commandResponse"), requestID: []byte(id), hasStatus: true, words: []byte("ok")},
		},
		"body first, unsigned status": {
			`{"body":{"statusCode":2147483648},"header":{"messagePurpose":"commandResponse"}}`,
			envelope{purpose: []byte("commandResponse"), hasStatus: true, status: StatusParseFailure},
		},
		"nan and inf": {
			`{"header":{"messagePurpose":"commandResponse"},"body":{"details":{"a":nan,"b":[-inf,+Infinity]},"statusCode":-2147352576}}`,
			envelope{purpose: []byte("commandResponse"), hasStatus: true, status: StatusExecutionFailed},
		},
		"flat event": {
			`{"header":{"messagePurpose":"event","eventName":"PlayerMessage","version":17039360},"body":{"message":"a\tb","sender":"Steve","receiver":"","type":"chat","more":null}}`,
			envelope{purpose: []byte("event"), event: []byte("PlayerMessage"), message: []byte("a\tb"), sender: []byte("Steve")},
		},
		"older event": {
			`{"header":{"messagePurpose":"event","version":1},"body":{"eventName":"PlayerMessage","measurements":{},"properties":{"Message":"\u4f60\ud83d\ude00","Sender":"Steve","Build":"1"}}}`,
			envelope{purpose: []byte("event"), event: []byte("PlayerMessage"), message: []byte("你😀"), sender: []byte("Steve")},
		},
		"members of other types": {
			`{"header":{"messagePurpose":7,"requestId":null},"body":{"statusCode":"x","statusMessage":{},"message":[],"properties":3}}`,
			envelope{},
		},
		"no header, no body": {`{"x":[{}]}`, envelope{}},
	} {
		var e envelope
		if err := e.decode([]byte(test.frame)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for part, pair := range map[string][2][]byte{
			"purpose": {e.purpose, test.want.purpose}, "id": {e.requestID, test.want.requestID}, "event": {e.event, test.want.event},
			"words": {e.words, test.want.words}, "message": {e.message, test.want.message}, "sender": {e.sender, test.want.sender},
		} {
			if !bytes.Equal(pair[0], pair[1]) {
				t.Errorf("%s: %s is %q, want %q", name, part, pair[0], pair[1])
			}
		}
		if e.status != test.want.status || e.hasStatus != test.want.hasStatus {
			t.Errorf("%s: status %v", name, e.status)
		}
	}
	for _, frame := range []string{``, `[]`, `{`, `{"header":{}} x`, `{"a":.5}`, `{"header":{"requestId":"\x"}}`, `{"header":{"requestId":"\u12"}}`, `{"a" 1}`, `{"a":1 "b"}`, strings.Repeat(`{"a":`, 100)} {
		if err := new(envelope).decode([]byte(frame)); err == nil {
			t.Errorf("%q was taken", frame)
		}
	}
}

func TestCommandFramesAreJSON(t *testing.T) {
	for _, version := range []int{commandVersion, 0} {
		line := `scriptevent a:b {"c":"\"\\é😀"}`
		var got struct {
			Header struct {
				Version     int    `json:"version"`
				RequestID   string `json:"requestId"`
				Purpose     string `json:"messagePurpose"`
				MessageType string `json:"messageType"`
			} `json:"header"`
			Body map[string]any `json:"body"`
		}
		frame := appendCommandFrame(nil, 42, []byte(line), version)
		if err := json.Unmarshal(frame, &got); err != nil {
			t.Fatal(err)
		}
		if got.Header.Version != 1 || got.Header.Purpose != purposeCommand || got.Body["commandLine"] != line || len(got.Header.RequestID) != 36 {
			t.Errorf("%s", frame)
		}
		if v, stands := got.Body["version"]; stands != (version != 0) || stands && v != float64(version) {
			t.Errorf("version %v", v)
		}
		if id, ok := parseUUID([]byte(strings.ToUpper(got.Header.RequestID))); !ok || id != 42 {
			t.Errorf("request id %s reads %d", got.Header.RequestID, id)
		}
	}
	if _, ok := parseUUID([]byte("00000000-0000-0000-0000-000000000000")); ok {
		t.Error("a request id of nobody was taken")
	}
}

func TestRequestIDsAreTwelveCharactersAtMost(t *testing.T) {
	for _, n := range []uint64{0, 35, 36, 1<<48 - 1} {
		id := appendRequestID(nil, n)
		got, ok := parseRequestID(id)
		if len(id) > 12 || !ok || got != n {
			t.Errorf("%d is %q and reads %d", n, id, got)
		}
	}
}

func TestStatusCodesHaveNames(t *testing.T) {
	codes := []Status{
		StatusSuccess, StatusStepDone, StatusIncomplete, StatusInitiated, StatusNewerVersion, StatusParseFailure, StatusUnknownCommand, StatusNoPermission,
		StatusVersionMismatch, StatusBadOverload, StatusInvalidContext, StatusInvalidCall, StatusCheatsOff, StatusNoChat, StatusNoTargets, StatusChatMuted,
		StatusInvalidOrigin, StatusExpectedRequest, StatusMalformed, StatusProtocolMismatch, StatusTooManyPending, StatusMustVersion, StatusMustEncrypt,
		StatusExecutionFailed, StatusStepFailed, StatusTargetsFailed, StatusFailedSilently,
	}
	seen := map[string]Status{}
	for _, code := range codes {
		name := code.String()
		if other, twice := seen[name]; twice || strings.HasPrefix(name, "status ") {
			t.Errorf("%d is %q, as is %d", int32(code), name, int32(other))
		}
		seen[name] = code
	}
	if got := Status(-5).String(); got != "status -5" || !Status(-5).Failed() || StatusInitiated.Failed() {
		t.Errorf("%q", got)
	}
}

func TestNumbersFollowTheGrammarOfJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "12": true, "-1.5": true, "1e9": true, "1E+9": true, "1.25e-3": true,
		"01": false, "-": false, "+1": false, ".5": false, "1.": false, "1e": false, "1e+": false, "0x1": false, "nan": false, "1a": false, "--1": false,
	} {
		strict, lax := scanner{data: []byte(text)}, scanner{data: []byte(text), lax: true}
		_, err := strict.skip()
		if ok := err == nil && strict.end() == nil; ok != want || json.Valid([]byte(text)) != want {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := lax.skip(); text == "nan" && err != nil {
			t.Errorf("%s, lax: %v", text, err)
		}
	}
}

func TestAnIdentityMustBeComplete(t *testing.T) {
	const whole = `{"protocol":1,"world_id":"w","world_epoch":"e","session":"s","dimensions":{"overworld":{"min":-64,"max":319}}}`
	if _, err := decodeHello([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"protocol":1`, `"protocol":2`},
		{`"world_id":"w"`, `"world_id":""`},
		{`"world_epoch":"e"`, `"x":"e"`},
		{`"session":"s"`, `"session":null`},
		{`{"overworld":{"min":-64,"max":319}}`, `{}`},
		{`"min":-64`, `"min":400`},
		{`"max":319`, `"max":1e9`},
		{`"w"`, `7`},
	} {
		broken := strings.Replace(whole, change[0], change[1], 1)
		if h, err := decodeHello([]byte(broken)); err == nil || broken == whole {
			t.Errorf("%s gives %+v", broken, h)
		}
	}
}
