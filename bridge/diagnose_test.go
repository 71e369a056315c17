package bridge_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan/fault"
)

// answers makes a game answer commands that begin with a word with a status.
func answers(status bridge.Status, words ...string) map[string]func(string) (bridge.Status, string) {
	table := map[string]func(string) (bridge.Status, string){}
	for _, word := range words {
		table[word] = func(string) (bridge.Status, string) { return status, "Etwas ging schief" }
	}
	return table
}

func TestEveryConditionIsFound(t *testing.T) {
	silent := func(bridge.Request) bridgetest.Fault { return bridgetest.Fault{NoReply: true} }
	for name, test := range map[string]struct {
		opts  bridgetest.Options
		setup func(g *bridgetest.Game)
		want  bridge.Condition
	}{
		"ready":            {want: bridge.Ready},
		"cheats off":       {opts: bridgetest.Options{Commands: answers(bridge.StatusCheatsOff, "scriptevent", "testfor", "function")}, want: bridge.CheatsOff},
		"no permission":    {opts: bridgetest.Options{Commands: answers(bridge.StatusNoPermission, "scriptevent", "testfor", "function")}, want: bridge.NotOperator},
		"no such command":  {opts: bridgetest.Options{Commands: answers(bridge.StatusParseFailure, "scriptevent", "testfor", "function")}, want: bridge.NotOperator},
		"dedicated server": {opts: bridgetest.Options{Commands: answers(bridge.StatusParseFailure, "scriptevent", "testfor", "function", "list")}, want: bridge.DedicatedServer},
		"addon missing":    {opts: bridgetest.Options{Fault: silent}, want: bridge.AddonMissing},
		"Beta APIs off":    {opts: bridgetest.Options{Fault: silent, Commands: answers(bridge.StatusSuccess, "function groundplan/installed")}, want: bridge.BetaAPIsOff},
		"another addon":    {opts: bridgetest.Options{Fault: replying(`{"ok":false,"error":{"code":"UNSUPPORTED_CAPABILITY","message":""}}`)}, want: bridge.AddonTooOld},
		"another protocol": {opts: bridgetest.Options{Fault: replying(`{"ok":true,"result":{"protocol":9}}`)}, want: bridge.AddonTooOld},
		"not an identity":  {opts: bridgetest.Options{Fault: replying(`{"ok":true,"result":{"protocol":1}}`)}, want: bridge.AddonTooOld},
		"world paused":     {setup: func(g *bridgetest.Game) { g.Pause(true) }, want: bridge.WorldPaused},
		"not answering":    {setup: func(g *bridgetest.Game) { g.Silence(true) }, want: bridge.NotAnswering},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, bridge.Options{}, func(b *bench) {
				b.connect(test.opts)
				if test.setup != nil {
					test.setup(b.game)
				}
				got := b.server.Diagnose(b.t.Context())
				if got.Condition != test.want {
					b.t.Errorf("%+v, want %s", got, test.want)
				}
				_, err := b.world.Info()
				if ready := test.want == bridge.Ready; ready != (err == nil) || !ready && !strings.Contains(err.Error(), got.Sentence) {
					b.t.Errorf("Info: %v", err)
				}
				if want := test.want == bridge.AddonTooOld; want != (fault.CodeOf(err) == fault.UnsupportedCapability) {
					b.t.Errorf("Info: %v", fault.CodeOf(err))
				}
				b.game.Close()
			})
		})
	}
}

func replying(body string) func(bridge.Request) bridgetest.Fault {
	return func(bridge.Request) bridgetest.Fault { return bridgetest.Fault{Reply: body} }
}

func TestWithoutAGameTheLastConnectionTellsWhy(t *testing.T) {
	bubble(t, bridge.Options{Encryption: bridge.EncryptNever}, func(b *bench) {
		if got := b.server.Diagnose(b.t.Context()); got.Condition != bridge.NoWorld {
			b.t.Errorf("%+v", got)
		}
		// A game that requires encryption closes a plain connection at once.
		conn, _, err := b.dial("/secret", nil)
		if err != nil {
			b.t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		conn.CloseNow()
		time.Sleep(time.Second)
		if got := b.server.Diagnose(b.t.Context()); got.Condition != bridge.EncryptionRequired {
			b.t.Errorf("%+v", got)
		}
		// Another one says so in an error frame.
		b.connect(bridgetest.Options{Fault: func(bridge.Request) bridgetest.Fault {
			return bridgetest.Fault{Error: bridge.StatusMustEncrypt}
		}})
		if got := b.server.Diagnose(b.t.Context()); got.Condition != bridge.EncryptionRequired {
			b.t.Errorf("%+v", got)
		}
		b.game.Close()
	})
}

func TestEveryConditionHasOneSentence(t *testing.T) {
	conditions := []bridge.Condition{
		bridge.Ready, bridge.Connecting, bridge.NoWorld, bridge.EncryptionRequired, bridge.CheatsOff, bridge.NotOperator, bridge.DedicatedServer,
		bridge.AddonMissing, bridge.AddonTooOld, bridge.BetaAPIsOff, bridge.WorldPaused, bridge.NotAnswering,
	}
	var seen []string
	for _, c := range conditions {
		sentence := c.Sentence()
		if !strings.HasSuffix(sentence, ".") || strings.Count(sentence, ". ") > 0 || slices.Contains(seen, sentence) {
			t.Errorf("%s: %q", c, sentence)
		}
		seen = append(seen, sentence)
	}
}

func TestBaselineCapabilitiesOfAnotherAddonAreReached(t *testing.T) {
	opts := bridgetest.Options{Fault: func(r bridge.Request) bridgetest.Fault {
		if r.Capability == bridge.CapabilityPlayer {
			return bridgetest.Fault{Reply: `{"ok":true,"result":{"name":"Steve"}}`}
		}
		return bridgetest.Fault{Reply: `{"ok":false,"error":{"code":"UNSUPPORTED_CAPABILITY","message":"no"}}`}
	}}
	bubble(t, bridge.Options{}, func(b *bench) {
		b.connect(opts)
		time.Sleep(time.Second)
		got, err := b.world.Call(b.t.Context(), bridge.CapabilityPlayer, map[string]string{"target": "@s"})
		if err != nil || string(got) != `{"name":"Steve"}` {
			b.t.Errorf("%s, %v", got, err)
		}
		_, err = b.world.Call(b.t.Context(), bridge.CapabilityRead, map[string]int{"page": 0})
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Code != fault.UnsupportedCapability {
			b.t.Errorf("%v", err)
		}
		b.game.Close()
	})
}
