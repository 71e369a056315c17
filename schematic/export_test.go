package schematic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	mcnbt "github.com/Tnze/go-mc/nbt"
	"github.com/klauspost/compress/gzip"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// placed puts a schematic into a volume, with air where it says nothing.
func placed(tb testing.TB, s *Schematic, reg *block.Registry, target voxel.Pos) (*voxel.Volume, voxel.Box) {
	tb.Helper()
	p := Placement{Target: target}
	v, err := s.Place(reg, p)
	if err != nil {
		tb.Fatal(err)
	}
	box, err := s.Box(p)
	if err != nil {
		tb.Fatal(err)
	}
	air := v.Intern(string(block.Air))
	for q := range box.All() {
		if v.ID(q) == voxel.None {
			v.Set(q, air)
		}
	}
	return v, box
}

// exports are the kinds of files that are written.
func exports(box voxel.Box, origin voxel.Pos) map[string]Export {
	e := Export{
		Box: box, Origin: origin, Name: "A house 🏠 näme", Author: "somebody", Limits: corpusLimits(), AllowLoss: true,
		Metadata: map[string]string{"Description": "öne\x00two", "A": "first"},
	}
	v3, bedrock := e, e
	v3.Version, bedrock.Format = 3, MCStructure
	return map[string]Export{"sponge 2": e, "sponge 3": v3, "mcstructure": bedrock}
}

func write(tb testing.TB, e Export, reg *block.Registry, v *voxel.Volume) []byte {
	tb.Helper()
	var out bytes.Buffer
	if _, err := e.Write(&out, reg, v); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// roundTripFiles are the cottage and, when they are here, real files of all kinds.
func roundTripFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{"cottage": Cottage()}
	for _, c := range corpusOr(tb) {
		switch c.name {
		case "schem/SandroHc__interieur-exterieur-chunk-project.schem", "schem/osbourn__map.schem",
			"schem/hollow-cube__2x2_chunk_vert.schem", "schem/kaboomserver__noteblock-stage.schem",
			"litematic/SandroHc__mansion.litematic", "mcstructure/Schem-at__16-bit_divider.mcstructure",
			"nbt/YUNG-GANG__puzzle_big_6_5.nbt", "schematic/SandroHc__12727.schematic":
			files[c.name] = c.read(tb)
		}
	}
	return files
}

func TestExportImportExportIsByteIdentical(t *testing.T) {
	reg := registry(t)
	for name, data := range roundTripFiles(t) {
		v, box := placed(t, open(t, data), reg, voxel.Pos{X: 10, Y: 60, Z: -20})
		for kind, e := range exports(box, voxel.Pos{X: 3, Y: 64, Z: -7}) {
			t.Run(name+" "+kind, func(t *testing.T) {
				first := write(t, e, reg, v)
				if again := write(t, e, reg, v); !bytes.Equal(first, again) {
					t.Fatal("the same cells gave different bytes")
				}
				s := open(t, first)
				target := e.Origin
				if e.Format == MCStructure { // it has no anchor but its corner
					target = box.Min
				} else if s.Name != e.Name || s.Author != e.Author || fmt.Sprint(s.Metadata) != fmt.Sprint(e.Metadata) {
					t.Errorf("name %q, author %q, metadata %q", s.Name, s.Author, s.Metadata)
				}
				if len(s.Warnings) > 0 {
					t.Errorf("warnings: %q", s.Warnings)
				}
				back, backBox := placed(t, s, reg, target)
				if backBox != box {
					t.Fatalf("the box came back as %v instead of %v", backBox, box)
				}
				if second := write(t, e, reg, back); !bytes.Equal(first, second) {
					t.Errorf("the second export differs: %d and %d bytes", len(first), len(second))
				}
				if e.Format == MCStructure {
					sameCells(t, back, v)
				}
			})
		}
	}
}

// goMC is a Sponge schematic of version 2 as go-mc decodes it.
type goMC struct {
	Version, DataVersion  int32
	Width, Height, Length int16
	Offset                []int32
	PaletteMax            int32
	Palette               map[string]int32
	BlockData             []byte
	BlockEntities         []mcnbt.RawMessage
	Entities              []mcnbt.RawMessage
	Metadata              map[string]any
}

func TestGoMCReadsWhatIsWritten(t *testing.T) {
	reg := registry(t)
	v, box := placed(t, open(t, Cottage()), reg, voxel.Pos{})
	e := Export{Box: box, Origin: voxel.Pos{}, Name: "x", Limits: plan.DefaultLimits(), Date: 1700000000000}
	z, err := gzip.NewReader(bytes.NewReader(write(t, e, reg, v)))
	if err != nil {
		t.Fatal(err)
	}
	var got goMC
	d := mcnbt.NewDecoder(z)
	d.DisallowUnknownFields()
	if name, err := d.Decode(&got); err != nil || name != "Schematic" {
		t.Fatalf("%q %v", name, err)
	}
	if got.Version != 2 || got.DataVersion != oldestExport || got.Width != 13 || got.Height != 10 || got.Length != 11 ||
		fmt.Sprint(got.Offset) != "[-6 -1 -10]" || int(got.PaletteMax) != len(got.Palette) || len(got.BlockData) != 1430 ||
		len(got.BlockEntities)+len(got.Entities) != 0 || got.Metadata["Date"] != int64(1700000000000) || got.Metadata["Author"] != "groundplan" {
		t.Errorf("%+v", got)
	}
	states := make([]string, len(got.Palette))
	for state, i := range got.Palette {
		states[i] = state
	}
	i := 0
	for p := range box.All() {
		want, _ := v.At(p)
		if java := reg.Translate(states[got.BlockData[i]]); string(java.State) != want {
			t.Fatalf("at %v: %s, wanted %s", p, states[got.BlockData[i]], want)
		}
		i++
	}
}

