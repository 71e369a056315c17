package bridge

import (
	"fmt"
	"strings"
	"testing"
)

// event returns the frame that carries a line of chat.
func event(line string) []byte {
	return fmt.Appendf(nil, `{"body":{"message":%s,"receiver":"","sender":"MCBEWS_BRIDGE","type":"tell"},"header":{"eventName":"PlayerMessage","messagePurpose":"event","requestId":"00000000-0000-0000-0000-000000000000","version":17039360}}`,
		appendQuoted(nil, line, false))
}

// BenchmarkChunk is what a frame with a chunk of 256 characters costs from the
// socket's bytes to the chunk's parts.
func BenchmarkChunk(b *testing.B) {
	frame := event("MCBEWS|BRIDGE|r1a2b3c4d|12/64|" + strings.Repeat(`{"a":1},`, 32))
	var e envelope
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if err := e.decode(frame); err != nil {
			b.Fatal(err)
		}
		if _, err := parseChunk(BridgePrefix, e.message); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReassemble16K is an answer of 16 K characters from the socket's bytes
// to the message.
func BenchmarkReassemble16K(b *testing.B) {
	lines, err := Split{Prefix: BridgePrefix, Wrapper: "tell @s "}.Chunks("r1", strings.Repeat(`{"a":1},`, 2048))
	if err != nil {
		b.Fatal(err)
	}
	var frames [][]byte
	for _, line := range lines {
		frames = append(frames, event(line))
	}
	var e envelope
	var buf buffer
	var used budget
	b.SetBytes(16 << 10)
	b.ReportAllocs()
	for b.Loop() {
		buf.reset()
		for _, frame := range frames {
			if err := e.decode(frame); err != nil {
				b.Fatal(err)
			}
			h, err := parseChunk(BridgePrefix, e.message)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := buf.add(h, &used); err != nil {
				b.Fatal(err)
			}
		}
		buf.release(&used)
		if len(buf.message()) != 16<<10 {
			b.Fatal("not complete")
		}
	}
}

// BenchmarkCipher is the cost of encryption for a frame of 500 bytes.
func BenchmarkCipher(b *testing.B) {
	s := newStream([32]byte{1})
	frame := make([]byte, 500)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		s.seal(frame)
	}
}
