package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// script is a sequence of calls that uses every way to write, each a step that is
// one commit.
func script() []func(j *Journal) error {
	house := newPlan("house", box(0, 0, 0, 15, 3, 15), box(0, 4, 0, 15, 4, 15), box(-20, 5, -20, 3, 5, 3))
	undo := newPlan("undo", box(0, 0, 0, 15, 3, 15))
	undo.UndoOf = "build"
	stale := newPlan("stale", box(9, 9, 9, 9, 9, 9))
	stale.ExpiresAt = testNow().Add(-time.Second).UnixMilli()
	wall := newPlan("wall", box(0, 0, 0, 40, 9, 0))

	advance := func(p *plan.Plan, id string, done, next int, status plan.Status) func(j *Journal) error {
		return func(j *Journal) error {
			op, err := j.Operation(id)
			if err != nil {
				return err
			}
			op.Status = status
			var receipt *plan.Receipt
			var intent *plan.Intent
			if done >= 0 {
				receipt = &plan.Receipt{Operation: id, Slice: done, Wrote: p.Slices[done].Mask(), At: 5}
				op.Next, op.Written = done+1, op.Written+receipt.Wrote.Len()
			}
			if next >= 0 {
				intent = &plan.Intent{Operation: id, Slice: next, Write: p.Slices[next].Mask(), At: 6}
			}
			return j.Advance(op, receipt, intent)
		}
	}
	enqueue := func(p *plan.Plan, id string) func(j *Journal) error {
		return func(j *Journal) error {
			_, err := j.Enqueue(newOperation(p, id))
			return err
		}
	}
	return []func(j *Journal) error{
		func(j *Journal) error { return j.PutPlan(house) },
		func(j *Journal) error { return j.PutPlan(stale) },
		enqueue(house, "build"),
		advance(house, "build", -1, 0, plan.Applying),
		advance(house, "build", 0, 1, plan.Applying),
		func(j *Journal) error { return j.Disown(testWorld, "overworld", maskOf(box(0, 0, 0, 3, 0, 0)), "c1") },
		advance(house, "build", 1, 2, plan.Applying),
		advance(house, "build", 2, -1, plan.Applied),
		func(j *Journal) error {
			return j.PutPart(plan.Part{ID: "roof", Project: "home", Mask: maskOf(box(0, 4, 0, 15, 4, 15))})
		},
		func(j *Journal) error { return j.PutPlan(undo) },
		enqueue(undo, "undo"),
		advance(undo, "undo", -1, 0, plan.Applying),
		advance(undo, "undo", 0, -1, plan.Applied),
		func(j *Journal) error { _, err := j.Collect(testNow()); return err },
		func(j *Journal) error { return j.PutPlan(wall) },
		enqueue(wall, "wall"),
		advance(wall, "wall", -1, 0, plan.Applying),
		func(j *Journal) error {
			op, err := j.Operation("wall")
			if err != nil {
				return err
			}
			op.Status = plan.RecoveryRequired
			return j.Update(op)
		},
		func(j *Journal) error {
			op, err := j.Operation("wall")
			if err != nil {
				return err
			}
			op.Status, op.Abandoned = plan.Failed, true
			return j.Decide(plan.Decision{ID: "d1", Operation: "wall", Verdict: plan.Abandon}, op, wall.Slices[0].Mask())
		},
		func(j *Journal) error { return j.DeletePart("home", "roof") },
		func(j *Journal) error { return j.Doubt(testWorld, 7) },
		func(j *Journal) error {
			return j.Confirm("build", maskOf(box(0, 4, 0, 9, 4, 15)), maskOf(box(10, 4, 1, 10, 4, 1)))
		},
	}
}

// dump is all that a journal says, as a hash. Left out is what may be anything, so
// that no check can find it damaged: the date of creation, and how far the numbers of
// plans have got, some of which are gone.
func dump(tb testing.TB, j *Journal) string {
	tb.Helper()
	sum := sha256.New()
	var walk func(b *bbolt.Bucket)
	walk = func(b *bbolt.Bucket) {
		for key, value := range entries(b) {
			if bytes.Equal(key, metaCreated) {
				continue
			}
			fmt.Fprintf(sum, "%q=%q\n", key, value)
			if value == nil {
				walk(b.Bucket(key))
			}
		}
	}
	must(tb, j.view(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			fmt.Fprintf(sum, "%q\n", name)
			if !bytes.Equal(name, bucketPlans) {
				fmt.Fprintln(sum, b.Sequence())
			}
			walk(b)
			return nil
		})
	}))
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// prefixes returns the dump after each number of steps.
func prefixes(tb testing.TB) []string {
	tb.Helper()
	j := open(tb, Options{})
	states := []string{dump(tb, j)}
	for i, step := range script() {
		if err := step(j); err != nil {
			tb.Fatalf("step %d: %v", i, err)
		}
		must(tb, j.Check())
		states = append(states, dump(tb, j))
	}
	return states
}

