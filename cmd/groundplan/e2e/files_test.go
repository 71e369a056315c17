package e2e

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

// cottageFile is a file with an anchor of its own.
var cottageFile = filepath.Join(root, "testdata", "cottage.schem")

// run runs the program over the data of a service, and wants it to succeed.
func (s *service) run(t *testing.T, args ...string) (lines []string) {
	t.Helper()
	stdout, stderr, code := output(t, append(args, "--data", s.Data)...)
	if code != 0 {
		t.Fatalf("%v: exit code %d, %s", args, code, stderr)
	}
	return strings.Split(strings.TrimSpace(stdout), "\n")
}

// fromJSON reads a line that the program printed.
func fromJSON[T any](t *testing.T, line string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("%v in %s", err, tail(line))
	}
	return v
}

func TestImportPlacesTheFileAsItsFlagsSay(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	call[any](t, s, "mapping_put", object{"name": "castle", "mapping": object{"oak_log": "gold_block", "bricks": "deepslate"}})
	file := filepath.Join(t.TempDir(), "mapping.json")
	if err := os.WriteFile(file, []byte(`{"oak_log[axis=x]":"polished_andesite","white_terracotta":"keep"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(t, "import", cottageFile, "--at=100,-60,100", "--anchor=ground", "--rotation=90", "--mirror=x", "--skip-air", "--yes",
		"--mapping-name=castle", "--mapping", file, "--map", "oak_log[axis=z]=sandstone", "--map", "dark_oak_stairs=diamond_block")

	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	f, err := schematic.Open(bytes.NewReader(schematic.Cottage()), plan.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := f.Place(registry, schematic.Placement{
		Target: voxel.Pos{X: 100, Y: -60, Z: 100}, Anchor: schematic.AnchorCorner, Rotation: 90, Mirror: schematic.MirrorX, SkipAir: true,
		Mapping: schematic.Mapping{
			"oak_log": "gold_block", "bricks": "deepslate", "oak_log[axis=x]": "polished_andesite", "white_terracotta": "keep",
			"oak_log[axis=z]": "sandstone", "dark_oak_stairs": "diamond_block",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := wanted.Counts()
	if counts["minecraft:gold_block"] == 0 || counts["minecraft:polished_andesite"] == 0 || counts["minecraft:diamond_block"] == 0 {
		t.Fatalf("the mappings do not meet: %v", counts)
	}
	bounds, _ := wanted.Bounds()
	got := s.cells(t, pos{bounds.Min.X, bounds.Min.Y, bounds.Min.Z}, pos{bounds.Max.X, bounds.Max.Y, bounds.Max.Z})
	for p := range bounds.All() {
		want, some := wanted.At(p)
		if !some {
			want = string(block.Air) // what the world has there, above its ground
		}
		if have := got[pos{p.X, p.Y, p.Z}]; !registry.Same(block.State(have), block.State(want)) {
			t.Errorf("%v is %s, want %s", p, have, want)
		}
	}
	s.stop(t)
}

func TestImportWithoutYesOnlyPlans(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	defer untouched(t, s)()
	for _, flags := range [][]string{nil, {"--dry-run"}, {"--replace=air", "--replace=stone[*]"}} {
		lines := s.run(t, append([]string{"import", cottageFile, "--at=0,-60,0", "--report"}, flags...)...)
		if len(lines) != 2 {
			t.Fatalf("%d lines, want the report and the plan: %q", len(lines), lines)
		}
		report, plan := fromJSON[schematic.Report](t, lines[0]), fromJSON[planned](t, lines[1])
		if report.Cells != 1430 || plan.Changed == 0 || plan.Changed > report.Cells {
			t.Errorf("%v: %d cells, %d changed", flags, report.Cells, plan.Changed)
		}
	}
	same := filepath.Join(t.TempDir(), "cottage.schem") // another file of the name gets another id
	other, err := os.ReadFile(cottageFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(same, append(other, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(t, "import", same, "--at=0,-60,0")
	list := call[struct {
		Assets []struct {
			ID string `json:"assetId"`
		} `json:"assets"`
	}](t, s, "asset_list", nil)
	if len(list.Assets) != 2 || list.Assets[0].ID != "cottage" || !strings.HasPrefix(list.Assets[1].ID, "cottage-") {
		t.Errorf("%+v", list.Assets)
	}
}

func TestFileCommandsRefuseWithOneSentence(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	defer untouched(t, s)()
	at := "--at=0,-60,0"
	missing := filepath.Join(t.TempDir(), "missing")
	broken := filepath.Join(t.TempDir(), "broken.schem")
	if err := os.WriteFile(broken, []byte("{}{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no such file":       {[]string{"import", missing, at}, 1, "no such file"},
		"no place":           {[]string{"import", cottageFile}, 2, "--at"},
		"half a place":       {[]string{"import", cottageFile, "--at=1,2"}, 2, "X,Y,Z"},
		"no such anchor":     {[]string{"import", cottageFile, at, "--anchor=roof"}, 2, "ground"},
		"no such mirror":     {[]string{"import", cottageFile, at, "--mirror=y"}, 2, "--mirror"},
		"an odd angle":       {[]string{"import", cottageFile, at, "--rotation=45"}, 2, "270"},
		"yes and no":         {[]string{"import", cottageFile, at, "--yes", "--dry-run"}, 2, "together"},
		"no mapping":         {[]string{"import", cottageFile, at, "--mapping-name=none"}, 1, "no mapping none"},
		"no mapping file":    {[]string{"import", cottageFile, at, "--mapping", missing}, 2, "no such file"},
		"not a mapping":      {[]string{"import", cottageFile, at, "--mapping", broken}, 1, "not a JSON object of texts"},
		"not a pair":         {[]string{"import", cottageFile, at, "--map=oak_log[axis=x]"}, 2, "PATTERN=STATE"},
		"an unknown state":   {[]string{"import", cottageFile, at, "--map=oak_log=stoone"}, 1, "stoone"},
		"a bad pattern":      {[]string{"import", cottageFile, at, "--replace=["}, 1, "malformed"},
		"a broken file":      {[]string{"import", broken, at}, 1, "JSON"},
		"outside":            {[]string{"import", cottageFile, "--at=4000,0,0"}, 1, "outside the project's region"},
		"no such project":    {[]string{"import", cottageFile, at, "--project=none"}, 1, "project"},
		"strict":             {[]string{"import", broken, at, "--strict"}, 1, "JSON"},
		"inspect: missing":   {[]string{"inspect", missing, "--json"}, 1, "no such file"},
		"inspect: a folder":  {[]string{"inspect", root, "--json"}, 1, "directory"},
		"inspect: a mapping": {[]string{"inspect", cottageFile, "--json", "--map=oak_log=stoone"}, 1, "stoone"},
		"export: a folder":   {[]string{"export", filepath.Join(missing, "x.schem"), "--min=0,-60,0", "--max=1,-60,1"}, 1, "no such file"},
		"export: inverted":   {[]string{"export", missing, "--min=1,-60,0", "--max=0,-60,1"}, 1, "min must not be above max"},
		"export: outside":    {[]string{"export", missing, "--min=0,-60,0", "--max=0,-60,999"}, 1, "region"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := output(t, append(c.args, "--data", s.Data)...)
			line, rest, _ := strings.Cut(stderr, "\n")
			if code != c.code || stdout != "" || !strings.HasPrefix(line, "groundplan: ") || !strings.Contains(line, c.says) || code == 1 && rest != "" {
				t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
			}
		})
	}
	if files, err := filepath.Glob(missing + "*"); err != nil || len(files) > 0 {
		t.Errorf("%v was left behind, %v", files, err)
	}
}

func TestExportWritesWhatImportBringsBack(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	s.run(t, "import", cottageFile, "--at=20,-60,20", "--yes")
	dir := t.TempDir()
	region := []string{"--min=14,-61,10", "--max=26,-52,20"}
	for _, name := range []string{"house.schem", "house.mcstructure"} {
		file := filepath.Join(dir, name)
		export := append([]string{"export", file, "--allow-loss"}, region...)
		dry := fromJSON[schematic.Asset](t, s.run(t, append(export, "--dry-run")...)[0])
		if _, err := os.Stat(file); err == nil {
			t.Error("--dry-run wrote the file")
		}
		lines := s.run(t, append(export, "--report")...)
		report, asset := fromJSON[schematic.Report](t, lines[0]), fromJSON[schematic.Asset](t, lines[1])
		if dry.SHA256 != asset.SHA256 || report.Cells != 1430 || string(report.Format) != string(asset.Format) {
			t.Errorf("%+v, %+v, %+v", dry, report, asset)
		}
		first, err := os.ReadFile(file)
		if err != nil || len(first) != asset.Bytes {
			t.Fatalf("%d bytes of %d, %v", len(first), asset.Bytes, err)
		}
		s.run(t, "import", file, "--at=100,-61,100", "--anchor=corner", "--yes")
		again := filepath.Join(t.TempDir(), name) // the name is in the file
		s.run(t, "export", again, "--allow-loss", "--min=100,-61,100", "--max=112,-52,110")
		second, err := os.ReadFile(again)
		if err != nil {
			t.Fatal(err)
		}
		if asset.Format == schematic.MCStructure { // has its place in the world
			first = bytes.Replace(first, origin(14, -61, 10), origin(100, -61, 100), 1)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%s: export, import and export give other bytes", name)
		}
	}
	meta := filepath.Join(dir, "meta.schem")
	s.run(t, append([]string{
		"export", meta, "--allow-loss", "--version=3", "--name=A house", "--author=me", "--origin=20,-60,20", "--metadata", "from=here, there", "--date=1700000000000",
	}, region...)...)
	report := fromJSON[schematic.Report](t, s.run(t, "inspect", meta, "--json")[0])
	if report.Version != 3 || report.Name != "A house" || report.Author != "me" || report.Offset != (voxel.Pos{X: -6, Y: -1, Z: -10}) {
		t.Errorf("%+v", report)
	}
	s.stop(t)
}

// origin is how a .mcstructure has its place.
func origin(x, y, z int32) (out []byte) {
	for _, n := range []int32{x, y, z} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	return out
}

// inspect --json is the one interface of the program that other programs read
// without a service.
func TestInspectPrintsTheReportAsOneObject(t *testing.T) {
	stdout, stderr, code := output(t, "inspect", cottageFile, "--json", "--map", "oak_log=keep")
	if code != 0 || stderr != "" || strings.Count(stdout, "\n") != 1 {
		t.Fatalf("exit code %d, %q, %q", code, stdout, stderr)
	}
	report := fromJSON[map[string]any](t, stdout)
	for _, key := range []string{
		"format", "version", "data_version", "width", "height", "length", "cells", "palette", "cells_by_quality", "block_entities", "entities", "biomes", "warnings",
	} {
		if report[key] == nil {
			t.Errorf("%s is missing", key)
		}
	}
	total := 0.0
	for _, entry := range report["palette"].([]any) {
		fields := entry.(map[string]any)
		if keys := slices.Sorted(maps.Keys(fields)); !slices.Equal(keys, []string{"bedrock", "count", "java", "note", "quality"}) {
			t.Errorf("an entry of the palette has %v", keys)
		}
		total += fields["count"].(float64)
		if strings.HasPrefix(fields["java"].(string), "minecraft:oak_log") && fields["bedrock"] != "" {
			t.Errorf("the mapping does not count: %v", fields)
		}
	}
	for _, cells := range report["cells_by_quality"].(map[string]any) {
		total -= cells.(float64)
	}
	if total != 0 {
		t.Errorf("the palette and cells_by_quality differ by %v cells", total)
	}
}

// TestAnImportThatIsInterruptedSaysWhatBecomesOfIt: the program that asks for an
// import is not the one that carries it out.
func TestAnImportThatIsInterruptedSaysWhatBecomesOfIt(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, "--world", "embedded")
	noise := filepath.Join(t.TempDir(), "noise.schem")
	writeNoise(t, noise)
	interrupted := func(at string, disturb func(*exec.Cmd)) string {
		cmd := exec.CommandContext(t.Context(), program, "import", noise, "--at="+at, "--yes", "--data", dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s.awaitNewest(t, func(op operation) bool { return op.Written > 0 && op.Status == "applying" })
		disturb(cmd)
		if err := cmd.Wait(); err == nil {
			t.Error("the program succeeded")
		}
		noTrace(t, stderr.String())
		if !strings.Contains(stderr.String(), "goes on without this program") {
			t.Errorf("%q", stderr.String())
		}
		return stderr.String()
	}
	interrupted("0,0,0", func(cmd *exec.Cmd) {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Error(err)
		}
	})
	op := s.awaitNewest(t, func(op operation) bool { return op.Status == "applied" })
	if op.Written != op.Total {
		t.Errorf("%+v", op)
	}
	interrupted("100,0,0", func(*exec.Cmd) { s.kill(t) })
	again := start(t, dir, "--world", "embedded")
	if _, stderr, code := output(t, "import", noise, "--at=0,100,0", "--yes", "--data", dir); code != 1 || !strings.Contains(stderr, "recovery") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if lines := again.run(t, "recovery", "list"); len(lines) != 1 || !strings.Contains(lines[0], "32768") {
		t.Errorf("%q", lines)
	}
	again.stop(t)
}

func TestProgressIsDrawnOnATerminalOnly(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("no script on this machine, which gives a program a terminal")
	}
	s := start(t, t.TempDir(), "--world", "embedded")
	line := strings.Join([]string{program, "import", cottageFile, "--at=0,-60,0", "--yes", "--data", s.Data}, " ")
	drawn, err := exec.CommandContext(t.Context(), "script", "-qec", line, os.DevNull).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"uploading", "planning", "writing", `"status":"applied"`} {
		if !bytes.Contains(drawn, []byte(step)) {
			t.Errorf("no %s in %q", step, drawn)
		}
	}
	_, stderr, _ := output(t, "import", cottageFile, "--at=0,-60,0", "--yes", "--data", s.Data)
	if stderr != "" {
		t.Errorf("without a terminal: %q", stderr)
	}
	s.stop(t)
}

// awaitNewest polls the newest operation until done says so.
func (s *service) awaitNewest(t *testing.T, done func(operation) bool) operation {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		list := call[struct {
			Operations []operation `json:"operations"`
		}](t, s, "operation_list", nil)
		if len(list.Operations) > 0 && done(list.Operations[0]) {
			return list.Operations[0]
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute: %+v", list.Operations)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// writeNoise writes a file of 32×32×32 cells, nearly each of which is a command of its
// own.
func writeNoise(t *testing.T, name string) {
	t.Helper()
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	v := voxel.NewVolume()
	box := voxel.Box{Max: voxel.Pos{X: 31, Y: 31, Z: 31}}
	for p := range box.All() {
		v.Put(p, eight[(p.X*7+p.Y*13+p.Z*29+p.X*p.Y*p.Z)%len(eight)])
	}
	var out bytes.Buffer
	if _, err := (schematic.Export{Box: box, Name: "noise", Limits: plan.DefaultLimits()}).Write(&out, registry, v); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
