package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// elsewhere is another world.
func elsewhere() bridgetest.Identity {
	return bridgetest.Identity{WorldID: "w2", Epoch: "e2", Session: "s2", Player: "Steve", Game: "1.26.50"}
}

func TestInfoIsWhatTheAddonTells(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		got, err := b.world.Info()
		if err != nil {
			b.t.Fatal(err)
		}
		if got.ID != "w1" || got.Epoch != "e1" || got.Session != "s1" || got.Player != "Steve" || got.Game != "1.26.50" || got.Addon != "0.1.0" ||
			got.Dimensions["overworld"] != (plan.Heights{Min: -64, Max: 319}) || len(got.Missing) != 0 {
			b.t.Errorf("%+v", got)
		}
	})
}

func TestWithoutAWorldEveryMethodSaysSo(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		ctx := b.t.Context()
		box := voxel.Box{}
		errs := map[string]error{}
		_, errs["Info"] = b.world.Info()
		_, errs["Read"] = b.world.Read(ctx, "overworld", []voxel.Box{box})
		_, errs["Digests"] = b.world.Digests(ctx, "overworld", box)
		_, errs["Changes"] = b.world.Changes(ctx, "")
		_, errs["IDs"] = b.world.IDs(ctx)
		_, errs["Call"] = b.world.Call(ctx, bridge.CapabilityPlayer, map[string]string{"target": "@s"})
		for name, err := range errs {
			if fault.CodeOf(err) != fault.WorldUnavailable {
				b.t.Errorf("%s: %v", name, err)
			}
		}
		if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Refused {
			b.t.Errorf("Run = %+v", got)
		}
		for _, got := range b.world.RunAll(ctx, []string{"fill", "fill"}) {
			if got.Kind != plan.Refused {
				b.t.Errorf("RunAll = %+v", got)
			}
		}
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		if err := b.world.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
			b.t.Errorf("Await: %v", err)
		}
	})
}

func TestAnotherWorldOnTheSameSocketStopsWriting(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		ctx := b.t.Context()
		if _, err := b.world.Info(); err != nil {
			b.t.Fatal(err)
		}
		b.game.Enter(elsewhere())
		time.Sleep(3 * time.Second)
		before := len(b.game.Commands())
		for range 3 {
			if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Refused {
				b.t.Fatalf("Run = %+v", got)
			}
		}
		if _, err := b.world.Read(ctx, "overworld", []voxel.Box{{}}); fault.CodeOf(err) != fault.WorldUnavailable {
			b.t.Errorf("Read: %v", err)
		}
		for _, line := range b.game.Commands()[before:] {
			if !strings.Contains(line, bridge.CapabilityHello) {
				b.t.Errorf("the new world got %q", line)
			}
		}
		if info, err := b.world.Info(); err != nil || info.ID != "w2" {
			b.t.Fatalf("Info = %+v, %v", info, err)
		}
		if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("after Info, Run = %+v", got)
		}
	})
}

func TestEveryPartOfTheIdentityIsWatched(t *testing.T) {
	for name, id := range map[string]bridgetest.Identity{
		"world":   {WorldID: "w2", Epoch: "e1", Session: "s1"},
		"epoch":   {WorldID: "w1", Epoch: "e2", Session: "s1"},
		"session": {WorldID: "w1", Epoch: "e1", Session: "s2"},
	} {
		connected(t, answering(), bridge.Options{}, func(b *bench) {
			if _, err := b.world.Info(); err != nil {
				b.t.Fatal(err)
			}
			b.game.Enter(id)
			time.Sleep(3 * time.Second)
			if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Refused {
				b.t.Errorf("%s: Run = %+v", name, got)
			}
		})
	}
}

func TestTheSameWorldAfterAReconnectNeedsNoSecondLook(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		if _, err := b.world.Info(); err != nil {
			b.t.Fatal(err)
		}
		other := b.server.World()
		b.game.Close()
		synctest.Wait()
		if _, err := b.world.Info(); fault.CodeOf(err) != fault.WorldUnavailable {
			b.t.Errorf("Info: %v", err)
		}
		b.connect(answering())
		if err := other.Await(b.t.Context()); err != nil {
			b.t.Fatal(err)
		}
		if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("Run = %+v", got)
		}
	})
}

