package plan_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

var example = regexp.MustCompile("(?s)```json\n(.*?)```\n\nGives (\\d+) cells")

// documented is the Env of the examples: flat grassland at y 63 and an asset.
func documented(tb testing.TB) plan.Env {
	tb.Helper()
	env := wide(tb)
	env.Ground = func(int, int) (int, bool) { return 63, true }
	env.World = func(b voxel.Box) (*voxel.Volume, error) {
		v := voxel.NewVolume()
		v.Fill(b, v.Intern("minecraft:grass_block"))
		return v, nil
	}
	env.Assets = func(string) (*voxel.Volume, error) {
		v := voxel.NewVolume()
		v.Fill(voxel.Box{Max: at(2, 0, 2)}, v.Intern("minecraft:cobblestone"))
		v.Put(at(1, 0, 1), "minecraft:air")
		return v, nil
	}
	return env
}

func TestExamplesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/RECIPES.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	all := example.FindAllStringSubmatch(string(page), -1)
	if n := strings.Count(string(page), "```json"); n != len(all) {
		t.Errorf("%d examples, %d of them with a number of cells", n, len(all))
	}
	for _, m := range all {
		text := m[1]
		var op struct{ Type string }
		if err := json.Unmarshal([]byte(text), &op); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		seen[op.Type] = true
		if op.Type != "" {
			text = string(recipe(text))
		}
		v, err := plan.Compile([]byte(text), documented(t))
		if err != nil {
			t.Errorf("%v in %s", err, m[1])
			continue
		}
		if want, err := strconv.Atoi(m[2]); err != nil || v.Len() != want {
			t.Errorf("%d cells, the page says %s: %s", v.Len(), m[2], m[1])
		}
	}
	for _, name := range plan.Operations() {
		if !seen[name] {
			t.Errorf("the page has no example of %s", name)
		}
	}
	for _, symbol := range []string{"gravity", "open_fluid", "unsupported", "half", "decay", "melt", "dark"} {
		if !slices.Contains(strings.Split(string(page), "`"), symbol) {
			t.Errorf("the page does not explain the warning %s", symbol)
		}
	}
}
