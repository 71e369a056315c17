package schematic

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"groundplan/plan/block"
)

//go:embed oldstates.txt.gz
var oldStatesFile []byte

// oldStates maps states of Bedrock that the game does not have any more to the
// states of Java that they were.
type oldStates map[string]string

// readOldStates reads the embedded table.
func readOldStates() (oldStates, error) {
	z, err := gzip.NewReader(bytes.NewReader(oldStatesFile))
	if err != nil {
		return nil, fmt.Errorf("the table of old states is broken: %w", err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("the table of old states is broken: %w", err)
	}
	table := oldStates{}
	for line := range strings.Lines(string(text)) {
		old, java, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		table[old] = java
	}
	return table, nil
}

// bedrockTranslator translates the states of a Bedrock structure, which are as old
// as the game that wrote it.
type bedrockTranslator struct {
	reg *block.Registry
	old oldStates // read when the first state is not one of today
}

func (b *bedrockTranslator) translate(state string) block.Translation {
	id, properties := split(state)
	if id == "minecraft:structure_void" {
		return block.Translation{Keep: true, Quality: block.Exact}
	}
	dry, wet := properties, false
	if before, ok := strings.CutSuffix(properties, "waterlogged=true"); ok {
		dry, wet = strings.TrimSuffix(before, ","), true
	}
	parsed, err := b.reg.Parse(state)
	if err == nil {
		return block.Translation{State: parsed, Quality: block.Exact}
	}
	java, ok := b.older(id, dry)
	if !ok {
		return block.Translation{Quality: block.Unmapped, Note: err.Error()}
	}
	t := b.reg.Translate(java)
	if wet && t.State != "" {
		t.State = t.State.Wet()
	}
	note := "of an older game; read as " + java
	if t.Note != "" {
		note += "; " + t.Note
	}
	t.Note = note
	return t
}

// older looks a state up in the table; a block without states may have had some.
func (b *bedrockTranslator) older(id, properties string) (string, bool) {
	if b.old == nil {
		table, err := readOldStates()
		if err != nil { // a broken build, which a test would have shown
			table = oldStates{}
		}
		b.old = table
	}
	name := strings.TrimPrefix(id, "minecraft:")
	if properties != "" {
		name += "[" + properties + "]"
	}
	java, ok := b.old[name]
	return java, ok
}
