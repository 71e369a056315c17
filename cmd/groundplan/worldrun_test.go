package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/embedded/store"
)

func TestAWorldRunsInAProcessOfItsOwn(t *testing.T) {
	server, err := bridge.Listen(t.Context(), bridge.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	var out, log bytes.Buffer
	ended := make(chan int, 1)
	args := []string{"--data", dir, "world", "run", strings.TrimPrefix(server.URL(), "ws://"), "--tick", "0s", "--physics", "--faults", "edit=1", "--seed", "3"}
	go func() { ended <- Run(ctx, args, strings.NewReader(""), &out, &log) }()
	world := server.World()
	if err := world.Await(ctx); err != nil {
		t.Fatal(err)
	}
	if o := world.Run(ctx, "overworld", "setblock 0 0 0 gold_block"); !o.Success {
		t.Errorf("%+v", o)
	}
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit %d: %s", code, log.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "world", store.FileName)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), `"player":"Steve"`) || !strings.Contains(log.String(), "fault=edit") {
		t.Errorf("it said %s and logged %s", out.String(), log.String())
	}
}

func TestTheConsoleTypesAsThePlayer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	said, out := io.Pipe()
	ended := make(chan int, 1)
	args := []string{"--data", t.TempDir(), "world", "run", "ws://127.0.0.1:1/nobody", "--tick", "0s", "--console"}
	go func() {
		ended <- Run(ctx, args, strings.NewReader("setblock 0 0 0 gold_block\nsetblock here\n"), out, io.Discard)
	}()
	lines := bufio.NewScanner(said)
	for _, want := range []string{`"player":"Steve"`, `"said":"Block placed"`, `"error":"`} {
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Errorf("it said %q, want %s", lines.Text(), want)
		}
	}
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestFaultsThatDoNotExistAreRefused(t *testing.T) {
	var out, log bytes.Buffer
	if code := Run(t.Context(), []string{"world", "run", "--faults", "fire=1"}, strings.NewReader(""), &out, &log); code != 2 || !strings.Contains(log.String(), `no fault "fire"`) {
		t.Errorf("exit %d: %s", code, log.String())
	}
}
