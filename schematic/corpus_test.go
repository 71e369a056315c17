package schematic

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// corpusDir holds real files of many writers; it is not part of the repository.
const corpusDir = "../../shared/corpus"

// corpusFile is a row of the corpus' index.
type corpusFile struct {
	name, size, palette, blockEntities, entities string
	raw                                          int // bytes once inflated
}

// corpus returns the index, or skips the test.
func corpus(tb testing.TB) []corpusFile {
	tb.Helper()
	f, err := os.Open(filepath.Join(corpusDir, "INDEX.tsv"))
	if err != nil {
		tb.Skip("the corpus of real files is not here: ", err)
	}
	defer f.Close()
	var files []corpusFile
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	scanner.Scan()
	for scanner.Scan() {
		c := strings.Split(scanner.Text(), "\t")
		raw, err := strconv.Atoi(c[11])
		if err != nil {
			raw = 0
		}
		if slower > 1 && raw > 500_000 {
			continue // the race detector would take minutes
		}
		files = append(files, corpusFile{c[0], c[5], c[6], c[7], c[8], raw})
	}
	if err := scanner.Err(); err != nil {
		tb.Fatal(err)
	}
	return files
}

// corpusOr returns the index, nothing when the corpus is not here.
func corpusOr(tb testing.TB) []corpusFile {
	tb.Helper()
	if _, err := os.Stat(corpusDir); err != nil {
		tb.Log("without the corpus of real files: ", err)
		return nil
	}
	return corpus(tb)
}