// A player who walks out of the world leaves the socket open; the game then
// refuses commands of the world.
func TestAFailingScripteventStopsWritingUntilTheWorldIsConfirmed(t *testing.T) {
	var mu sync.Mutex
	outside := false
	leave := func(gone bool) {
		mu.Lock()
		defer mu.Unlock()
		outside = gone
	}
	opts := answering()
	opts.Fault = func(bridge.Request) bridgetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if outside {
			return bridgetest.Fault{Status: bridge.StatusParseFailure}
		}
		return bridgetest.Fault{}
	}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		ctx := b.t.Context()
		if b.world.Run(ctx, "overworld", "fill").Kind != plan.Answered {
			b.t.Fatal("not answered")
		}
		leave(true)
		for range 3 {
			if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Refused {
				b.t.Errorf("Run = %+v", got)
			}
		}
		if _, err := b.world.Info(); fault.CodeOf(err) != fault.WorldUnavailable {
			b.t.Errorf("Info: %v", err)
		}
		sent := 0
		for _, line := range b.game.Commands() {
			if strings.Contains(line, bridge.CapabilityCommand) {
				sent++
			}
		}
		if sent != 2 {
			b.t.Errorf("%d commands were sent, want 2", sent)
		}
		leave(false)
		if err := b.world.Await(ctx); err != nil {
			b.t.Fatal(err)
		}
		if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("Run = %+v", got)
		}
	})
}

func TestAPausedWorldMakesCommandsUnknownAndRecovers(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		ctx := b.t.Context()
		if b.world.Run(ctx, "overworld", "fill").Kind != plan.Answered {
			b.t.Fatal("not answered")
		}
		b.game.Pause(true)
		begin := time.Now()
		if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Unknown {
			b.t.Errorf("Run = %+v", got)
		}
		if took := time.Since(begin); took != bridge.RequestTimeout {
			b.t.Errorf("unknown after %v", took)
		}
		time.Sleep(10 * time.Minute)
		if _, err := b.world.Info(); fault.CodeOf(err) != fault.WorldUnavailable || !strings.Contains(fmt.Sprint(err), "paused") {
			b.t.Errorf("Info: %v", err)
		}
		if most := b.game.MostPending(); most > bridge.MaxWindow {
			b.t.Errorf("%d commands were pending", most)
		}
		b.game.Pause(false)
		resumed := time.Now()
		if err := b.world.Await(ctx); err != nil {
			b.t.Fatal(err)
		}
		if took := time.Since(resumed); took > time.Second {
			b.t.Errorf("noticed after %v that the world runs again", took)
		}
		if got := b.world.Run(ctx, "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("Run = %+v", got)
		}
	})
}

func TestMoreThanTheGameTakesIsSentAgain(t *testing.T) {
	opts := answering()
	opts.Pending, opts.Delay = 5, 20*time.Millisecond
	connected(t, opts, bridge.Options{}, func(b *bench) {
		var group sync.WaitGroup
		var mu sync.Mutex
		kinds := map[plan.OutcomeKind]int{}
		for range 40 {
			group.Go(func() {
				got := b.world.Run(b.t.Context(), "overworld", "fill")
				mu.Lock()
				kinds[got.Kind]++
				mu.Unlock()
			})
		}
		group.Wait()
		if kinds[plan.Answered] != 40 {
			b.t.Errorf("%v", kinds)
		}
	})
}

func TestAnOldGameGetsCommandsWithoutAVersion(t *testing.T) {
	opts := answering()
	opts.NoVersion = true
	connected(t, opts, bridge.Options{}, func(b *bench) {
		if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("Run = %+v", got)
		}
	})
}

func TestTheWindowStaysBelowTheGamesLimit(t *testing.T) {
	opts := answering()
	opts.Delay = 50 * time.Millisecond
	connected(t, opts, bridge.Options{Window: bridge.MaxWindow}, func(b *bench) {
		outcomes := b.world.RunAll(b.t.Context(), slices.Repeat([]string{"fill"}, 400))
		for i, got := range outcomes {
			if got.Kind != plan.Answered {
				b.t.Fatalf("command %d: %+v", i, got)
			}
		}
		if most := b.game.MostPending(); most > bridge.MaxWindow || most < bridge.DefaultWindow {
			b.t.Errorf("%d commands were pending", most)
		}
	})
}

