package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the path of the built binary.
var program string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run builds the program once, and never with the race detector: the script
// engine of the embedded world is too slow with it for the bridge's time-outs.
// Races are looked for by the tests of the packages.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "groundplan-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "groundplan")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "groundplan/cmd/groundplan")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// ready is the line that serve prints.
type ready struct {
	Ready  bool   `json:"ready"`
	RPC    string `json:"rpc"`
	MCP    string `json:"mcp"`
	Bridge string `json:"bridge"`
	Data   string `json:"data"`
}

// service is a running groundplan serve.
type service struct {
	ready
	admin, agent string

	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *log
}

// log collects what a process says on standard error.
type log struct {
	mu  sync.Mutex // protects buf
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// start runs serve over a data folder and waits for its ready line. The service
// is killed at the end of the test if it still runs.
func start(t *testing.T, data string, flags ...string) *service {
	t.Helper()
	args := append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--bridge", "127.0.0.1:0"}, flags...)
	s := &service{cmd: exec.CommandContext(context.Background(), program, args...), stderr: &log{}}
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			s.kill(t)
		}
		if t.Failed() {
			t.Logf("standard error of %s:\n%s", strings.Join(args, " "), tail(s.stderr.String()))
		}
	})
	s.stdout = bufio.NewReader(out)
	lines := make(chan string, 1)
	go func() {
		line, err := s.stdout.ReadString('\n')
		if err != nil {
			line = fmt.Sprintf("no ready line: %v", err)
		}
		lines <- line
	}()
	select {
	case line := <-lines:
		if err := json.Unmarshal([]byte(line), &s.ready); err != nil || !s.Ready {
			t.Fatalf("ready line %q: %v", line, err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("no ready line within 30 s")
	}
	s.readTokens(t)
	return s
}

func (s *service) readTokens(t *testing.T) {
	t.Helper()
	name := filepath.Join(s.Data, "tokens.json")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var tokens struct{ Admin, Agent string }
	if err := json.Unmarshal(raw, &tokens); err != nil {
		t.Fatal(err)
	}
	s.admin, s.agent = tokens.Admin, tokens.Agent
}

// stop sends SIGTERM and checks that the service ends cleanly: exit code 0,
// nothing on standard output after the ready line.
func (s *service) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(s.stdout)
	if err != nil || len(rest) > 0 {
		t.Errorf("standard output after the ready line: %q, %v", rest, err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// kill ends the service as a power cut would.
func (s *service) kill(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = s.cmd.Wait() // it was killed, and says so
}

// refusal is the error part of an answer.
type refusal struct {
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Details   map[string]any `json:"details"`
	Retryable bool           `json:"retryable"`
}

// answer is the envelope of every answer of /v1/rpc.
type answer struct {
	OK        bool            `json:"ok"`
	Result    json.RawMessage `json:"result"`
	Error     *refusal        `json:"error"`
	RequestID string          `json:"requestId"`
	status    int             // of HTTP
}

// post sends a body to /v1/rpc.
func (s *service) post(t *testing.T, token string, body []byte) answer {
	t.Helper()
	a, err := exchange(t.Context(), s.RPC, token, body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// object is the params of a call.
type object map[string]any

func (s *service) send(t *testing.T, token, method string, params object) answer {
	t.Helper()
	if params == nil {
		params = object{}
	}
	body, err := json.Marshal(object{"method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return s.post(t, token, body)
}

// call sends a request with the agent's token and decodes its result.
func call[T any](t *testing.T, s *service, method string, params object) T {
	t.Helper()
	return decode[T](t, method, s.send(t, s.agent, method, params))
}

// callAdmin is call with the admin's token.
func callAdmin[T any](t *testing.T, s *service, method string, params object) T {
	t.Helper()
	return decode[T](t, method, s.send(t, s.admin, method, params))
}

func decode[T any](t *testing.T, method string, a answer) T {
	t.Helper()
	var result T
	if !a.OK || a.Error != nil {
		t.Fatalf("%s: HTTP %d, %+v", method, a.status, a.Error)
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatalf("%s: %v in %s", method, err, tail(string(a.Result)))
	}
	return result
}

// refused sends a request and checks that it is refused with one of the codes.
func (s *service) refused(t *testing.T, method string, params object, codes ...string) refusal {
	t.Helper()
	return checkRefusal(t, method, s.send(t, s.agent, method, params), codes...)
}

func checkRefusal(t *testing.T, what string, a answer, codes ...string) refusal {
	t.Helper()
	if a.OK || a.Error == nil {
		t.Fatalf("%s was accepted: %s", what, tail(string(a.Result)))
	}
	if a.status < 400 || a.status == http.StatusInternalServerError {
		t.Errorf("%s: HTTP %d for %s", what, a.status, a.Error.Code)
	}
	if !slices.Contains(codes, a.Error.Code) {
		t.Fatalf("%s: refused with %s (%s), want one of %v", what, a.Error.Code, a.Error.Message, codes)
	}
	if len(strings.Fields(a.Error.Message)) < 2 {
		t.Errorf("%s: %q is not a sentence", what, a.Error.Message)
	}
	return *a.Error
}

// planned is the part of a plan's summary that the tests read.
type planned struct {
	PlanID   string `json:"plan_id"`
	PlanHash string `json:"plan_hash"`
	Changed  int    `json:"changed_blocks"`
	Commands int    `json:"commands"`
}

// operation is the part of an operation's status that the tests read.
type operation struct {
	OperationID string     `json:"operation_id"`
	PlanID      string     `json:"plan_id"`
	Status      string     `json:"status"`
	Written     int        `json:"written"`
	Total       int        `json:"total_changes"`
	Processed   int        `json:"processed"`
	Conflicts   []conflict `json:"conflicts"`
	Message     string     `json:"message"`
	Key         string     `json:"idempotency_key"`
	Sent        int        `json:"commands"`
	Waiting     bool       `json:"waiting_for_world"`
}

// conflict is one cell that an operation stopped at.
type conflict struct {
	Pos      json.RawMessage `json:"pos"`
	Expected string          `json:"expected"`
	Current  string          `json:"current"`
	Desired  string          `json:"desired"`
}

// inspection is the result of region_inspect.
type inspection struct {
	Palette map[string]int `json:"palette"`
}

// pos is a position as the protocol writes it.
type pos struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// box returns the recipe operation that draws a box.
func box(lo, hi pos, block string) object {
	return object{"type": "box", "min": lo, "max": hi, "block": block}
}

// recipe returns a recipe of version 1.
func recipe(operations ...object) object {
	return object{"version": 1, "operations": operations}
}

func (s *service) prepare(t *testing.T, operations ...object) planned {
	t.Helper()
	return call[planned](t, s, "build_prepare", object{"recipe": recipe(operations...)})
}

func (p planned) under(key string) object {
	return object{"plan_id": p.PlanID, "plan_hash": p.PlanHash, "idempotency_key": key}
}

// apply starts a plan and waits for the end of its operation.
func (s *service) apply(t *testing.T, p planned, key string) operation {
	t.Helper()
	op := call[operation](t, s, "build_apply", p.under(key))
	return s.settled(t, op.OperationID)
}

func (s *service) status(t *testing.T, id string) operation {
	t.Helper()
	return call[operation](t, s, "operation_status", object{"operation_id": id})
}

// settled waits until an operation is neither queued nor applying.
func (s *service) settled(t *testing.T, id string) operation {
	t.Helper()
	return s.await(t, id, func(op operation) bool { return op.Status != "queued" && op.Status != "applying" })
}

// await polls an operation until done says so.
func (s *service) await(t *testing.T, id string, done func(operation) bool) operation {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		op := s.status(t, id)
		if done(op) {
			return op
		}
		if time.Now().After(deadline) {
			t.Fatalf("operation %s after 3 minutes: %+v", id, op)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *service) palette(t *testing.T, lo, hi pos) map[string]int {
	t.Helper()
	return call[inspection](t, s, "region_inspect", object{"min": lo, "max": hi}).Palette
}

// output runs the program to its end and returns what it said and its exit code.
func output(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), 0
}

// tail returns the last 4,000 bytes of s.
func tail(s string) string {
	const most = 4000
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}
