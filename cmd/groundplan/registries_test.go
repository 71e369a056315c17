package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// oldGame is a game that names a few blocks, if it is asked.
type oldGame struct {
	info  plan.World
	err   error
	ids   []string
	asked int
}

func (g *oldGame) Info() (plan.World, error) { return g.info, g.err }

func (g *oldGame) IDs(context.Context) ([]string, error) {
	g.asked++
	if g.ids == nil {
		return nil, errors.New("no such capability")
	}
	return g.ids, nil
}

func TestBlocksThatTheGameLacksAreRefused(t *testing.T) {
	g := &oldGame{err: errors.New("no world is connected")}
	r := registries{world: g, log: slog.New(slog.DiscardHandler)}
	if _, err := r.current().Parse("stone"); err != nil {
		t.Errorf("without a world: %v", err)
	}
	g.info, g.err, g.ids = plan.World{Session: "one", Game: "1.26.50"}, nil, []string{"air", "stone", "other:thing"}
	for range 3 {
		if _, err := r.current().Parse("stone"); err != nil {
			t.Error(err)
		}
		if _, err := r.current().Parse("dirt"); fault.CodeOf(err) != fault.UnsupportedBlock {
			t.Errorf("a block that the game lacks: %v", err)
		}
	}
	if g.asked != 1 {
		t.Errorf("the game was asked %d times", g.asked)
	}
	if g.err = errors.New("it went away"); r.current() != r.registry {
		t.Error("a world that went away takes its blocks along")
	}
	g.err, g.info.Session, g.ids = nil, "two", nil
	if _, err := r.current().Parse("dirt"); err != nil {
		t.Errorf("a game that cannot name its blocks: %v", err)
	}
}

func TestTheEmbeddedWorldHasEveryBlockOfItsProfile(t *testing.T) {
	h, err := build(t.Context(), t.TempDir(), serveFlags{Listen: "127.0.0.1:0", Bridge: "127.0.0.1:0", World: "connect", Profile: "default"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	world, err := embedded.Start(t.Context(), embedded.Options{URL: h.bridge.URL(), Autosave: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	if err := h.bridge.World().Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	current := h.service.Registry()
	if current == all {
		t.Fatal("the game was not asked for its blocks")
	}
	if got, want := len(current.IDs()), len(all.IDs()); got != want {
		t.Errorf("%d blocks of %d", got, want)
	}
}
