package bridge

import (
	"context"
	"errors"
	"sync"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// Condition is the one thing that keeps a world from being reached.
type Condition string

// The conditions.
const (
	Ready              Condition = "ready"
	Connecting         Condition = "connecting"
	NoWorld            Condition = "no_world"
	EncryptionRequired Condition = "encryption_required"
	CheatsOff          Condition = "cheats_off"
	NotOperator        Condition = "not_operator"
	DedicatedServer    Condition = "dedicated_server"
	AddonMissing       Condition = "addon_missing"
	AddonTooOld        Condition = "addon_too_old"
	BetaAPIsOff        Condition = "beta_apis_off"
	WorldPaused        Condition = "world_paused"
	NotAnswering       Condition = "not_answering"
)

// Diagnosis says whether the world can be reached and, in one sentence, what to
// do when it cannot.
type Diagnosis struct {
	Condition Condition
	Sentence  string
	Player    string // of the connected game; "" when none is or it is not known
	Err       error  // the evidence; nil when Ready or NoWorld
}

// Sentence returns what to tell a person about the condition.
func (c Condition) Sentence() string {
	switch c {
	case Ready:
		return "The world is connected and its addon answers."
	case Connecting:
		return "A game is connecting; ask again in a few seconds."
	case NoWorld:
		return "No game is connected: type /connect with the bridge's address in a world that this player hosts; WebSockets must be on in Settings, General, and a console or a dedicated server has none."
	case EncryptionRequired:
		return "The game closed the connection at once: WebSockets are off, or it requires encrypted ones while the bridge is told never to encrypt; look at Settings, General, WebSockets."
	case CheatsOff:
		return "Cheats are off in this world: turn on Settings, Game, Cheats."
	case NotOperator:
		return "The connected player may not run commands in this world: make the player an operator."
	case DedicatedServer:
		return "The game answers but no world takes its commands: the player is in no world, or on a dedicated server, which this bridge cannot reach; the world must be hosted by a game."
	case AddonMissing:
		return "The world has no groundplan addon: install it with groundplan addon and activate its behaviour pack in the world's settings."
	case AddonTooOld:
		return "The world's addon does not know what this service asks: install the addon of this version with groundplan addon, and remove others that answer to mcbews."
	case BetaAPIsOff:
		return "The addon is in the world but its scripts do not run: turn on Experiments, Beta APIs in the world's settings."
	case WorldPaused:
		return "The world is paused: the game answers, but nothing in the world moves; close the menu or give the game's window the focus."
	case NotAnswering:
		return "The game is connected and answers nothing; type /connect off and connect again."
	default:
		return string(c)
	}
}

// linkState is what a session has seen since its addon last answered.
type linkState struct {
	hello    error  // why the last world_hello failed; nil when it did not
	status   Status // of the last answer to a scriptevent
	answered bool   // there was one

	probed bool  // the rest is known
	client probe // getlocalplayername: the client itself answers, also when paused
	list   probe // list: anybody may run it in any world
	world  probe // testfor @s: needs an operator and cheats
	pack   probe // function groundplan/installed: works without scripts

	player string // the connected player
}

// probe is how a command of the game ended.
type probe struct {
	answered bool
	status   Status
}

func (p probe) ok() bool { return p.answered && !p.status.Failed() }

// condition decides, from the nearest cause to the farthest.
func (l *linkState) condition() Condition {
	if l.hello == nil {
		return Connecting
	}
	if answeredByAddon(l.hello) {
		return AddonTooOld
	}
	for _, p := range []probe{{l.answered, l.status}, l.world, l.list} {
		switch {
		case !p.answered:
			continue
		case p.status == StatusCheatsOff:
			return CheatsOff
		case p.status == StatusMustEncrypt:
			return EncryptionRequired
		case p.status == StatusNoPermission:
			return NotOperator
		}
	}
	switch {
	case !l.probed:
		return Connecting
	case !l.client.answered && !l.world.answered && !l.list.answered:
		return NotAnswering
	case !l.world.answered:
		return WorldPaused
	case !l.world.ok() && l.list.ok():
		return NotOperator
	case !l.world.ok():
		return DedicatedServer
	case l.pack.ok():
		return BetaAPIsOff
	default:
		return AddonMissing
	}
}

// lastLink is what is kept of a connection that ended.
type lastLink struct {
	state  linkState
	cause  error
	lasted time.Duration
	heard  bool // a frame came from the game
	tried  bool // there was a connection
}

func (s *session) lastLink(cause error) lastLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	heard := false
	select {
	case <-s.first:
		heard = true
	default:
	}
	return lastLink{state: s.state, cause: cause, lasted: s.server.now().Sub(s.since), heard: heard, tried: true}
}

