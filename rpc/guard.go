package rpc

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"groundplan/plan/fault"
)

// Listen opens the service's TCP listener. An address that is not loopback is an
// error: there is no way to offer the service to a network by mistake.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidRequest, "listen address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fault.Errorf(fault.InvalidRequest, "listen address %q is not loopback; the service never leaves this machine", addr)
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", addr)
}

// guard refuses what cannot come from a client on this machine, before anything
// of the request is read: too many at once, a foreign Host (a web page that
// rebound its name to 127.0.0.1).
func guard(inner http.Handler, places int, log *slog.Logger) http.Handler {
	slots := make(chan struct{}, places)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			refuse(w, fault.Errorf(fault.TooManyRequests, "too many requests at once; repeat in a moment"))
			return
		}
		if !localHost(r) && !isMCP(r) { // the MCP endpoint refuses in its own way: with nothing
			log.WarnContext(r.Context(), "request refused", "reason", "host", "host", short(r.Host))
			refuse(w, fault.Errorf(fault.PermissionDenied, "Host must be this machine's loopback name and the service's port"))
			return
		}
		inner.ServeHTTP(w, r)
	})
}

func isMCP(r *http.Request) bool {
	return r.URL.Path == "/mcp" || strings.HasPrefix(r.URL.Path, "/mcp/")
}

// localHost reports whether the Host header is localhost, 127.0.0.1 or [::1]
// with the port of the connection.
func localHost(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return false
	}
	host, given, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, given = strings.Trim(r.Host, "[]"), "80"
	}
	if given != port {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// refuse answers a request that never became a call.
func refuse(w http.ResponseWriter, err error) {
	respond(w, answer{Error: new(problemOf(err, ""))})
}

// crowd bounds the connections that have not sent a request yet. When too many
// wait, the oldest is closed: a flood of half-open connections costs the flood
// its own, and a client that sends at once is never among them.
type crowd struct {
	most int

	mu      sync.Mutex // protects the following
	waiting map[net.Conn]uint64
	next    uint64
}

func newCrowd(most int) *crowd { return &crowd{most: most, waiting: map[net.Conn]uint64{}} }

// track is the server's ConnState hook.
func (c *crowd) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateNew && state != http.StateIdle {
		delete(c.waiting, conn)
		return
	}
	c.next++
	c.waiting[conn] = c.next
	if len(c.waiting) <= c.most {
		return
	}
	var oldest net.Conn
	first := c.next + 1
	for one, n := range c.waiting {
		if n < first {
			oldest, first = one, n
		}
	}
	delete(c.waiting, oldest)
	_ = oldest.Close() // it is being thrown out; how it ends is its own business
}

// retryAfter sets the header that goes with an error worth repeating.
func retryAfter(w http.ResponseWriter, p *Problem) {
	if p.RetryAfterMS > 0 {
		seconds := max(1, int(time.Duration(p.RetryAfterMS)*time.Millisecond/time.Second))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
}
