package main

import (
	"log/slog"
	"testing"
	"time"

	"groundplan/bridge/embedded"
	"groundplan/rpc"
)

func TestFirstPlayerOwnsTheDefaultProjectOfARealGame(t *testing.T) {
	h, err := build(t.Context(), t.TempDir(), serveFlags{Listen: "127.0.0.1:0", Bridge: "127.0.0.1:0", World: "connect", Profile: "default"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if project, _ := h.service.Projects.Get(rpc.DefaultProject); project.Owner != "" || project.Automation {
		t.Fatalf("before anybody connected: %+v", project)
	}
	world, err := embedded.Start(t.Context(), embedded.Options{URL: h.bridge.URL(), Player: "Alex", Autosave: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if project, _ := h.service.Projects.Get(rpc.DefaultProject); project.Owner == "Alex" {
			if _, err := h.service.Call(t.Context(), rpc.Identity{Role: rpc.Agent}, "project_context", nil); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("nobody owns the project")
}

func TestEverythingClosesWhenTheWorldNeverCame(t *testing.T) {
	h, err := build(t.Context(), t.TempDir(), serveFlags{Listen: "127.0.0.1:0", Bridge: "127.0.0.1:0", World: "connect", Profile: "prototype"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { h.close(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the house does not close")
	}
}

func TestAHouseIsNotBuiltTwiceOnOneGround(t *testing.T) {
	dir := t.TempDir()
	flags := serveFlags{Listen: "127.0.0.1:0", Bridge: "127.0.0.1:0", World: "connect", Profile: "default"}
	h, err := build(t.Context(), dir, flags, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if second, err := build(t.Context(), dir, flags, slog.New(slog.DiscardHandler)); err == nil {
		second.close()
		t.Error("two services share a journal")
	}
	flags.Listen = "0.0.0.0:0"
	if second, err := build(t.Context(), t.TempDir(), flags, slog.New(slog.DiscardHandler)); err == nil {
		second.close()
		t.Error("the service listens to the network")
	}
}