func TestExportsSayTheOldestGameThatHasTheirBlocks(t *testing.T) {
	for state, want := range map[string]int{
		"minecraft:stone": 3955, "minecraft:pale_oak_log[axis=y]": 4080, "minecraft:resin_block": 4189, "minecraft:bush": 4325,
		"minecraft:dried_ghast[facing=north]": 4435, "minecraft:iron_chain[axis=y]": 4554, "minecraft:golden_dandelion": 4786, "minecraft:sulfur": 4903,
	} {
		if got, err := exportVersion([]string{"minecraft:dirt", state}); err != nil || got != want {
			t.Errorf("%s: %d instead of %d: %v", state, got, want, err)
		}
	}
}

func TestExportsThatWouldLoseSomethingNameIt(t *testing.T) {
	reg := registry(t)
	v := voxel.NewVolume()
	box := voxel.Box{Max: voxel.Pos{X: 1}}
	v.Put(voxel.Pos{}, "minecraft:stone")
	e := Export{Box: box, Name: "x", Limits: plan.DefaultLimits()}
	var out bytes.Buffer
	try := func(want fault.Code, mention string) Losses {
		t.Helper()
		out.Reset()
		l, err := e.Write(&out, reg, v)
		if fault.CodeOf(err) != want || err != nil && (!strings.Contains(err.Error(), mention) || out.Len() > 0) {
			t.Errorf("%q with %d bytes: %v", fault.CodeOf(err), out.Len(), err)
		}
		return l
	}
	try(fault.ChunkNotLoaded, "1,0,0")
	v.Put(voxel.Pos{X: 1}, "minecraft:info_update")
	try(fault.UnsupportedBlock, "minecraft:info_update")
	e.BlockEntities = []plan.BlockEntity{{Pos: voxel.Pos{X: 1}, Kind: "chest", Full: true}}
	try(fault.UnsupportedBlockEntity, "chest at 1,0,0")
	e.Entities = map[string]int{"minecraft:cow": 2, "minecraft:cat": 1}
	try(fault.UnsupportedEntity, "minecraft:cat, minecraft:cow")
	e.AllowLoss = true
	if l := try("", ""); l.BlockEntities != 1 || l.Entities != 3 || fmt.Sprint(l.States) != "[minecraft:info_update]" {
		t.Errorf("%+v", l)
	}
	s := open(t, out.Bytes())
	if state, _ := s.At(voxel.Pos{X: 1}); state != "minecraft:air" {
		t.Errorf("what Java does not have became %s", state)
	}
}

func TestExportsThatAreNoneAreRefused(t *testing.T) {
	good := Export{Name: "x", Limits: plan.DefaultLimits()}
	for name, change := range map[string]func(*Export){
		"no name":              func(e *Export) { e.Name = "" },
		"a blank name":         func(e *Export) { e.Name = "  " },
		"a control character":  func(e *Export) { e.Name = "a\nb" },
		"a name of 65":         func(e *Export) { e.Name = strings.Repeat("ä", 65) },
		"a format":             func(e *Export) { e.Format = Litematica },
		"a version":            func(e *Export) { e.Version = 1 },
		"a box upside down":    func(e *Export) { e.Box.Max.Y = -1 },
		"a far origin":         func(e *Export) { e.Origin.X = 1 << 40 },
		"a long edge":          func(e *Export) { e.Box.Max.X = 70000 },
		"a key of ours":        func(e *Export) { e.Metadata = map[string]string{"Name": "y"} },
		"a long metadata text": func(e *Export) { e.Metadata = map[string]string{"x": strings.Repeat("a", 1<<15)} },
	} {
		e := good
		change(&e)
		if _, err := e.Write(&bytes.Buffer{}, registry(t), voxel.NewVolume()); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := good
	e.Box.Max = voxel.Pos{X: 999, Y: 99, Z: 999}
	if _, err := e.Write(&bytes.Buffer{}, registry(t), voxel.NewVolume()); fault.CodeOf(err) != fault.BudgetExceeded {
		t.Errorf("too many cells: %v", err)
	}
}

// TestInteropFiles writes what interop/check.mjs reads with another project's
// reader: exports, and beside each the cells that it must find.
func TestInteropFiles(t *testing.T) {
	dir := os.Getenv("GROUNDPLAN_INTEROP_DIR")
	if dir == "" {
		t.Skip("GROUNDPLAN_INTEROP_DIR is not set; interop/run sets it")
	}
	reg := registry(t)
	for name, data := range roundTripFiles(t) {
		v, box := placed(t, open(t, data), reg, voxel.Pos{})
		size := box.Size()
		e := exports(box, voxel.Pos{})["sponge 2"]
		file := write(t, e, reg, v)
		states, cells := map[string]int{}, make([]int, 0, box.Volume())
		var palette []string
		for p := range box.All() {
			text, _ := v.At(p)
			java, ok := reg.JavaAt(block.State(text), func(dx, dy, dz int) block.State {
				neighbour, _ := v.At(p.Add(voxel.Pos{X: dx, Y: dy, Z: dz}))
				return block.State(neighbour)
			})
			if !ok {
				java = string(block.Air)
			}
			i, ok := states[java]
			if !ok {
				i = len(palette)
				states[java] = i
				palette = append(palette, java)
			}
			cells = append(cells, i)
		}
		want, err := json.Marshal(map[string]any{
			"size": size, "offset": box.Min, "palette": palette, "cells": cells,
		})
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		for path, content := range map[string][]byte{base + ".schem": file, base + ".json": want} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
