package schematic

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// Report is what an import would make of a file: said before anything is placed.
type Report struct {
	Format        Format         `json:"format"`
	Version       int            `json:"version"`
	DataVersion   int            `json:"data_version"`
	GameVersion   string         `json:"game_version"`
	Name          string         `json:"name"`
	Author        string         `json:"author"`
	Width         int            `json:"width"`
	Height        int            `json:"height"`
	Length        int            `json:"length"`
	Offset        voxel.Pos      `json:"offset"`
	Cells         int            `json:"cells"`   // of the box, air and absent ones included
	Palette       []PaletteEntry `json:"palette"` // the commonest first
	ByQuality     map[string]int `json:"cells_by_quality"`
	Materials     map[string]int `json:"materials"` // cells per Bedrock block, without air
	BlockEntities []Kind         `json:"block_entities"`
	Entities      []Kind         `json:"entities"`
	Biomes        []string       `json:"biomes"`
	Warnings      []string       `json:"warnings"`
}

// PaletteEntry is a state of the file and what becomes of it. Bedrock is empty for
// cells that stay as the world has them.
type PaletteEntry struct {
	Java    string        `json:"java"` // the state as the file has it; that of Bedrock in a Bedrock structure
	Bedrock block.State   `json:"bedrock"`
	Quality block.Quality `json:"quality"`
	Count   int           `json:"count"` // cells
	Note    string        `json:"note"`  // what is lost
}

// kept is the key of Report.ByQuality for cells that stay as the world has them.
const kept = "kept"

// Inspect reads a file and returns its report. The cells of a Sponge schematic are
// counted and not kept, so that one with more than Limits.AssetCells has a report,
// too: with a warning that it cannot be imported.
func (o Options) Inspect(src io.Reader, reg *block.Registry, m Mapping) (Report, error) {
	o.count = true
	s, err := o.Open(src)
	if err != nil {
		return Report{}, err
	}
	r := s.Report(reg, m)
	if r.Cells > o.Limits.AssetCells {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the file has %d cells; an import takes at most %d", r.Cells, o.Limits.AssetCells))
	}
	return r, nil
}

// Report says what an import with the mapping would make of the file. Palette
// entries that no cell has are left out.
func (s *Schematic) Report(reg *block.Registry, m Mapping) Report {
	r := Report{
		Format: s.Format, Version: s.Version, DataVersion: s.DataVersion, GameVersion: s.Game,
		Name: s.Name, Author: s.Author, Width: s.Size.X, Height: s.Size.Y, Length: s.Size.Z, Offset: s.Offset,
		Cells: s.cells.n, Palette: []PaletteEntry{},
		ByQuality:     map[string]int{string(block.Exact): 0, string(block.Approximate): 0, string(block.Unmapped): 0, kept: 0},
		Materials:     map[string]int{},
		BlockEntities: append([]Kind{}, s.BlockEntities...), Entities: append([]Kind{}, s.Entities...),
		Biomes: append([]string{}, s.Biomes...), Warnings: append([]string{}, s.Warnings...),
	}
	translations := s.translations(reg, m)
	for i, n := range s.counts() {
		if n == 0 {
			continue
		}
		t := translations[i]
		if t.Keep {
			r.ByQuality[kept] += n
		} else {
			r.ByQuality[string(t.Quality)] += n
		}
		if s.palette[i] != absent {
			r.Palette = append(r.Palette, PaletteEntry{Java: s.palette[i], Bedrock: t.State, Quality: t.Quality, Count: n, Note: t.Note})
		}
		if t.State != "" && t.State != block.Air && t.Quality != block.Unmapped {
			r.Materials[t.State.ID()] += n
		}
	}
	slices.SortFunc(r.Palette, func(a, b PaletteEntry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Java, b.Java))
	})
	r.addLosses()
	return r
}

// Judge warns of states that the policy of a project does not let an import place.
func (r *Report) Judge(policy plan.Policy, reg *block.Registry) {
	denied := map[string]int{}
	for _, e := range r.Palette {
		if e.Bedrock == "" || e.Quality == block.Unmapped {
			continue
		}
		if reason := policy.Refuses(e.Bedrock, reg); reason != "" {
			denied[reason] += e.Count
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(denied)) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: an import is refused because of %d cells, unless a mapping keeps them out", reason, denied[reason]))
	}
}

// addLosses ends the warnings with what an import drops.
func (r *Report) addLosses() {
	for i := range r.BlockEntities {
		if k := &r.BlockEntities[i]; k.Dropped > 0 {
			k.Note = "the block is placed, its contents are not"
		}
	}
	for i := range r.Entities {
		r.Entities[i].Note = "entities are not placed"
	}
	if n := r.ByQuality[string(block.Unmapped)]; n > 0 {
		var names []string
		for _, e := range r.Palette {
			if e.Quality == block.Unmapped && len(names) < 8 {
				names = append(names, e.Java)
			}
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d cells have unknown blocks and stay as the world has them: %s", n, strings.Join(names, ", ")))
	}
	if n := total(r.BlockEntities); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the contents of %d block entities are not placed", n))
	}
	if n := total(r.Entities); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d entities are not placed", n))
	}
	if len(r.Biomes) > 0 {
		r.Warnings = append(r.Warnings, "biomes are not placed")
	}
}

// total counts what is dropped.
func total(kinds []Kind) int {
	n := 0
	for _, k := range kinds {
		n += k.Dropped
	}
	return n
}
