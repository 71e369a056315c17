package embedded

import (
	"errors"
	"io/fs"
	"strings"

	"groundplan/bridge/addon"
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
	case "tellraw":
		return w.tellraw(o, rest)
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
	case "testforblocks":
		return w.testforblocks
	case "clone":
		return w.clone
	case "structure":
		return w.structure
	case "tickingarea":
		return w.tickingarea
	case "execute":
		return w.execute
	case "help":
		return w.help
	case "testfor":
		return w.testfor
	case "function":
		return w.function
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

func (w *World) localPlayer(_ origin, _ *arguments) (result, error) {
	r := succeed(1, text{})
	r.fields = map[string]any{"localplayername": w.player.name}
	return r, nil
}

func (w *World) help(_ origin, _ *arguments) (result, error) {
	return succeed(1, text{key: textHelp}), nil
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

// testfor looks for players: testfor TARGET.
func (w *World) testfor(o origin, a *arguments) (result, error) {
	target, err := a.next()
	if err != nil {
		return result{}, err
	}
	victims := w.targets(o, target)
	if len(victims) == 0 {
		return result{code: codeNoTargets, text: text{key: textNoTargets}, noop: true}, nil
	}
	r := succeed(len(victims), text{key: textFound, args: []any{strings.Join(victims, ", ")}})
	r.fields = map[string]any{"victim": victims}
	return r, nil
}

// function runs a file of commands of the pack: function NAME.
func (w *World) function(o origin, a *arguments) (result, error) {
	name, err := a.next()
	if err != nil {
		return result{}, err
	}
	data, err := fs.ReadFile(addon.Files(), "functions/"+name+".mcfunction")
	if err != nil {
		return result{}, syntax("%s", name)
	}
	count := 0
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		w.command(o, line) // a line that fails does not stop the others
		count++
	}
	return succeed(count, text{key: textFunction, args: []any{count}}), nil
}

const maxPlayers = 8
