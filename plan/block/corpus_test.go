package block_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/schematic"
)

// TestPalettesOfRealFilesAreAnsweredAndNearlyAllExact translates every palette of
// the corpus. Vanilla states must all be answered; counted by cell, without air,
// at least 97 of 100 must be exact. What is not is listed by the test.
func TestPalettesOfRealFilesAreAnsweredAndNearlyAllExact(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every file of the corpus")
	}
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no reference material: %v", err)
	}
	r := load(t, block.Profile50)
	limits := plan.DefaultLimits()
	files, states, cells := 0, 0, map[block.Quality]int{}
	losses, unknown := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".tsv") || strings.Contains(path, "synthetic") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		s, err := schematic.Open(f, limits)
		if err != nil {
			return nil // other tests judge which files must be readable
		}
		files++
		for _, e := range s.Report(r, nil).Palette {
			states++
			if e.Bedrock == block.Air {
				continue
			}
			cells[e.Quality] += e.Count
			if e.Quality == block.Unmapped {
				unknown[e.Java] += e.Count
			}
			if e.Quality == block.Approximate {
				losses[e.Note] += e.Count
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := cells[block.Exact] + cells[block.Approximate] + cells[block.Unmapped]
	exact := 100 * float64(cells[block.Exact]) / float64(max(1, total))
	t.Logf("%d files, %d palette entries, %d cells that are not air: %.3f %% exact, %d approximate, %d unknown",
		files, states, total, exact, cells[block.Approximate], cells[block.Unmapped])
	for _, note := range slices.SortedFunc(maps.Keys(losses), func(a, b string) int { return losses[b] - losses[a] }) {
		t.Logf("approximate, %d cells: %s", losses[note], note)
	}
	for _, java := range slices.Sorted(maps.Keys(unknown)) {
		t.Logf("unknown, %d cells: %s", unknown[java], java)
		if strings.HasPrefix(java, "minecraft:") {
			t.Errorf("a vanilla state without an answer: %s", java)
		}
	}
	if files < 80 || exact < 97 {
		t.Errorf("%d files, %.3f %% exact; want 80 files and 97 %%", files, exact)
	}
}
