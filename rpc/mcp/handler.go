package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/plan"
	"groundplan/rpc"
)

// Options are what a Handler is made of.
type Options struct {
	Service *rpc.Service
	// Run runs one command in the connected world; see Commands.
	Run func(ctx context.Context, dimension, command string) plan.Outcome
	// Script is the command line of the process that runs scripts, such as the
	// program's own path and "script-host".
	Script []string
	Log    *slog.Logger // nil discards
}

// Handler answers /mcp.
type Handler struct {
	Options
	inner http.Handler

	// mu protects the following.
	mu      sync.Mutex
	refused map[string]bool               // kinds of refusals that were logged
	running map[string]context.CancelFunc // calls under way, by session and raw id
	scripts map[string]bool               // sessions in which a script runs
	pages   *pages
}

// New returns the handler of /mcp.
func New(o Options) *Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Handler{Options: o, refused: map[string]bool{}, running: map[string]context.CancelFunc{}, scripts: map[string]bool{}, pages: newPages()}
	server := h.server()
	h.inner = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{JSONResponse: true, Stateless: true, DisableLocalhostProtection: true})
	return h
}

// maxBody is how many bytes a request may have.
const maxBody = 1 << 20

// JSON-RPC error codes.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
)

// session is the header that scopes cancellation.
const session = "Mcp-Session-Id"

// call is one request on its way to a tool. The SDK's handler does not hand the
// request's cancellation on, so it travels as a value.
type call struct {
	ctx      context.Context //nolint:containedctx // it is how cancellation reaches a tool behind the SDK
	identity rpc.Identity
	session  string
}

type callKey struct{}

// ServeHTTP guards the endpoint, in the order of reference/mcp-server.md §1.3–1.5.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if kind := reject(r); kind != "" {
		h.silence(kind, r)
	}
	identity, ok, ambiguous := h.authenticate(r)
	if r.Method != http.MethodPost {
		if !ok {
			h.silence("METHOD", r)
		}
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	switch {
	case ambiguous:
		problem(w, http.StatusBadRequest, nil, invalidRequest, "a token in the header and one in the URL: send one of them")
		return
	case !ok:
		w.WriteHeader(http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		problem(w, http.StatusBadRequest, nil, parseError, "the body did not arrive")
		return
	}
	h.dispatch(w, r, identity, body)
}

// reject names what tells a request from one of an MCP client; "" for nothing.
func reject(r *http.Request) string {
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodDelete:
		return "METHOD"
	case r.Header.Get("Origin") != "":
		return "ORIGIN"
	case !hostIsOurs(r):
		return "HOST"
	case r.URL.Path != "/mcp" && r.URL.Path != "/mcp/":
		return "PATH"
	}
	return ""
}

// hostIsOurs reports whether Host is localhost, 127.0.0.1 or [::1] with the bound
// port; on port 80 the port may be left out.
func hostIsOurs(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return false
	}
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if r.Host == name+":"+port || port == "80" && r.Host == name {
			return true
		}
	}
	return false
}

// silence closes the connection without a byte, and says why, once per kind: the
// log is the only channel that a refusal has.
func (h *Handler) silence(kind string, r *http.Request) {
	h.mu.Lock()
	logged := h.refused[kind]
	h.refused[kind] = true
	h.mu.Unlock()
	if !logged {
		h.Log.Warn("request to the MCP endpoint refused", "kind", kind, "method", r.Method, "path", r.URL.Path,
			"host", r.Host, "origin", r.Header.Get("Origin"), "endpoint", "POST /mcp at localhost, 127.0.0.1 or [::1] with this service's port")
	}
	panic(http.ErrAbortHandler)
}

// authenticate reads the one credential of a request: Authorization: Bearer, or
// ?token=, which is not percent-decoded. Any Authorization header counts as the
// first spelling.
func (h *Handler) authenticate(r *http.Request) (id rpc.Identity, ok, ambiguous bool) {
	_, header := r.Header["Authorization"]
	token, query := "", false
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if value, found := strings.CutPrefix(part, "token="); found && !query {
			token, query = value, true
		}
	}
	if header && query {
		return rpc.Identity{}, false, true
	}
	if header {
		scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return rpc.Identity{}, false, false
		}
		token = strings.TrimSpace(rest)
	}
	id, ok = h.Service.Tokens.Identify(token)
	return id, ok, false
}