func TestCommandsArriveInTheirOrder(t *testing.T) {
	var mu sync.Mutex
	var got []string
	opts := answering()
	opts.Capabilities[bridge.CapabilityCommand] = func(payload json.RawMessage) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, string(payload))
		return map[string]int{"success_count": 1}, nil
	}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		var commands, want []string
		for i := range 200 {
			commands = append(commands, fmt.Sprintf("fill %d", i))
			want = append(want, fmt.Sprintf(`{"command":"fill %d"}`, i))
		}
		b.world.RunAll(b.t.Context(), commands)
		if !slices.Equal(got, want) {
			b.t.Errorf("%q", got)
		}
	})
}

func TestACallerThatGivesUpLearnsWhetherItWasSent(t *testing.T) {
	opts := answering()
	opts.Delay = time.Second
	connected(t, opts, bridge.Options{Window: 2}, func(b *bench) {
		ctx, cancel := context.WithTimeout(b.t.Context(), 100*time.Millisecond)
		defer cancel()
		var group sync.WaitGroup
		var mu sync.Mutex
		kinds := map[plan.OutcomeKind]int{}
		for range 10 {
			group.Go(func() {
				got := b.world.Run(ctx, "overworld", "fill")
				mu.Lock()
				kinds[got.Kind]++
				mu.Unlock()
			})
		}
		group.Wait()
		if kinds[plan.Unknown] != 2 || kinds[plan.Refused] != 8 {
			b.t.Errorf("%v, want 2 unknown and 8 refused", kinds)
		}
	})
}

func TestTheEndOfTheConnectionEndsEveryRequest(t *testing.T) {
	opts := answering()
	opts.Delay = time.Second
	connected(t, opts, bridge.Options{Window: 4}, func(b *bench) {
		var group sync.WaitGroup
		var mu sync.Mutex
		kinds := map[plan.OutcomeKind]int{}
		for range 20 {
			group.Go(func() {
				got := b.world.Run(b.t.Context(), "overworld", "fill")
				mu.Lock()
				kinds[got.Kind]++
				mu.Unlock()
			})
		}
		time.Sleep(500 * time.Millisecond)
		begin := time.Now()
		b.game.Close()
		group.Wait()
		if kinds[plan.Unknown] != 4 || kinds[plan.Refused] != 16 {
			b.t.Errorf("%v, want 4 unknown and 16 refused", kinds)
		}
		if took := time.Since(begin); took > time.Second {
			b.t.Errorf("took %v", took)
		}
	})
}

func TestALostAcknowledgementGivesItsPlaceBack(t *testing.T) {
	opts := answering()
	opts.Fault = func(r bridge.Request) bridgetest.Fault {
		return bridgetest.Fault{NoAck: r.Capability == bridge.CapabilityCommand}
	}
	connected(t, opts, bridge.Options{Window: 2}, func(b *bench) {
		for i := range 20 {
			if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
				b.t.Fatalf("%d: %+v", i, got)
			}
		}
	})
}

func TestChunksOfNobodysRequestAreIgnored(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		before := bridge.Held(b.server)
		for _, id := range []string{"r1", "rzzzzzzzzzzz", "req-1", "r", "rzzzzzzzzzzzzzzzzzz"} {
			b.game.Say(bridge.BridgeSender, "MCBEWS|BRIDGE|"+id+"|1/2|{")
		}
		synctest.Wait()
		if n := bridge.Held(b.server); n != before {
			b.t.Errorf("%d entries are held, %d before", n, before)
		}
	})
}

func TestAnAnswerBeyondTheLimitsIsUnknown(t *testing.T) {
	long := func(n int) []string {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("MCBEWS|BRIDGE|ID|%d/%d|%s", i+1, n, strings.Repeat("x", 1000)))
		}
		return lines
	}
	for name, lines := range map[string][]string{
		"too many chunks": long(bridge.MaxChunks + 1),
		"too many bytes":  long(bridge.MaxMessageBytes/1000 + 1),
		"mixed totals":    {"MCBEWS|BRIDGE|ID|1/2|{", "MCBEWS|BRIDGE|ID|2/3|}"},
		"conflict":        {"MCBEWS|BRIDGE|ID|1/2|{", "MCBEWS|BRIDGE|ID|1/2|["},
	} {
		opts := answering()
		opts.Fault = func(r bridge.Request) bridgetest.Fault {
			if r.Capability == bridge.CapabilityHello {
				return bridgetest.Fault{}
			}
			var own []string
			for _, line := range lines {
				own = append(own, strings.Replace(line, "ID", r.ID, 1))
			}
			return bridgetest.Fault{Lines: own}
		}
		connected(t, opts, bridge.Options{}, func(b *bench) {
			if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Unknown {
				b.t.Errorf("%s: %+v", name, got)
			}
			if n := bridge.Buffers(b.server); n != 0 {
				b.t.Errorf("%s: %d buffers are held", name, n)
			}
		})
	}
}

