package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// post sends a message with headers "Name: value" and returns status, headers and
// body.
func (s *site) post(query, body string, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+query, strings.NewReader(body))
	s.must(err)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	s.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	s.must(err)
	return response.StatusCode, response.Header, string(text)
}

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	auth = "Authorization: Bearer " + agentToken
	sess = "Mcp-Session-Id: s1"
)

func TestImplausibleRequestsMeetSilenceAndOneLogLinePerKind(t *testing.T) {
	s := openSite(t)
	head := func(verb, path, host, more string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 0\r\n\r\n", verb, path, host, more)
	}
	port := s.addr[strings.LastIndex(s.addr, ":"):]
	token := "Authorization: Bearer " + agentToken + "\r\n"
	for _, c := range []struct{ kind, request string }{
		{"METHOD", head("OPTIONS", "/mcp", s.addr, token)},
		{"METHOD", head("PUT", "/mcp", s.addr, token)},
		{"METHOD", head("GET", "/mcp", s.addr, "")},
		{"METHOD", head("DELETE", "/mcp", s.addr, "Authorization: Bearer wrong\r\n")},
		{"ORIGIN", head("POST", "/mcp", s.addr, token+"Origin: http://localhost"+port+"\r\n")},
		{"ORIGIN", head("POST", "/mcp", s.addr, token+"Origin: null\r\n")},
		{"HOST", head("POST", "/mcp", "evil.example"+port, token)},
		{"HOST", head("POST", "/mcp", "127.0.0.1:1", token)},
		{"HOST", head("POST", "/mcp", "LOCALHOST"+port, token)},
		{"PATH", head("POST", "/mcp/x", s.addr, token)},
	} {
		if got := s.raw(c.request); got != "" {
			t.Errorf("%s: %q answered %q", c.kind, c.request, got)
		}
	}
	for _, kind := range []string{"METHOD", "ORIGIN", "HOST", "PATH"} {
		if n := s.log.count("kind=" + kind); n != 1 {
			t.Errorf("%s was logged %d times", kind, n)
		}
	}
	if s.log.count(agentToken) > 0 {
		t.Error("the log shows a token")
	}
}

func TestGetAndDeleteWithATokenAreNotAllowed(t *testing.T) {
	s := openSite(t)
	for _, verb := range []string{http.MethodGet, http.MethodDelete} {
		request, err := http.NewRequestWithContext(t.Context(), verb, s.url, nil)
		s.must(err)
		request.Header.Set("Authorization", "Bearer "+agentToken)
		response, err := http.DefaultClient.Do(request)
		s.must(err)
		response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow %q", verb, response.StatusCode, response.Header.Get("Allow"))
		}
	}
}

