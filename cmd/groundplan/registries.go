package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
)

// game is what registries asks the connected world.
type game interface {
	Info() (plan.World, error)
	IDs(ctx context.Context) ([]string, error)
}

// listTime is how long a game may take to name its blocks.
const listTime = 10 * time.Second

// registries knows the blocks of the world that is connected: those of the profile
// of its version that the game itself names. A game is asked once each time it has
// loaded the world; one that cannot tell is taken at its version's word.
type registries struct {
	world game
	log   *slog.Logger

	mu       sync.Mutex
	session  string
	registry *block.Registry
}

// current returns the registry of the connected world. While there is none it is the
// last one's, and before the first that of the oldest profile, whose blocks every
// game has.
func (r *registries) current() *block.Registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := r.world.Info()
	if r.registry != nil && (err != nil || info.Session == r.session) {
		return r.registry
	}
	registry, loadErr := block.Load(block.ProfileOf(info.Game))
	if loadErr != nil {
		panic(loadErr) // ProfileOf names profiles that exist
	}
	if err != nil {
		return registry
	}
	r.session, r.registry = info.Session, r.narrow(registry)
	return r.registry
}

func (r *registries) narrow(registry *block.Registry) *block.Registry {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	ids, err := r.world.IDs(ctx)
	if err != nil {
		r.log.Warn("the game does not name its blocks; those of its version are taken", "error", err)
		return registry
	}
	narrow := registry.Narrow(ids)
	r.log.Info("blocks of the game known", "ids", len(ids), "of_profile", len(narrow.IDs()), "unknown", len(registry.More(ids)))
	return narrow
}