// message is the envelope of a JSON-RPC request or notification.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// dispatch checks the envelope and passes the message on.
func (h *Handler) dispatch(w http.ResponseWriter, r *http.Request, identity rpc.Identity, body []byte) {
	var m message
	trimmed := strings.TrimSpace(string(body))
	switch err := json.Unmarshal(body, &m); {
	case !json.Valid(body):
		problem(w, http.StatusBadRequest, nil, parseError, "the body is not JSON")
		return
	case err != nil || !strings.HasPrefix(trimmed, "{"):
		problem(w, http.StatusBadRequest, nil, invalidRequest, "the body must be one JSON-RPC message")
		return
	}
	notification := len(m.ID) == 0 || string(m.ID) == "null"
	if !notification && !wholeID(m.ID) {
		problem(w, http.StatusBadRequest, nil, invalidRequest, "an id is a text or an integer within ±2^53")
		return
	}
	id := r.Header.Get(session)
	if id == "" && m.Method != "initialize" {
		problem(w, http.StatusBadRequest, m.ID, invalidRequest, "the header "+session+" is missing; initialize gives it")
		return
	}
	switch {
	case notification && m.Method == "notifications/cancelled":
		h.cancel(id, m.Params)
		w.WriteHeader(http.StatusAccepted)
	case notification && strings.HasPrefix(m.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	case notification:
		problem(w, http.StatusBadRequest, nil, invalidRequest, "a request needs an id")
	case m.Method == "initialize":
		w.Header().Set(session, rand.Text())
		h.pass(w, r, identity, id, m, withParams(body, m))
	case m.Method == "ping", m.Method == "tools/list", m.Method == "tools/call":
		h.pass(w, r, identity, id, m, body)
	default:
		problem(w, http.StatusOK, m.ID, unknownMethod, "no method "+m.Method)
	}
}

// withParams gives an initialize without params empty ones, which the SDK wants.
func withParams(body []byte, m message) []byte {
	if len(m.Params) > 0 {
		return body
	}
	with, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": m.ID, "method": m.Method,
		"params": map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "unknown", "version": "0"}},
	})
	if err != nil {
		return body
	}
	return with
}

// wholeID reports whether an id survives the SDK, which keeps numbers as floats.
func wholeID(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return true
	}
	var n int64
	return json.Unmarshal(raw, &n) == nil && n > -1<<53 && n < 1<<53
}

// pass hands a request to the SDK. The call ends with the client's connection, or
// with a cancellation from the same session.
func (h *Handler) pass(w http.ResponseWriter, r *http.Request, identity rpc.Identity, id string, m message, body []byte) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if m.Method == "tools/call" {
		key := id + "\x00" + string(m.ID)
		h.mu.Lock()
		h.running[key] = cancel
		h.mu.Unlock()
		defer func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.running, key)
		}()
	}
	inner := r.Clone(context.WithValue(r.Context(), callKey{}, &call{ctx, identity, id}))
	inner.Header.Set("Accept", "application/json, text/event-stream")
	inner.Header.Set("Content-Type", "application/json")
	inner.Header.Del(session)
	inner.Header.Del("Mcp-Protocol-Version")
	inner.Body = io.NopCloser(strings.NewReader(string(body)))
	inner.ContentLength = int64(len(body))
	h.inner.ServeHTTP(w, inner)
}

// cancel ends the call that a notifications/cancelled names; unknown ids are
// ignored, as the protocol says.
func (h *Handler) cancel(id string, params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.running[id+"\x00"+string(p.RequestID)]; cancel != nil {
		cancel()
	}
}

// problem answers a JSON-RPC error.
func problem(w http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	answer := map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		return // the client went away
	}
}
