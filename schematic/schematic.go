package schematic

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// Format names a family of files.
type Format string

// The formats.
const (
	Sponge      Format = "sponge"      // .schem: WorldEdit and others since Java 1.13
	MCEdit      Format = "mcedit"      // .schematic: numeric ids, up to Java 1.12
	Litematica  Format = "litematica"  // .litematic
	Structure   Format = "structure"   // .nbt: the game's own, Java
	MCStructure Format = "mcstructure" // .mcstructure: the game's own, Bedrock
)

// Schematic is a box of cells read from a file. It does not change once opened
// and may be shared.
type Schematic struct {
	Format      Format
	Version     int       // of the format
	DataVersion int       // of the Java game that wrote it; 0 when the file does not say
	Game        string    // the version in words, such as 1.21.4; "" when unknown
	Name        string    // from the metadata; "" when there is none
	Author      string    // likewise
	Size        voxel.Pos // cells along each axis; X is the width, Z the length
	Offset      voxel.Pos // from the anchor to the box's lowest corner

	// Metadata has the texts that the file keeps beside Name and Author, by
	// their keys; Export takes them.
	Metadata map[string]string

	// BlockEntities and Entities say, per kind, what the file has beside blocks.
	BlockEntities []Kind
	Entities      []Kind
	Biomes        []string // the biomes that the file names, sorted
	Warnings      []string // sentences about what was ignored or mended

	palette []string // the states as the file has them; absent for a cell it says nothing about
	bedrock bool     // the states are those of Bedrock
	strict  bool     // it was read strictly: Place is strict, too
	cells   cells    // indexes into palette
	counted []int    // cells of each palette entry, when they were only counted
}

// absent is the palette's text of a cell that the file says nothing about.
const absent = ""

// Kind counts block entities or entities of one kind.
type Kind struct {
	Kind    string `json:"kind"`           // its id, such as minecraft:chest
	Count   int    `json:"count"`          // how many the file has
	Kept    int    `json:"kept"`           // of these, the ones that lose nothing
	Dropped int    `json:"dropped"`        // the ones whose data is lost
	Note    string `json:"note,omitempty"` // what is lost
}

// Options say how to read a file.
type Options struct {
	// Strict accepts only what the prototype accepted: gzip, Sponge version 2,
	// no entities, block entities, biomes, required mods or unknown fields, and
	// no DataVersion above that of the service.
	Strict bool
	Limits plan.Limits

	count bool // the cells of a Sponge schematic are counted and not kept
}

// Open reads a file of any format. It fails with unsupported_format when src is
// not a readable schematic and with budget_exceeded when it is over
// Limits.AssetCells, AssetBytes or AssetInflated.
func Open(src io.Reader, limits plan.Limits) (*Schematic, error) {
	return Options{Limits: limits}.Open(src)
}

// Open reads a file as the options say.
func (o Options) Open(src io.Reader) (*Schematic, error) {
	in, err := openSource(src, o.Limits, o.Strict)
	if err != nil {
		return nil, err
	}
	s, err := readDocument(in.reader, o)
	if err != nil {
		return nil, readFault(err, o.Limits)
	}
	warnings, err := in.finish()
	if err != nil {
		return nil, readFault(err, o.Limits)
	}
	if o.Strict && len(warnings) > 0 {
		return nil, readFault(in.reader.Errorf("%s", warnings[0]), o.Limits)
	}
	s.Warnings = append(s.Warnings, warnings...)
	s.strict = o.Strict
	return s, nil
}

// Cells returns the number of cells of the box.
func (s *Schematic) Cells() int { return s.cells.n }

// At returns the state, as the file has it, of the cell at p, counted from the
// box's lowest corner; false for a cell that the file says nothing about.
func (s *Schematic) At(p voxel.Pos) (string, bool) {
	state := s.palette[s.cells.at((p.Y*s.Size.Z+p.Z)*s.Size.X+p.X)]
	return state, state != absent
}

// counts returns how many cells each palette entry has.
func (s *Schematic) counts() []int {
	if s.counted != nil {
		return s.counted
	}
	return s.cells.counts(len(s.palette))
}

// tally collects kinds.
type tally struct {
	index map[string]int
	kinds []Kind
}

// maxKinds bounds how many kinds are told apart; the game has fewer.
const maxKinds = 4096

// add counts one of a kind, by its id as the file has it.
func (t *tally) add(id []byte, kept bool) {
	i, ok := t.index[string(id)]
	if !ok {
		i = t.new(string(id))
	}
	t.kinds[i].Count++
	if kept {
		t.kinds[i].Kept++
	} else {
		t.kinds[i].Dropped++
	}
}

// new returns the place of an id that was not seen before.
func (t *tally) new(id string) int {
	if t.index == nil {
		t.index = map[string]int{}
	}
	name := kindName(id)
	if len(t.kinds) >= maxKinds {
		id, name = "", "others"
		if i, ok := t.index[id]; ok {
			return i
		}
	}
	t.index[id] = len(t.kinds)
	t.kinds = append(t.kinds, Kind{Kind: name})
	return len(t.kinds) - 1
}

// kindName gives ids without a namespace one. Those of old games and of Bedrock,
// such as Chest, have none.
func kindName(id string) string {
	switch {
	case id == "":
		return "unknown"
	case strings.Contains(id, ":") || id[0] >= 'A' && id[0] <= 'Z':
		return id
	default:
		return "minecraft:" + id
	}
}

// sorted returns the kinds, the commonest first.
func (t *tally) sorted() []Kind {
	slices.SortFunc(t.kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind))
	})
	return t.kinds
}
