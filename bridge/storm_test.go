package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
)

// storm is a game whose faults are drawn from a seed and which remembers the
// commands that its world ran.
type storm struct {
	mu     sync.Mutex
	random *rand.Rand
	ran    map[string]int
}

func (s *storm) options() bridgetest.Options {
	opts := answering()
	opts.Encrypt = s.random.IntN(2) == 0
	opts.Legacy = s.random.IntN(2) == 0
	opts.Points = 8 + s.random.IntN(250)
	opts.Pending = 3 + s.random.IntN(98)
	opts.Delay = time.Duration(s.random.IntN(3)) * 20 * time.Millisecond
	opts.Capabilities[bridge.CapabilityCommand] = func(payload json.RawMessage) (any, error) {
		var p struct{ Command string }
		if err := json.Unmarshal(payload, &p); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ran[p.Command]++
		return map[string]int{"success_count": 1}, nil
	}
	opts.Fault = func(bridge.Request) bridgetest.Fault {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch s.random.IntN(60) {
		case 0:
			return bridgetest.Fault{Status: bridge.StatusParseFailure}
		case 1:
			return bridgetest.Fault{Error: bridge.StatusTooManyPending}
		case 2:
			return bridgetest.Fault{NoAck: true}
		case 3:
			return bridgetest.Fault{NoReply: true}
		case 4:
			return bridgetest.Fault{NoReply: true, NoAck: true}
		case 5:
			return bridgetest.Fault{Drop: 1}
		case 6:
			return bridgetest.Fault{HangUp: true}
		default:
			return bridgetest.Fault{AckLast: s.random.IntN(2) == 0, Double: s.random.IntN(4) == 0, Reverse: s.random.IntN(4) == 0}
		}
	}
	return opts
}

// run sends commands while the storm goes on and checks what Run says of each
// against what the world did.
func (s *storm) run(b *bench) {
	stop := make(chan struct{})
	var player, callers sync.WaitGroup
	player.Go(func() {
		for {
			b.connect(s.options())
			select {
			case <-b.game.Done():
				time.Sleep(time.Second)
			case <-stop:
				b.game.Close()
				return
			}
		}
	})
	kinds := map[plan.OutcomeKind]int{}
	outcomes := map[string]plan.Outcome{}
	var mu sync.Mutex
	for caller := range 8 {
		callers.Go(func() {
			world := b.server.World()
			for i := range 8 {
				if world.Await(b.t.Context()) != nil {
					return
				}
				var commands []string
				for j := range 5 {
					commands = append(commands, fmt.Sprintf("fill %d %d %d", caller, i, j))
				}
				for j, got := range send(b.t.Context(), world, caller%2 == 0, commands) {
					mu.Lock()
					kinds[got.Kind]++
					outcomes[commands[j]] = got
					mu.Unlock()
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	player.Wait()
	for command, got := range outcomes {
		ran := s.ran[command]
		if got.Kind == plan.Refused && ran > 0 || got.Kind == plan.Answered && ran != 1 || ran > 1 {
			b.t.Errorf("%s ran %d times; Run said %+v", command, ran, got)
		}
	}
	if kinds[plan.Answered] == 0 || kinds[plan.Unknown] == 0 && kinds[plan.Refused] == 0 {
		b.t.Errorf("a storm with the outcomes %v", kinds)
	}
}

// send runs the commands all at once or one after the other.
func send(ctx context.Context, world *bridge.World, together bool, commands []string) []plan.Outcome {
	if together {
		return world.RunAll(ctx, commands)
	}
	var outcomes []plan.Outcome
	for _, command := range commands {
		outcomes = append(outcomes, world.Run(ctx, "overworld", command))
	}
	return outcomes
}

func TestWhatIsRefusedNeverRanAndWhatIsAnsweredRanOnce(t *testing.T) {
	for seed := range uint64(40) {
		bubble(t, bridge.Options{Window: 1 + int(seed%40)}, func(b *bench) {
			s := &storm{random: rand.New(rand.NewPCG(seed, 1)), ran: map[string]int{}}
			s.run(b)
			if b.t.Failed() {
				b.t.Fatalf("seed %d", seed)
			}
		})
	}
}
