package embedded

import "fmt"

// text is a message of the game, in no language yet.
type text struct {
	key  string
	args []any
}

// The messages, by their English template (en_US.lang of the game).
const (
	textSyntax           = "Syntax error: %s"
	textSet              = "Block placed"
	textSetNoChange      = "The block couldn't be placed"
	textSetOutside       = "Cannot place block outside of the world"
	textFilled           = "%d blocks filled"
	textFillNone         = "No blocks filled"
	textFillTooMany      = "Too many blocks in the specified area (%d > %d)"
	textFillOutside      = "Cannot place blocks outside of the world"
	textTestFound        = "Successfully found the block at %d,%d,%d."
	textTestDiffers      = "The block at %d,%d,%d is %s (expected: %s)."
	textTestOutside      = "Cannot test for block outside of the world"
	textTestPassed       = "Test passed"
	textTestFailed       = "Test failed"
	textAccessOutside    = "Cannot access blocks outside of the world"
	textCompared         = "%d blocks compared"
	textCompareDiffers   = "Source and destination are not identical"
	textCompareTooMany   = "Too many blocks in the specified area (%d > %d)"
	textCloned           = "%d blocks cloned"
	textCloneNone        = "No blocks cloned"
	textCloneOverlap     = "Source and destination can not overlap"
	textCloneSource      = "Source volume is not loaded"
	textCloneDestination = "Destination volume is not loaded"
	textStructureSaved   = "Saved structure with the name %s"
	textStructureLoaded  = "Loaded structure with the name %s"
	textStructureDeleted = "Deleted the structure %s"
	textStructureMissing = "Structure named %s does not exist"
	textStructureBig     = "Structure is too big, the limit is (%d, %d, %d)"
	textStructureQueued  = "A placement request has been queued for the structure"
	textAreaAdded        = "Added ticking area"
	textAreaRemoved      = "Removed ticking area(s)"
	textAreaNone         = "No ticking areas exist in the specified region"
	textAreaBig          = "Ticking area contains more than %d chunks. Ticking area is too large and cannot be created."
	textAreaRadius       = "Radius cannot be larger than %d, ticking area is too large."
	textAreaFull         = "Max number of ticking areas (%d) has already been reached. Cannot add more ticking areas."
	textAreaTaken        = "A ticking area with the name %s already exists."
	textHelp             = "--- Showing help page 1 of 1 (/help <page>) ---"
	textScriptEvent      = "Script event has been sent"
	textScriptEventLong  = "Message length exceeds (%d) character limit!"
	textNoTargets        = "No targets matched selector"
	textList             = "There are %d/%d players online:\n%s"
	textVerbatim         = "%s" // of a script, which speaks for itself
	textTooMany          = "Too many commands have been requested, wait for one to be done"
	textFound            = "Found %s"
	textFunction         = "Successfully executed %d function entries"
	textExternal         = "External"
	textScriptEngine     = "Script Engine"
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
