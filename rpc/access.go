package rpc

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"groundplan/plan/fault"
)

// requestHeader carries our own id of a request, which is also in the log.
const requestHeader = "X-Request-Id"

// entry is the access log's line of one request, filled while it is served.
type entry struct {
	method string
	err    error
}

type entryKey struct{}

// name notes the method that a request calls.
func name(ctx context.Context, method string) {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		e.method = short(method)
	}
}

// note keeps the error of a request for the log.
func note(ctx context.Context, err error) {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		e.err = err
	}
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status on its way.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// access gives each request an id, survives a panic of its handler, counts it,
// and logs it in one line.
func (s *Service) access(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := s.NewID()
		w.Header().Set(requestHeader, id)
		e := &entry{}
		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			if v := recover(); v != nil {
				e.err = fault.Errorf(fault.Internal, "panic: %v", v)
				refuse(sw, e.err)
			}
			s.logAccess(r, id, e, sw.status, time.Since(start))
		}()
		inner.ServeHTTP(sw, r.WithContext(context.WithValue(r.Context(), entryKey{}, e)))
	})
}

func (s *Service) logAccess(r *http.Request, id string, e *entry, status int, took time.Duration) {
	code := fault.CodeOf(e.err)
	if _, known := s.methods[e.method]; known { // a client cannot fill the memory with names
		s.metrics.count(e.method, string(code), took)
	}
	attrs := []any{"request", id, "verb", r.Method, "path", short(r.URL.Path), "status", status, "took", took}
	if e.method != "" {
		attrs = append(attrs, "method", e.method)
	}
	if e.err == nil {
		s.Log.DebugContext(r.Context(), "request", attrs...)
		return
	}
	attrs = append(attrs, "code", code, "error", causes(e.err))
	if code == fault.Internal || code == fault.StorageFailed {
		s.Log.ErrorContext(r.Context(), "request failed", attrs...)
		return
	}
	s.Log.InfoContext(r.Context(), "request refused", attrs...)
}

// causes returns an error with the causes that its message hides from clients.
func causes(err error) string {
	text := err.Error()
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		if !strings.Contains(text, cause.Error()) {
			text += ": " + cause.Error()
		}
	}
	return text
}
