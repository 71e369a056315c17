package schematic

import (
	"bytes"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/schematic/nbt"
)

func TestStrictAcceptsOnlyWhatThePrototypeAccepted(t *testing.T) {
	strict := Options{Strict: true, Limits: plan.PrototypeLimits()}
	file := func(changes ...namedTag) []byte { return pack(t, encode(t, v2(changes...), "Schematic")) }
	good := encode(t, v2(), "Schematic")
	for name, data := range map[string][]byte{
		"the plain file":          file(),
		"a root without a name":   pack(t, encode(t, v2(), "")),
		"no PaletteMax":           file(namedTag{"PaletteMax", nil}),
		"a larger PaletteMax":     file(namedTag{"PaletteMax", int32(4096)}),
		"no Offset":               file(namedTag{"Offset", nil}),
		"no lists and metadata":   file(namedTag{"Entities", nil}, namedTag{"BlockEntities", nil}, namedTag{"Metadata", nil}),
		"an empty list of mods":   file(namedTag{"Metadata", compound{{"RequiredMods", lie{nbt.List, "\x08" + u32(0)}}}}),
		"metadata of any kind":    file(namedTag{"Metadata", compound{{"Date", int64(1)}, {"x", compound{{"y", "z"}}}}}),
		"an unused palette entry": file(namedTag{"BlockData", []byte{0, 0, 0, 0}}),
	} {
		if _, err := strict.Open(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	entity := compound{{"Id", "minecraft:cow"}}
	for name, data := range map[string][]byte{
		"no compression":         good,
		"zlib":                   zipped(t, good),
		"bytes after the NBT":    pack(t, append(bytes.Clone(good), 0)),
		"bytes after the gzip":   append(pack(t, good), 0),
		"another name":           pack(t, encode(t, v2(), "schematic")),
		"version 1":              file(namedTag{"Version", int32(1)}),
		"version 3":              file(namedTag{"Version", int32(3)}),
		"no version":             file(namedTag{"Version", nil}),
		"no DataVersion":         file(namedTag{"DataVersion", nil}),
		"a newer DataVersion":    file(namedTag{"DataVersion", int32(DataVersion + 1)}),
		"a DataVersion below 0":  file(namedTag{"DataVersion", int32(-1)}),
		"an unknown field":       file(namedTag{"Colour", "red"}),
		"biomes":                 file(namedTag{"BiomePalette", compound{}}),
		"the old name of a list": file(namedTag{"TileEntities", none}),
		"a block entity":         file(namedTag{"BlockEntities", []compoundMap{{"Id": "x"}}}),
		"an entity":              file(namedTag{"Entities", []compoundMap{{"Id": "x"}}}),
		"mods":                   file(namedTag{"Metadata", compound{{"RequiredMods", []string{"create"}}}}),
		"mods that are a string": file(namedTag{"Metadata", compound{{"RequiredMods", "create"}}}),
		"a name of 65":           file(namedTag{"Metadata", compound{{"Name", strings.Repeat("a", 65)}}}),
		"a blank name":           file(namedTag{"Metadata", compound{{"Name", " "}}}),
		"edges in ints":          file(namedTag{"Width", int32(2)}),
		"a version in a short":   file(namedTag{"Version", int16(2)}),
		"an index in a short":    file(namedTag{"Palette", compound{{"minecraft:stone", int16(0)}, {"minecraft:dirt", int16(1)}}}),
		"a PaletteMax of 1":      file(namedTag{"PaletteMax", int32(1)}),
		"a PaletteMax of 5000":   file(namedTag{"PaletteMax", int32(5000)}),
		"a hole in the palette":  file(namedTag{"Palette", compound{{"minecraft:stone", int32(0)}, {"minecraft:dirt", int32(1)}, {"minecraft:sand", int32(3)}}}, namedTag{"PaletteMax", int32(4)}),
		"an overlong varint":     file(namedTag{"BlockData", []byte{0, 1, 0x81, 0, 0}}),
		"17 levels":              file(namedTag{"Metadata", compound{{"x", nested(16)}}}),
		"20001 values":           file(namedTag{"Metadata", compound{{"x", flood(20001)}}}),
		"a string of 4097":       file(namedTag{"Metadata", compound{{"x", strings.Repeat("a", 4097)}}}),
		"a name twice, deep":     file(namedTag{"Metadata", compound{{"x", compound{{"y", int8(1)}, {"y", int8(1)}}}}}),
		"a name twice":           pack(t, encode(t, append(v2(), namedTag{"Version", int32(2)}), "Schematic")),
		"a wrapped file":         pack(t, encode(t, compound{{"Schematic", v2()}}, "")),
		"more than 4096 cells":   (&sketch{size: pos(17, 16, 16)}).file(t, 2, "x", pos(0, 0, 0)),
		"another format":         pack(t, encode(t, hostileOthers()["Litematica: an index outside"], "")),
		"an entity in the list":  file(namedTag{"Entities", list{byte(nbt.Compound), marshalers(entity)}}),
	} {
		s, err := strict.Open(bytes.NewReader(data))
		if code := fault.CodeOf(err); code != fault.UnsupportedFormat && code != fault.BudgetExceeded {
			t.Errorf("%s: %+v %q %v", name, s, code, err)
		}
	}
}

func TestAStrictFileMayNotEvenNameAnUnknownState(t *testing.T) {
	file := pack(t, encode(t, v2(namedTag{"Palette", compound{{"minecraft:stone", int32(0)}, {"mod:gear", int32(1)}}}, namedTag{"BlockData", []byte{0, 0, 0, 0}}), "Schematic"))
	l := library(t)
	if _, err := l.Put("x", bytes.NewReader(file), false); err != nil {
		t.Fatal(err)
	}
	easy, _, err := l.Open("x", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	strict, _, err := l.Open("x", 0, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := easy.Place(registry(t), Placement{Strict: true}); err != nil {
		t.Error(err)
	}
	if _, err := strict.Place(registry(t), Placement{}); fault.CodeOf(err) != fault.UnsupportedBlock {
		t.Error(err)
	}
}

// compoundMap is a compound for go-mc's own lists.
type compoundMap map[string]string
