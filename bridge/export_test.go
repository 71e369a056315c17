package bridge

// Held returns how many calls, buffers and places in the window the server's
// session still holds; 0 when no session is left.
func Held(s *Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return 0
	}
	current := s.session
	current.mu.Lock()
	defer current.mu.Unlock()
	return 1 + len(current.pending) + len(current.queue) + len(current.ui) + current.used.buffers + len(current.slots)
}

// Buffers returns how many incomplete messages the server's session holds.
func Buffers(s *Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return 0
	}
	s.session.mu.Lock()
	defer s.session.mu.Unlock()
	return s.session.used.buffers
}
