package schematic

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	mcnbt "github.com/Tnze/go-mc/nbt"
	"github.com/klauspost/compress/gzip"

	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// inflate returns the NBT of a file.
func inflate(tb testing.TB, data []byte) []byte {
	tb.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	z.Multistream(false)
	out, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// structured is a schematic as a program decodes it with go-mc: the fields by
// their types, block entities and entities whole, for what they are is not known
// before.
type structured struct {
	Version, DataVersion  int32
	Width, Height, Length int16
	Offset                []int32
	PaletteMax            int32
	Palette               map[string]int32
	BlockData             []byte
	BlockEntities         []map[string]any
	TileEntities          []map[string]any
	Entities              []map[string]any
	Metadata              map[string]any
}

// metrics reports allocations and, which a busy machine does not change much, the
// processor time of all threads.
func metrics(b *testing.B) func() {
	b.Helper()
	b.ReportAllocs()
	start := cpuTime()
	return func() {
		b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	}
}

// benchFiles are files with block entities.
var benchFiles = []string{
	"schem/osbourn__map.schem", "schem/Schem-at__large_schematic.schem", "schem/kaboomserver__uiiuh.schem",
	"schem/kaboomserver__fire----.schem", "schem/Schem-at__Evaluator.schem", "schem/SandroHc__interieur-exterieur-chunk-project.schem",
}

// BenchmarkNBT decodes the same document in memory: "ours" to all that a report
// needs, cells unpacked; "fields" to the same fields with the block data as it is,
// which is what go-mc does, too; and go-mc to a struct.
func BenchmarkNBT(b *testing.B) {
	for _, c := range corpus(b) {
		if !slices.Contains(benchFiles, c.name) {
			continue
		}
		raw := inflate(b, c.read(b))
		o := Options{Limits: corpusLimits()}
		b.Run(c.name+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			defer metrics(b)()
			for b.Loop() {
				if _, err := readDocument(nbt.NewBytes(raw, nbt.Limits{}), o); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/fields", func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			defer metrics(b)()
			for b.Loop() {
				if err := readFields(nbt.NewBytes(raw, nbt.Limits{})); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/go-mc", func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			defer metrics(b)()
			for b.Loop() {
				var s structured
				if _, err := mcnbt.NewDecoder(bytes.NewReader(raw)).Decode(&s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestReadingTakesAHundredthOfTheAllocationsOfGoMC: what the time of a benchmark says
// about memory does not depend on the machine.
func TestReadingTakesAHundredthOfTheAllocationsOfGoMC(t *testing.T) {
	for _, c := range corpus(t) {
		if !slices.Contains(benchFiles, c.name) || c.raw > 3_000_000 {
			continue
		}
		raw := inflate(t, c.read(t))
		ours := testing.AllocsPerRun(3, func() {
			if _, err := readDocument(nbt.NewBytes(raw, nbt.Limits{}), Options{Limits: corpusLimits()}); err != nil {
				t.Fatal(err)
			}
		})
		theirs := testing.AllocsPerRun(1, func() {
			var s structured
			if _, err := mcnbt.NewDecoder(bytes.NewReader(raw)).Decode(&s); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%s: %.0f of %.0f", c.name, ours, theirs)
		if 100*ours > theirs {
			t.Errorf("%s: %.0f allocations, go-mc has %.0f", c.name, ours, theirs)
		}
	}
}

// readFields reads everything but the cells, whose bytes it only sees.
func readFields(r *nbt.Reader) error {
	d := &document{Reader: r, limit: corpusLimits().AssetCells, seen: map[string]bool{}}
	if _, _, err := r.Root(); err != nil {
		return err
	}
	return r.Compound(func(name []byte, t nbt.Tag) error {
		if string(name) != "BlockData" {
			return d.field(name, t)
		}
		n, err := r.ArrayHeader(t)
		for n > 0 && err == nil {
			var piece []byte
			piece, err = r.Bulk(n)
			n -= len(piece)
		}
		return err
	})
}

// BenchmarkCorpus opens every .schem file of the corpus, from its compressed bytes
// to its cells, the ones that are refused included.
func BenchmarkCorpus(b *testing.B) {
	var files [][]byte
	var size int64
	for _, c := range corpus(b) {
		if strings.HasPrefix(c.name, "schem/") {
			files = append(files, c.read(b))
			size += int64(len(files[len(files)-1]))
		}
	}
	b.SetBytes(size)
	defer metrics(b)()
	for b.Loop() {
		read := 0
		for _, data := range files {
			if _, err := Open(bytes.NewReader(data), corpusLimits()); err == nil {
				read++
			}
		}
		b.ReportMetric(float64(read), "files")
	}
}

// BenchmarkPlace places a file of 16,777,216 cells.
func BenchmarkPlace(b *testing.B) {
	for _, c := range corpus(b) {
		if c.name != "schem/Schem-at__large_schematic.schem" {
			continue
		}
		s, reg := open(b, c.read(b)), registry(b)
		defer metrics(b)()
		for b.Loop() {
			if _, err := s.Place(reg, Placement{Target: voxel.Pos{X: 5, Y: 6, Z: 7}, Rotation: 90}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
