package embedded

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxScriptEvent is how many characters the message of a script event may have.
const maxScriptEvent = 2048

// scriptEvent hands a message to the script: scriptevent ID MESSAGE.
func (w *World) scriptEvent(o origin, rest string) result {
	id, message, _ := strings.Cut(rest, " ")
	namespace, path, found := strings.Cut(id, ":")
	if !found || namespace == "" || path == "" || namespace == "minecraft" || id != strings.ToLower(id) {
		return parseFailure(syntax("%s", id))
	}
	if len(message) > maxScriptEvent && utf8.RuneCountInString(message) > maxScriptEvent {
		return fail(text{key: textScriptEventLong, args: []any{maxScriptEvent}})
	}
	w.script.scriptEvent(o, id, w.expand(o, message))
	return succeed(1, text{key: textScriptEvent})
}

// tell whispers: tell TARGET MESSAGE. The connected client sees what it tells, what
// it is told, and what the simulated player tells itself.
func (w *World) tell(o origin, rest string) result {
	target, message, found := strings.Cut(rest, " ")
	if !found || message == "" {
		return parseFailure(syntax("the end of the command"))
	}
	receivers := w.targets(o, target)
	if len(receivers) == 0 {
		return result{code: codeNoTargets, text: text{key: textNoTargets}, noop: true}
	}
	message = w.expand(o, message)
	for _, receiver := range receivers {
		w.playerMessage("tell", w.speaker(o), receiver, message)
	}
	return succeed(len(receivers), text{})
}

// say speaks to everybody: say MESSAGE.
func (w *World) say(o origin, rest string) result {
	if rest == "" {
		return parseFailure(syntax("the end of the command"))
	}
	w.playerMessage("say", w.speaker(o), "", "["+w.speaker(o)+"] "+w.expand(o, rest))
	return succeed(1, text{})
}

// tellraw shows raw text: tellraw TARGET JSON. The client that is told gets the
// JSON itself.
func (w *World) tellraw(o origin, rest string) result {
	target, message, found := strings.Cut(rest, " ")
	if !found || !json.Valid([]byte(message)) {
		return parseFailure(syntax("%s", message))
	}
	receivers := w.targets(o, target)
	if len(receivers) == 0 {
		return result{code: codeNoTargets, text: text{key: textNoTargets}, noop: true}
	}
	for _, receiver := range receivers {
		w.playerMessage("tell", w.speaker(o), receiver, message+"\n")
	}
	r := succeed(len(receivers), text{})
	r.fields = map[string]any{"recipient": receivers}
	return r
}

// speaker is the name that a message of this origin has: commands over the
// WebSocket come from "External", in the game's language.
func (w *World) speaker(o origin) string {
	if o.player {
		return w.phrase(textExternal)
	}
	if o.name == "" {
		return w.phrase(textScriptEngine)
	}
	return o.name
}

// targets resolves a selector, or a player's name, to names.
func (w *World) targets(o origin, selector string) []string {
	players := w.script.players()
	switch selector {
	case "@s":
		if o.name == "" {
			return nil
		}
		return []string{o.name}
	case "@a", "@e":
		return players
	case "@p", "@r", "@initiator":
		return players[:1]
	}
	for _, name := range players {
		if name == strings.Trim(selector, `"`) {
			return []string{name}
		}
	}
	return nil
}

// expand replaces selectors in the text of a message by the names of those they
// select, as the game does.
func (w *World) expand(o origin, message string) string {
	if !strings.Contains(message, "@") {
		return message
	}
	var b strings.Builder
	for {
		at := strings.IndexByte(message, '@')
		if at < 0 || at+1 >= len(message) {
			b.WriteString(message)
			return b.String()
		}
		b.WriteString(message[:at])
		length := selectorLength(message[at:])
		if length == 0 {
			b.WriteByte('@')
			message = message[at+1:]
			continue
		}
		b.WriteString(strings.Join(w.targets(o, message[at:at+2]), ", "))
		message = message[at+length:]
	}
}

// selectorLength returns the length of the selector that text begins with, 0 for
// none.
func selectorLength(text string) int {
	if len(text) < 2 || !strings.ContainsRune("aeprs", rune(text[1])) {
		return 0
	}
	if len(text) == 2 {
		return 2
	}
	if text[2] == '[' {
		if end := strings.IndexByte(text, ']'); end > 0 {
			return end + 1
		}
		return 0
	}
	if c := text[2]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' {
		return 0
	}
	return 2
}

// sendMessage is what a script says to a player: it arrives as raw text.
func (w *World) sendMessage(receiver, message string) {
	raw := append([]byte(nil), `{"rawtext":[{"text":`...)
	raw = append(appendString(raw, message), "}]}\n"...)
	w.playerMessage("tell", w.phrase(textScriptEngine), receiver, string(raw))
}
