package embedded

import (
	"errors"
	"strings"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// maxCommand is how many UTF-8 bytes a command line over the WebSocket may have
// (bedrock-wire §2.2).
const maxCommand = 461

// origin is on whose behalf a command runs, and where.
type origin struct {
	player    bool // over the WebSocket, as the connected player
	name      string
	dimension *store.Dimension
	pos       voxel.Pos
}

// result is the outcome of a command.
type result struct {
	code   int
	text   text
	fields map[string]any // beside statusCode and statusMessage
	count  int            // what a script gets as successCount
	noop   bool           // it failed because there was nothing to do
	end    bool           // close the connection after the answer
}

func succeed(count int, t text) result { return result{count: count, text: t} }

func fail(t text) result { return result{code: codeFailed, text: t} }

// nothing is the failure of a command that found nothing to change.
func nothing(t text) result { return result{code: codeFailed, text: t, noop: true} }

func parseFailure(err error) result {
	return result{code: codeParse, text: text{key: textSyntax, args: []any{err.Error()}}}
}

// command runs one command line.
func (w *World) command(o origin, line string) result {
	if o.player && len(line) > maxCommand {
		return parseFailure(syntax("a line of %d bytes", len(line)))
	}
	line = strings.TrimPrefix(strings.TrimLeft(line, " "), "/")
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "scriptevent":
		return w.scriptEvent(o, rest)
	case "tell", "msg", "w":
		return w.tell(o, rest)
	case "say":
		return w.say(o, rest)
	}
	list, err := words(rest)
	if err != nil {
		return parseFailure(err)
	}
	run := w.commandNamed(name)
	if run == nil {
		return parseFailure(syntax("%s", name))
	}
	r, err := run(o, &arguments{list: list})
	if err != nil {
		if f, ok := errors.AsType[*failure](err); ok {
			return fail(f.text)
		}
		return parseFailure(err)
	}
	return r
}

// failure is a command that the game could read and refuses.
type failure struct{ text text }

func (f *failure) Error() string { return f.text.key }

func (w *World) commandNamed(name string) func(origin, *arguments) (result, error) {
	switch name {
	case "fill":
		return w.fill
	case "setblock":
		return w.setblock
	case "testforblock":
		return w.testforblock
	case "execute":
		return w.execute
	case "getlocalplayername":
		return w.localPlayer
	case "closewebsocket":
		return w.closeSocket
	case "list":
		return w.listPlayers
	}
	if c := w.script.commands[name]; c != nil {
		return func(o origin, a *arguments) (result, error) { return w.script.runCustom(c, o, a) }
	}
	return nil
}

// execute runs a command elsewhere: execute in DIMENSION run COMMAND.
func (w *World) execute(o origin, a *arguments) (result, error) {
	word, err := a.next()
	if err != nil {
		return result{}, err
	}
	switch word {
	case "in":
		name, err := a.next()
		if err != nil {
			return result{}, err
		}
		d := w.blocks.Dimension(strings.TrimPrefix(name, "minecraft:"))
		if d == nil {
			return result{}, syntax("%s", name)
		}
		o.dimension = d
		return w.execute(o, a)
	case "run":
		return w.runRest(o, a)
	default:
		return result{}, syntax("%s", word)
	}
}

// runRest runs the words that are left as a command.
func (w *World) runRest(o origin, a *arguments) (result, error) {
	name, err := a.next()
	if err != nil {
		return result{}, err
	}
	run := w.commandNamed(strings.TrimPrefix(name, "/"))
	if run == nil {
		return result{}, syntax("%s", name)
	}
	return run(o, a)
}

func (w *World) localPlayer(_ origin, _ *arguments) (result, error) {
	r := succeed(1, text{})
	r.fields = map[string]any{"localplayername": w.player.name}
	return r, nil
}

func (w *World) closeSocket(_ origin, _ *arguments) (result, error) {
	r := succeed(1, text{})
	r.end = true
	return r, nil
}

func (w *World) listPlayers(_ origin, _ *arguments) (result, error) {
	names := w.script.players()
	r := succeed(len(names), text{key: textList, args: []any{len(names), maxPlayers, strings.Join(names, ", ")}})
	r.fields = map[string]any{"currentPlayerCount": len(names), "maxPlayerCount": maxPlayers, "players": strings.Join(names, ", ")}
	return r, nil
}

const maxPlayers = 8
