package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/journal"
	"groundplan/journal/journaltest"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/recovery"
	"groundplan/schematic"
)

// site is a service over HTTP with a real journal and a real bridge.
type site struct {
	*Service
	tb      testing.TB
	url     string
	bridge  *bridge.Server
	journal *journal.Journal
	dir     string
	world   *embedded.World
	broken  atomic.Bool // the journal's next write fails
	mood    mood        // of the world, when it is read
}

const (
	adminToken = "admin-admin-admin-admin-admin-admin-admin"
	agentToken = "agent-agent-agent-agent-agent-agent-agent"
	alexToken  = "alex-alex-alex-alex-alex-alex-alex-alex-"
)

// openSite starts a service whose bridge nobody has connected to yet.
func openSite(tb testing.TB, change ...func(*plan.Project)) *site {
	tb.Helper()
	project := plan.Project{
		ID: DefaultProject, Dimension: "overworld", Limits: plan.DefaultLimits(), Automation: true,
		Region: voxel.Box{Min: voxel.Pos{X: -256, Y: -64, Z: -256}, Max: voxel.Pos{X: 255, Y: 319, Z: 255}},
	}
	for _, f := range change {
		f(&project)
	}
	s := &site{tb: tb, dir: tb.TempDir()}
	projects, err := OpenProjects(filepath.Join(s.dir, "projects.json"), project)
	s.must(err)
	s.journal = journaltest.OpenAt(tb, filepath.Join(s.dir, "journal.db"), journal.Options{Seam: func(string) error {
		if s.broken.Load() {
			return errors.New("the disk is full")
		}
		return nil
	}})
	ctx, cancel := context.WithCancel(context.Background())
	tb.Cleanup(cancel)
	s.bridge, err = bridge.Listen(ctx, bridge.Options{Addr: "127.0.0.1:0", Settle: -1})
	s.must(err)
	tb.Cleanup(func() { s.must(s.bridge.Close()) })
	registry, err := block.Load(block.Profile50)
	s.must(err)
	s.Service = New(Options{
		Tokens:   Tokens{Admin: adminToken, Agent: agentToken, Players: map[string]string{"alex": alexToken}},
		Projects: projects, Journal: s.journal, World: func() World { return &moody{World: s.bridge.World(), mood: &s.mood} },
		Library:  &schematic.Library{Dir: filepath.Join(s.dir, "schematics"), Limits: project.Limits},
		Registry: func() *block.Registry { return registry }, Version: "test", NewID: NewID,
	})
	s.Runner = s.startRunner()
	tb.Cleanup(func() { s.Runner.Close() })
	listener, err := Listen(ctx, "127.0.0.1:0")
	s.must(err)
	server := Serve(listener, s.Service)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.must(server.Close(ctx))
	})
	s.url = "http://" + listener.Addr().String()
	return s
}

// startRunner starts recovery, as a start of the service does.
func (s *site) startRunner() *recovery.Runner {
	s.tb.Helper()
	runner, err := recovery.Start(context.Background(), recovery.Options{
		Log: s.journal, World: &moodyWriter{World: s.bridge.World(), mood: &s.mood}, Registry: s.Registry,
		Project: s.Projects.Get, Allowed: s.Projects.Allowed, NewID: NewID, Retry: 20 * time.Millisecond, Queue: 1,
	})
	s.must(err)
	return runner
}

func (s *site) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}

// response is what came over HTTP.
type response struct {
	status int
	header http.Header
	body   string
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Error  *Problem        `json:"error"`
	ID     string          `json:"requestId"`
}

// send makes one HTTP request; headers are "Name: value".
func (s *site) send(verb, path, body string, headers ...string) response {
	s.tb.Helper()
	request, err := http.NewRequestWithContext(s.tb.Context(), verb, s.url+path, strings.NewReader(body))
	s.must(err)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	s.must(err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	s.must(err)
	r := response{status: answer.StatusCode, header: answer.Header, body: string(data)}
	if bytes.HasPrefix(data, []byte("{")) {
		s.must(json.Unmarshal(data, &r))
	}
	return r
}

// post sends a body to /v1/rpc with a token.
func (s *site) post(token, body string) response {
	s.tb.Helper()
	return s.send(http.MethodPost, "/v1/rpc", body, "Authorization: Bearer "+token)
}

// call calls a method with the agent's token.
func (s *site) call(method, params string) response {
	s.tb.Helper()
	return s.post(agentToken, `{"method":"`+method+`","params":`+params+`}`)
}

// openWorld starts a service with an embedded world behind its bridge.
func openWorld(tb testing.TB, change ...func(*plan.Project)) *site {
	tb.Helper()
	s := openSite(tb, change...)
	s.connect()
	return s
}

// connect starts an embedded world and waits until it has connected.
func (s *site) connect() {
	s.tb.Helper()
	world, err := embedded.Start(context.Background(), embedded.Options{URL: s.bridge.URL(), Autosave: -1})
	s.must(err)
	s.tb.Cleanup(func() { s.must(world.Close()) })
	ctx, cancel := context.WithTimeout(s.tb.Context(), 10*time.Second)
	defer cancel()
	s.must(s.bridge.World().Await(ctx))
	s.world = world
	s.Edit = world.Set
}

// ok calls a method and reads its result.
func ok[R any](s *site, method, params string) R {
	s.tb.Helper()
	token := agentToken
	if s.methods[method].Role == Admin {
		token = adminToken
	}
	r := s.post(token, `{"method":"`+method+`","params":`+params+`}`)
	if !r.OK {
		s.tb.Fatalf("%s %s: %d %s", method, params, r.status, r.body)
	}
	var result R
	s.must(json.Unmarshal(r.Result, &result))
	return result
}

// refused calls a method and expects an error code.
func (s *site) refused(code fault.Code, method, params string) response {
	s.tb.Helper()
	r := s.call(method, params)
	if r.OK || r.Error.Code != code || r.status != Status(code) {
		s.tb.Fatalf("%s %s: %d %s; want %s", method, params, r.status, r.body, code)
	}
	return r
}

// apply starts a plan under a key and waits for its end.
func (s *site) apply(p PlanView, key string) plan.Operation {
	s.tb.Helper()
	op := ok[plan.Operation](s, "build_apply", applyOf(p, key))
	return s.wait(op.ID)
}

func applyOf(p PlanView, key string) string {
	return `{"plan_id":"` + p.ID + `","plan_hash":"` + p.Hash + `","idempotency_key":"` + key + `"}`
}

func (s *site) wait(id string) plan.Operation {
	s.tb.Helper()
	var op plan.Operation
	for range 100 {
		op = ok[plan.Operation](s, "operation_status", fmt.Sprintf(`{"operation_id":%q,"wait_ms":5000,"since":%d}`, id, op.UpdatedAt))
		if op.Status.Final() || op.Status == plan.RecoveryRequired {
			return op
		}
	}
	s.tb.Fatalf("operation %s does not end: %+v", id, op)
	return op
}

// box is a recipe of one hollow box of a block, as parameters of build_prepare.
func boxRecipe(block string, hollow bool, b voxel.Box) string {
	return fmt.Sprintf(`{"recipe":{"version":1,"operations":[{"type":"box","min":%s,"max":%s,"block":%q,"hollow":%v}]}}`,
		jsonOf(b.Min), jsonOf(b.Max), block, hollow)
}

func jsonOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}
