package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/voxel"
	"groundplan/recovery"
	"groundplan/rpc"
	"groundplan/rpc/mcp"
	"groundplan/schematic"
)

// house is a running service with everything it stands on.
type house struct {
	dir    string
	log    *slog.Logger
	tokens rpc.Tokens

	journal  *journal.Journal
	bridge   *bridge.Server
	embedded *embedded.World // nil for a real game
	runner   *recovery.Runner
	service  *rpc.Service
	server   *rpc.Server
	addr     string

	end  context.CancelFunc // ends work; nil when there is none
	work sync.WaitGroup
}

// ready is the line that says that the service is up.
type ready struct {
	Ready  bool   `json:"ready"`
	RPC    string `json:"rpc"`
	MCP    string `json:"mcp"`
	Bridge string `json:"bridge"`
	Data   string `json:"data"`
}

// build sets a service up, from the ground: data directory, tokens, journal,
// bridge, world, registry, runner, HTTP. What was built before a failure is taken
// down again.
func build(ctx context.Context, dir string, flags serveFlags, log *slog.Logger) (*house, error) {
	h := &house{dir: dir, log: log}
	if err := h.raise(ctx, flags); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *house) raise(ctx context.Context, flags serveFlags) error {
	listener, err := rpc.Listen(ctx, flags.Listen)
	if err != nil {
		return err
	}
	h.addr = listener.Addr().String()
	defer func() {
		if h.server == nil {
			_ = listener.Close() // nothing was served on it
		}
	}()
	if err := os.MkdirAll(filepath.Join(h.dir, "schematics"), 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if h.tokens, err = rpc.OpenTokens(filepath.Join(h.dir, "tokens.json")); err != nil {
		return err
	}
	if h.journal, err = journal.Open(filepath.Join(h.dir, "journal.db"), journal.Options{Log: h.log}); err != nil {
		return err
	}
	secret, err := bridgeSecret(filepath.Join(h.dir, "bridge.secret"))
	if err != nil {
		return err
	}
	if h.bridge, err = bridge.Listen(ctx, bridge.Options{Addr: flags.Bridge, Secret: secret, Log: h.log}); err != nil {
		return err
	}
	if flags.World == "embedded" {
		if err := h.startEmbedded(ctx); err != nil {
			return err
		}
	}
	return h.startService(ctx, flags, func() { h.server = rpc.Serve(listener, h.service) })
}

// startEmbedded starts the embedded world and waits until it has connected.
func (h *house) startEmbedded(ctx context.Context) error {
	var err error
	h.embedded, err = embedded.Start(ctx, embedded.Options{URL: h.bridge.URL(), Dir: filepath.Join(h.dir, "world"), Log: h.log})
	if err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := h.bridge.World().Await(wait); err != nil {
		return fmt.Errorf("the embedded world did not connect: %w", err)
	}
	return nil
}

// startService starts recovery and the methods, and then answers HTTP.
func (h *house) startService(ctx context.Context, flags serveFlags, serve func()) error {
	projects, err := rpc.OpenProjects(filepath.Join(h.dir, "projects.json"), firstProject(flags))
	if err != nil {
		return err
	}
	limits := flags.limits()
	world := h.bridge.World()
	registries := registries{world: h.bridge.World(), log: h.log}
	h.runner, err = recovery.Start(ctx, recovery.Options{
		Log: h.journal, World: world, Registry: registries.current, Project: projects.Get, Allowed: projects.Allowed,
		NewID: rpc.NewID, Logger: h.log,
	})
	if err != nil {
		return err
	}
	h.service = rpc.New(rpc.Options{
		Tokens: h.tokens, Projects: projects, Journal: h.journal, Runner: h.runner,
		World:    func() rpc.World { return h.bridge.World() },
		Library:  &schematic.Library{Dir: filepath.Join(h.dir, "schematics"), Limits: limits, Strict: flags.Profile == "prototype"},
		Registry: registries.current, Version: version, NewID: rpc.NewID, Log: h.log,
		Diagnose: h.diagnose, Edit: h.edit(), RoundTrips: h.bridge.Requests,
	})
	program, err := os.Executable()
	if err != nil {
		return err
	}
	h.service.MCP = mcp.New(mcp.Options{
		Service: h.service, Script: []string{program, "script-host"}, Log: h.log,
		Run: func(ctx context.Context, dimension, command string) plan.Outcome {
			return h.bridge.World().Run(ctx, dimension, command)
		},
	})
	serve()
	if flags.World == "connect" {
		ctx, h.end = context.WithCancel(ctx)
		h.work.Go(func() { h.bindOwner(ctx, projects) })
	}
	return h.announce()
}

// bindOwner gives the default project to the player who typed the first /connect:
// whoever knows the secret of the bridge hosts the world.
func (h *house) bindOwner(ctx context.Context, projects *rpc.Projects) {
	world := h.bridge.World()
	if err := world.Await(ctx); err != nil {
		return // the service ends
	}
	info, err := world.Info()
	project, ok := projects.Get(rpc.DefaultProject)
	if err != nil || !ok || project.Owner != "" || info.Player == "" {
		return
	}
	project.Owner = info.Player
	if err := projects.Put(project); err != nil {
		h.log.Error("owner not bound", "error", err)
		return
	}
	h.log.Info("owner bound", "project", project.ID, "player", info.Player)
}

func (h *house) diagnose(ctx context.Context) rpc.Diagnosis {
	d := h.bridge.Diagnose(ctx)
	return rpc.Diagnosis{Condition: string(d.Condition), Sentence: d.Sentence}
}

// edit returns the way to edit the embedded world; nil for a real game.
func (h *house) edit() func(dimension string, p voxel.Pos, state string, asPlayer bool) error {
	if h.embedded == nil {
		return nil
	}
	return h.embedded.Set
}

// firstProject is the project that a new data directory has. With the embedded
// world, local automation may use it.
func firstProject(flags serveFlags) plan.Project {
	return plan.Project{
		ID: rpc.DefaultProject, Dimension: "overworld", Limits: flags.limits(),
		Region:     voxel.Box{Min: voxel.Pos{X: -256, Y: -64, Z: -256}, Max: voxel.Pos{X: 255, Y: 319, Z: 255}},
		Automation: flags.World == "embedded" || flags.AllowLocalAutomation,
	}
}

func (h *house) ready() ready {
	return ready{Ready: true, RPC: "http://" + h.addr, MCP: "http://" + h.addr + "/mcp", Bridge: h.bridge.URL(), Data: h.dir}
}

// serviceFile is where the client commands find the address of the service.
const serviceFile = "service.json"

// announce writes the ready line into the data directory, for the client
// commands. It names the bridge's secret, so it is for the owner only.
func (h *house) announce() error {
	return renameio.WriteFile(filepath.Join(h.dir, serviceFile), []byte(encode(h.ready())+"\n"), 0o600)
}

// close takes everything down, from the roof: no new calls, no new commands, the
// game says good-bye, the journal is closed last.
func (h *house) close() {
	var errs []error
	if h.end != nil {
		h.end()
	}
	h.work.Wait()
	if h.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		errs = append(errs, h.server.Close(ctx))
		cancel()
		errs = append(errs, os.Remove(filepath.Join(h.dir, serviceFile)))
	}
	if h.runner != nil {
		h.runner.Close()
	}
	if h.embedded != nil {
		errs = append(errs, h.embedded.Close())
	}
	if h.bridge != nil {
		errs = append(errs, h.bridge.Close())
	}
	if h.journal != nil {
		errs = append(errs, h.journal.Close())
	}
	if err := errors.Join(errs...); err != nil {
		h.log.Warn("not everything closed cleanly", "error", err)
	}
}

// bridgeSecret returns the path that the game must connect to. It stays, so that
// a player can repeat the same /connect.
func bridgeSecret(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(data))) >= 32 {
		return strings.TrimSpace(string(data)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("bridge secret: %w", err)
	}
	secret := rpc.NewToken()[:32]
	if err := renameio.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("bridge secret: %w", err)
	}
	return secret, nil
}
