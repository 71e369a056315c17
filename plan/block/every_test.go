package block

import (
	"runtime"
	"testing"
	"time"
)

// These tests walk every state of both editions by number.

func profiles() []Profile { return []Profile{Profile45, Profile50, Profile60} }

func mustLoad(tb testing.TB, p Profile) *Registry {
	tb.Helper()
	r, err := Load(p)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// few reports the first differences and counts the others.
type few struct {
	t *testing.T
	n int
}

func (f *few) errorf(format string, args ...any) {
	f.t.Helper()
	if f.n++; f.n <= 20 {
		f.t.Errorf(format, args...)
	}
}

func (f *few) done() {
	f.t.Helper()
	if f.n > 20 {
		f.t.Errorf("and %d more", f.n-20)
	}
}

func TestEveryJavaStateHasAnAnswerAndEveryTargetIsInItsProfile(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		f := &few{t: t}
		for j := range r.java.total {
			text := r.javaText(j)
			tr := r.Translate(text)
			switch {
			case tr.Keep:
				if tr.State != "" {
					f.errorf("%s: keep with a state", text)
				}
			case tr.Quality == Unmapped:
				if tr.State != "" || tr.Note == "" {
					f.errorf("%s: unknown with %q, note %q", text, tr.State, tr.Note)
				}
			case tr.Quality == Approximate && tr.Note == "":
				f.errorf("%s: approximate without a word on what is lost", text)
			case !r.Has(tr.State):
				f.errorf("%s: %s is not a state of %s", text, tr.State, p)
			}
		}
		f.done()
	}
}

func TestParseIsTheIdentityOnEveryState(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		f := &few{t: t}
		for i := range r.texts {
			for _, wet := range []bool{false, true} {
				s := r.text(int32(i), wet)
				if got, err := r.Parse(string(s)); err != nil || got != s {
					f.errorf("Parse(%s) = %s, %v", s, got, err)
				}
				if got, err := r.Parse(r.Command(s)); err != nil || got != s.Dry() {
					f.errorf("Parse(Command(%s)) = %s, %v", s, got, err)
				}
				if got, err := r.Parse(r.Short(s)); err != nil || got != s.Dry() {
					f.errorf("Parse(Short(%s)) = %s, %v", s, got, err)
				}
			}
		}
		f.done()
	}
}

func TestFourTurnsAndTwoMirrorsAreTheIdentityOnEveryStateOfBothEditions(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		tt := r.turns()
		for edition, tables := range map[string][motions][]int32{"java": tt.java, "bedrock": tt.bedrock} {
			n := &r.java
			if edition == "bedrock" {
				n = &r.bedrock
			}
			name := func(i int32) string { v := n.of(i); return string(v.appendTo(nil, i-v.base)) }
			f := &few{t: t}
			cw, mx, mz := tables[clockwise], tables[mirrorX], tables[mirrorZ]
			for i := range n.total {
				if got := cw[cw[cw[cw[i]]]]; got != i {
					f.errorf("four turns of %s: %s", name(i), name(got))
				}
				if got := mx[mx[i]]; got != i {
					f.errorf("two mirrors in x of %s: %s", name(i), name(got))
				}
				if got := mz[mz[i]]; got != i {
					f.errorf("two mirrors in z of %s: %s", name(i), name(got))
				}
				if got, want := mz[mx[i]], cw[cw[i]]; got != want {
					f.errorf("both mirrors of %s: %s, half a turn: %s", name(i), name(got), name(want))
				}
				if got, want := cw[mx[i]], mz[cw[i]]; got != want {
					f.errorf("mirror in x and turn of %s: %s, turn and mirror in z: %s", name(i), name(got), name(want))
				}
			}
			f.done()
		}
	}
}

func TestTurningBeforeOrAfterTranslationIsTheSame(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		tt := r.turns()
		f := &few{t: t}
		for j, w := range r.rows {
			if w.target < 0 {
				continue
			}
			for m := range motion(motions) {
				after := tt.bedrock[m][w.target]
				before := r.rows[tt.java[m][j]].target
				if before != after {
					f.errorf("motion %d of %s: %s before, %s after", m, r.javaText(int32(j)), r.texts[before], r.texts[after])
				}
			}
		}
		f.done()
	}
}

func TestConvertibleStatesGoToJavaAndBackUnchanged(t *testing.T) {
	for _, p := range profiles() {
		r := mustLoad(t, p)
		f := &few{t: t}
		convertible, answered := 0, 0
		for i := range r.texts {
			for _, wet := range []bool{false, true} {
				s := r.text(int32(i), wet)
				java, ok := r.ToJava(s)
				if ok && !wet {
					answered++
				}
				if !r.Convertible(s) {
					continue
				}
				if !wet {
					convertible++
				}
				if back := r.Translate(java).State; !ok || back != s {
					f.errorf("%s to %s to %s", s, java, back)
				}
			}
		}
		f.done()
		t.Logf("%s: of %d Bedrock states %d go to Java and back, %d have an answer", p, len(r.texts), convertible, answered)
	}
}

func TestLoadingIsFastAndSmall(t *testing.T) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var r *Registry
	took := time.Hour
	for range 5 { // the best of five: other processes have their turns too
		start := time.Now()
		fresh, err := decode(Profile60)
		if err != nil {
			t.Fatal(err)
		}
		took = min(took, time.Since(start))
		r = fresh
	}
	r.turns()
	r.inverse()
	r.shapes()
	runtime.GC()
	runtime.ReadMemStats(&after)
	mb := float64(after.HeapAlloc-before.HeapAlloc) / 1e6
	t.Logf("decoded in %v, %.1f MB kept with turns, inverse and shapes", took, mb)
	if mb > 25 {
		t.Errorf("%.1f MB kept, at most 25", mb)
	}
	runtime.KeepAlive(r)
}