// play runs the script until a step fails and returns how many did not.
func play(j *Journal) (int, error) {
	for i, step := range script() {
		if err := step(j); err != nil {
			return i, err
		}
	}
	return len(script()), nil
}

// survives opens what is at path and fails unless it is whole and says what was
// acknowledged, or that and the step under way.
func survives(tb testing.TB, path string, states []string, acknowledged int) {
	tb.Helper()
	j, err := Open(path, Options{NoSync: true, Now: testNow})
	must(tb, err)
	defer j.Close()
	must(tb, j.Check())
	got := dump(tb, j)
	if slices.Contains(states[acknowledged:min(acknowledged+2, len(states))], got) {
		return
	}
	tb.Fatalf("after %d acknowledged steps the journal says what it did after %d", acknowledged, slices.Index(states, got))
}

func copyFile(tb testing.TB, to, from string) {
	tb.Helper()
	content, err := os.ReadFile(from)
	must(tb, err)
	must(tb, os.WriteFile(to, content, 0o600))
}

type stopError struct{ point string }

func (e stopError) Error() string { return "stopped at " + e.point }

// TestTheSweep stops at every seam of the script, by an error and by a panic that
// leaves nothing behind but the file, and reads the file again.
func TestTheSweep(t *testing.T) {
	states := prefixes(t)
	runs := 0
	for k := 0; ; k++ {
		point := stopAt(t, k, states)
		if point == "" {
			break
		}
		runs++
	}
	if want := 2 * len(script()); runs < want {
		t.Errorf("only %d points", runs)
	}
	t.Logf("%d points, each stopped in two ways", runs)
}

// stopAt stops at the k-th seam and returns its name, "" when there are fewer.
func stopAt(t *testing.T, k int, states []string) string {
	t.Helper()
	dir := t.TempDir()
	point, calls := "", 0
	seam := func(name string) error {
		calls++
		if calls == k+1 {
			point = name
			return stopError{name}
		}
		return nil
	}
	// By an error: the journal must say so and write no more.
	path := filepath.Join(dir, "error.db")
	j, err := Open(path, Options{NoSync: true, Now: testNow, Seam: seam})
	acknowledged := 0
	if err == nil {
		acknowledged, err = play(j)
		if point == "" {
			must(t, err)
			return point
		}
		wantCode(t, err, fault.StorageFailed)
		wantCode(t, j.Failed(), fault.StorageFailed)
		wantCode(t, j.PutPlan(newPlan("late", box(0, 0, 0, 0, 0, 0))), fault.StorageFailed)
		must(t, j.Close())
	} else if point == "" {
		t.Fatal(err)
	}
	survives(t, path, states, acknowledged)

	// By a panic: the image of the file is all there is.
	path, calls = filepath.Join(dir, "panic.db"), 0
	var crashed *Journal
	acknowledged = 0
	func() {
		defer func() {
			if value := recover(); value != nil {
				if _, ok := value.(stopError); !ok {
					panic(value)
				}
			}
		}()
		var err error
		crashed, err = Open(path, Options{NoSync: true, Now: testNow, Seam: func(name string) error {
			if err := seam(name); err != nil {
				panic(err)
			}
			return nil
		}})
		must(t, err)
		for _, step := range script() {
			must(t, step(crashed))
			acknowledged++
		}
	}()
	image := filepath.Join(dir, "image.db")
	if _, err := os.Stat(path); err == nil { // else it stopped before there was one
		copyFile(t, image, path)
	}
	if crashed != nil {
		must(t, crashed.Close())
	}
	survives(t, image, states, acknowledged)
	return point
}

