package bridge

import (
	"time"
)

// UIMessage is what a player wrote in the addon's panel.
type UIMessage struct {
	ID           string // of the message, as the addon gave it
	Player       string
	Text         string
	Conversation string // optional
}

// uiBuffer is UI chat that is not complete.
type uiBuffer struct {
	buffer
	since time.Time
}

// DecodeUIChat reads the JSON of a UI chat message.
func DecodeUIChat(id string, data []byte) (UIMessage, error) {
	m := UIMessage{ID: id}
	s := scanner{data: data}
	if s.peek() != '{' {
		if _, err := s.skip(); err != nil {
			return m, flawed(FlawJSON, -1, "UI chat: %v", err)
		}
		return m, flawed(FlawNotObject, -1, "UI chat is not an object")
	}
	err := s.object(func(key []byte) error {
		if s.peek() != '"' {
			_, err := s.skip()
			return err
		}
		text, err := s.text()
		switch string(key) {
		case "player":
			m.Player = string(text)
		case "message":
			m.Text = string(text)
		case "cid":
			m.Conversation = string(text)
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return m, flawed(FlawJSON, -1, "UI chat: %v", err)
	}
	if m.Text == "" {
		return m, flawed(FlawNoMessage, -1, "UI chat without a message")
	}
	return m, nil
}

// uiChunk adds a chunk of UI chat and delivers the message when it is complete.
func (s *session) uiChunk(line []byte) {
	h, err := parseChunk(UIChatPrefix, line)
	if err != nil {
		s.server.mismatch("malformed", "chunk", err.Error())
		return
	}
	id := string(h.id)
	data, complete, err := s.collectUI(id, h)
	if err != nil {
		s.server.mismatch("malformed", "chunk", err.Error())
		return
	}
	if !complete {
		return
	}
	m, err := DecodeUIChat(id, data)
	if err != nil {
		s.server.mismatch("malformed", "message", err.Error())
		return
	}
	s.server.deliver(m)
}

// collectUI adds the chunk to its message; one that breaks the rules ends the
// message.
func (s *session) collectUI(id string, h header) (data []byte, complete bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, nil
	}
	u := s.ui[id]
	if u == nil {
		u = &uiBuffer{since: s.server.now()}
	}
	complete, err = u.add(h, &s.used)
	if err == nil && !complete {
		s.ui[id] = u
		return nil, false, nil
	}
	u.release(&s.used)
	delete(s.ui, id)
	if err != nil {
		return nil, false, err
	}
	return u.message(), true, nil
}

// Messages returns the stream of what players write in the addon's panel. It is
// closed by Close. A reader that falls more than 64 messages behind loses the
// oldest.
func (s *Server) Messages() <-chan UIMessage { return s.messages }

func (s *Server) deliver(m UIMessage) {
	s.deliverMu.Lock()
	defer s.deliverMu.Unlock()
	if s.deliverEnded {
		return
	}
	for {
		select {
		case s.messages <- m:
			return
		default:
		}
		select {
		case old := <-s.messages:
			s.log.Warn("chat from the game was lost", "player", old.Player, "message_id", old.ID)
		default:
		}
	}
}