// condition returns what the connection that ended tells about why there is none.
func (l *lastLink) condition() Condition {
	if !l.tried {
		return NoWorld
	}
	if c := l.state.condition(); c == EncryptionRequired || !l.heard && l.lasted < time.Second {
		return EncryptionRequired
	}
	return NoWorld
}

// Diagnose says why the world cannot be reached, asking the game where it has to;
// that takes up to ten seconds while the game is silent.
func (s *Server) Diagnose(ctx context.Context) Diagnosis {
	s.mu.Lock()
	current := s.session
	s.mu.Unlock()
	if current != nil {
		if err := current.confirm(ctx); err != nil && !answeredByAddon(err) {
			current.examine(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.diagnosis()
}

// diagnosis returns what is known without asking. The caller holds s.mu.
func (s *Server) diagnosis() Diagnosis {
	var d Diagnosis
	switch {
	case s.ready:
		d.Condition, d.Player = Ready, s.world.Player
	case s.session == nil:
		d.Condition, d.Err = s.last.condition(), s.last.cause
	default:
		s.session.mu.Lock()
		state := s.session.state
		s.session.mu.Unlock()
		d.Condition, d.Player, d.Err = state.condition(), state.player, state.hello
	}
	d.Sentence = d.Condition.Sentence()
	return d
}

// unavailable returns the error for "no world" with the one sentence that says
// why. The caller holds s.mu.
func (s *Server) unavailable() error {
	d := s.diagnosis()
	code := fault.WorldUnavailable
	if d.Condition == AddonTooOld {
		code = fault.UnsupportedCapability
	}
	return fault.Wrap(code, d.Err, d.Sentence).With("condition", d.Condition)
}

// notice keeps the status of the last answer to a request. The caller holds s.mu.
func (s *session) notice(status Status) {
	s.state.status, s.state.answered = status, true
}

// examine asks the game itself why the addon does not answer. The answer to the
// first command also shows that the connection lives.
func (s *session) examine(ctx context.Context) {
	lines := []string{"getlocalplayername", "list", "testfor @s", "function groundplan/installed"}
	probes := make([]probe, len(lines))
	var group sync.WaitGroup
	for i, line := range lines {
		group.Go(func() { probes[i] = s.command(ctx, line).probed() })
	}
	group.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.probed = true
	s.state.client, s.state.list, s.state.world, s.state.pack = probes[0], probes[1], probes[2], probes[3]
}

// probed returns how the game answered, be it with an error frame.
func (c *call) probed() probe {
	if e, ok := errors.AsType[*StatusError](c.err); ok {
		return probe{answered: true, status: e.Status}
	}
	return probe{answered: c.kind == plan.Answered, status: c.status}
}

// aliveWithin is how long ago a frame shows that a connection lives.
const aliveWithin = 5 * time.Second

// alive reports whether the game at the other end is still there; it is asked
// when nothing was heard of it for some time.
func (s *session) alive(ctx context.Context) bool {
	quiet := s.server.now().Sub(time.Unix(0, s.lastRead.Load()))
	return quiet < aliveWithin || s.command(ctx, "getlocalplayername").probed().answered
}

// leaving reports whether the connection ends within a moment: a game that
// connects again may be faster than the end of its last connection.
func (s *session) leaving() bool {
	timer := time.NewTimer(250 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-s.gone:
		return true
	case <-timer.C:
		return false
	}
}

// farewell ends the connection as the game likes it: without it, some games go on
// believing that they are connected.
func (s *session) farewell() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.subscribe(ctx, purposeUnsubscribe) != nil {
		return
	}
	s.command(ctx, "closewebsocket")
}

// mismatchInterval is how often a kind of mismatch is logged.
const mismatchInterval = time.Minute

// mismatch logs a line that looks like the protocol's and is not taken, once in
// a minute for each kind, so that timeouts are never silent.
func (s *Server) mismatch(kind, key, value string) {
	if s.once("mismatch "+kind, mismatchInterval) {
		s.log.Warn("bridge_prefix_not_matched", "reason", kind, key, value)
	}
}

// note logs a connection that was turned away at the door.
func (s *Server) note(reason string) {
	if s.once("door "+reason, mismatchInterval) {
		s.log.Warn("a connection was turned away", "reason", reason)
	}
}

// once reports whether this is the first call for the key in the interval.
func (s *Server) once(key string, interval time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if at, ok := s.told[key]; ok && now.Sub(at) < interval {
		return false
	}
	s.told[key] = now
	return true
}