func (c corpusFile) read(tb testing.TB) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(corpusDir, c.name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// corpusLimits let the largest files of the corpus pass.
func corpusLimits() plan.Limits {
	limits := plan.DefaultLimits()
	limits.AssetCells = 40 << 20
	return limits
}

// refused are the files of the corpus that are no readable schematics.
var refused = map[string]string{
	"schem/kaboomserver__ep.schem":                   "1127520 bytes of block data for 588 cells",
	"schem/MKKL1__test.schem":                        "more than", // cut off, after more cells than the limit
	"schem/mbrown1413__test.schem":                   "JSON",
	"schem/kaboomserver__lol.8.schem":                "inflates to nothing",
	"schematic/BG-Software-LLC__normal.schematic":    "", // another program's own format
	"nbt/Quozul__bigtest.nbt":                        "no format of buildings",
	"synthetic/bomb_1GiB_zeros.schem":                "the limit is",
	"synthetic/depth_600_lists.schem":                "nested deeper than 512",
	"synthetic/dup_keys.schem":                       "twice",
	"synthetic/huge_list_len.schem":                  "2147483647 elements",
	"synthetic/list_end_huge.schem":                  "without a type",
	"synthetic/neg_array_len.schem":                  "an array of -1",
	"synthetic/root_is_list.schem":                   "a value of type list",
	"synthetic/unknown_tag_13.schem":                 "unknown tag type 13",
	"synthetic/v2_blockdata_long.schem":              "more than the 1 cells",
	"synthetic/v2_blockdata_short.schem":             "2 bytes of block data for 4 cells",
	"synthetic/v2_dup_palette_ids.schem":             "the index 0 belongs to",
	"synthetic/v2_varint_unterminated.schem":         "cut off",
	"synthetic/v2_zero_dim.schem":                    "an edge of 0",
	"synthetic/v3_palette_hole_index_unmapped.schem": "the index 5, which the palette does not have",
}

func TestCorpusFilesAreReadOrRefusedWithOneSentence(t *testing.T) {
	read := 0
	for _, c := range corpus(t) {
		data := c.read(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := Open(bytes.NewReader(data), corpusLimits())
		runtime.ReadMemStats(&after)
		mention, no := refused[c.name]
		switch {
		case (err != nil) != no:
			t.Errorf("%s: %v", c.name, err)
		case err == nil:
			read++
			c.compare(t, s)
			if allocated := int(after.TotalAlloc - before.TotalAlloc); c.raw > 0 && allocated > max(4*c.raw, 4<<20) {
				t.Errorf("%s: %d bytes allocated in all for %d bytes inflated", c.name, allocated, c.raw)
			}
		default:
			code := fault.CodeOf(err)
			if code != fault.UnsupportedFormat && code != fault.BudgetExceeded || strings.Contains(err.Error(), "\n") ||
				!utf8.ValidString(err.Error()) || !strings.Contains(err.Error(), mention) {
				t.Errorf("%s: %s: %q", c.name, code, err)
			}
		}
	}
	t.Logf("%d files read", read)
}

// compare holds a file against its row of the index, which other readers made.
func (c corpusFile) compare(t *testing.T, s *Schematic) {
	t.Helper()
	if c.blockEntities == "" { // no other reader read it
		return
	}
	count := func(kinds []Kind) (n int) {
		for _, k := range kinds {
			n += k.Count
		}
		return n
	}
	got := []string{strconv.Itoa(count(s.BlockEntities)), strconv.Itoa(count(s.Entities))}
	want := []string{c.blockEntities, c.entities}
	if c.size != "" {
		got, want = append(got, fmt.Sprintf("%dx%dx%d", s.Size.X, s.Size.Y, s.Size.Z)), append(want, c.size)
	}
	if s.Format == Sponge {
		got, want = append(got, strconv.Itoa(len(s.palette))), append(want, c.palette)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: block entities, entities, size, palette: %v, the index has %v", c.name, got, want)
	}
}

func TestCorpusFilesArePlacedAsTheirReportsSay(t *testing.T) {
	reg := registry(t)
	for _, c := range corpus(t) {
		s, err := Open(bytes.NewReader(c.read(t)), plan.DefaultLimits())
		if err != nil || s.Cells() > 2<<20 {
			continue
		}
		r := s.Report(reg, nil)
		if counted, err := inspect(c.read(t), plan.DefaultLimits()); err != nil || !reflect.DeepEqual(r, counted) {
			t.Errorf("%s: counting gives another report: %v", c.name, err)
		}
		v, err := s.Place(reg, Placement{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if placed := r.ByQuality["exact"] + r.ByQuality["approximate"]; v.Len() != placed {
			t.Errorf("%s: %d cells placed, the report has %d", c.name, v.Len(), placed)
		}
		for _, state := range v.Palette()[1:] {
			if !reg.Has(block.State(state)) {
				t.Errorf("%s: %s is no state of the game", c.name, state)
			}
		}
		if n := r.ByQuality["unknown"]; n > 0 && c.name != "schem/Desynq__wip_site.schem" && c.name != "synthetic/v2_modded.schem" {
			t.Errorf("%s: %d cells of unknown blocks: %q", c.name, n, r.Warnings)
		}
	}
}

// inspect returns the report of a file's bytes.
func inspect(data []byte, limits plan.Limits) (Report, error) {
	reg, err := block.Load(block.Profile50)
	if err != nil {
		return Report{}, err
	}
	return Options{Limits: limits}.Inspect(bytes.NewReader(data), reg, nil)
}

func TestInspectReportsFilesThatAreTooLargeToImport(t *testing.T) {
	limits := plan.DefaultLimits()
	limits.AssetCells = 1000
	r, err := inspect(Cottage(), limits)
	if err != nil || r.Cells != 1430 || !strings.Contains(strings.Join(r.Warnings, "; "), "an import takes at most 1000") {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := Open(bytes.NewReader(Cottage()), limits); fault.CodeOf(err) != fault.BudgetExceeded {
		t.Error(err)
	}
	for _, c := range corpusOr(t) {
		if c.name != "schem/Desynq__ice_spikes.schem" {
			continue
		}
		data := c.read(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := inspect(data, plan.DefaultLimits())
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; err != nil || r.Cells != 512*128*512 || allocated > 4<<20 {
			t.Errorf("%d cells, %d bytes allocated: %v", r.Cells, allocated, err)
		}
	}
}
