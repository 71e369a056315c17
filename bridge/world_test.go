package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// bench is a server and a game that is connected to it, in a synctest bubble.
type bench struct {
	t      *testing.T
	net    *bridgetest.Network
	server *bridge.Server
	game   *bridgetest.Game
	world  *bridge.World
}

// connected runs the test with a game that behaves as opts say.
func connected(t *testing.T, opts bridgetest.Options, settings bridge.Options, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, settings)
		b.connect(opts)
		if err := b.world.Await(b.t.Context()); err != nil {
			t.Fatal(err)
		}
		test(b)
		b.game.Close()
		synctest.Wait()
		if n := bridge.Held(b.server); n != 0 {
			t.Errorf("%d entries are held after the connection ended", n)
		}
	})
}

func start(t *testing.T, settings bridge.Options) *bench {
	t.Helper()
	b := &bench{t: t, net: bridgetest.NewNetwork()}
	settings.Listener, settings.Secret = b.net, "secret"
	server, err := bridge.Listen(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	b.server, b.world = server, server.World()
	return b
}

func (b *bench) connect(opts bridgetest.Options) {
	b.t.Helper()
	opts.Dial = b.net.Dial
	game, err := bridgetest.Connect(b.t.Context(), b.server.URL(), opts)
	if err != nil {
		b.t.Fatal(err)
	}
	b.game = game
	synctest.Wait()
}

// commands is a run_world_command that succeeds with a count of one.
func commands(json.RawMessage) (any, error) { return map[string]int{"success_count": 1}, nil }

func answering() bridgetest.Options {
	return bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){bridge.CapabilityCommand: commands}}
}

func TestRunIsAnsweredByEveryKindOfGame(t *testing.T) {
	for name, change := range map[string]func(o *bridgetest.Options){
		"plain":                    func(*bridgetest.Options) {},
		"encrypted":                func(o *bridgetest.Options) { o.Encrypt = true },
		"encrypted by the command": func(o *bridgetest.Options) { o.Encrypt, o.Old = true, true },
		"older events":             func(o *bridgetest.Options) { o.Legacy = true },
		"slow":                     func(o *bridgetest.Options) { o.Delay = time.Second },
		"answers before the acknowledgement": func(o *bridgetest.Options) {
			o.Fault = func(bridge.Request) bridgetest.Fault { return bridgetest.Fault{AckLast: true} }
		},
		"everything twice": func(o *bridgetest.Options) {
			o.Points = 7
			o.Fault = func(bridge.Request) bridgetest.Fault { return bridgetest.Fault{Double: true} }
		},
		"chunks in reverse": func(o *bridgetest.Options) {
			o.Points = 7
			o.Fault = func(bridge.Request) bridgetest.Fault { return bridgetest.Fault{Reverse: true} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := answering()
			change(&opts)
			connected(t, opts, bridge.Options{}, func(b *bench) {
				for _, dimension := range []string{"overworld", "nether"} {
					got := b.world.Run(b.t.Context(), dimension, `fill 0 0 0 1 1 1 stone["a"="@p"] replace air`)
					if want := (plan.Outcome{Kind: plan.Answered, Success: true}); got != want {
						t.Errorf("Run = %+v, want %+v", got, want)
					}
				}
				if b.game.Encrypted() != opts.Encrypt {
					t.Errorf("encrypted: %v", b.game.Encrypted())
				}
			})
		})
	}
}

func TestRunSendsTheCommandItWasGiven(t *testing.T) {
	var got []string
	var mu sync.Mutex
	opts := answering()
	opts.Capabilities[bridge.CapabilityCommand] = func(payload json.RawMessage) (any, error) {
		var p struct{ Command string }
		if err := json.Unmarshal(payload, &p); err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, p.Command)
		return map[string]int{"success_count": 1}, nil
	}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		b.world.Run(b.t.Context(), "overworld", `setblock 1 2 3 chest["minecraft:cardinal_direction"="north"]`)
		b.world.Run(b.t.Context(), "the_end", "setblock ~ ~ ~ \\ @a é")
		b.world.Run(b.t.Context(), "nether", "execute in nether run fill")
		want := []string{
			`setblock 1 2 3 chest["minecraft:cardinal_direction"="north"]`,
			"execute in the_end run setblock ~ ~ ~ \\ @a é",
			"execute in nether run fill",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("commands %q, want %q", got, want)
		}
		for _, line := range b.game.Commands() {
			if strings.Contains(line, "@a") || len(line) > bridge.MaxCommandLine {
				t.Errorf("line %q", line)
			}
		}
	})
}

