package schematic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	mcnbt "github.com/Tnze/go-mc/nbt"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// lie is a value whose bytes are written as they are.
type lie struct {
	tag  nbt.Tag
	data string
}

func (l lie) TagType() byte { return byte(l.tag) }

func (l lie) MarshalNBT(w io.Writer) error {
	_, err := io.WriteString(w, l.data)
	return err
}

// u32 is the head of an array.
func u32(n int64) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// encode writes a document.
func encode(tb testing.TB, root any, name string) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := mcnbt.NewEncoder(&out).Encode(root, name); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func pack(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// v2 returns a small Sponge schematic of version 2, 2 by 1 by 2 cells, with some
// fields replaced, added, or, where the value is nil, left out.
func v2(changes ...namedTag) compound {
	c := compound{
		{"Version", int32(2)},
		{"DataVersion", int32(3700)},
		{"Width", int16(2)},
		{"Height", int16(1)},
		{"Length", int16(2)},
		{"Offset", []int32{0, 0, 0}},
		{"PaletteMax", int32(2)},
		{"Palette", compound{{"minecraft:stone", int32(0)}, {"minecraft:dirt", int32(1)}}},
		{"BlockData", []byte{0, 1, 1, 0}},
		{"BlockEntities", none},
		{"Entities", none},
		{"Metadata", compound{{"Name", "x"}}},
	}
	for _, change := range changes {
		found := false
		for i := range c {
			if c[i].name == change.name {
				c[i].value, found = change.value, true
			}
		}
		if !found {
			c = append(c, change)
		}
	}
	var out compound
	for _, f := range c {
		if f.value != nil {
			out = append(out, f)
		}
	}
	return out
}

// nested returns n lists in one another.
func nested(n int) lie {
	return lie{nbt.List, strings.Repeat("\x09\x00\x00\x00\x01", n-1) + "\x00\x00\x00\x00\x00"}
}

// flood returns a list of n compounds without fields.
func flood(n int) lie { return lie{nbt.List, "\x0a" + u32(int64(n)) + strings.Repeat("\x00", n)} }

// hostile returns files that must be refused, by what is wrong with them.
func hostile(tb testing.TB) map[string][]byte {
	tb.Helper()
	good := encode(tb, v2(), "Schematic")
	goodFile := pack(tb, good)
	damaged := bytes.Clone(goodFile)
	damaged[len(damaged)-8] ^= 1
	files := map[string][]byte{
		"an empty file":             {},
		"one byte":                  {0x1f},
		"text":                      []byte("hello, this is no schematic"),
		"JSON":                      []byte(`{"Version":2}`),
		"a zip archive":             []byte("PK\x03\x04 and so on"),
		"a gzip header alone":       goodFile[:10],
		"gzip cut off":              goodFile[:len(goodFile)/2],
		"a wrong gzip checksum":     damaged,
		"gzip of nothing":           pack(tb, nil),
		"zlib cut off":              zipped(tb, good)[:20],
		"NBT cut off":               good[:len(good)/2],
		"a root that is a list":     pack(tb, []byte("\x09\x00\x00\x0a\x00\x00\x00\x00")),
		"a root that is an end":     pack(tb, []byte("\x00\x00\x00\x00\x00\x00")),
		"a root without fields":     pack(tb, []byte("\x0a\x00\x00\x00\x00\x00")),
		"an unknown tag":            pack(tb, []byte("\x0a\x00\x00\x0d\x00\x01x\x00\x00")),
		"tag 255":                   pack(tb, []byte("\x0a\x00\x00\xff\x00\x01x\x00\x00")),
		"a name longer than a file": pack(tb, []byte("\x0a\xff\xff\x03\x00\x01x")),
		"zeros, a gigabyte of them": zeros(tb, "", 1<<30),
		"gzip in gzip":              pack(tb, goodFile),
	}
	for name, root := range hostileSponge() {
		files[name] = pack(tb, encode(tb, root, "Schematic"))
	}
	for name, root := range hostileOthers() {
		files[name] = pack(tb, encode(tb, root, ""))
	}
	for name, value := range map[string]any{
		"Version": "2", "DataVersion": float32(1), "Width": "2", "Height": []byte{1}, "Length": compound{},
		"Offset": "0", "PaletteMax": "1", "Palette": none, "BlockData": []int32{0}, "BlockEntities": compound{},
		"Entities": int32(0), "Metadata": none,
	} {
		files["a wrong type of "+name] = pack(tb, encode(tb, v2(namedTag{name, value}), "Schematic"))
	}
	head := encode(tb, compound{{"Width", int16(2)}}, "Schematic")
	head = head[:len(head)-1]
	files["half a gigabyte of metadata"] = zeros(tb, string(head)+"\x07\x00\x01x"+u32(500<<20), 500<<20)
	files["half a gigabyte of block data"] = zeros(tb, string(head)+"\x07\x00\x09BlockData"+u32(500<<20), 500<<20)
	files["half a gigabyte after the end"] = zeros(tb, string(good), 500<<20)
	return files
}

func zipped(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// zeros packs a text and so many zero bytes, a megabyte at a time: a piece that
// was deflated alone may be repeated. The checksum at the end is wrong.
func zeros(tb testing.TB, head string, n int) []byte {
	tb.Helper()
	deflate := func(data []byte) string {
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestCompression)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			tb.Fatal(err)
		}
		return out.String()
	}
	const header, end = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "\x01\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"
	piece := deflate(make([]byte, 1<<20))
	return []byte(header + deflate([]byte(head)) + strings.Repeat(piece, n>>20) + end)
}

