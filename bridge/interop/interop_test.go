//go:build interop

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/plan"
)

// connections is how many connections are made: a shared secret that begins with
// a zero comes by chance in one of 256.
const connections = 300

func TestMcpewsConnects(t *testing.T) {
	server, err := bridge.Listen(t.Context(), bridge.Options{Addr: "127.0.0.1:0", Settle: 5 * time.Millisecond, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	peer := exec.CommandContext(t.Context(), "node", "--import", "./offer.mjs", "peer.mjs", server.URL(), strconv.Itoa(connections))
	var out bytes.Buffer
	peer.Stdout, peer.Stderr = &out, os.Stderr
	if err := peer.Start(); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for i := range connections {
		if err := serve(t.Context(), server); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	if err := peer.Wait(); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Connections  int      `json:"connections"`
		Encrypted    int      `json:"encrypted"`
		ByCommand    int      `json:"byCommand"`
		LegacyEvents int      `json:"legacyEvents"`
		LeadingZero  int      `json:"leadingZero"`
		Errors       []string `json:"errors"`
	}
	if err := json.Unmarshal(out.Bytes(), &seen); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	t.Logf("%+v in %v", seen, time.Since(begin).Round(time.Millisecond))
	if seen.Connections != connections || seen.Encrypted != connections || seen.ByCommand != connections/3 ||
		seen.LegacyEvents != connections/2 || seen.LeadingZero == 0 || len(seen.Errors) > 0 {
		t.Error("not every connection was as it should be")
	}
}

// serve uses one connection: short answers side by side, one of 16 K characters
// outside ASCII, an unknown capability, and good-bye.
func serve(ctx context.Context, server *bridge.Server) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	world := server.World()
	if err := world.Await(ctx); err != nil {
		return fmt.Errorf("%w: %+v", err, server.Diagnose(context.Background()))
	}
	this, err := world.Info()
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			got := world.Run(ctx, "overworld", `fill 0 0 0 1 1 1 stone["a"="@é😀"] replace air`)
			if got != (plan.Outcome{Kind: plan.Answered, Success: true}) {
				errs[i] = fmt.Errorf("run: %+v", got)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	raw, err := world.Call(ctx, "echo", map[string]any{"text": "né😀\"\\", "times": 3000})
	if err != nil {
		return err
	}
	var echo struct{ Text string }
	if err := json.Unmarshal(raw, &echo); err != nil || echo.Text != strings.Repeat("né😀\"\\", 3000) {
		return fmt.Errorf("echo of %d bytes: %w", len(raw), err)
	}
	if _, err := world.Call(ctx, "nonsense", nil); err == nil {
		return fmt.Errorf("an unknown capability was answered")
	}
	if _, err := world.Call(ctx, "goodbye", nil); err != nil {
		return err
	}
	for {
		// The next connection may be up already; each names its own session.
		if next, err := world.Info(); err != nil || next.Session != this.Session {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}
