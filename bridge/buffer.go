package bridge

// buffer collects the chunks of one message. Chunks mostly come in order and then
// stand in data as the message itself; spans remembers where each is.
type buffer struct {
	total int
	have  int
	data  []byte
	spans []span // by index-1
	order bool   // the chunks came in order so far
}

type span struct{ from, to int }

// budget is what all incomplete messages of a session hold together.
type budget struct {
	buffers int
	bytes   int
}

// reset empties the buffer and keeps its memory.
func (b *buffer) reset() {
	b.total, b.have, b.data, b.spans, b.order = 0, 0, b.data[:0], b.spans[:0], true
}

// add takes one chunk and reports whether the message is complete. A chunk that
// came before with the same content is ignored: games that kept a subscription
// from an earlier connection send every event twice.
func (b *buffer) add(h header, used *budget) (complete bool, err error) {
	if b.total == 0 {
		if h.total == 1 {
			if len(h.content) > MaxMessageBytes {
				return false, flawed(FlawTooLarge, 0, "%d bytes; %d is the limit", len(h.content), MaxMessageBytes)
			}
			b.data = append(b.data[:0], h.content...)
			return true, nil
		}
		if used.buffers >= MaxBuffers {
			return false, flawed(FlawBuffersFull, h.index-1, "%d incomplete messages", used.buffers)
		}
		b.reset()
		used.buffers++
		b.total = h.total
		b.spans = append(b.spans, make([]span, h.total)...)
		for i := range b.spans {
			b.spans[i] = span{-1, -1}
		}
	}
	if h.total != b.total {
		return false, flawed(FlawMixedTotal, h.index-1, "total %d among chunks of %d", h.total, b.total)
	}
	if s := b.spans[h.index-1]; s.from >= 0 {
		if string(b.data[s.from:s.to]) == string(h.content) {
			return false, nil
		}
		return false, flawed(FlawDuplicate, h.index-1, "index %d stands twice with different content", h.index)
	}
	switch size := len(h.content); {
	case len(b.data)+size > MaxMessageBytes:
		return false, flawed(FlawTooLarge, h.index-1, "over %d bytes", MaxMessageBytes)
	case used.bytes+size > MaxBufferedBytes:
		return false, flawed(FlawBuffersFull, h.index-1, "incomplete messages hold over %d bytes", MaxBufferedBytes)
	}
	b.order = b.order && h.index == b.have+1
	b.spans[h.index-1] = span{len(b.data), len(b.data) + len(h.content)}
	b.data = append(b.data, h.content...)
	used.bytes += len(h.content)
	b.have++
	return b.have == b.total, nil
}

// release gives back what the buffer holds of the budget.
func (b *buffer) release(used *budget) {
	if b.total > 0 {
		used.buffers--
		used.bytes -= len(b.data)
		b.total = 0
	}
}

// message returns the complete message. It is valid until the next reset.
func (b *buffer) message() []byte {
	if b.order || len(b.spans) == 0 {
		return b.data
	}
	joined := make([]byte, 0, len(b.data))
	for _, s := range b.spans {
		joined = append(joined, b.data[s.from:s.to]...)
	}
	return joined
}
