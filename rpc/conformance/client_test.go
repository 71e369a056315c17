package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	target  = flag.String("target", "", "URL of a running service; empty starts one")
	data    = flag.String("data", "", "data directory of the running service, for its tokens")
	profile = flag.String("profile", "default", "default or prototype: the limits that are expected")
)

// service is what the suite talks to.
type service struct {
	url          string
	admin, agent string
	dir          string
	process      *exec.Cmd // nil for a service that we did not start
}

// obj is a JSON object.
type obj = map[string]any

var shared struct {
	once sync.Once
	s    *service
	err  error
}

// binary builds the program once, in a directory that the run throws away.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "groundplan")
	out, err := exec.Command("go", "build", "-o", path, "groundplan/cmd/groundplan").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return path, nil
}

var (
	scratch string // a directory that the run throws away
	program string
)

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if scratch, err = os.MkdirTemp("", "conformance-"); err != nil {
		panic(err)
	}
	if *target == "" {
		if program, err = build(scratch); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if shared.s != nil {
		shared.s.stop()
	}
	_ = os.RemoveAll(scratch) // a temporary directory
	os.Exit(code)
}

// open returns the service that the suite runs against.
func open(t *testing.T) *service {
	t.Helper()
	shared.once.Do(func() {
		if *target == "" {
			shared.s, shared.err = start(filepath.Join(scratch, "data"))
			return
		}
		shared.s = &service{url: strings.TrimSuffix(*target, "/"), dir: *data}
		shared.err = shared.s.tokens()
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.s
}

// start runs the program on a data directory and waits for its ready line.
func start(dir string) (*service, error) {
	cmd := exec.Command(program, "--log", "error", "--data", dir, "serve", "--listen", "127.0.0.1:0", "--bridge", "127.0.0.1:0", "--profile", *profile)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("no ready line: %w", err)
	}
	var ready struct {
		Ready bool   `json:"ready"`
		RPC   string `json:"rpc"`
	}
	if err := json.Unmarshal(line, &ready); err != nil || !ready.Ready {
		return nil, fmt.Errorf("the ready line is %q", line)
	}
	s := &service{url: ready.RPC, dir: dir, process: cmd}
	return s, s.tokens()
}

// tokens reads the tokens of the data directory.
func (s *service) tokens() error {
	raw, err := os.ReadFile(filepath.Join(s.dir, "tokens.json"))
	if err != nil {
		return err
	}
	var t struct{ Admin, Agent string }
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	s.admin, s.agent = t.Admin, t.Agent
	return nil
}

// stop ends a service that we started.
func (s *service) stop() {
	if s.process != nil {
		_ = s.process.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = s.process.Wait()
	}
}

// kill ends it as a power cut would.
func (s *service) kill() {
	_ = s.process.Process.Kill() // it may have ended
	_ = s.process.Wait()
}

// answer is one response.
type answer struct {
	Status int    `json:"-"`
	Body   []byte `json:"-"`
	OK     bool
	Result obj
	Error  struct {
		Code    string
		Message string
		Details obj
	}
}

// send makes a request; headers are "Name: value".
func (s *service) send(t *testing.T, verb, path, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), verb, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			request.Host = value
		}
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	a := answer{Status: response.StatusCode}
	if a.Body, err = io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(a.Body, []byte("{")) {
		if err := json.Unmarshal(a.Body, &a); err != nil {
			t.Fatalf("%s: %v", a.Body, err)
		}
	}
	return a
}

// with calls a method with a token.
func (s *service) with(t *testing.T, token, method string, params obj) answer {
	t.Helper()
	body, err := json.Marshal(obj{"method": method, "params": params, "requestId": "conformance"})
	if err != nil {
		t.Fatal(err)
	}
	return s.send(t, http.MethodPost, "/v1/rpc", string(body), "Authorization: Bearer "+token)
}

// call calls a method with the agent's token and expects success.
func (s *service) call(t *testing.T, method string, params obj) obj {
	t.Helper()
	a := s.with(t, s.agent, method, params)
	if !a.OK {
		t.Fatalf("%s %v: %d %s", method, params, a.Status, a.Body)
	}
	return a.Result
}

