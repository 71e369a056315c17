package bridgetest

import (
	"context"
	"net"
	"sync"
)

// Network is an in-memory network of one address. It is a net.Listener for the
// server, and Dial reaches it.
type Network struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// NewNetwork returns a network that listens.
func NewNetwork() *Network {
	return &Network{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for the next Dial.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case conn := <-n.conns:
		return conn, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

// Addr returns the address of the network.
func (n *Network) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "127.0.0.1:8767" }

// Dial connects to the listener, whatever the address.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
