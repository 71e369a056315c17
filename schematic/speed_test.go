package schematic

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSpeedBesidePrismarine reads the files that interop/bench.mjs read, and all.
func TestSpeedBesidePrismarine(t *testing.T) {
	folder, result := os.Getenv("GROUNDPLAN_BENCH_FOLDER"), os.Getenv("GROUNDPLAN_BENCH_THEIRS")
	if folder == "" || result == "" {
		t.Skip("GROUNDPLAN_BENCH_FOLDER is not set; interop/bench sets it")
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Read         []string `json:"read"`
		Milliseconds float64  `json:"milliseconds"`
	}
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	read := func(names []string) (n, cells int, took time.Duration) {
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(folder, filepath.Base(name)))
			if err != nil {
				t.Fatal(err)
			}
			start := cpuTime()
			s, err := Open(bytes.NewReader(data), corpusLimits())
			took += cpuTime() - start
			if err == nil {
				n++
				cells += s.Cells()
			}
		}
		return n, cells, took
	}
	n, cells, took := read(theirs.Read)
	t.Logf("prismarine-schematic: %d files in %.0f ms", len(theirs.Read), theirs.Milliseconds)
	t.Logf("groundplan: %d of these, %d cells, in %.0f ms: %.1f times as fast", n, cells, took.Seconds()*1000, theirs.Milliseconds/took.Seconds()/1000)
	all, err := filepath.Glob(filepath.Join(folder, "*.schem"))
	if err != nil {
		t.Fatal(err)
	}
	n, cells, took = read(all)
	t.Logf("groundplan: %d of all %d files, %d cells, in %.0f ms", n, len(all), cells, took.Seconds()*1000)
}
