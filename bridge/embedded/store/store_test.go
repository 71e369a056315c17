package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"groundplan/plan/voxel"
)

func open(tb testing.TB, dir string) *World {
	tb.Helper()
	w, err := Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

func save(tb testing.TB, w *World) {
	tb.Helper()
	if err := w.Save()(); err != nil {
		tb.Fatal(err)
	}
}

func TestANewWorldIsFlat(t *testing.T) {
	w := open(t, "")
	d := w.Dimension(Overworld)
	for y, want := range map[int]string{-64: "minecraft:bedrock[infiniburn_bit=false]", -63: "minecraft:dirt", -62: "minecraft:dirt", -61: "minecraft:grass_block", -60: Air, 319: Air} {
		if got := w.Text(d.At(voxel.Pos{X: -7, Y: y, Z: 1 << 24})); got != want {
			t.Errorf("at y %d is %s, want %s", y, got, want)
		}
	}
}

// TestRandomChangesAgreeWithAMap changes cells and boxes, saves and opens again,
// and compares with the simplest store there is.
func TestRandomChangesAgreeWithAMap(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	random := rand.New(rand.NewPCG(7, 7))
	want := map[voxel.Pos]string{}
	states := []string{Air, "a", "b[x=1]", "c"}
	area := voxel.Box{Min: voxel.Pos{X: -20, Y: -64, Z: -20}, Max: voxel.Pos{X: 20, Y: -30, Z: 20}}
	at := func() voxel.Pos {
		size := area.Size()
		return area.Min.Add(voxel.Pos{X: random.IntN(size.X), Y: random.IntN(size.Y), Z: random.IntN(size.Z)})
	}
	for range 300 {
		d := w.Dimension(Overworld)
		text := states[random.IntN(len(states))]
		s, err := w.Intern(text)
		if err != nil {
			t.Fatal(err)
		}
		switch random.IntN(4) {
		case 0, 1:
			p := at()
			d.Set(p, s)
			want[p] = text
		case 2:
			box := voxel.Cube(at()).Union(voxel.Cube(at()))
			d.Change(box, func(State) State { return s }, nil)
			for p := range box.All() {
				want[p] = text
			}
			if !d.All(box, func(got State) bool { return got == s }) {
				t.Fatalf("%v is not all %s", box, text)
			}
		case 3:
			save(t, w)
			if random.IntN(2) == 0 {
				w = open(t, dir)
			}
		}
	}
	d := w.Dimension(Overworld)
	flat := open(t, "")
	for p := range area.All() {
		text, changed := want[p]
		if !changed {
			text = flat.Text(flat.Dimension(Overworld).At(p))
		}
		if got := w.Text(d.At(p)); got != text {
			t.Fatalf("at %v is %s, want %s", p, got, text)
		}
	}
}

func TestASaveIsOfTheMomentItWasTaken(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	d := w.Dimension(Overworld)
	stone, err := w.Intern("minecraft:stone")
	if err != nil {
		t.Fatal(err)
	}
	d.Set(voxel.Pos{X: 1}, stone)
	d.SetEntity(voxel.Pos{X: 1}, Entity{Text: [2]string{"front", ""}})
	w.Properties["name"] = "before"
	write := w.Save()
	d.Set(voxel.Pos{X: 2}, stone)
	d.Set(voxel.Pos{X: 1}, 0)
	w.Properties["name"] = "after"
	if err := write(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	e := again.Dimension(Overworld)
	if got := []string{again.Text(e.At(voxel.Pos{X: 1})), again.Text(e.At(voxel.Pos{X: 2})), fmt.Sprint(again.Properties["name"])}; fmt.Sprint(got) != "[minecraft:stone minecraft:air before]" {
		t.Errorf("the save holds %v", got)
	}
	if entity, ok := e.Entity(voxel.Pos{X: 1}); !ok || entity.Text[0] != "front" {
		t.Errorf("the sign says %v", entity)
	}
}

func TestBrokenFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	w.Dimension(Nether).Set(voxel.Pos{Y: 5}, 1)
	save(t, w)
	path := filepath.Join(dir, FileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"empty": {}, "short": good[:len(good)/2], "flipped": flip(good, len(good)/2), "longer": append(bytes.Clone(good), good...)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("a file that is %s opens", name)
		}
	}
}

func flip(data []byte, at int) []byte {
	c := bytes.Clone(data)
	c[at] ^= 0x10
	return c
}

func TestLockRemovesHalfFiles(t *testing.T) {
	dir := t.TempDir()
	save(t, open(t, dir))
	half := filepath.Join(dir, "."+FileName+"77")
	if err := os.WriteFile(half, []byte("GP"), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half file: %v", err)
	}
	open(t, dir)
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		t.Error(err)
	}
}

const childEnv = "GROUNDPLAN_STORE_CHILD"

// TestKilledProcessesLeaveASave kills a process that saves as fast as it can, and
// finds the world as it was at some save: the cells up to the counter, no others.
func TestKilledProcessesLeaveASave(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		writeForever(t, dir)
		return
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(9, 9))
	last := 0
	for round := range 12 {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.CommandContext(t.Context(), exe, "-test.run=^TestKilledProcessesLeaveASave$")
		child.Env = append(os.Environ(), childEnv+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(out, make([]byte, 1)) // it has begun
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		_ = child.Process.Kill() // SIGKILL; Wait tells
		if err := child.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		last = checkPrefix(t, dir, last, round)
	}
	if last == 0 {
		t.Error("no child ever saved")
	}
}

func writeForever(t *testing.T, dir string) {
	t.Helper()
	w := open(t, dir)
	stone := w.mustIntern("minecraft:stone")
	n, _ := w.Properties["n"].(float64)
	fmt.Print(".")
	for i := int(n); ; i++ {
		w.Dimension(Overworld).Set(voxel.Pos{X: i % 512, Y: i / 512, Z: i % 7}, stone)
		w.Properties["n"] = i + 1
		if i%3 == 0 {
			if err := w.Save()(); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
}

func checkPrefix(tb testing.TB, dir string, last, round int) int {
	tb.Helper()
	w := open(tb, dir)
	number, _ := w.Properties["n"].(float64)
	n := int(number)
	if n < last || n > 0 && n%3 != 1 {
		tb.Fatalf("round %d: the counter is %d and was %d", round, n, last)
	}
	count := 0
	d := w.Dimension(Overworld)
	d.Change(voxel.Box{Max: voxel.Pos{X: 511, Y: 300, Z: 6}}, func(s State) State {
		if s != 0 {
			count++
		}
		return s
	}, nil)
	if count != n {
		tb.Fatalf("round %d: %d cells, the counter is %d", round, count, n)
	}
	return n
}

func FuzzDecode(f *testing.F) {
	w := newWorld("")
	w.Dimension(TheEnd).Set(voxel.Pos{X: -1, Y: 3, Z: 9}, 2)
	w.Properties["a"] = "b"
	var out bytes.Buffer
	if err := w.encode(&out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := w.encode(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := decode(&again); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
