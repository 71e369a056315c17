package rpc

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"groundplan/plan/fault"
)

func TestOnlyLoopbackIsBound(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1", ""} {
		l, err := Listen(t.Context(), addr)
		if err == nil {
			l.Close()
			t.Errorf("%q was bound", addr)
			continue
		}
		if fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", addr, err)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.2:0"} {
		l, err := Listen(t.Context(), addr)
		if err != nil {
			t.Errorf("%q: %v", addr, err)
			continue
		}
		l.Close()
	}
}

func TestGuard(t *testing.T) {
	s := openSite(t)
	port := s.url[strings.LastIndex(s.url, ":")+1:]
	agent := "Authorization: Bearer " + agentToken
	call := `{"method":"project_context","requestId":"q1"}`
	for _, c := range []struct {
		name    string
		verb    string
		path    string
		body    string
		headers []string
		status  int
		code    fault.Code
	}{
		{"a good call", "POST", "/v1/rpc", call, []string{agent}, 200, ""},
		{"localhost is this machine too", "POST", "/v1/rpc", call, []string{agent, "Host: localhost:" + port}, 200, ""},
		{"the scheme is not case-sensitive", "POST", "/v1/rpc", call, []string{"Authorization: bearer " + agentToken}, 200, ""},
		{"a rebound name", "POST", "/v1/rpc", call, []string{agent, "Host: evil.example:" + port}, 403, fault.PermissionDenied},
		{"another port", "POST", "/v1/rpc", call, []string{agent, "Host: 127.0.0.1:1"}, 403, fault.PermissionDenied},
		{"a web page", "POST", "/v1/rpc", call, []string{agent, "Origin: http://127.0.0.1:" + port}, 403, fault.PermissionDenied},
		{"Origin null is one", "POST", "/v1/rpc", call, []string{agent, "Origin: null"}, 403, fault.PermissionDenied},
		{"no token", "POST", "/v1/rpc", call, nil, 403, fault.PermissionDenied},
		{"a wrong token", "POST", "/v1/rpc", call, []string{"Authorization: Bearer x"}, 403, fault.PermissionDenied},
		{"another scheme", "POST", "/v1/rpc", call, []string{"Authorization: Basic " + agentToken}, 403, fault.PermissionDenied},
		{"the wrong verb", "GET", "/v1/rpc", "", []string{agent}, 405, fault.MethodNotAllowed},
		{"a longer path", "POST", "/v1/rpc/x", call, []string{agent}, 405, fault.MethodNotAllowed},
		{"an unknown path", "GET", "/nothing", "", nil, 404, fault.NotFound},
		{"health with a longer path", "GET", "/health/x", "", nil, 404, fault.NotFound},
		{"health with another verb", "POST", "/health", "", nil, 405, fault.MethodNotAllowed},
		{"a body of the limit plus one", "POST", "/v1/rpc", strings.Repeat(" ", maxBody+1), []string{agent}, 413, fault.RequestTooLarge},
		{"no JSON", "POST", "/v1/rpc", "{", []string{agent}, 400, fault.InvalidRequest},
		{"an empty body", "POST", "/v1/rpc", "", []string{agent}, 400, fault.InvalidRequest},
		{"more than one value", "POST", "/v1/rpc", call + "{}", []string{agent}, 400, fault.InvalidRequest},
		{"a name twice", "POST", "/v1/rpc", `{"method":"project_context","method":"asset_list"}`, []string{agent}, 400, fault.InvalidRequest},
		{"a name in capitals", "POST", "/v1/rpc", `{"METHOD":"project_context"}`, []string{agent}, 400, fault.InvalidRequest},
		{"an unknown name", "POST", "/v1/rpc", `{"method":"project_context","id":1}`, []string{agent}, 400, fault.InvalidRequest},
		{"a list", "POST", "/v1/rpc", `[]`, []string{agent}, 400, fault.InvalidRequest},
		{"a deep list", "POST", "/v1/rpc", strings.Repeat("[", 100_000), []string{agent}, 400, fault.InvalidRequest},
		{"params that are a list", "POST", "/v1/rpc", `{"method":"project_context","params":[]}`, []string{agent}, 400, fault.InvalidRequest},
		{"an unknown method", "POST", "/v1/rpc", `{"method":"nothing"}`, []string{agent}, 400, fault.UnsupportedMethod},
		{"chat is not real yet", "POST", "/v1/rpc", `{"method":"chat_poll"}`, []string{agent}, 400, fault.UnsupportedMethod},
		{"an admin's method", "POST", "/v1/rpc", `{"method":"recovery_list"}`, []string{agent}, 403, fault.PermissionDenied},
		{"another project", "POST", "/v1/rpc", `{"method":"project_context","params":{"project_id":"other"}}`, []string{agent}, 403, fault.PermissionDenied},
		{"another player", "POST", "/v1/rpc", `{"method":"project_context","params":{"player_id":"mallory"}}`, []string{agent}, 403, fault.PermissionDenied},
	} {
		r := s.send(c.verb, c.path, c.body, c.headers...)
		if r.status != c.status || (r.Error == nil) != (c.code == "") || r.Error != nil && r.Error.Code != c.code {
			t.Errorf("%s: %d %s; want %d %s", c.name, r.status, r.body, c.status, c.code)
		}
		if c.code == "" && r.ID != "q1" {
			t.Errorf("%s: requestId %q", c.name, r.ID)
		}
		if strings.Contains(r.body, agentToken) || strings.Contains(r.body, adminToken) {
			t.Errorf("%s: the answer has a token", c.name)
		}
		if got := r.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q", c.name, got)
		}
		if got := r.header.Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("%s: Content-Type %q", c.name, got)
		}
	}
}

