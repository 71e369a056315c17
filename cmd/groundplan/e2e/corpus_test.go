package e2e

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"groundplan/bridge/embedded/store"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

var whole = flag.Bool("corpus", false, "import every file of the corpus of real files, not only the small ones: an hour or more")

// Without -corpus only small files are imported, as many as there is time for.
const (
	sampleCells = 3_000
	sampleTime  = 40 * time.Second
)

// corpusDir holds real files of many writers; it is not part of the repository.
var corpusDir = filepath.Join(root, "..", "shared", "corpus")

// corpusFile is a row of the corpus' index.
type corpusFile struct {
	name string
	raw  int // bytes once inflated; 0 when the index does not say
}

// corpus returns the index, the smallest files first, or skips the test.
func corpus(t *testing.T) []corpusFile {
	t.Helper()
	f, err := os.Open(filepath.Join(corpusDir, "INDEX.tsv"))
	if err != nil {
		t.Skip("the corpus of real files is not here: ", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var files []corpusFile
	for _, row := range rows[1:] {
		raw, _ := strconv.Atoi(row[11])
		files = append(files, corpusFile{row[0], raw})
	}
	slices.SortStableFunc(files, func(a, b corpusFile) int { return cmp.Compare(a.raw, b.raw) })
	return files
}

// corpusLimits let the largest files of the corpus pass.
func corpusLimits() plan.Limits {
	limits := plan.DefaultLimits()
	limits.AssetCells, limits.PlanCells = 40<<20, 40<<20
	return limits
}

// TestCorpusFilesStandInTheWorldAsTheyWereTranslated imports real files with the
// program, and compares the world that is then on disk with the file, cell by cell.
func TestCorpusFilesStandInTheWorldAsTheyWereTranslated(t *testing.T) {
	if raceEnabled {
		t.Skip("takes time and finds no races; .ci/run has a step for it without the race detector")
	}
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	untouched, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := corpusRun{registry: registry, untouched: untouched, began: time.Now()}
	for _, file := range corpus(t) {
		t.Run(file.name, func(t *testing.T) { c.check(t, file) })
	}
	t.Logf("%d files imported, %d cells; %d refused, %d left out", c.imported, c.cells, c.refused, c.skipped)
}

// connection is the part of project_context that says whether there is a world.
type connection struct {
	World struct {
		Connected bool `json:"connected"`
	} `json:"world"`
}

// corpusRun is a test of the whole corpus, with its figures.
type corpusRun struct {
	registry  *block.Registry
	untouched *store.World
	began     time.Time

	imported, refused, skipped, cells int
}

func (c *corpusRun) check(t *testing.T, file corpusFile) {
	t.Helper()
	path := filepath.Join(corpusDir, file.name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schematic.Open(bytes.NewReader(data), corpusLimits())
	if err != nil {
		c.refused++
		stdout, stderr, code := output(t, "inspect", path, "--json")
		if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || len(strings.Fields(stderr)) < 5 {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
		return
	}
	if !*whole && (s.Cells() > sampleCells || time.Since(c.began) > sampleTime) {
		c.skipped++
		t.SkipNow()
	}
	at := voxel.Pos{Y: max(-64, min(0, 320-s.Size.Y))}
	wanted, err := s.Place(c.registry, schematic.Placement{Target: at, Anchor: schematic.AnchorCorner})
	if err != nil {
		t.Fatal(err)
	}
	box, _ := s.Box(schematic.Placement{Target: at, Anchor: schematic.AnchorCorner})
	began := time.Now()
	dir, peak := c.place(t, path, at)
	took := time.Since(began)
	world, err := store.Open(filepath.Join(dir, "world"))
	if err != nil {
		t.Fatal(err)
	}
	c.imported++
	c.cells += box.Volume()
	c.compare(t, world, wanted, box)
	t.Logf("%d cells in %.1f s, peak %d MiB", box.Volume(), took.Seconds(), peak)
	if most := max(512, 4*file.raw>>20); peak > most {
		t.Errorf("the service took %d MiB for %d bytes inflated", peak, file.raw)
	}
}

// place imports a file into a new world, and returns the data folder and the most
// memory that the service took, in MiB. The world is a process of its own, as a game
// is, and keeps connections as they are written: so nothing may differ.
func (c *corpusRun) place(t *testing.T, path string, at voxel.Pos) (dir string, peak int) {
	t.Helper()
	dir = t.TempDir()
	s := start(t, dir, "--world", "connect", "--allow-local-automation")
	world := spawn(t, "world", "run", s.Bridge, "--data", dir, "--tick=0s", "--as-is")
	defer world.kill()
	for !call[connection](t, s, "project_context", nil).World.Connected {
		time.Sleep(10 * time.Millisecond)
	}
	var admin []string
	for _, id := range c.registry.IDs() {
		if c.registry.Class(block.State(id))&block.Admin != 0 {
			admin = append(admin, id)
		}
	}
	callAdmin[any](t, s, "project_put", object{"project": plan.Project{
		ID: "default", Dimension: "overworld", Automation: true, Limits: corpusLimits(), Policy: plan.Policy{Allow: admin},
		Region: voxel.Box{Min: voxel.Pos{Y: -64}, Max: voxel.Pos{X: 1 << 17, Y: 319, Z: 1 << 17}},
	}})
	stdout, stderr, code := output(t, "import", path, "--data", dir, "--anchor", "corner", "--yes", fmt.Sprintf("--at=%d,%d,%d", at.X, at.Y, at.Z))
	var op operation
	if err := json.Unmarshal([]byte(stdout), &op); code != 0 || err != nil || op.Status != "applied" {
		t.Fatalf("exit code %d, %s%s", code, tail(stdout), tail(stderr))
	}
	peak = s.peak(t)
	if err := world.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	<-world.dead // it has saved
	s.stop(t)
	return dir, peak
}

// compare holds the world against the wanted cells; where there are none it must be
// as it was made.
func (c *corpusRun) compare(t *testing.T, world *store.World, wanted *voxel.Volume, box voxel.Box) {
	t.Helper()
	now, before := world.Dimension("overworld"), c.untouched.Dimension("overworld")
	wrong := 0
	for p := range box.All() {
		want, some := wanted.At(p)
		if !some {
			want = c.untouched.Text(before.At(p))
		}
		got := world.Text(now.At(p))
		if got == want {
			continue
		}
		if wrong++; wrong <= 8 {
			t.Errorf("%v is %s, want %s", p, got, want)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d cells are wrong", wrong, box.Volume())
	}
}
