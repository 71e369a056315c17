package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"groundplan/bridge/embedded"
)

// worldRun runs an embedded world in a process of its own, as the game would be,
// against a service that was started with --world connect.
type worldRun struct {
	URL       string        `arg:"" optional:"" help:"Where the service's bridge listens, secret and all; by default that of this data directory."`
	Bridge    string        `help:"Address of the bridge, for the default of the URL." default:"127.0.0.1:8767" env:"GROUNDPLAN_BRIDGE"`
	Dir       string        `help:"Where the world is kept; by default in the data directory." placeholder:"DIR"`
	Tick      time.Duration `help:"Time between two game ticks; 0 is as fast as possible." default:"50ms"`
	Autosave  time.Duration `help:"Time between two saves of a changed world." default:"30s"`
	Reconnect time.Duration `help:"Pause before a lost connection is made again." default:"500ms"`
	Console   bool          `help:"Type each line of standard input as the player would, and print what the game says."`
	Game      string        `help:"Version of the game to be." default:"1.26.50"`
	Language  string        `help:"Language of the game's messages." enum:"en_US,de_DE,ja_JP" default:"en_US"`
	Player    string        `help:"Name of the connected player." default:"Steve"`
	Physics   bool          `help:"Let blocks fall, flow and break for want of a support."`
	AsIs      bool          `help:"Keep connections and corners as they are written."`
	Legacy    bool          `help:"Send events as games before 1.18.30 do."`
	Plain     bool          `help:"Do not offer encryption."`
	Mute      bool          `help:"Run no script, as a world without Beta APIs."`
	Faults    faultsFlag    `help:"What goes wrong, and how often: drop, duplicate, reorder, delay, refuse, disconnect, pause, crash, unload, edit, drift; max_delay, pause_for, unload_for." placeholder:"drop=0.01,…"`
	Seed      uint64        `help:"What the faults are drawn from."`
}

// faultsFlag is a flag of faults.
type faultsFlag struct{ embedded.Faults }

// UnmarshalText reads the flag.
func (f *faultsFlag) UnmarshalText(text []byte) error {
	faults, err := embedded.ParseFaults(string(text))
	f.Faults = faults
	return err
}

// Run runs the world until the program is told to stop, or the world crashes.
func (c *worldRun) Run(p *program) error {
	o := embedded.Options{
		URL: c.URL, Dir: c.Dir, Tick: c.Tick, Autosave: c.Autosave, Reconnect: c.Reconnect, Game: c.Game, Language: c.Language, Player: c.Player,
		Physics: c.Physics, LegacyEvents: c.Legacy, Plain: c.Plain, NoScripts: c.Mute, Faults: c.Faults.Faults, Seed: c.Seed, Log: p.log,
	}
	if o.URL == "" {
		secret, err := bridgeSecret(filepath.Join(p.data, "bridge.secret"))
		if err != nil {
			return err
		}
		o.URL = "ws://" + c.Bridge + "/" + secret
	}
	if !strings.Contains(o.URL, "://") {
		o.URL = "ws://" + o.URL
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(p.data, "world")
	}
	if c.AsIs {
		o.Derived = embedded.AsWritten
	}
	w, err := embedded.Start(p.ctx(), o)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.out, encode(map[string]any{"dir": o.Dir, "player": o.Player, "game": o.Game}))
	if c.Console {
		go c.console(p, w) // ends with standard input, which nobody can be made to close
	}
	<-w.Done()
	for name, n := range w.Committed() {
		p.log.Info("faults committed", "fault", name, "count", n)
	}
	return w.Close()
}

// typed is what the game says to a line that the player typed.
type typed struct {
	Said  string `json:"said,omitempty"`
	Error string `json:"error,omitempty"` // the game refused it
}

// console types the lines of standard input and prints an answer for each.
func (c *worldRun) console(p *program, w *embedded.World) {
	lines := bufio.NewScanner(p.in)
	for lines.Scan() {
		said, err := w.Type(lines.Text())
		answer := typed{Said: said}
		if err != nil {
			answer.Error = err.Error()
		}
		fmt.Fprintln(p.out, encode(answer))
	}
}