func TestRequestIDIsEchoedWithErrors(t *testing.T) {
	s := openSite(t)
	if r := s.post(agentToken, `{"method":"nothing","requestId":"ä-7"}`); r.ID != "ä-7" || r.Error.Code != fault.UnsupportedMethod {
		t.Errorf("%s", r.body)
	}
}

func TestHealthSaysWhatIsMissing(t *testing.T) {
	s := openSite(t)
	r := s.send("GET", "/health", "")
	if r.status != 200 || !strings.Contains(r.body, `"status":"world_unavailable"`) || !strings.Contains(r.body, `"live":true,"ready":false`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.send("GET", "/metrics", ""); r.status != 200 || !strings.Contains(r.body, "groundplan_world_connected 0") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestWithoutAWorldOnlyTheWorldIsMissing(t *testing.T) {
	s := openSite(t)
	if r := s.call("project_context", `{}`); !r.OK || !strings.Contains(string(r.Result), `"connected":false`) {
		t.Errorf("project_context: %s", r.body)
	}
	if r := s.call("asset_list", `{}`); !r.OK {
		t.Errorf("asset_list: %s", r.body)
	}
	for method, params := range map[string]string{
		"region_inspect": `{"min":{"x":0,"y":0,"z":0},"max":{"x":1,"y":1,"z":1}}`,
		"build_prepare":  `{"recipe":{"version":1,"operations":[]}}`,
		"region_changes": `{}`,
	} {
		r := s.call(method, params)
		if r.status != 503 || r.Error.Code != fault.WorldUnavailable || !r.Error.Retryable || r.Error.RetryAfterMS == 0 || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", method, r.status, r.body)
		}
	}
}

// A flood of connections that send nothing must not keep out a client that
// speaks at once.
func TestHalfOpenConnectionsDoNotStopAGoodClient(t *testing.T) {
	s := openSite(t)
	addr := strings.TrimPrefix(s.url, "http://")
	const flood = 3000
	conns := make([]net.Conn, 0, flood)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range flood {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		if len(conns)%2 == 0 {
			fmt.Fprint(c, "POST /v1/rpc HTTP/1.1\r\nHost: x\r\nX-Slow: ")
		}
		if len(conns)%500 == 0 {
			start := time.Now()
			if r := s.call("project_context", `{}`); !r.OK {
				t.Fatalf("%d: %s", r.status, r.body)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("with %d half-open connections a call took %v", len(conns), took)
			}
		}
	}
}