func TestRunOutcomeIsOneOfThree(t *testing.T) {
	for name, test := range map[string]struct {
		fault   bridgetest.Fault
		err     error
		want    plan.OutcomeKind
		success bool
	}{
		"succeeds":                               {want: plan.Answered, success: true},
		"the command failed":                     {err: fmt.Errorf("no blocks filled"), want: plan.Answered},
		"the reply is lost":                      {fault: bridgetest.Fault{NoReply: true}, want: plan.Unknown},
		"everything is lost":                     {fault: bridgetest.Fault{NoReply: true, NoAck: true}, want: plan.Unknown},
		"the acknowledgement is lost":            {fault: bridgetest.Fault{NoAck: true}, want: plan.Answered, success: true},
		"the last chunk is lost":                 {fault: bridgetest.Fault{Drop: 1}, want: plan.Unknown},
		"the connection ends within the reply":   {fault: bridgetest.Fault{HangUp: true}, want: plan.Unknown},
		"the reply comes from a player":          {fault: bridgetest.Fault{Sender: "Mallory"}, want: plan.Unknown},
		"the scriptevent fails":                  {fault: bridgetest.Fault{Status: bridge.StatusParseFailure}, want: plan.Refused},
		"the scriptevent fails in Japanese":      {fault: bridgetest.Fault{Status: bridge.StatusCheatsOff, Localised: true}, want: plan.Refused},
		"an error frame":                         {fault: bridgetest.Fault{Error: bridge.StatusMustEncrypt}, want: plan.Refused},
		"too many pending, for ever":             {fault: bridgetest.Fault{Error: bridge.StatusTooManyPending}, want: plan.Refused},
		"the addon does not know the capability": {err: &bridge.CapabilityError{Code: bridge.CodeUnsupportedCapability}, want: plan.Refused},
		"the addon does not know the version":    {err: &bridge.CapabilityError{Code: bridge.CodeUnsupportedVersion}, want: plan.Refused},
		"the addon could not send its answer":    {err: &bridge.CapabilityError{Code: bridge.CodeResponseSendFailed}, want: plan.Unknown},
		"a code from elsewhere":                  {err: &bridge.CapabilityError{Code: "OUT_OF_CHEESE"}, want: plan.Unknown},
		"the reply is not JSON":                  {fault: bridgetest.Fault{Reply: `{"ok":true`}, want: plan.Unknown},
		"the reply is not an object":             {fault: bridgetest.Fault{Reply: `[true]`}, want: plan.Unknown},
		"the reply has no ok":                    {fault: bridgetest.Fault{Reply: `{"result":{}}`}, want: plan.Unknown},
		"the reference addon's success":          {fault: bridgetest.Fault{Reply: `{"ok":true,"payload":{"output":"1","successCount":1}}`}, want: plan.Answered, success: true},
		"the reference addon's no-op":            {fault: bridgetest.Fault{Reply: `{"ok":true,"payload":{"output":"","successCount":0}}`}, want: plan.Answered},
		"the reference addon's failure":          {fault: bridgetest.Fault{Reply: `{"ok":false,"payload":{"output":"no","successCount":0}}`}, want: plan.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			opts := answering()
			opts.Points = 16
			if test.err != nil {
				opts.Capabilities[bridge.CapabilityCommand] = func(json.RawMessage) (any, error) { return nil, test.err }
			}
			opts.Fault = func(r bridge.Request) bridgetest.Fault {
				if r.Capability == bridge.CapabilityHello {
					return bridgetest.Fault{}
				}
				return test.fault
			}
			connected(t, opts, bridge.Options{}, func(b *bench) {
				got := b.world.Run(b.t.Context(), "overworld", "fill 0 0 0 1 1 1 stone")
				if got.Kind != test.want || got.Success != test.success {
					t.Errorf("Run = %+v, want kind %d, success %v", got, test.want, test.success)
				}
				if got.Kind != plan.Answered && got.Message == "" {
					t.Error("no message says why")
				}
			})
		})
	}
}

func TestReadReturnsTheCellsOfTheBoxes(t *testing.T) {
	at := func(dimension string, p voxel.Pos) string {
		switch {
		case p.X > 40:
			return ""
		case dimension == "nether":
			return "minecraft:netherrack"
		case (p.X^p.Y^p.Z)%3 == 0:
			return "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=" + fmt.Sprint(p.X&3) + "]"
		default:
			return "other:thing"
		}
	}
	opts := bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){bridge.CapabilityRead: bridgetest.Region(20000, at)}}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		for _, dimension := range []string{"overworld", "nether"} {
			var boxes []voxel.Box
			for x := -32; x < 64; x += 32 {
				boxes = append(boxes, voxel.Box{Min: voxel.Pos{X: x, Y: -10, Z: 5}, Max: voxel.Pos{X: x + 31, Y: 21, Z: 36}})
			}
			got, err := b.world.Read(b.t.Context(), dimension, boxes)
			if err != nil {
				t.Fatal(err)
			}
			for _, box := range boxes {
				for p := range box.All() {
					if state, _ := got.Cells.At(p); state != at(dimension, p) {
						t.Fatalf("%v is %q, want %q", p, state, at(dimension, p))
					}
				}
			}
		}
	})
}

func TestReadRefusesABoxThatIsTooLarge(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		_, err := b.world.Read(b.t.Context(), "overworld", []voxel.Box{{Max: voxel.Pos{X: 32, Y: 31, Z: 31}}})
		if fault.CodeOf(err) != fault.BudgetExceeded {
			t.Errorf("Read = %v", err)
		}
	})
}

func TestCommandsInFlightStayWithinTheWindow(t *testing.T) {
	opts := answering()
	opts.Delay = 50 * time.Millisecond
	connected(t, opts, bridge.Options{}, func(b *bench) {
		var group sync.WaitGroup
		var answered atomic.Int32
		for range 300 {
			group.Go(func() {
				if b.world.Run(b.t.Context(), "overworld", "fill").Kind == plan.Answered {
					answered.Add(1)
				}
			})
		}
		group.Wait()
		if answered.Load() != 300 || b.game.MostPending() > bridge.DefaultWindow {
			t.Errorf("%d answered, %d pending at one time", answered.Load(), b.game.MostPending())
		}
	})
}