// TestATornCommitIsNoCommit mixes the pages of before and after a commit, as a
// crash within it leaves them: any of the data pages, and the new head whole, torn
// or not at all.
func TestATornCommitIsNoCommit(t *testing.T) {
	states := prefixes(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "journal.db")
	var before, after []byte
	seam := func(name string) error {
		content, err := os.ReadFile(path)
		if err != nil || strings.HasPrefix(name, "create") {
			return nil //nolint:nilerr // it is not there before it is created
		}
		if strings.HasSuffix(name, ":before") {
			before = content
		} else {
			after = content
		}
		return nil
	}
	j := reopen(t, path, Options{Seam: seam})
	random := rand.New(rand.NewPCG(1, 2))
	for i, step := range script() {
		must(t, step(j))
		for range 4 {
			torn := filepath.Join(dir, "torn.db")
			must(t, os.WriteFile(torn, mix(before, after, random), 0o600))
			survives(t, torn, states[:i+1], i) // and never i+1: it was not acknowledged as a whole
		}
	}
}

// mix returns before with some of the data pages of after, and with a head that is
// at most half written.
func mix(before, after []byte, random *rand.Rand) []byte {
	const page = 4096
	torn := make([]byte, max(len(before), len(after)))
	copy(torn, before)
	for at := 2 * page; at < len(after); at += page {
		if random.IntN(2) == 0 {
			copy(torn[at:at+page], after[at:])
		}
	}
	for at := 0; at < 2*page; at += page {
		if !slices.Equal(before[at:at+page], after[at:at+page]) && random.IntN(2) == 0 {
			// The head's checksum stands at its end: half of it is none.
			copy(torn[at:at+boltHead+40+random.IntN(16)], after[at:])
		}
	}
	return torn
}

