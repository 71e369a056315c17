package main

import (
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// commandLine is everything that can be said on the command line, in the
// environment (GROUNDPLAN_…) or in the JSON file of --config; the command line
// wins over the environment, and that over the file. No other file of the
// program reads any of the three.
type commandLine struct {
	Config kong.ConfigFlag `help:"JSON file with flags by name." placeholder:"FILE"`
	Data   string          `help:"Data directory: tokens, journal, schematics, embedded world." default:"groundplan-data" env:"GROUNDPLAN_DATA" placeholder:"DIR"`
	Log    string          `help:"Least level of what is logged: debug, info, warn, error." enum:"debug,info,warn,error" default:"info" env:"GROUNDPLAN_LOG"`

	Serve  serveCommand  `cmd:"" help:"Run the service."`
	Demo   demoCommand   `cmd:"" help:"Import, plan, apply, verify and undo a schematic on an embedded world, and say how it went."`
	RPC    rpcCommand    `cmd:"" name:"rpc" help:"Call a method of the running service."`
	Import importCommand `cmd:"" help:"Plan the placing of a schematic file in the running service, and apply it with --yes."`
	Export exportCommand `cmd:"" help:"Save a region of the running service's world as a schematic file."`

	Inspect  inspectCommand  `cmd:"" help:"Say what an import would make of a schematic file."`
	Recovery recoveryCommand `cmd:"" help:"Review and decide what a crash left unfinished."`
	Project  projectCommand  `cmd:"" help:"Add, list and remove projects."`
	Journal  journalCommand  `cmd:"" help:"Check, explain, count, export and compact the journal of a stopped service."`
	Addon    addonCommand    `cmd:"" help:"Write the behaviour pack for a real game."`
	World    worldCommand    `cmd:"" help:"Look at the running service's world, or edit an embedded one."`
	Doctor   doctorCommand   `cmd:"" help:"Say what is wrong and what to do about it."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Connect AI agents that speak MCP over stdio, or print how to connect others."`

	ScriptHost scriptHostCommand `cmd:"" hidden:"" help:"Run one script of execute_code; the service starts this."`
}

// serveFlags say how a service is set up.
type serveFlags struct {
	Listen  string `help:"Address of HTTP; loopback only, port 0 takes a free one." default:"127.0.0.1:8765" env:"GROUNDPLAN_LISTEN"`
	Bridge  string `help:"Address of the game's WebSocket." default:"127.0.0.1:8767" env:"GROUNDPLAN_BRIDGE"`
	World   string `help:"embedded: a world of our own; connect: wait for the game's /connect." enum:"embedded,connect" default:"embedded" env:"GROUNDPLAN_WORLD"`
	Profile string `help:"default, or the limits of the prototype." enum:"default,prototype" default:"default" env:"GROUNDPLAN_PROFILE"`

	AllowLocalAutomation bool `help:"Let the principal console use new projects of a real game too." env:"GROUNDPLAN_ALLOW_LOCAL_AUTOMATION"`
}

// limits returns the limits that the profile sets.
func (f serveFlags) limits() plan.Limits {
	if f.Profile == "prototype" {
		return plan.PrototypeLimits()
	}
	return plan.DefaultLimits()
}

// parser returns the command line's grammar.
func parser(line *commandLine, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(line,
		kong.Name("groundplan"),
		kong.Description("Plans, writes and takes back structures in a Minecraft Bedrock world."),
		kong.WithHyphenPrefixedParameters(true), kong.Writers(stdout, stderr),
		kong.Configuration(configFile),
		kong.Exit(func(code int) { panic(exit(code)) }),
	)
}

// exit is how kong's --help ends the program.
type exit int

// configFile reads the file of --config: an object with flags by name. A name
// that is no flag is an error.
func configFile(r io.Reader) (kong.Resolver, error) {
	data, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := strict.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	return fileResolver(values), nil
}

type fileResolver map[string]any

// Validate refuses names that no flag has.
func (f fileResolver) Validate(app *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	for name := range f {
		if !known[name] {
			return fault.Errorf(fault.InvalidRequest, "the configuration file names %q, which is no flag", name)
		}
	}
	return nil
}

// Resolve returns the file's value of a flag.
func (f fileResolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	return f[flag.Name], nil
}

// position is a flag of the form X,Y,Z.
type position struct{ voxel.Pos }

// UnmarshalText reads X,Y,Z.
func (p *position) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if len(parts) != 3 {
		return fault.Errorf(fault.InvalidRequest, "a position is X,Y,Z, not %q", text)
	}
	for i, target := range []*int{&p.X, &p.Y, &p.Z} {
		n, err := strconv.ParseInt(strings.TrimSpace(parts[i]), 10, 32)
		if err != nil {
			return fault.Errorf(fault.InvalidRequest, "a position is three integers X,Y,Z, not %q", text)
		}
		*target = int(n)
	}
	return nil
}

// isTerminal reports whether progress may be drawn on a writer.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// level is what --log says.
func (l *commandLine) level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Log)); err != nil {
		return slog.LevelInfo
	}
	return level
}