// asAdmin is call with the admin's token.
func (s *service) asAdmin(t *testing.T, method string, params obj) obj {
	t.Helper()
	a := s.with(t, s.admin, method, params)
	if !a.OK {
		t.Fatalf("%s %v: %d %s", method, params, a.Status, a.Body)
	}
	return a.Result
}

// refused expects one of the error codes.
func (s *service) refused(t *testing.T, method string, params obj, codes ...string) answer {
	t.Helper()
	a := s.with(t, s.agent, method, params)
	for _, code := range codes {
		if !a.OK && a.Error.Code == code && a.Error.Message != "" {
			return a
		}
	}
	t.Fatalf("%s %v: %d %s; want one of %v", method, params, a.Status, a.Body, codes)
	return a
}

func pos(x, y, z int) obj { return obj{"x": x, "y": y, "z": z} }

// at is the corner of the fixture; the suite builds above it.
func at(dx, dy, dz int) obj { return pos(8+dx, 96+dy, 8+dz) }

func recipe(operations ...obj) obj {
	if operations == nil {
		operations = []obj{}
	}
	return obj{"version": 1, "operations": operations}
}

func box(lo, hi obj, block string, hollow bool) obj {
	return obj{"type": "box", "min": lo, "max": hi, "block": block, "hollow": hollow}
}

// room is the hollow cube of 26 cells.
func room(block string) obj { return recipe(box(at(0, 0, 0), at(2, 2, 2), block, true)) }

var keys int

// key returns an idempotency key that was never used.
func key() string {
	keys++
	return fmt.Sprintf("conformance-%d-%d", time.Now().UnixNano(), keys)
}

func applyParams(plan obj, k string) obj {
	return obj{"plan_id": plan["plan_id"], "plan_hash": plan["plan_hash"], "idempotency_key": k}
}

// apply starts a plan and waits for its end.
func (s *service) apply(t *testing.T, plan obj) obj {
	t.Helper()
	return s.end(t, s.call(t, "build_apply", applyParams(plan, key()))["operation_id"])
}

// end polls an operation until its status is final.
func (s *service) end(t *testing.T, id any) obj {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		op := s.call(t, "operation_status", obj{"operation_id": id})
		switch op["status"] {
		case "queued", "applying":
			time.Sleep(20 * time.Millisecond)
		default:
			return op
		}
	}
	t.Fatalf("operation %v does not end", id)
	return nil
}

// build prepares and applies a recipe.
func (s *service) build(t *testing.T, r obj) obj {
	t.Helper()
	op := s.apply(t, s.call(t, "build_prepare", obj{"recipe": r}))
	want(t, "status", op["status"], "applied")
	return op
}

// undo takes an operation back.
func (s *service) undo(t *testing.T, op obj) obj {
	t.Helper()
	back := s.apply(t, s.call(t, "operation_undo_prepare", obj{"operation_id": op["operation_id"]}))
	want(t, "status of the undo", back["status"], "applied")
	return back
}

// palette counts the states of a box.
func (s *service) palette(t *testing.T, lo, hi obj) obj {
	t.Helper()
	return s.call(t, "region_inspect", obj{"min": lo, "max": hi})["palette"].(obj)
}

// want compares two values as JSON has them.
func want(t *testing.T, what string, got, wanted any) {
	t.Helper()
	if text(got) != text(wanted) {
		t.Errorf("%s: %s; want %s", what, text(got), text(wanted))
	}
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// clean makes the fixture air again, by a plan of its own.
func (s *service) clean(t *testing.T) {
	t.Helper()
	r := recipe(box(at(-8, 0, -8), at(7, 15, 7), "minecraft:air", false))
	if plan := s.call(t, "build_prepare", obj{"recipe": r}); plan["changed_blocks"] != 0.0 {
		want(t, "cleaning", s.apply(t, plan)["status"], "applied")
	}
}

// hand returns a function that edits the world as somebody else, or skips the
// test where there is no such hand.
func (s *service) hand(t *testing.T) func(p obj, block string, unseen bool) {
	t.Helper()
	probe := s.with(t, s.admin, "world_edit", obj{"pos": at(7, 15, 7), "block": "minecraft:air", "unseen": true})
	if !probe.OK {
		t.Skipf("nobody else can edit this world: %s", probe.Body)
	}
	return func(p obj, block string, unseen bool) {
		t.Helper()
		s.asAdmin(t, "world_edit", obj{"pos": p, "block": block, "unseen": unseen})
	}
}
