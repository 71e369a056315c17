package bridge

import (
	"net"
	"sync"
	"time"
)

// wire is the TCP connection below the WebSocket. While corked it keeps what is
// written, so that a batch of small frames costs one system call; every write has
// a deadline, so that a peer that does not read cannot hold the writer.
type wire struct {
	net.Conn

	mu     sync.Mutex // protects following
	corked bool
	kept   []byte
}

// Write keeps p while corked and sends it otherwise.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.corked {
		w.kept = append(w.kept, p...)
		return len(p), nil
	}
	return w.send(p)
}

func (w *wire) send(p []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return w.Conn.Write(p)
}

func (w *wire) cork() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.corked = true
}

// uncork sends what was kept.
func (w *wire) uncork() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.corked = false
	if len(w.kept) == 0 {
		return nil
	}
	_, err := w.send(w.kept)
	w.kept = w.kept[:0]
	return err
}

// wireListener makes a wire of every connection.
type wireListener struct{ net.Listener }

// Accept returns the next connection.
func (l wireListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wire{Conn: conn}, nil
}