func TestTooLongACommandIsRefusedBeforeItIsSent(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		before := len(b.game.Commands())
		long := strings.Repeat("x", bridge.MaxCommandLine)
		if got := b.world.Run(b.t.Context(), "overworld", long); got.Kind != plan.Refused {
			b.t.Errorf("Run = %+v", got)
		}
		if got := b.world.RunAll(b.t.Context(), []string{long, "fill"}); got[0].Kind != plan.Refused || got[1].Kind != plan.Answered {
			b.t.Errorf("RunAll = %+v", got)
		}
		if _, err := b.world.Call(b.t.Context(), "x", map[string]string{"c": long}); fault.CodeOf(err) != fault.InvalidRequest {
			b.t.Errorf("Call: %v", err)
		}
		if got := b.world.Run(b.t.Context(), `over"world`, "fill"); got.Kind != plan.Refused {
			b.t.Errorf("Run = %+v", got)
		}
		if n := len(b.game.Commands()) - before; n != 1 {
			b.t.Errorf("%d commands were sent", n)
		}
	})
}

func TestTheLongestCommandOfAPlanFitsTheLine(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		long := "execute in the_end run " + strings.Repeat(`"`, 20)
		long += strings.Repeat("x", plan.MaxCommandBytes-len(long)-20)
		for _, got := range append(b.world.RunAll(b.t.Context(), []string{long}), b.world.Run(b.t.Context(), "the_end", long)) {
			if got.Kind != plan.Answered {
				b.t.Errorf("%+v", got)
			}
		}
	})
}

func TestALostHelloAmongAnswersStopsNothing(t *testing.T) {
	var mu sync.Mutex
	lose := false
	opts := answering()
	opts.Delay = 100 * time.Millisecond
	opts.Fault = func(r bridge.Request) bridgetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		return bridgetest.Fault{NoReply: lose && r.Capability == bridge.CapabilityHello}
	}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		mu.Lock()
		lose = true
		mu.Unlock()
		for i := range 300 {
			if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
				b.t.Fatalf("%d: %+v", i, got)
			}
			if _, err := b.world.Info(); err != nil {
				b.t.Fatalf("%d: %v", i, err)
			}
		}
	})
}

func TestAnotherWorldIsNoticedWhileCommandsFlow(t *testing.T) {
	opts := answering()
	opts.Delay = 100 * time.Millisecond
	connected(t, opts, bridge.Options{}, func(b *bench) {
		if _, err := b.world.Info(); err != nil {
			b.t.Fatal(err)
		}
		b.game.Enter(elsewhere())
		begin := time.Now()
		for b.world.Run(b.t.Context(), "overworld", "fill").Kind == plan.Answered {
			if time.Since(begin) > 11*time.Second {
				b.t.Fatal("commands still reach a world that nobody has looked at")
			}
		}
	})
}

func TestFramesThatMakeNoSenseAreSurvived(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		opts := answering()
		opts.Encrypt = encrypt
		connected(t, opts, bridge.Options{}, func(b *bench) {
			const known = "67726f75-6e64-4470-8c61-"
			for _, frame := range []string{
				``, `[]`, `null`, `{"header"`, `{}`, `{"header":{"messagePurpose":"commandResponse"}}`,
				`{"header":{"messagePurpose":"commandResponse","requestId":"` + known + `ffffffffffff"},"body":{"statusCode":0}}`,
				`{"header":{"messagePurpose":"error","requestId":"00000000-0000-0000-0000-000000000000"},"body":{"statusCode":-2147418111}}`,
				`{"header":{"messagePurpose":"action:agent","requestId":"` + known + `000000000001"},"body":{}}`,
				`{"header":{"messagePurpose":"event","eventName":"PlayerTravelled"},"body":{"player":{"position":{"x":nan}}}}`,
				`{"header":{"messagePurpose":"event","eventName":"PlayerMessage"},"body":{"message":7,"sender":{}}}`,
				`{"header":{"messagePurpose":"something new"},"body":[]}`,
				strings.Repeat(`{"a":`, 1000), "\x00\xff\xfe",
			} {
				b.game.Send([]byte(frame))
			}
			if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
				b.t.Errorf("encrypted %v: %+v", encrypt, got)
			}
		})
	}
}