func hostileSponge() map[string]compound {
	field := func(name string, value any) compound { return v2(namedTag{name, value}) }
	data := func(bytes ...byte) compound { return field("BlockData", bytes) }
	edges := func(width, height, length any) compound {
		return v2(namedTag{"Width", width}, namedTag{"Height", height}, namedTag{"Length", length})
	}
	palette := func(entries ...namedTag) compound { return field("Palette", compound(entries)) }
	many := make(compound, 0, 70_000)
	long := make(compound, 0, 20_000)
	for i := range cap(many) {
		many = append(many, namedTag{fmt.Sprint("minecraft:a", i), int32(i)})
	}
	for i := range cap(long) {
		long = append(long, namedTag{fmt.Sprint("minecraft:", strings.Repeat("a", 900), i), int32(i)})
	}
	return map[string]compound{
		"600 nested lists":                  field("x", nested(600)),
		"a million nested lists":            field("x", nested(1_000_000)),
		"600 nested compounds":              field("x", lie{nbt.Compound, strings.Repeat("\x0a\x00\x00", 600) + strings.Repeat("\x00", 601)}),
		"a byte array of -1":                field("x", lie{nbt.ByteArray, u32(-1)}),
		"an int array of -1":                field("x", lie{nbt.IntArray, u32(-1)}),
		"a long array of -2147483648":       field("x", lie{nbt.LongArray, u32(math.MinInt32)}),
		"a byte array of 2147483647":        field("x", lie{nbt.ByteArray, u32(math.MaxInt32)}),
		"an int array of 268435456":         field("x", lie{nbt.IntArray, u32(1 << 28)}),
		"a long array of 134217728":         field("x", lie{nbt.LongArray, u32(1 << 27)}),
		"a list of 67108864 strings":        field("x", lie{nbt.List, "\x08" + u32(1<<26)}),
		"a list of 2147483647 lists":        field("x", lie{nbt.List, "\x09" + u32(math.MaxInt32)}),
		"a list of 5 ends":                  field("x", lie{nbt.List, "\x00" + u32(5)}),
		"a list of -5":                      field("x", lie{nbt.List, "\x03" + u32(-5)}),
		"a list of an unknown type":         field("x", lie{nbt.List, "\x20" + u32(1)}),
		"40 million empty compounds":        field("x", flood(40_000_000)),
		"40 million empty entities":         field("Entities", flood(40_000_000)),
		"block data of 2147483647":          field("BlockData", lie{nbt.ByteArray, u32(math.MaxInt32)}),
		"block entities of 2147483647":      field("BlockEntities", lie{nbt.List, "\x0a" + u32(math.MaxInt32)}),
		"block entities that are numbers":   field("BlockEntities", lie{nbt.List, "\x03" + u32(1) + u32(1)}),
		"the version twice":                 append(v2(), namedTag{"Version", int32(2)}),
		"the palette twice":                 append(v2(), namedTag{"Palette", compound{}}),
		"a state twice":                     palette(namedTag{"minecraft:stone", int32(0)}, namedTag{"minecraft:stone", int32(1)}),
		"an index twice":                    palette(namedTag{"minecraft:stone", int32(0)}, namedTag{"minecraft:dirt", int32(0)}),
		"an index below zero":               palette(namedTag{"minecraft:stone", int32(-1)}),
		"an index of 2147483647":            palette(namedTag{"minecraft:stone", int32(math.MaxInt32)}),
		"an index that is a string":         palette(namedTag{"minecraft:stone", "0"}),
		"an index that is a list":           palette(namedTag{"minecraft:stone", none}),
		"a state without a name":            palette(namedTag{"", int32(0)}),
		"no entry in the palette":           palette(),
		"70000 entries in the palette":      field("Palette", many),
		"18 MB of names in the palette":     field("Palette", long),
		"an index outside the palette":      data(0, 1, 2, 0),
		"an index of two bytes outside":     data(0, 1, 0x80, 0x01, 0),
		"a varint of six bytes":             data(0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0),
		"a varint of minus one":             data(0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0),
		"a varint of 33 bits":               data(0, 1, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
		"a varint that does not end":        data(0, 1, 1, 0x80),
		"too few varints":                   data(0, 1, 1),
		"too many varints":                  data(0, 1, 1, 0, 0),
		"no varints":                        data(),
		"no width":                          field("Width", nil),
		"no height":                         field("Height", nil),
		"no palette":                        field("Palette", nil),
		"no block data":                     field("BlockData", nil),
		"a width of 0":                      edges(int16(0), int16(1), int16(2)),
		"a height of 0":                     edges(int16(2), int16(0), int16(2)),
		"a width below zero in an int":      edges(int32(-2), int16(1), int16(2)),
		"a width of 70000 in an int":        edges(int32(70000), int16(1), int16(2)),
		"edges of 65535":                    edges(int16(-1), int16(-1), int16(-1)),
		"edges in longs that overflow":      edges(int64(1<<33), int64(1<<33), int64(2)),
		"a cube of 1000":                    edges(int16(1000), int16(1000), int16(1000)),
		"an offset of two numbers":          field("Offset", []int32{0, 0}),
		"an offset of a hundred million":    field("Offset", lie{nbt.IntArray, u32(100_000_000)}),
		"version 0":                         field("Version", int32(0)),
		"version 9":                         field("Version", int32(9)),
		"a thousand and one fields":         thousandFields(),
		"a string longer than the file":     field("x", lie{nbt.String, "\xff\xff"}),
		"a name of a field longer than all": field("x", lie{nbt.Compound, "\x03\xff\xff"}),
	}
}

func thousandFields() compound {
	c := v2()
	for i := range 1001 {
		c = append(c, namedTag{fmt.Sprint("x", i), int8(0)})
	}
	return c
}

func hostileOthers() map[string]compound {
	ints := func(n ...int32) numbers { return numbers(n) }
	state := compound{{"Name", "minecraft:stone"}}
	palette := list{mcnbt.TagCompound, []mcnbt.Marshaler{state}}
	xyz := func(x, y, z int32) compound { return compound{{"x", x}, {"y", y}, {"z", z}} }
	lite := func(size compound, longs any) compound {
		return compound{{"MinecraftDataVersion", int32(3700)}, {"Version", int32(6)}, {"Regions", compound{{"r", compound{
			{"Position", xyz(0, 0, 0)}, {"Size", size}, {"BlockStatePalette", palette}, {"BlockStates", longs},
		}}}}}
	}
	far := lite(xyz(1, 1, 1), []int64{0})
	far[2].value = compound{
		{"a", compound{{"Position", xyz(0, 0, 0)}, {"Size", xyz(1, 1, 1)}, {"BlockStatePalette", palette}, {"BlockStates", []int64{0}}}},
		{"b", compound{{"Position", xyz(1<<30, 0, 1<<30)}, {"Size", xyz(1, 1, 1)}, {"BlockStatePalette", palette}, {"BlockStates", []int64{0}}}},
	}
	block := func(state int32, pos any) compound { return compound{{"state", state}, {"pos", pos}} }
	structure := func(size any, b compound) compound {
		return compound{{"size", size}, {"palette", palette}, {"blocks", list{mcnbt.TagCompound, []mcnbt.Marshaler{b}}}}
	}
	bedrock := func(size numbers, layers ...mcnbt.Marshaler) compound {
		return compound{{"format_version", int32(1)}, {"size", size}, {"structure", compound{
			{"block_indices", list{mcnbt.TagList, layers}},
			{"palette", compound{{"default", compound{{"block_palette", list{mcnbt.TagCompound, []mcnbt.Marshaler{
				compound{{"name", "minecraft:stone"}, {"states", compound{}}},
			}}}}}}},
		}}}
	}
	mcedit := func(blocks, data any) compound {
		return compound{{"Width", int16(2)}, {"Height", int16(1)}, {"Length", int16(1)}, {"Blocks", blocks}, {"Data", data}}
	}
	return map[string]compound{
		"Litematica: a size of 0":             lite(xyz(0, 1, 1), []int64{0}),
		"Litematica: a size of -2147483648":   lite(xyz(math.MinInt32, 1, 1), []int64{0}),
		"Litematica: 65535 cells on an edge":  lite(xyz(65535, 65535, -65535), []int64{0}),
		"Litematica: too few longs":           lite(xyz(9, 9, 9), []int64{0}),
		"Litematica: too many longs":          lite(xyz(1, 1, 1), []int64{0, 0}),
		"Litematica: longs that are ints":     lite(xyz(1, 1, 1), []int32{0}),
		"Litematica: 250 million longs":       lite(xyz(1, 1, 1), lie{nbt.LongArray, u32(250_000_000)}),
		"Litematica: an index outside":        lite(xyz(1, 1, 1), []int64{3}),
		"Litematica: no size":                 lite(compound{}, []int64{0}),
		"Litematica: regions far apart":       far,
		"Litematica: regions that are a list": {{"Regions", none}},
		"Litematica: no regions":              {{"Regions", compound{}}},
		"structure: a size of 0":              structure(ints(0, 1, 1), block(0, ints(0, 0, 0))),
		"structure: a size of two numbers":    structure(ints(1, 1), block(0, ints(0, 0, 0))),
		"structure: a block outside":          structure(ints(1, 1, 1), block(0, ints(1, 0, 0))),
		"structure: a block below zero":       structure(ints(1, 1, 1), block(0, ints(0, -1, 0))),
		"structure: a state outside":          structure(ints(1, 1, 1), block(1, ints(0, 0, 0))),
		"structure: a state below zero":       structure(ints(1, 1, 1), block(-1, ints(0, 0, 0))),
		"structure: a place of four numbers":  structure(ints(1, 1, 1), block(0, ints(0, 0, 0, 0))),
		"structure: a cube of 65535":          structure(ints(65535, 65535, 65535), block(0, ints(0, 0, 0))),
		"structure: no palette":               {{"size", ints(1, 1, 1)}, {"blocks", none}},
		"Bedrock: a layer too short":          bedrock(ints(2, 1, 1), ints(0)),
		"Bedrock: no layer":                   bedrock(ints(1, 1, 1)),
		"Bedrock: an index outside":           bedrock(ints(1, 1, 1), ints(1)),
		"Bedrock: an index below minus one":   bedrock(ints(1, 1, 1), ints(-2)),
		"Bedrock: a second layer too long":    bedrock(ints(1, 1, 1), ints(0), ints(0, 0)),
		"Bedrock: a layer of 500 million":     bedrock(ints(1, 1, 1), lie{nbt.List, "\x03" + u32(500_000_000)}),
		"MCEdit: too few blocks":              mcedit([]byte{1}, []byte{0, 0}),
		"MCEdit: too few data values":         mcedit([]byte{1, 1}, []byte{0}),
		"MCEdit: blocks that are ints":        mcedit([]int32{1, 1}, []byte{0, 0}),
		"MCEdit: data that is a string":       mcedit([]byte{1, 1}, "00"),
		"MCEdit: 500 million blocks":          mcedit(lie{nbt.ByteArray, u32(500_000_000)}, []byte{0, 0}),
	}
}

// The bounds of the hostile set: processor time, of all threads, and bytes
// allocated in all.
const (
	hostileTime   = slower * 200 * time.Millisecond
	hostileMemory = 64 << 20
)

func TestHostileFilesAreRefusedQuicklyAndCheaply(t *testing.T) {
	files := hostile(t)
	if len(files) < 100 {
		t.Errorf("only %d files", len(files))
	}
	registry(t) // is loaded once
	ways := map[string]func(data []byte) error{
		"open":    func(data []byte) error { return second(Open(bytes.NewReader(data), plan.DefaultLimits())) },
		"inspect": func(data []byte) error { return second(inspect(data, plan.DefaultLimits())) },
	}
	var slowest time.Duration
	var largest uint64
	for name, data := range files {
		for way, try := range ways {
			took, allocated := measure(t, way+" "+name, data, try)
			slowest, largest = max(slowest, took), max(largest, allocated)
		}
	}
	t.Logf("%d files; the slowest took %v, the largest allocated %.1f MiB in all", len(files), slowest, float64(largest)/(1<<20))
}

// measure tries a hostile file, up to three times when it takes long, and holds it
// to the bounds.
func measure(t *testing.T, name string, data []byte, try func([]byte) error) (best time.Duration, allocated uint64) {
	t.Helper()
	best = time.Hour
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		err := try(data)
		best = min(best, cpuTime()-start)
		runtime.ReadMemStats(&after)
		allocated = after.TotalAlloc - before.TotalAlloc
		code := fault.CodeOf(err)
		if code != fault.UnsupportedFormat && code != fault.BudgetExceeded {
			t.Errorf("%s: %q: %v", name, code, err)
		} else if strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
			t.Errorf("%s: not one sentence: %q", name, err)
		}
		if best < hostileTime/4 {
			break
		}
	}
	if best > hostileTime {
		t.Errorf("%s took %v", name, best)
	}
	if allocated > hostileMemory {
		t.Errorf("%s allocated %d MiB", name, allocated>>20)
	}
	return best, allocated
}

