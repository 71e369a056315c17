package embedded

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"groundplan/plan/block"
)

// Options say what world to run and how. Only URL must be set.
type Options struct {
	// URL is where the bridge listens, with its secret path: ws://127.0.0.1:8767/….
	URL string
	// Dir keeps the world on disk; it is made if it does not exist. Empty keeps
	// the world in memory only.
	Dir string
	// Tick is the time between two game ticks; the game's is 50 ms. Zero runs
	// everything as fast as possible and lets ticks pass only while something
	// waits for one.
	Tick time.Duration
	// Autosave is the time between two saves of a changed world; 0 means 30 s,
	// negative means that only Save and Close save.
	Autosave time.Duration
	// Reconnect is the pause before a lost connection is made again, as if the
	// player typed /connect once more; 0 means 500 ms, negative means never.
	Reconnect time.Duration
	// Plain refuses encryption: the client does not offer the subprotocol, and
	// fails a handshake.
	Plain bool
	// Game is the version of the game to be; "" means 1.26.50. It selects the
	// states that blocks have.
	Game string
	// Language is that of the game's messages: "en_US" (also ""), "de_DE" or "ja_JP".
	Language string
	// Player is the name of the connected player; "" means Steve.
	Player string
	// Physics lets blocks fall, flow and break for want of a support.
	Physics bool
	// NoScripts runs no script, as a game whose world lacks the Beta APIs
	// experiment.
	NoScripts bool
	// Derived is what happens to the states that the game computes from the
	// neighbours of a block, see Derived.
	Derived Derived
	// LegacyEvents sends events in the form of games before 1.18.30.
	LegacyEvents bool
	// Faults are the faults to commit; the zero value commits none.
	Faults Faults
	// Seed is what Faults are drawn from.
	Seed uint64
	// Random gives numbers within [0, 1) to the script, which makes its ids of
	// them; nil means a random source.
	Random func() float64
	// Now tells the time; nil means time.Now.
	Now func() time.Time
	// Log takes what the world has to say; nil discards it.
	Log *slog.Logger
}

// Derived says what happens to the states that the game computes from a block's
// neighbours: connections of fences, panes and bars, corners of stairs,
// connections of walls.
type Derived string

// The choices. It is not publicly known which of them the game makes when a
// command gives such a state explicitly.
const (
	Recompute Derived = ""      // computed again after every change, whatever was written
	AsWritten Derived = "as_is" // kept as written
)

const (
	defaultAutosave  = 30 * time.Second
	defaultReconnect = 500 * time.Millisecond
	defaultGame      = "1.26.50"
	defaultPlayer    = "Steve"
)

func (o Options) withDefaults() Options {
	if o.Autosave == 0 {
		o.Autosave = defaultAutosave
	}
	if o.Reconnect == 0 {
		o.Reconnect = defaultReconnect
	}
	if o.Game == "" {
		o.Game = defaultGame
	}
	if o.Player == "" {
		o.Player = defaultPlayer
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) registry() (*block.Registry, error) { return block.Load(block.ProfileOf(o.Game)) }
