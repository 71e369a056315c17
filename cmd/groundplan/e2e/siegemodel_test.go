package e2e

import (
	"fmt"
	"slices"
	"strings"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// The arena is the cube that the plans of the siege write into.
const (
	edge  = 16
	floor = 100
	cells = edge * edge * edge
	air   = "minecraft:air"
)

// at returns the position of the i-th cell of the arena.
func at(i int) pos { return pos{i % edge, floor + i/(edge*edge), i / edge % edge} }

// cellAt is at turned round; false for a position outside of the arena.
func cellAt(p pos) (int, bool) {
	in := func(n int) bool { return 0 <= n && n < edge }
	return (p.Y-floor)*edge*edge + p.Z*edge + p.X, in(p.X) && in(p.Y-floor) && in(p.Z)
}

// arena is what each cell holds.
type arena [cells]string

// deed is one operation as its client knows it.
type deed struct {
	planned
	key     string
	kind    string         // building, undoing, rolling back, repairing
	id      string         // "" until an answer or the list of operations told
	want    map[int]string // what its plan writes where
	before  map[int]string // what it found there
	loose   map[int]bool   // cells that it may or may not write
	told    operation      // the newest that the service said of it
	of      *deed          // what a rollback takes back
	crash   bool           // a crash interrupted it
	resumed bool
}

func (d *deed) final() bool {
	switch d.told.Status {
	case "", "queued", "applying", "recovery_required":
		return false
	default:
		return true
	}
}

// running reports whether the service may write for it now.
func (d *deed) running() bool { return d.told.Status == "queued" || d.told.Status == "applying" }

// model is what the world may hold, as the answers of the service and the world's
// own file tell. It knows nothing of how the service works.
type model struct {
	base    arena          // when everything was last read and compared
	flight  []*deed        // asked for since, or not ended then, in their order
	foreign map[int]string // edits by others since
	maybe   map[int]string // edits by others that nobody confirmed
	owner   [cells]*deed   // who certainly wrote the cell last; nil: not known
	past    [cells][]string
	ended   []*deed // all that ended
}

func newModel() *model {
	m := &model{foreign: map[int]string{}, maybe: map[int]string{}}
	for i := range m.base {
		m.base[i] = air
		m.past[i] = []string{air}
	}
	return m
}

// allowed returns what each cell may hold now.
func (m *model) allowed() [cells][]string {
	var sets [cells][]string
	for c, text := range m.base {
		sets[c] = []string{text}
	}
	for _, d := range m.flight {
		for c, text := range d.want {
			switch {
			case d.id == "" || d.told.Status != "applied" && d.told.Sent == 0 && d.final() && !d.crash:
			case d.told.Status == "applied" && !d.loose[c]:
				sets[c] = []string{text}
			default:
				sets[c] = append(sets[c], text)
			}
		}
	}
	for c, text := range m.foreign {
		sets[c] = []string{text}
	}
	for c, text := range m.maybe {
		sets[c] = append(sets[c], text)
	}
	return sets
}

// pin compares a reading with what may be, and goes on from it. It returns what
// is wrong.
func (m *model) pin(now arena) error {
	sets := m.allowed()
	for c, text := range now {
		if !slices.Contains(sets[c], text) {
			return fmt.Errorf("%v holds %s and may hold %v only; it held %s\n%s", at(c), text, sets[c], m.base[c], m.touching(c))
		}
	}
	for i, d := range m.flight {
		if err := m.counted(d, now); err != nil {
			return err
		}
		if e := m.inTheWay(d, m.flight[:i]); e != nil && d.told.Written > 0 {
			return fmt.Errorf("operation %s had to find what %s wrote, and wrote %d cells all the same", d.id, e.id, d.told.Written)
		}
	}
	m.settle(now)
	m.base = now
	for c, text := range now {
		m.past[c] = append(m.past[c], text)
	}
	return nil
}

// counted checks that an operation says of itself what can be seen, where no other
// operation was.
func (m *model) counted(d *deed, now arena) error {
	if !d.final() || d.crash || len(d.loose) > 0 {
		return nil
	}
	seen, unsure := 0, 0
	for c, text := range d.want {
		_, foreign := m.foreign[c]
		switch {
		case m.shared(d, c):
			return nil
		case foreign || m.maybe[c] != "":
			unsure++ // edited before or after it was written
		case now[c] == text && m.base[c] == text:
			unsure++ // a world that forgot held it already, or what was written there is taken back
		case now[c] == text:
			seen++
		}
	}
	if d.told.Written < seen || d.told.Written > seen+unsure {
		return fmt.Errorf("operation %s (%s) says that it wrote %d cells; of its %d, %d are as it wants them and %d may be by others",
			d.id, d.told.Status, d.told.Written, len(d.want), seen, unsure)
	}
	return nil
}

// inTheWay returns an operation that had been applied before d began, and left a cell
// neither as d had found it nor as d wants it: then d must not write anything.
func (m *model) inTheWay(d *deed, earlier []*deed) *deed {
	if !d.final() || d.crash {
		return nil
	}
	for _, e := range earlier {
		if e.crash || e.told.Status != "applied" {
			continue
		}
		for c, text := range e.want {
			if want, both := d.want[c]; both && text != want && text != d.before[c] && !e.loose[c] {
				return e
			}
		}
	}
	return nil
}

func (m *model) shared(d *deed, c int) bool {
	for _, other := range m.flight {
		if _, touches := other.want[c]; touches && other != d && other.id != "" {
			return true
		}
	}
	return false
}

// settle lets go of what has ended: its owners are known now.
func (m *model) settle(now arena) {
	var on []*deed
	for _, d := range m.flight {
		for c, text := range d.want {
			m.past[c] = append(m.past[c], text)
			m.owner[c] = nil
			wrote := d.told.Status == "applied" && !d.loose[c] && now[c] == text && m.base[c] != text && !m.shared(d, c)
			if wrote && (d.kind == "building" || d.kind == "repairing") {
				m.owner[c] = d
			}
		}
		switch {
		case d.final():
			m.ended = append(m.ended, d)
		case d.id != "":
			on = append(on, d)
		}
	}
	for _, edits := range []map[int]string{m.foreign, m.maybe} {
		for c, text := range edits {
			m.past[c] = append(m.past[c], text)
			m.owner[c] = nil
		}
	}
	m.flight = on
	clear(m.foreign)
	clear(m.maybe)
}

// saved goes on from the world's own file, which is all that is left of a world
// that died, and returns the cells that operations that had ended lost with it.
func (m *model) saved(file arena) (lost map[*deed][]int, err error) {
	for _, d := range m.flight {
		for c, text := range d.want {
			m.past[c] = append(m.past[c], text)
		}
	}
	claimed := m.base
	for c, texts := range m.allowed() {
		claimed[c] = texts[len(texts)-1]
	}
	m.settle(claimed)
	for _, d := range m.flight {
		d.crash = true
	}
	lost = map[*deed][]int{}
	for c, text := range file {
		if !slices.Contains(m.past[c], text) {
			return nil, fmt.Errorf("the world's file has %s at %v, which was never there: %v", text, at(c), m.past[c])
		}
		if d := m.owner[c]; d != nil && d.want[c] != text {
			m.owner[c] = nil
			if !m.wanted(c) {
				lost[d] = append(lost[d], c)
			}
		}
		m.past[c] = []string{text}
	}
	m.base = file
	return lost, nil
}

// wanted reports whether an operation that goes on may write the cell.
func (m *model) wanted(c int) bool {
	for _, d := range m.flight {
		if _, ok := d.want[c]; ok {
			return true
		}
	}
	return false
}

// clean reports whether every cell of a deed is certainly still its own.
func (m *model) clean(d *deed) bool {
	for c := range d.want {
		if m.owner[c] != d {
			return false
		}
	}
	return len(d.want) > 0
}

// touching tells of everything that wanted a cell.
func (m *model) touching(c int) string {
	var text strings.Builder
	for _, d := range m.flight {
		if want, ok := d.want[c]; ok {
			fmt.Fprintf(&text, "%s %s wants %s, found %s: %+v\n", d.kind, d.key, want, d.before[c], d.told)
		}
	}
	return text.String() + fmt.Sprintf("edits by others: %v, perhaps %v", m.foreign[c], m.maybe[c])
}

// readFile reads the arena from the file that the world keeps, past the service
// and past the world's process, and whatever else the file has of blocks that
// the siege places.
func readFile(dir string) (now arena, stray []voxel.Pos, err error) {
	w, err := store.Open(dir)
	if err != nil {
		return now, nil, err
	}
	d := w.Dimension(store.Overworld)
	for c := range now {
		p := at(c)
		now[c] = w.Text(d.At(voxel.Pos{X: p.X, Y: p.Y, Z: p.Z}))
	}
	// The region of the project: four layers of ground, air above.
	const far = 256
	ground := voxel.Box{Min: voxel.Pos{X: -far, Y: -64, Z: -far}, Max: voxel.Pos{X: far - 1, Y: -61, Z: far - 1}}
	sky := voxel.Box{Min: voxel.Pos{X: -far, Y: -60, Z: -far}, Max: voxel.Pos{X: far - 1, Y: 319, Z: far - 1}}
	stray = d.Find(ground, func(s store.State) bool { return !natural(w.Text(s)) })
	for _, p := range d.Find(sky, func(s store.State) bool { return w.Text(s) != air }) {
		if _, ours := cellAt(pos{p.X, p.Y, p.Z}); !ours {
			stray = append(stray, p)
		}
	}
	return now, stray, nil
}

// natural reports whether a block is of the ground.
func natural(text string) bool {
	switch text {
	case "minecraft:bedrock[infiniburn_bit=false]", "minecraft:dirt", "minecraft:grass_block":
		return true
	default:
		return false
	}
}
