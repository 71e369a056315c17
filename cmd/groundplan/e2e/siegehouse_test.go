package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long the siege waits for anything.
const patience = 60 * time.Second

// process is a running groundplan that can be killed at any moment.
type process struct {
	cmd      *exec.Cmd
	out, err *log
	in       io.WriteCloser
	dead     chan struct{} // closed when it has ended
}

// spawn starts the program.
func spawn(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(context.Background(), program, args...), out: &log{}, err: &log{}, dead: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // it is killed, and says so
		close(p.dead)
	}()
	return p
}

// kill ends the process as a power cut would, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // or it has ended already
	<-p.dead
}

func (p *process) ended() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// line returns the n-th line of standard output, counted from 0, once it is
// there; "" when the process ends before.
func (p *process) line(n int) string {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		ended := p.ended()
		lines := strings.SplitAfter(p.out.String(), "\n")
		if n < len(lines) && strings.HasSuffix(lines[n], "\n") {
			return lines[n]
		}
		if ended {
			return ""
		}
	}
	return ""
}

// freePort returns an address that is free now and stays ours across restarts.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Who is killed: one of them, or both.
const (
	killService = 1 << iota
	killWorld
)

// house is the service and the world, each a process of its own.
type house struct {
	t              *testing.T
	data           string
	listen, bridge string
	autosave       time.Duration

	service, world *process
	typed          int // lines typed into this world's console
	admin, agent   string
	tape           []string      // the newest calls and what they gave
	doomed         chan struct{} // closed when the kill that was armed has been made; nil when none is
	victims        int           // of that kill
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return &house{t: t, data: t.TempDir(), listen: freePort(t), bridge: freePort(t), autosave: time.Second}
}

// startService starts the service and reads its tokens.
func (h *house) startService() {
	h.t.Helper()
	h.service = spawn(h.t, "serve", "--data", h.data, "--listen", h.listen, "--bridge", h.bridge,
		"--world", "connect", "--profile", "prototype", "--allow-local-automation")
	var up ready
	if line := h.service.line(0); json.Unmarshal([]byte(line), &up) != nil || !up.Ready {
		h.fail("the service did not start: %q\n%s", line, tail(h.service.err.String()))
	}
	s := service{ready: up}
	s.readTokens(h.t)
	h.admin, h.agent = s.admin, s.agent
	http.DefaultClient.CloseIdleConnections()
}

// startWorld starts the world.
func (h *house) startWorld() {
	h.t.Helper()
	h.world = spawn(h.t, "--data", h.data, "world", "run", "--bridge", h.bridge, "--console",
		"--tick", "10ms", "--reconnect", "20ms", "--autosave", h.autosave.String())
	h.typed = 0
	if h.world.line(0) == "" {
		h.fail("the world did not start:\n%s", tail(h.world.err.String()))
	}
}

// stop ends what still runs.
func (h *house) stop() {
	for _, p := range []*process{h.service, h.world} {
		if p != nil {
			p.kill()
		}
	}
}

// arm has the victims killed after a delay.
func (h *house) arm(victims int, delay time.Duration) {
	done := make(chan struct{})
	h.doomed, h.victims = done, victims
	service, world := h.service, h.world
	time.AfterFunc(delay, func() {
		defer close(done)
		if victims&killWorld != 0 {
			_ = world.cmd.Process.Kill() // mend waits for its end
		}
		if victims&killService != 0 {
			_ = service.cmd.Process.Kill()
		}
	})
	h.note("armed: %d dies in %v", victims, delay)
}

// struck reports whether an armed kill has been made.
func (h *house) struck() bool {
	select {
	case <-h.doomed: // blocks for ever when nil, and default is taken
		return true
	default:
		return false
	}
}

// type types a line into the world's console and reports whether the game took
// it; known is false when the world died meanwhile.
func (h *house) typeLine(line string) (taken, known bool) {
	h.typed++
	if _, err := fmt.Fprintln(h.world.in, line); err != nil {
		return false, false
	}
	answer := h.world.line(h.typed)
	h.note("typed %s: %s", line, strings.TrimSpace(answer))
	return answer != "" && !strings.Contains(answer, `"error"`), answer != ""
}

// note keeps one line of what happened, for the report of a failure.
func (h *house) note(format string, args ...any) {
	const most = 120
	if len(h.tape) > most {
		h.tape = h.tape[1:]
	}
	h.tape = append(h.tape, time.Now().Format("04:05.000 ")+fmt.Sprintf(format, args...))
}

// fail ends the test with everything that tells what led here.
func (h *house) fail(format string, args ...any) {
	h.t.Helper()
	for _, p := range []struct {
		name string
		*process
	}{{"service", h.service}, {"world", h.world}} {
		if p.process != nil {
			_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it tells what it is doing, if it still can
			select {
			case <-p.dead:
			case <-time.After(5 * time.Second):
			}
			h.t.Logf("standard error of the %s:\n%s", p.name, p.err.String())
		}
	}
	h.t.Logf("the newest calls:\n%s", strings.Join(h.tape, "\n"))
	h.t.Fatalf(format, args...)
}

// ask makes one call. It fails, without an answer, when the service dies before
// it answers.
func (h *house) ask(token, method string, params object) (answer, error) {
	body, err := json.Marshal(object{"method": method, "params": params})
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	a, err := exchange(ctx, "http://"+h.listen, token, body)
	said := string(a.Result)
	if a.Error != nil {
		said = a.Error.Code + ": " + a.Error.Message
	}
	if quiet := method == "operation_status" || method == "region_inspect" || method == "project_context"; !quiet || err != nil {
		h.note("%s %.300s: %.200s %v", method, body, said, err)
	}
	return a, err
}

// must makes a call that has to succeed. ok is false when the service was killed
// meanwhile.
func must[T any](h *house, token, method string, params object) (result T, ok bool) {
	h.t.Helper()
	a, err := h.ask(token, method, params)
	switch {
	case err != nil:
		h.excuse(method, err)
		return result, false
	case !a.OK && a.Error.Code == "world_unavailable" && h.victims&killWorld != 0:
		return result, false
	case !a.OK:
		h.fail("%s: HTTP %d, %+v", method, a.status, a.Error)
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		h.fail("%s: %v in %s", method, err, tail(string(a.Result)))
	}
	return result, true
}

// excuse accepts that a call got no answer because its service was killed.
func (h *house) excuse(method string, err error) {
	h.t.Helper()
	if h.doomed == nil || h.victims&killService == 0 {
		h.fail("%s got no answer and nobody was killed: %v", method, err)
	}
	<-h.doomed
}

// exchange posts a body to /v1/rpc.
func exchange(ctx context.Context, base, token string, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/rpc", bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: resp.StatusCode}
	if err := json.Unmarshal(raw, &a); err != nil {
		return answer{}, fmt.Errorf("HTTP %d with a body that is not JSON: %w\n%s", resp.StatusCode, err, tail(string(raw)))
	}
	return a, nil
}

// worldDir is where the world is kept.
func (h *house) worldDir() string { return filepath.Join(h.data, "world") }
