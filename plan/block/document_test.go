package block

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the counts into docs/BLOCKS.md")

const (
	countsStart = "<!-- counts: kept fresh by TestTheDocumentHasTheCounts -->\n"
	countsEnd   = "<!-- /counts -->"
	document    = "../../docs/BLOCKS.md"
)

// counts are the figures that docs/BLOCKS.md states.
func counts(tb testing.TB) string {
	tb.Helper()
	var b strings.Builder
	b.WriteString("\n| profile | Bedrock blocks | states | there and back | answered | Java blocks | states | exact | approximate | unknown | keep |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	losses := map[string]int{}
	for _, p := range profiles() {
		r := mustLoad(tb, p)
		back, answered := 0, 0
		for i := range r.texts {
			if _, ok := r.ToJava(r.texts[i]); ok {
				answered++
			}
			back += b2i(r.Convertible(r.texts[i]))
		}
		qualities := map[Quality]int{}
		clear(losses)
		for _, w := range r.rows {
			n := r.notes[w.note]
			qualities[n.quality]++
			if n.quality == Approximate || n.quality == Unmapped {
				losses[string(n.quality)+" | "+n.text]++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", p, len(r.bedrock.list), len(r.texts), back, answered,
			len(r.java.list), len(r.rows), qualities[Exact], qualities[Approximate], qualities[Unmapped], qualities[keep])
	}
	b.WriteString("\n| states | quality | what is lost |\n|---|---|---|\n")
	for _, key := range slices.SortedFunc(maps.Keys(losses), func(x, y string) int {
		return cmp.Or(cmp.Compare(losses[y], losses[x]), strings.Compare(x, y))
	}) {
		fmt.Fprintf(&b, "| %d | %s |\n", losses[key], key)
	}
	b.WriteString("\n")
	return b.String()
}

func TestTheDocumentHasTheCounts(t *testing.T) {
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), countsStart)
	had, after, closed := strings.Cut(rest, countsEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the counts", document)
	}
	want := counts(t)
	t.Log(want)
	if *update {
		if err := os.WriteFile(document, []byte(before+countsStart+want+countsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if had != want {
		t.Errorf("the counts in %s are old; run go test ./plan/block -run TheDocument -update", document)
	}
}
