package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// isFrameError fails the test for any other kind of error: what a peer sends must
// never be an internal failure.
func isFrameError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*FrameError](err); err != nil && !ok {
		t.Fatalf("error of another kind: %v", err)
	}
}

// published adds the strings of the protocol's published vectors to the seeds,
// where the reference material is there: every message, and every text frame.
func published(f *testing.F, add func(text string)) {
	f.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "shared", "reference", "mcbews-v1-vectors.json"))
	if err != nil {
		return
	}
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if _, ok := v["c"]; ok {
				frame, err := json.Marshal(v)
				if err != nil {
					f.Fatal(err)
				}
				add(string(frame))
			}
			if message, ok := v["message"].(string); ok {
				add(message)
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	var all any
	if err := json.Unmarshal(data, &all); err != nil {
		f.Fatal(err)
	}
	walk(all)
}

func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"header":{"messagePurpose":"commandResponse","requestId":"67726f75-6e64-4470-8c61-00000000002a","version":1},"body":{"statusCode":-2147483648,"statusMessage":"x"}}`,
		`{"header":{"messagePurpose":"event","eventName":"PlayerMessage","version":17039360},"body":{"message":"MCBEWS|BRIDGE|r1|1/1|{\"ok\":true}","sender":"MCBEWS_BRIDGE","type":"tell"}}`,
		`{"header":{"messagePurpose":"event"},"body":{"eventName":"PlayerMessage","properties":{"Message":"\ud83d\ude00","Sender":"a"}}}`,
		`{"header":{},"body":{"details":nan,"x":[-inf,{"y":Infinity}]}}`,
		`{"header":{"messagePurpose":"ws:encrypt"},"body":{"publicKey":"AA=="}}`,
		`{"header":[],"body":7} `,
	} {
		f.Add([]byte(seed))
	}
	var e envelope
	f.Fuzz(func(t *testing.T, frame []byte) {
		err := e.decode(frame)
		var known struct {
			Header struct {
				Purpose   any `json:"messagePurpose"`
				RequestID any `json:"requestId"`
			} `json:"header"`
			Body struct {
				Words any `json:"statusMessage"`
			} `json:"body"`
		}
		// What encoding/json takes has to be taken, with the same strings.
		if json.Unmarshal(frame, &known) != nil || !utf8.Valid(frame) || ambiguous(frame) {
			return
		}
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		for _, pair := range []struct {
			want any
			got  []byte
		}{{known.Header.Purpose, e.purpose}, {known.Header.RequestID, e.requestID}, {known.Body.Words, e.words}} {
			if text, ok := pair.want.(string); ok && text != string(pair.got) {
				t.Fatalf("read %q, want %q", pair.got, text)
			}
		}
	})
}

// ambiguous reports whether the two decoders may differ: a member stands twice,
// or encoding/json matches it without regard to case, or the nesting is deep.
func ambiguous(frame []byte) bool {
	lower := bytes.ToLower(frame)
	for _, name := range []string{"header", "body", "messagepurpose", "requestid", "statusmessage"} {
		if bytes.Count(lower, []byte(name)) > 1 {
			return true
		}
	}
	for _, name := range []string{"header", "body", "messagePurpose", "requestId", "statusMessage"} {
		if bytes.Contains(lower, []byte(strings.ToLower(name))) && !bytes.Contains(frame, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return bytes.Count(frame, []byte("["))+bytes.Count(frame, []byte("{")) > maxDepth || bytes.Contains(frame, []byte("\\u")) || bytes.ContainsRune(lower, 'ſ') || bytes.ContainsRune(lower, 'K')
}

func FuzzChunk(f *testing.F) {
	for _, seed := range []string{"MCBEWS|BRIDGE|req-1|1/2|{\"ok\":true,", "MCBEWS|UI_CHAT|ui-1|1/1|x", "MCBEWS|BRIDGE|a|1/1", "MCBEWS|", ""} {
		f.Add(seed)
	}
	published(f, func(text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, line string) {
		c, err := DecodeBridgeChunk(line)
		isFrameError(t, err)
		if err != nil {
			return
		}
		if c.Index < 1 || c.Index > c.Total || c.Total > MaxChunks || c.ID == "" {
			t.Fatalf("chunk %+v", c)
		}
		lines, err := Split{Prefix: BridgePrefix, Budget: 1 << 20, Points: 1 << 20}.Chunks(c.ID, c.Content)
		if err != nil || len(lines) != 1 || !strings.HasSuffix(lines[0], "|1/1|"+c.Content) {
			t.Fatalf("%q, %v", lines, err)
		}
	})
}

// FuzzBuffer feeds lines to the live assembler: whatever comes, it stays within
// its limits, and a complete message is the one that Join makes of the chunks.
func FuzzBuffer(f *testing.F) {
	f.Add("MCBEWS|BRIDGE|a|1/2|x\nMCBEWS|BRIDGE|a|2/2|y")
	f.Add("MCBEWS|BRIDGE|a|2/2|x\nMCBEWS|BRIDGE|a|2/2|x\nMCBEWS|BRIDGE|a|1/2|y")
	f.Add("MCBEWS|BRIDGE|a|2/3|x\nMCBEWS|BRIDGE|a|2/3|z")
	f.Fuzz(func(t *testing.T, text string) {
		var b buffer
		var used budget
		var chunks []Chunk
		for line := range strings.SplitSeq(text, "\n") {
			h, err := parseChunk(BridgePrefix, []byte(line))
			if err != nil {
				continue
			}
			complete, err := b.add(h, &used)
			isFrameError(t, err)
			if used.bytes > MaxBufferedBytes || used.buffers > 1 || len(b.data) > MaxMessageBytes {
				t.Fatalf("holds %+v", used)
			}
			if err != nil {
				break
			}
			fresh := true
			for _, c := range chunks {
				fresh = fresh && c.Index != h.index
			}
			if fresh {
				chunks = append(chunks, Chunk{ID: "a", Index: h.index, Total: h.total, Content: string(h.content)})
			}
			if complete {
				want, err := Join(chunks)
				if err != nil || string(b.message()) != want {
					t.Fatalf("message %q, want %q, %v", b.message(), want, err)
				}
				break
			}
		}
		b.release(&used)
		if used != (budget{}) {
			t.Fatalf("still holds %+v", used)
		}
	})
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{`{"ok":true,"result":{"success_count":3}}`, `{"ok":false,"error":{"code":"X","message":"m"}}`, `{"ok":true,"payload":{"successCount":0}}`, `[]`, `{"ok":true,"x":"\q"}`, `{"ok":true,"x":"\u12"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parseReply(body)
		isFrameError(t, err)
		if err == nil && !json.Valid(body) {
			t.Fatal("took what is not JSON")
		}
		successCount(r.result)
	})
}