func TestWireRules(t *testing.T) {
	s := openSite(t)
	for _, c := range []struct {
		name    string
		query   string
		body    string
		headers []string
		status  int
		want    string
	}{
		{"bearer", "", ping, []string{auth, sess}, 200, `"result":{}`},
		{"bearer in any case", "", ping, []string{"Authorization: bEARER " + agentToken, sess}, 200, `"result":{}`},
		{"token in the URL", "?token=" + agentToken, ping, []string{sess}, 200, `"result":{}`},
		{"both", "?token=" + agentToken, ping, []string{auth, sess}, 400, `-32600`},
		{"both, the header malformed", "?token=" + agentToken, ping, []string{"Authorization: x", sess}, 400, `-32600`},
		{"no token", "", ping, []string{sess}, 403, ``},
		{"wrong token", "", ping, []string{"Authorization: Bearer wrong", sess}, 403, ``},
		{"basic", "", ping, []string{"Authorization: Basic " + agentToken, sess}, 403, ``},
		{"no session", "", ping, []string{auth}, 400, `"id":1`},
		{"no session on a notification", "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{auth}, 400, `-32600`},
		{"a session that nobody minted", "", ping, []string{auth, "Mcp-Session-Id: from-before-a-restart"}, 200, `"result":{}`},
		{"not JSON", "", `{`, []string{auth, sess}, 400, `-32700`},
		{"a batch", "", `[` + ping + `]`, []string{auth, sess}, 400, `-32600`},
		{"a text", "", `"x"`, []string{auth, sess}, 400, `-32600`},
		{"unknown method", "", `{"jsonrpc":"2.0","id":"a","method":"x/y"}`, []string{auth, sess}, 200, `-32601`},
		{"unknown tool", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}`, []string{auth, sess}, 200, `-32602`},
		{"initialized", "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{auth, sess}, 202, ``},
		{"cancel of nothing", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, []string{auth, sess}, 202, ``},
		{"a request without id", "", `{"jsonrpc":"2.0","method":"tools/list"}`, []string{auth, sess}, 400, `-32600`},
		{"a fractional id", "", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{auth, sess}, 400, `-32600`},
		{"an id that floats would change", "", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, []string{auth, sess}, 400, `-32600`},
		{"Accept and versions do not matter", "", ping, []string{auth, sess, "Accept: text/html", "Mcp-Protocol-Version: 1"}, 200, `"result":{}`},
		{"tools", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{auth, sess}, 200, `"build_prepare"`},
	} {
		status, _, body := s.post(c.query, c.body, c.headers...)
		if status != c.status || !strings.Contains(body, c.want) || c.want == "" && body != "" {
			t.Errorf("%s: %d %q, want %d with %q", c.name, status, body, c.status, c.want)
		}
	}
	if status, _, _ := s.post("", strings.Repeat(" ", maxBody+1), auth, sess); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: %d", status)
	}
}

func TestInitializeMintsASession(t *testing.T) {
	s := openSite(t)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
	} {
		status, header, text := s.post("", body, auth)
		if status != 200 || len(header.Get("Mcp-Session-Id")) < 20 || !strings.Contains(text, `"instructions"`) {
			t.Errorf("%d, session %q, %s", status, header.Get("Mcp-Session-Id"), text)
		}
	}
}

// running starts a script that prints and then goes on for ever, and returns a
// channel with its result.
func (s *site) running(id, session string) <-chan string {
	s.t.Helper()
	code, err := json.Marshal("print('one')\nprint('two')\nwhile True:\n    pass")
	s.must(err)
	done := make(chan string, 1)
	go func() {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":%s}}}`, id, code)
		request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(body))
		if err != nil {
			done <- err.Error()
			return
		}
		request.Header.Set("Authorization", "Bearer "+agentToken)
		request.Header.Set("Mcp-Session-Id", session)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			done <- err.Error()
			return
		}
		defer response.Body.Close()
		var text bytes.Buffer
		_, _ = text.ReadFrom(bufio.NewReader(response.Body))
		done <- text.String()
	}()
	time.Sleep(300 * time.Millisecond) // for the script to print; a slower machine only makes the test easier
	return done
}

func (s *site) cancelCall(id, session string) {
	s.t.Helper()
	status, _, _ := s.post("", fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id), auth, "Mcp-Session-Id: "+session)
	if status != http.StatusAccepted {
		s.t.Fatalf("cancel: %d", status)
	}
}

func TestCancellationIsScopedToSessionAndID(t *testing.T) {
	s := openSite(t)
	done := s.running("9", "mine")
	s.cancelCall("9", "other")
	s.cancelCall(`"9"`, "mine")
	select {
	case text := <-done:
		t.Fatalf("it ended by somebody else's cancellation: %s", text)
	case <-time.After(300 * time.Millisecond):
	}
	s.cancelCall("9", "mine")
	select {
	case text := <-done:
		if !strings.Contains(text, `one\ntwo\n(cancelled)`) || !strings.Contains(text, `"isError":true`) {
			t.Fatalf("the cancelled call answered %s", text)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the call was not cancelled")
	}
}

func TestOneScriptRunsInASession(t *testing.T) {
	s := openSite(t)
	done := s.running("1", "mine")
	_, _, text := s.post("", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"1"}}}`, auth, "Mcp-Session-Id: mine")
	if !strings.Contains(text, "busy") {
		t.Errorf("a second script of the session: %s", text)
	}
	_, _, text = s.post("", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"1"}}}`, auth, "Mcp-Session-Id: other")
	if !strings.Contains(text, "=\\u003e 1") && !strings.Contains(text, "=> 1") {
		t.Errorf("a script of another session: %s", text)
	}
	s.cancelCall("1", "mine")
	<-done
}

func TestHangingUpCancelsTheScript(t *testing.T) {
	s := openSite(t)
	code := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"while True:\n    pass"}}}`
	request := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\n%s\r\n%s\r\nContent-Length: %d\r\n\r\n%s", s.addr, auth, "Mcp-Session-Id: gone", len(code), code)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.addr)
	s.must(err)
	_, err = conn.Write([]byte(request))
	s.must(err)
	time.Sleep(200 * time.Millisecond)
	s.must(conn.Close())
	deadline := time.Now().Add(5 * time.Second)
	for {
		_, _, text := s.post("", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"1"}}}`, auth, "Mcp-Session-Id: gone")
		if !strings.Contains(text, "busy") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the script of a client that hung up still runs")
		}
		time.Sleep(50 * time.Millisecond)
	}
}
