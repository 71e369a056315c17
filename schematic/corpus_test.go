package schematic

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// corpusDir holds real files of many writers; it is not part of the repository.
const corpusDir = "../../shared/corpus"

// corpusFile is a row of the corpus' index.
type corpusFile struct {
	name, version, size, palette, blockEntities, entities, note string
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
		files = append(files, corpusFile{c[0], c[3], c[5], c[6], c[7], c[8], c[12]})
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

func TestCorpusFilesAreReadOrRefusedWithOneSentence(t *testing.T) {
	for _, c := range corpus(t) {
		s, err := Open(bytes.NewReader(c.read(t)), corpusLimits())
		if err != nil {
			code := fault.CodeOf(err)
			if code != fault.UnsupportedFormat && code != fault.BudgetExceeded || strings.Contains(err.Error(), "\n") || !utf8.ValidString(err.Error()) {
				t.Errorf("%s: %s: %q", c.name, code, err)
			}
			t.Logf("%s: refused: %v", c.name, err)
			continue
		}
		t.Logf("%s: %s %d %v %d states, warnings %q, be %v", c.name, s.Format, s.Version, s.Size, len(s.palette), s.Warnings, s.BlockEntities)
	}
}