func FuzzUIChat(f *testing.F) {
	f.Add([]byte(`{"player":"Steve","message":"hello","cid":"a"}`))
	published(f, func(text string) { f.Add([]byte(text)) })
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := DecodeUIChat("id", body)
		isFrameError(t, err)
		if err == nil && m.Text == "" {
			t.Fatal("a message without text")
		}
	})
}

func FuzzTextFrame(f *testing.F) {
	f.Add([]byte(`{"id":"r","i":1,"n":1,"p":"Steve","r":"assistant","c":"@ok","cid":"c","t":"T","u":{"i":3}}`))
	published(f, func(text string) { f.Add([]byte(text)) })
	f.Fuzz(func(t *testing.T, message []byte) {
		frame, err := DecodeTextFrame(message)
		isFrameError(t, err)
		if err != nil || frame.Total != 1 {
			return
		}
		text, err := JoinText([]TextFrame{frame})
		if err != nil {
			t.Fatal(err)
		}
		lines, err := EncodeText(text)
		isFrameError(t, err)
		for _, line := range lines {
			if len(line) > MaxCommandLine || strings.Contains(line, "@") {
				t.Fatalf("line %q", line)
			}
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"v":2,"request_id":"r1","capability":"x","payload":{"a":"@ \u0040"}}`))
	f.Add([]byte(`{"request_id":"r1","capability":"x"}`))
	published(f, func(text string) { f.Add([]byte(text)) })
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := DecodeRequest(message)
		isFrameError(t, err)
		if err != nil {
			return
		}
		line, err := EncodeRequest(r)
		isFrameError(t, err)
		if err != nil {
			return
		}
		again, err := DecodeRequest([]byte(strings.TrimPrefix(line, "scriptevent "+RequestMessageID+" ")))
		if err != nil || again.ID != r.ID || strings.ToValidUTF8(again.Capability, "\ufffd") != again.Capability {
			t.Fatalf("%q decodes to %+v, %v", line, again, err)
		}
	})
}

func FuzzRegionPage(f *testing.F) {
	f.Add([]byte(`{"from":0,"palette":["air","stone","oak_stairs[upside_down_bit=false,weirdo_direction=0]","?"],"runs":"0*1c,1,2*3,3*c","next":null,"be":[[3,"container",1]],"tick":7}`), uint8(3), uint8(3), uint8(3))
	f.Add([]byte(`{"from":0,"palette":["air"],"runs":"0*2","next":2}`), uint8(1), uint8(1), uint8(1))
	f.Add([]byte(`{"from":0,"palette":["air"],"runs":"0*zzzz,0*zzzz","next":-1}`), uint8(1), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, x, y, z uint8) {
		box := voxel.Box{Min: voxel.Pos{X: -5, Y: -5, Z: -5}, Max: voxel.Pos{X: -5 + int(x&31), Y: -5 + int(y&31), Z: -5 + int(z&31)}}
		p, err := DecodeRegionPage(data, box.Volume())
		isFrameError(t, err)
		if err != nil {
			return
		}
		s := &plan.Snapshot{Cells: voxel.NewVolume()}
		p.Paint(s, []voxel.Box{box})
		if p.Len() > box.Volume() || s.Cells.Len() > p.Len() || p.Next >= box.Volume() {
			t.Fatalf("page of %d cells painted %d of %d", p.Len(), s.Cells.Len(), box.Volume())
		}
		if bounds, ok := s.Cells.Bounds(); ok && !box.Contains(bounds) {
			t.Fatalf("painted %v outside %v", bounds, box)
		}
	})
}

func FuzzHello(f *testing.F) {
	f.Add([]byte(`{"protocol":1,"addon":"0.1.0","game":"1.26.50","api":"2.6.0","world_id":"w","world_epoch":"e","session":"s","player":"Steve","dimensions":{"overworld":{"min":-64,"max":319}},"ids":{"count":1,"pages":1,"digest":"00"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := decodeHello(data)
		if err == nil && (h.WorldID == "" || len(h.Dimensions) == 0) {
			t.Fatalf("%+v", h)
		}
	})
}

func FuzzDigests(f *testing.F) {
	f.Add([]byte(`{"digests":"0123456789abcdef----------------","next":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		digests, next, err := decodeDigests(data)
		isFrameError(t, err)
		for _, d := range digests {
			if len(d) != len(voxel.UnknownDigest) || next < -1 {
				t.Fatalf("digest %q, next %d", d, next)
			}
		}
	})
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte(`{"cursor":"c","gap":false,"changes":[{"pos":[1,2,3],"dim":"overworld","kind":"place","player":"a"}],"more":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		changes := plan.Changes{Cursor: "before"}
		_, err := decodeChanges(data, &changes)
		isFrameError(t, err)
		if err == nil && changes.Cursor == "" {
			t.Fatal("no cursor")
		}
	})
}