func TestWorldEditsOwnOffsetIsTheOneThatCounts(t *testing.T) {
	place := []int32{-16_000_000, 80, 12}
	metadata := compound{{"WEOffsetX", int32(-3)}, {"WEOffsetY", int32(0)}, {"WEOffsetZ", int32(5)}}
	for name, c := range map[string]struct {
		file   compound
		strict bool
		want   voxel.Pos
	}{
		"both":         {v2(namedTag{"Offset", place}, namedTag{"Metadata", metadata}), false, pos(-3, 0, 5)},
		"strict":       {v2(namedTag{"Offset", place}, namedTag{"Metadata", metadata}), true, pos(-16_000_000, 80, 12)},
		"one axis":     {v2(namedTag{"Offset", place}, namedTag{"Metadata", metadata[:1]}), false, pos(-16_000_000, 80, 12)},
		"none of them": {v2(namedTag{"Offset", nil}), false, pos(0, 0, 0)},
	} {
		o := Options{Strict: c.strict, Limits: plan.DefaultLimits()}
		s, err := o.Open(bytes.NewReader(pack(t, encode(t, c.file, "Schematic"))))
		if err != nil || s.Offset != c.want {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
}

func TestHarmlessOdditiesAreAcceptedWithAWarning(t *testing.T) {
	good := encode(t, v2(), "Schematic")
	for name, c := range map[string]struct {
		file    []byte
		warning string
	}{
		"30 nested lists":          {pack(t, encode(t, v2(namedTag{"x", nested(30)}), "Schematic")), "unknown fields"},
		"an overlong varint":       {pack(t, encode(t, v2(namedTag{"BlockData", []byte{0, 1, 0x81, 0, 0}}), "Schematic")), "longer than they need"},
		"bytes after the NBT":      {pack(t, append(bytes.Clone(good), 1, 2, 3)), "3 bytes after the end of the data"},
		"bytes after the gzip":     {append(pack(t, good), 1, 2, 3), "3 bytes after the end of the gzip stream"},
		"a second gzip member":     {append(pack(t, good), pack(t, good)...), "after the end of the gzip stream"},
		"a wrong PaletteMax":       {pack(t, encode(t, v2(namedTag{"PaletteMax", int32(9)}), "Schematic")), "PaletteMax"},
		"an index in a short":      {pack(t, encode(t, v2(namedTag{"Palette", compound{{"minecraft:stone", int16(0)}, {"minecraft:dirt", int8(1)}}}), "Schematic")), ""},
		"edges in ints":            {pack(t, encode(t, v2(namedTag{"Width", int32(2)}), "Schematic")), ""},
		"no version":               {pack(t, encode(t, v2(namedTag{"Version", nil}), "Schematic")), "does not say its version"},
		"required mods":            {pack(t, encode(t, v2(namedTag{"Metadata", compound{{"RequiredMods", []string{"create"}}}}), "Schematic")), "mods create"},
		"a newer game":             {pack(t, encode(t, v2(namedTag{"DataVersion", int32(99999)}), "Schematic")), "newer game"},
		"no compression":           {good, ""},
		"zlib":                     {zipped(t, good), ""},
		"a root without a name":    {pack(t, encode(t, v2(), "")), ""},
		"an unknown field":         {pack(t, encode(t, v2(namedTag{"Colour", "red"}), "Schematic")), "unknown fields were ignored: Colour"},
		"a name with an emoji":     {pack(t, encode(t, v2(namedTag{"Metadata", compound{{"Name", nbt.Modified("a\x00🏠")}}}), "Schematic")), ""},
		"a metadata string of 40k": {pack(t, encode(t, v2(namedTag{"Metadata", compound{{"x", lie{nbt.String, "\x9c\x40" + strings.Repeat("a", 40000)}}}}), "Schematic")), ""},
	} {
		s, err := Open(bytes.NewReader(c.file), plan.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(s.Warnings, "; "); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%s: warnings %q", name, got)
		}
		if state, _ := s.At(voxel.Pos{X: 1}); s.Cells() != 4 || state != "minecraft:dirt" {
			t.Errorf("%s: %d cells, %s", name, s.Cells(), state)
		}
	}
}

func pos(x, y, z int) voxel.Pos { return voxel.Pos{X: x, Y: y, Z: z} }

// marshalers are the elements of a list.
func marshalers(elements ...compound) []mcnbt.Marshaler {
	var out []mcnbt.Marshaler
	for _, e := range elements {
		out = append(out, e)
	}
	return out
}
