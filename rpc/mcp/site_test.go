package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/recovery"
	"groundplan/rpc"
	"groundplan/rpc/mcp/script"
	"groundplan/schematic"
)

// TestMain is also the child process of execute_code.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "script-host" {
		os.Exit(script.Host(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

const (
	agentToken = "agent-agent-agent-agent-agent-agent-agent"
	adminToken = "admin-admin-admin-admin-admin-admin-admin"
)

// site is the service with its MCP endpoint, a real journal, a real bridge and
// the embedded world.
type site struct {
	t    *testing.T
	addr string
	url  string
	log  *lines
	game *embedded.World
}

// lines collects a log.
type lines struct {
	mu   sync.Mutex // protects text
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

func openSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, log: &lines{}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	dir := t.TempDir()
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	log, err := journal.Open(filepath.Join(dir, "journal.db"), journal.Options{NoSync: true})
	s.must(err)
	t.Cleanup(func() { s.must(log.Close()) })
	server, err := bridge.Listen(ctx, bridge.Options{Addr: "127.0.0.1:0", Settle: -1})
	s.must(err)
	t.Cleanup(func() { s.must(server.Close()) })
	s.game, err = embedded.Start(ctx, embedded.Options{URL: server.URL()})
	s.must(err)
	t.Cleanup(func() { s.must(s.game.Close()) })
	s.must(server.World().Await(ctx))
	registry, err := block.Load(block.Profile50)
	s.must(err)
	project := plan.Project{
		ID: rpc.DefaultProject, Dimension: "overworld", Limits: plan.DefaultLimits(), Automation: true,
		Region: voxel.Box{Min: voxel.Pos{X: -256, Y: -64, Z: -256}, Max: voxel.Pos{X: 255, Y: 319, Z: 255}},
	}
	projects, err := rpc.OpenProjects(filepath.Join(dir, "projects.json"), project)
	s.must(err)
	current := func() *block.Registry { return registry }
	runner, err := recovery.Start(ctx, recovery.Options{
		Log: log, World: server.World(), Registry: current, Project: projects.Get, Allowed: projects.Allowed, NewID: rpc.NewID,
	})
	s.must(err)
	t.Cleanup(runner.Close)
	service := rpc.New(rpc.Options{
		Tokens: rpc.Tokens{Admin: adminToken, Agent: agentToken}, Projects: projects, Journal: log, Runner: runner,
		World: func() rpc.World { return server.World() }, Registry: current, Version: "test", NewID: rpc.NewID, Log: logger,
		Library: &schematic.Library{Dir: filepath.Join(dir, "schematics"), Limits: project.Limits},
	})
	program, err := os.Executable()
	s.must(err)
	service.MCP = New(Options{
		Service: service, Script: []string{program, "script-host"}, Log: logger,
		Run: func(ctx context.Context, dimension, command string) plan.Outcome {
			return server.World().Run(ctx, dimension, command)
		},
	})
	listener, err := rpc.Listen(ctx, "127.0.0.1:0")
	s.must(err)
	web := rpc.Serve(listener, service)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.must(web.Close(ctx))
	})
	s.addr = listener.Addr().String()
	s.url = "http://" + s.addr + "/mcp"
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// bearer adds a token to every request of a client.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// client connects the official Go client at its default settings.
func (s *site) client() *sdk.ClientSession {
	s.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(s.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: s.url, HTTPClient: &http.Client{Transport: bearer{agentToken}},
	}, nil)
	s.must(err)
	s.t.Cleanup(func() { s.must(session.Close()) })
	return session
}

// raw sends bytes over a new connection and returns all that comes back.
func (s *site) raw(request string) string {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.addr)
	s.must(err)
	defer conn.Close()
	s.must(conn.SetDeadline(time.Now().Add(5 * time.Second)))
	_, err = conn.Write([]byte(request))
	s.must(err)
	var answer bytes.Buffer
	_, _ = answer.ReadFrom(conn) // a reset is an end too
	return answer.String()
}
