package embedded

import "fmt"

// text is a message of the game, in no language yet.
type text struct {
	key  string
	args []any
}

// The messages, by their English template (en_US.lang of the game).
const (
	textSyntax          = "Syntax error: %s"
	textSet             = "Block placed"
	textSetNoChange     = "The block couldn't be placed"
	textSetOutside      = "Cannot place block outside of the world"
	textFilled          = "%d blocks filled"
	textFillNone        = "No blocks filled"
	textFillTooMany     = "Too many blocks in the specified area (%d > %d)"
	textFillOutside     = "Cannot place blocks outside of the world"
	textTestFound       = "Successfully found the block at %d,%d,%d."
	textTestDiffers     = "The block at %d,%d,%d is %s (expected: %s)."
	textTestOutside     = "Cannot test for block outside of the world"
	textScriptEvent     = "Script event has been sent"
	textScriptEventLong = "Message length exceeds (%d) character limit!"
	textNoTargets       = "No targets matched selector"
	textList            = "There are %d/%d players online:\n%s"
	textVerbatim        = "%s" // of a script, which speaks for itself
	textExternal        = "External"
	textScriptEngine    = "Script Engine"
)

// translations has the messages in the other languages that the world speaks; a
// message that is missing stays English.
func translations(language string) map[string]string {
	switch language {
	case "de_DE":
		return map[string]string{
			textSyntax:       "Syntaxfehler: %s",
			textSet:          "Block platziert",
			textSetNoChange:  "Der Block konnte nicht platziert werden",
			textFilled:       "%d Blöcke gefüllt",
			textFillNone:     "Keine Blöcke gefüllt",
			textExternal:     "Extern",
			textScriptEngine: "Skript-Engine",
		}
	case "ja_JP":
		return map[string]string{
			textSyntax:       "構文エラー: %s",
			textSet:          "ブロックを配置しました",
			textSetNoChange:  "ブロックを配置できませんでした",
			textFilled:       "%d ブロックを置き換えました",
			textFillNone:     "ブロックを置き換えませんでした",
			textTestDiffers:  "%d,%d,%d のブロックは %s です (予想: %s)",
			textExternal:     "外部",
			textScriptEngine: "スクリプト エンジン",
		}
	default:
		return nil
	}
}

// phrase returns a template in the game's language.
func (w *World) phrase(key string) string {
	if translated, ok := translations(w.options.Language)[key]; ok {
		return translated
	}
	return key
}

// text returns the message of a result in the game's language.
func (w *World) text(r result) string {
	if r.text.key == "" {
		return ""
	}
	return fmt.Sprintf(w.phrase(r.text.key), r.text.args...)
}
