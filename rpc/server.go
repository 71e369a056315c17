package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"groundplan/plan/fault"
	"groundplan/plan/strict"
)

// The bounds of a connection. WriteTimeout covers the longest wait of
// operation_status and the largest plan.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 20 * time.Second
	writeTimeout  = 5 * time.Minute
	idleTimeout   = 60 * time.Second
	maxHeader     = 16 << 10
	maxBody       = 1 << 20
	maxInFlight   = 512
	maxWaiting    = 1024
)

// answer is the body of every response of /v1/rpc.
type answer struct {
	OK        bool     `json:"ok"`
	Result    any      `json:"result,omitempty"`
	Error     *Problem `json:"error,omitempty"`
	RequestID string   `json:"requestId,omitempty"`
}

// Server answers HTTP for a Service until Close.
type Server struct {
	http *http.Server
	done chan error
}

// Serve starts answering on a listener.
func Serve(l net.Listener, s *Service) *Server {
	log := s.Log
	srv := &Server{done: make(chan error, 1), http: &http.Server{
		Handler:           guard(s.routes(), maxInFlight, log),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnState:         newCrowd(maxWaiting).track,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
	go func() { srv.done <- srv.http.Serve(l) }()
	return srv
}

// Close stops taking requests and waits for those in flight until ctx ends.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		_ = s.http.Close() // what Shutdown did not get closed in time
	}
	if end := <-s.done; !errors.Is(end, http.ErrServerClosed) {
		return end
	}
	return err
}

// routes lays out the paths.
func (s *Service) routes() http.Handler {
	r := chi.NewRouter()
	r.Use(s.access)
	r.Get("/health", s.serveHealth)
	r.Post("/v1/rpc", s.serveRPC)
	r.Get("/v1/schema", s.serveSchema)
	r.Get("/metrics", s.serveMetrics)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/rpc/") {
			refuse(w, fault.Errorf(fault.MethodNotAllowed, "calls go to POST /v1/rpc"))
			return
		}
		refuse(w, fault.Errorf(fault.NotFound, "no such path; there are /v1/rpc, /v1/schema, /health, /metrics and /mcp"))
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/rpc" {
			w.Header().Set("Allow", http.MethodPost)
			refuse(w, fault.Errorf(fault.MethodNotAllowed, "calls are POST requests"))
			return
		}
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, fault.Errorf(fault.MethodNotAllowed, "only GET here"))
	})
	if s.MCP == nil {
		return r
	}
	// The MCP endpoint answers by itself, and sometimes with nothing at all.
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if isMCP(request) {
			s.MCP.ServeHTTP(w, request)
			return
		}
		r.ServeHTTP(w, request)
	})
}

// serveRPC answers one call. The order of the checks is the prototype's.
func (s *Service) serveRPC(w http.ResponseWriter, r *http.Request) {
	out := answer{}
	result, err := s.serveCall(w, r, &out.RequestID)
	if err != nil {
		problem := problemOf(err, w.Header().Get(requestHeader))
		out.Error = &problem
		note(r.Context(), err)
	} else {
		out.OK, out.Result = true, result
	}
	respond(w, out)
}

func (s *Service) serveCall(w http.ResponseWriter, r *http.Request, requestID *string) (any, error) {
	if _, ok := r.Header["Origin"]; ok {
		return nil, fault.Errorf(fault.PermissionDenied, "requests of web pages (with an Origin) are refused")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	id, ok := s.Tokens.Identify(strings.TrimSpace(token))
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return nil, fault.Errorf(fault.PermissionDenied, "Authorization: Bearer with the agent or admin token of tokens.json is needed")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, fault.Errorf(fault.RequestTooLarge, "the body is over %d bytes", maxBody).With("limit", maxBody)
		}
		return nil, fault.Errorf(fault.InvalidRequest, "the body did not arrive: %w", err)
	}
	method, params, err := envelope(body, requestID)
	if err != nil {
		return nil, err
	}
	name(r.Context(), method)
	return s.Call(r.Context(), id, method, params)
}

// envelope reads {"method":…, "params":…?, "requestId":…?}.
func envelope(body []byte, requestID *string) (method string, params []byte, err error) {
	v, err := strict.Parse(body)
	if err != nil {
		return "", nil, err
	}
	if v.Kind() != strict.Object {
		return "", nil, v.Errorf("a call is a JSON object with method and params")
	}
	if id := v.Get("requestId"); id != nil && id.Kind() != strict.Null {
		text, ok := id.Text()
		if !ok || len(text) > maxString {
			return "", nil, id.Errorf("requestId must be a text of at most %d bytes", maxString)
		}
		*requestID = text
	}
	for i, key := range v.Keys() {
		if key != "method" && key != "params" && key != "requestId" {
			return "", nil, v.Items()[i].Unknown([]string{"method", "params", "requestId"})
		}
	}
	m := v.Get("method")
	if m == nil {
		return "", nil, v.Errorf("Required bounded string: method")
	}
	method, ok := m.Text()
	if !ok || method == "" || len(method) > maxString {
		return "", nil, m.Errorf("Required bounded string: method")
	}
	p := v.Get("params")
	if p == nil || p.Kind() == strict.Null {
		return method, nil, nil
	}
	if p.Kind() != strict.Object {
		return "", nil, p.Errorf("params must be an object")
	}
	return method, p.Raw(), nil
}

// respond writes an answer with its status.
func respond(w http.ResponseWriter, a answer) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	status := http.StatusOK
	if a.Error != nil {
		retryAfter(w, a.Error)
		status = Status(a.Error.Code)
	}
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(a) // a client that went away is not our error
}
