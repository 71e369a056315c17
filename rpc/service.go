package rpc

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/recovery"
	"groundplan/schematic"
)

// World is what the methods need of the bridge. Nothing here writes.
type World interface {
	// Info returns the connected world; world_unavailable while there is none.
	Info() (plan.World, error)
	// Read returns the cells of boxes of at most 32,768 cells each.
	Read(ctx context.Context, dimension string, boxes []voxel.Box) (*plan.Snapshot, error)
	// Entities counts the entities in a box of at most 32,768 cells by type, players
	// aside.
	Entities(ctx context.Context, dimension string, box voxel.Box) (map[string]int, error)
}

// maxRead is the most cells that one read of the world may have.
const maxRead = 32_768

// Options are what a Service is made of. Fields without "optional" are needed.
type Options struct {
	Tokens   Tokens
	Projects *Projects
	Journal  *journal.Journal
	// World returns a new handle on the world: each call has its own, so that
	// what it reads is of the world whose identity it saw.
	World   func() World
	Runner  *recovery.Runner
	Library *schematic.Library
	// Registry returns the registry of the world that is connected, or of the
	// newest game while none is.
	Registry func() *block.Registry
	// Version is that of the program.
	Version string
	// Now is the clock; optional, time.Now.
	Now func() time.Time
	// NewID makes the ids of plans, parts and requests.
	NewID func() string
	// Log gets the access log; optional, discarded.
	Log *slog.Logger
	// Edit sets a cell of the embedded world as somebody else would: as a
	// player, with the event that the addon sees, or unseen. Nil for a real
	// game.
	Edit func(dimension string, p voxel.Pos, state string, asPlayer bool) error
	// Diagnose says in one sentence why the world cannot be reached; optional.
	Diagnose func(ctx context.Context) Diagnosis
	// RoundTrips returns how many requests were made to the game; optional.
	RoundTrips func() uint64
	// MCP answers /mcp; optional.
	MCP http.Handler
	// Light and Heavy are how many cheap and expensive calls run at once;
	// optional, 256 and 2. Wait is how long an expensive call waits for its
	// place; optional, 10 s.
	Light, Heavy int
	Wait         time.Duration
}

// Service answers the methods of the table.
type Service struct {
	Options

	table   []Method
	methods map[string]Method
	lanes   *lanes
	metrics *metrics

	partsMu sync.Mutex // makes check and write of a part one step

	catalogMu sync.Mutex // protects the following
	catalogOf *block.Registry
	catalog   CatalogView
}

// New returns a Service.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Light == 0 {
		o.Light = 256
	}
	if o.Heavy == 0 {
		o.Heavy = 2
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	s := &Service{Options: o, table: Methods(), methods: map[string]Method{}, lanes: newLanes(o.Light, o.Heavy, o.Wait)}
	s.metrics = newMetrics(s)
	for _, m := range s.table {
		s.methods[m.Name] = m
	}
	return s
}

func (s *Service) now() int64 { return s.Now().UnixMilli() }
