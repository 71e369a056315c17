package recovery

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/embedded"
	"groundplan/plan"
	"groundplan/plan/voxel"
)

// cutter stands between the game and the bridge and cuts the connection at the
// n-th message, counted in both directions: before it is passed on, or after.
type cutter struct {
	listener net.Listener
	target   string
	seen     atomic.Int64
	at       int64 // 0: never
	after    bool
	work     sync.WaitGroup
}

func newCutter(t *testing.T, at int64, after bool) *cutter {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &cutter{listener: listener, at: at, after: after}
}

// via returns the address of the cutter for the address of the bridge.
func (c *cutter) via(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	c.target = u.Host
	u.Host = c.listener.Addr().String()
	c.work.Go(c.serve)
	return u.String()
}

func (c *cutter) serve() {
	for {
		game, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", c.target)
		if err != nil {
			_ = game.Close()
			continue
		}
		c.work.Go(func() { c.pass(game, server) })
		c.work.Go(func() { c.pass(server, game) })
	}
}

func (c *cutter) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		now := c.seen.Add(1)
		if now == c.at && !c.after {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil || now == c.at {
			return
		}
	}
}

func (c *cutter) Close() error { return c.listener.Close() }

// house on the plain: three slices of a few fills each, with ground to replace.
func linkPlan(y *yard) (*plan.Plan, *voxel.Volume) {
	y.project.Limits.SliceCells = 48
	wanted := box(0, -61, 0, 8, 2, 8, "minecraft:stone_bricks")
	for x := range 8 {
		wanted.Put(voxel.Pos{X: x, Y: -60, Z: x}, "minecraft:gold_block")
	}
	return y.prepare(wanted), wanted
}

// surroundings is what the game's world has in and around the plan.
func surroundings(y *yard) *voxel.Volume {
	y.tb.Helper()
	v, err := y.game.Volume("overworld", voxel.Box{Min: voxel.Pos{X: -4, Y: -63, Z: -4}, Max: voxel.Pos{X: 12, Y: -55, Z: 12}})
	if err != nil {
		y.tb.Fatal(err)
	}
	return v
}

// survive applies and undoes the plan over a link with faults, and asserts that
// the world ends as planned and nothing else changes.
func survive(y *yard) {
	y.tb.Helper()
	p, wanted := linkPlan(y)
	if len(p.Slices) < 3 {
		y.tb.Fatalf("the plan has %d slices", len(p.Slices))
	}
	before := surroundings(y)
	op := y.apply(p, "k1")
	if op.Status != plan.Applied || op.Written != p.Changed {
		y.tb.Fatalf("operation is %s with %d of %d written: %s", op.Status, op.Written, p.Changed, op.Message)
	}
	now := surroundings(y)
	for at, id := range now.All() {
		want, planned := wanted.At(at)
		if !planned {
			want, _ = before.At(at)
		}
		if got := now.Content(id); got != want {
			y.tb.Fatalf("%v is %s, want %s", at, got, want)
		}
	}
	undo := y.undo(op.ID)
	if op = y.apply(undo, "k2"); op.Status != plan.Applied {
		y.tb.Fatalf("undo is %s: %s", op.Status, op.Message)
	}
	after := surroundings(y)
	for at, id := range before.All() {
		if got, _ := after.At(at); got != before.Content(id) {
			y.tb.Fatalf("after the undo %v is %s, was %s", at, got, before.Content(id))
		}
	}
}

// undo prepares an undo, again while the link fails.
func (y *yard) undo(id string) *plan.Plan {
	y.tb.Helper()
	for range 50 {
		undos, err := y.runner.PrepareUndo(y.tb.Context(), UndoRequest{Operations: []string{id}})
		if err != nil && transient(err) {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err != nil {
			y.tb.Fatal(err)
		}
		if err := y.log.PutPlan(undos[0].Plan); err != nil {
			y.tb.Fatal(err)
		}
		return undos[0].Plan
	}
	y.tb.Fatal("the link never came back")
	return nil
}

func TestLinkThatLosesDuplicatesAndReordersMessages(t *testing.T) {
	for seed := range uint64(6) {
		faults := embedded.Faults{Drop: 0.01, Duplicate: 0.01, Reorder: 0.01, Delay: 0.02, MaxDelay: 60 * time.Millisecond, Refuse: 0.01}
		y := newYardWith(t, bridge.Options{Timeout: 300 * time.Millisecond},
			embedded.Options{Faults: faults, Seed: seed, Reconnect: 20 * time.Millisecond}, nil)
		survive(y)
		t.Logf("seed %d: faults %v", seed, y.game.Committed())
	}
}

func TestLinkThatIsSilentForManyTimeouts(t *testing.T) {
	faults := embedded.Faults{Pause: 0.01, PauseFor: 4 * time.Second}
	survive(newYardWith(t, bridge.Options{Timeout: 200 * time.Millisecond},
		embedded.Options{Faults: faults, Seed: 3, Reconnect: 20 * time.Millisecond}, nil))
}

func TestLinkThatBreaksAtEveryMessage(t *testing.T) {
	count := newCutter(t, 0, false)
	y := newYardWith(t, bridge.Options{}, embedded.Options{Reconnect: 5 * time.Millisecond}, count.via)
	survive(y)
	messages := count.seen.Load()
	_ = count.Close()
	runs := 0
	for at := int64(3); at <= messages; at += int64(max(min(*stride, 40)/4, 1)) {
		for _, after := range []bool{false, true} {
			cut := newCutter(t, at, after)
			survive(newYardWith(t, bridge.Options{Timeout: 500 * time.Millisecond}, embedded.Options{Reconnect: 5 * time.Millisecond}, cut.via))
			_ = cut.Close()
			runs++
		}
	}
	t.Logf("%d messages, %d cuts", messages, runs)
}
