package block

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shared opens a file of the reference material beside the repository; tests
// that need it are skipped where there is none.
func shared(tb testing.TB, name string) *os.File {
	tb.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", filepath.FromSlash(name)))
	if err != nil {
		tb.Skipf("no reference material: %v", err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func oracleLines(tb testing.TB, name string) []string {
	tb.Helper()
	zr, err := gzip.NewReader(shared(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	sc := bufio.NewScanner(zr)
	for sc.Scan() {
		out = append(out, sc.Text())
	}
	if sc.Err() != nil {
		tb.Fatal(sc.Err())
	}
	return out
}

// verdict is one line of a list of known differences:
//
//	edition  ids  states  who  reason
//
// ids and states are patterns; who is "ours", "oracle" or "open".
type verdict struct {
	line                      int
	edition, ids, states, who string
	count                     int
}

func readVerdicts(tb testing.TB) []*verdict {
	tb.Helper()
	text, err := os.ReadFile("testdata/oracle-verdicts.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var out []*verdict
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		w := strings.Fields(line)
		if len(w) < 5 || (w[3] != "ours" && w[3] != "oracle" && w[3] != "open") {
			tb.Fatalf("oracle-verdicts.txt:%d: not \"edition ids states who reason\"", i+1)
		}
		out = append(out, &verdict{line: i + 1, edition: w[0], ids: w[1], states: w[2], who: w[3]})
	}
	return out
}

// judge finds the verdict on a difference in the named states of a block.
func judge(list []*verdict, edition, id string, states []string) *verdict {
	fits := func(patterns, name string) bool {
		return slices.ContainsFunc(strings.Split(patterns, ","), func(p string) bool {
			ok, err := path.Match(p, name)
			return err == nil && ok
		})
	}
	for _, v := range list {
		if v.edition != edition || !fits(v.ids, strings.TrimPrefix(id, namespace)) {
			continue
		}
		if !slices.ContainsFunc(states, func(s string) bool { return !fits(v.states, s) }) {
			v.count++
			return v
		}
	}
	return nil
}

// differingStates returns the names of the states in which two state texts
// differ; "id" where the blocks do.
func differingStates(a, b string) []string {
	va, vb := map[string]string{}, map[string]string{}
	for _, x := range []struct {
		text string
		into map[string]string
	}{{a, va}, {b, vb}} {
		id, pairs, err := scan(x.text)
		x.into["id"] = id
		if err != nil {
			x.into["id"] = x.text
		}
		for _, kv := range pairs {
			if kv.name != waterlogged || kv.value != "false" {
				x.into[kv.name] = kv.value
			}
		}
	}
	if va["id"] != vb["id"] {
		return []string{"id"}
	}
	var out []string
	for k := range va {
		if va[k] != vb[k] {
			out = append(out, k)
		}
	}
	for k := range vb {
		if _, ok := va[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func TestEveryDifferenceToTheIndependentTablesHasAVerdict(t *testing.T) {
	r := mustLoad(t, Profile45)
	verdicts := readVerdicts(t)
	open, total, differ, without := map[string][]string{}, 0, 0, 0
	note := func(edition, id string, states []string, text string) {
		differ++
		if judge(verdicts, edition, id, states) == nil {
			without++
			key := edition + " " + strings.TrimPrefix(id, namespace) + " " + strings.Join(states, ",")
			open[key] = append(open[key], text)
		}
	}
	for _, line := range oracleLines(t, "oracle/java-to-bedrock.chunker.tsv.gz") {
		java, theirs, _ := strings.Cut(line, "\t")
		total++
		ours := string(r.Translate(java).State)
		if strings.HasPrefix(theirs, "NOBEDROCK") {
			theirs = ""
		}
		if ours == "" || theirs == "" {
			if ours != theirs {
				note("java", State(java).ID(), []string{"id"}, java+": "+ours+" ours, "+theirs+" theirs")
			}
			continue
		}
		if d := differingStates(ours, theirs); len(d) > 0 {
			note("java", State(java).ID(), d, java+": "+ours+" ours, "+theirs+" theirs")
		}
	}
	for _, line := range oracleLines(t, "oracle/bedrock-to-java.chunker.tsv.gz") {
		left, theirs, _ := strings.Cut(line, "\t=>\t")
		total++
		s := oracleState(t, r, left)
		ours, ok := r.ToJava(s)
		if strings.HasPrefix(theirs, "NO") {
			theirs = ""
		}
		if !ok || theirs == "" {
			if ok != (theirs != "") {
				note("bedrock", s.ID(), []string{"id"}, string(s)+": "+ours+" ours, "+theirs+" theirs")
			}
			continue
		}
		if d := differingStates(ours, theirs); len(d) > 0 {
			note("bedrock", s.ID(), d, string(s)+": "+ours+" ours, "+theirs+" theirs")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(open)) {
		t.Logf("no verdict, %d times: %s\n\t%s", len(open[key]), key, open[key][0])
	}
	for _, v := range verdicts {
		if v.count == 0 {
			t.Errorf("oracle-verdicts.txt:%d judges nothing", v.line)
		}
	}
	t.Logf("%d states compared, %d differ (%.2f %%), %d without a verdict", total, differ, 100*float64(differ)/float64(total), without)
	if without > 0 {
		t.Errorf("%d differences without a verdict", without)
	}
}

// oracleState reads "minecraft:id⇥state=i=3⇥state=b=1".
func oracleState(tb testing.TB, r *Registry, text string) State {
	tb.Helper()
	fields := strings.Split(text, "\t")
	var pairs []string
	for _, f := range fields[1:] {
		name, typed, _ := strings.Cut(f, "=")
		_, value, _ := strings.Cut(typed, "=")
		pairs = append(pairs, fmt.Sprintf("%q=%q", name, value))
	}
	s, err := r.Parse(fields[0] + "[" + strings.Join(pairs, ",") + "]")
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
