package e2e

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the pictures of docs anew")

// colours are those of the picture's blocks seen from above.
var colours = map[string][3]int{
	"minecraft:grass_block": {110, 155, 75}, "minecraft:dirt": {134, 96, 67}, "minecraft:stone_bricks": {125, 125, 130},
	"minecraft:oak_planks": {185, 150, 95}, "minecraft:oak_log": {105, 83, 50}, "minecraft:dark_oak_planks": {75, 50, 28},
	"minecraft:glass": {190, 225, 235}, "minecraft:cobblestone": {150, 150, 150}, "minecraft:gravel": {165, 158, 152},
}

// cell is one entry of region_inspect with detail.
type cell struct {
	Pos   pos    `json:"pos"`
	State string `json:"state"`
}

// cells reads every cell of a box, page by page.
func (s *service) cells(t *testing.T, lo, hi pos) map[pos]string {
	t.Helper()
	all := map[pos]string{}
	cursor := ""
	for {
		params := object{"min": lo, "max": hi, "detail": "blocks"}
		if cursor != "" {
			params["cursor"] = cursor
		}
		page := call[struct {
			Blocks []cell `json:"blocks"`
			Next   string `json:"next_cursor"`
		}](t, s, "region_inspect", params)
		for _, c := range page.Blocks {
			all[c.Pos] = c.State
		}
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

// isometric draws cells as an SVG, seen from above, south and east.
func isometric(all map[pos]string) string {
	const w, h = 12, 14 // half the width of a cell's top, and the height of its sides
	solid := func(x, y, z int) bool {
		s := all[pos{x, y, z}]
		return s != "" && s != "minecraft:air"
	}
	list := make([]pos, 0, len(all))
	for p := range all {
		if solid(p.X, p.Y, p.Z) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b pos) int {
		return cmp.Or(cmp.Compare(a.X+a.Y+a.Z, b.X+b.Y+b.Z), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	var faces strings.Builder
	lo, hi := [2]int{1 << 30, 1 << 30}, [2]int{-1 << 30, -1 << 30}
	face := func(colour [3]int, light int, corners ...[2]int) {
		points := make([]string, len(corners))
		for i, c := range corners {
			points[i] = fmt.Sprintf("%d,%d", c[0], c[1])
			for axis := range 2 {
				lo[axis], hi[axis] = min(lo[axis], c[axis]), max(hi[axis], c[axis])
			}
		}
		fmt.Fprintf(&faces, `<path d="M%sz" fill="#%02x%02x%02x"/>`+"\n", strings.Join(points, "L"),
			colour[0]*light/100, colour[1]*light/100, colour[2]*light/100)
	}
	for _, p := range list {
		colour, ok := colours[strings.SplitN(all[p], "[", 2)[0]]
		if !ok {
			colour = [3]int{200, 0, 200}
		}
		x, y := (p.X-p.Z)*w, (p.X+p.Z)*w/2-p.Y*h
		if !solid(p.X, p.Y+1, p.Z) {
			face(colour, 100, [2]int{x, y}, [2]int{x + w, y + w/2}, [2]int{x, y + w}, [2]int{x - w, y + w/2})
		}
		if !solid(p.X, p.Y, p.Z+1) {
			face(colour, 80, [2]int{x - w, y + w/2}, [2]int{x, y + w}, [2]int{x, y + w + h}, [2]int{x - w, y + w/2 + h})
		}
		if !solid(p.X+1, p.Y, p.Z) {
			face(colour, 62, [2]int{x, y + w}, [2]int{x + w, y + w/2}, [2]int{x + w, y + w/2 + h}, [2]int{x, y + w + h})
		}
	}
	const margin = 8
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%d %d %d %d" stroke="#000" stroke-opacity=".15" stroke-width=".5">`+"\n%s</svg>\n",
		lo[0]-margin, lo[1]-margin, hi[0]-lo[0]+2*margin, hi[1]-lo[1]+2*margin, faces.String())
}

// The picture in the README is what the service really builds from the recipe
// beside it. With -update it is drawn anew.
func TestThePictureIsWhatTheServiceBuilds(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "testdata", "recipes", "cottage.json"))
	if err != nil {
		t.Fatal(err)
	}
	var params object
	if err := json.Unmarshal(raw, &params); err != nil {
		t.Fatal(err)
	}
	s := start(t, t.TempDir(), "--world", "embedded")
	plan := call[planned](t, s, "build_prepare", params)
	s.mustApply(t, plan, "picture", plan.Changed)
	got := isometric(s.cells(t, pos{6, -61, 6}, pos{28, -48, 22}))
	file := filepath.Join(root, "docs", "cottage.svg")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the service builds from testdata/recipes/cottage.json; draw it with -update and look at it", file)
	}
	s.stop(t)
}