// TestACutJournalOpensOrIsRefused cuts at every 512 bytes.
func TestACutJournalOpensOrIsRefused(t *testing.T) {
	dir := t.TempDir()
	j := reopen(t, filepath.Join(dir, "journal.db"), Options{})
	for i := range 400 {
		run(t, j, newPlan(fmt.Sprint("p", i), box(i, 0, 0, i+20, 5, 30)), fmt.Sprint("op", i))
	}
	want := dump(t, j)
	must(t, j.Close())
	cut := filepath.Join(dir, "cut.db")
	copyFile(t, cut, j.Path())
	used := usedBytes(t, cut)
	whole := min(size(cut), used+32<<10) // behind that there is nothing yet
	opened, refused := 0, 0
	step := int64(512)
	if testing.Short() {
		step = 8 << 10
	}
	for at := (whole - 1) / step * step; at >= max(0, whole-1<<20); at -= step {
		must(t, os.Truncate(cut, at))
		before, err := os.Stat(cut)
		must(t, err)
		j, err := Open(cut, Options{NoSync: true, Now: testNow})
		if err != nil {
			refused++
			wantCode(t, err, fault.StorageFailed)
			if !strings.Contains(err.Error(), "is cut off") && !strings.Contains(err.Error(), "is not a journal") {
				t.Fatalf("cut at %d: %v", at, err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("cut at %d: not one sentence: %v", at, err)
			}
		} else {
			opened++
			if at < used {
				t.Fatalf("cut at %d: opens without its last pages", at)
			}
			if got := dump(t, j); got != want {
				t.Fatalf("cut at %d: opens and says something else", at)
			}
			if opened%8 == 1 {
				must(t, j.Check())
			}
			must(t, j.Close())
		}
		after, err := os.Stat(cut)
		must(t, err)
		if before.Size() != after.Size() || before.ModTime() != after.ModTime() {
			t.Fatalf("cut at %d: the file was changed", at)
		}
	}
	t.Logf("of %d bytes: %d cuts opened, %d refused", whole, opened, refused)
	if refused == 0 {
		t.Error("no cut was refused")
	}
}

// usedBytes is how much of the file its newest head says that it needs.
func usedBytes(tb testing.TB, path string) int64 {
	tb.Helper()
	f, err := os.Open(path)
	must(tb, err)
	defer f.Close()
	a, b := readMeta(f, 0), readMeta(f, 4096)
	if a == nil || b == nil {
		tb.Fatal("a journal without two heads")
	}
	return int64(max(a.pages, b.pages) * a.pageSize)
}

// TestADamagedSectorIsNeverAPanic overwrites sectors anywhere.
func TestADamagedSectorIsNeverAPanic(t *testing.T) {
	dir := t.TempDir()
	j := open(t, Options{})
	_, err := play(j)
	must(t, err)
	for i := range 20 {
		run(t, j, newPlan(fmt.Sprint("p", i), box(i, 0, 0, i+20, 5, 30)), fmt.Sprint("op", i))
	}
	want := dump(t, j)
	packed := filepath.Join(dir, "packed.db") // without free pages, where damage is harmless
	must(t, j.Compact(packed))
	whole, err := os.ReadFile(packed)
	must(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	found, harmless := 0, 0
	step := 512
	if testing.Short() {
		step = 5 * 512
	}
	for at := 0; at < int(usedBytes(t, packed)); at += step {
		for _, with := range []string{"zeros", "noise", "bit"} {
			content := slices.Clone(whole)
			sector := content[at : at+512]
			switch with {
			case "zeros":
				clear(sector)
			case "noise":
				for i := range sector {
					sector[i] = byte(random.Uint32())
				}
			case "bit":
				sector[random.IntN(512)] ^= 1 << random.IntN(8)
			}
			path := filepath.Join(dir, "damaged.db")
			must(t, os.WriteFile(path, content, 0o600))
			if damageIsFound(t, path, want) {
				found++
			} else {
				harmless++
			}
		}
	}
	t.Logf("%d kinds of damage found, %d harmless", found, harmless)
	if found == 0 {
		t.Error("no damage was found")
	}
}

// damageIsFound opens and checks; without an error the journal must say what it
// said.
func damageIsFound(t *testing.T, path, want string) bool {
	t.Helper()
	j, err := Open(path, Options{NoSync: true, Now: testNow})
	if err != nil {
		wantCode(t, err, fault.StorageFailed)
		if strings.Contains(err.Error(), "another process") {
			t.Fatal("a damaged journal stays locked")
		}
		return true
	}
	defer func() {
		if err := guard(j.Close); err != nil {
			t.Error(err)
		}
	}()
	if err := j.Check(); err != nil {
		wantCode(t, err, fault.StorageFailed)
		return true
	}
	if got := dump(t, j); got != want {
		t.Fatal("the damage is not found and the journal says something else")
	}
	return false
}

// TestALostHeadOfABucketDoesNotGoRoundForEver: bbolt took all memory over a bucket
// whose head was overwritten by zeros, at a start as well as in a check.
func TestALostHeadOfABucketDoesNotGoRoundForEver(t *testing.T) {
	dir := t.TempDir()
	j := open(t, Options{})
	_, err := play(j)
	must(t, err)
	packed, path := filepath.Join(dir, "packed.db"), filepath.Join(dir, "damaged.db")
	must(t, j.Compact(packed))
	whole, err := os.ReadFile(packed)
	must(t, err)
	for _, name := range append(buckets(), ownersName(testWorld, "overworld")) {
		content := slices.Clone(whole)
		for at := 0; ; at++ { // the head stands behind the name, wherever that is
			next := bytes.Index(content[at:], name)
			if next < 0 {
				break
			}
			at += next + len(name)
			clear(content[at:min(at+32, len(content))])
		}
		must(t, os.WriteFile(path, content, 0o600))
		j, err := Open(path, Options{NoSync: true, Now: testNow})
		if err == nil {
			err = errors.Join(j.Check(), j.Close())
		}
		if err == nil && string(name) != "cursors" && string(name) != "meta" {
			t.Errorf("%s: nothing was found", name)
		}
	}
}

// TestDiskFullIsARefusal fills a disk: what was acknowledged stays, the journal
// stops, and goes on when it is opened with more room.
func TestDiskFullIsARefusal(t *testing.T) {
	for _, limit := range []int{128 << 10, 256 << 10, 512 << 10} {
		path := filepath.Join(t.TempDir(), "journal.db")
		j, err := Open(path, Options{NoSync: true, Now: testNow, MaxBytes: limit})
		must(t, err)
		acknowledged := 0
		for ; err == nil; acknowledged++ {
			p := newPlan(fmt.Sprint("p", acknowledged), box(acknowledged, 0, 0, acknowledged+20, 5, 30))
			if err = j.PutPlan(p); err == nil {
				_, err = j.Enqueue(newOperation(p, fmt.Sprint("op", acknowledged)))
			}
		}
		acknowledged--
		wantCode(t, err, fault.StorageFailed)
		if !errors.Is(err, bolterrors.ErrMaxSizeReached) {
			t.Fatalf("stopped by %v", err)
		}
		_, err = j.Operations(Filter{}) // reading goes on
		must(t, err)
		must(t, j.Close())
		if got := size(path); got > int64(limit) {
			t.Errorf("the file has %d bytes of %d", got, limit)
		}

		j = reopen(t, path, Options{})
		ops, err := j.Unfinished()
		must(t, err)
		if len(ops) != acknowledged {
			t.Errorf("%d operations after %d were acknowledged", len(ops), acknowledged)
		}
		run(t, j, newPlan("more", box(0, 0, 0, 1, 1, 1)), "more")
	}
}
