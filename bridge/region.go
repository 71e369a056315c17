package bridge

import (
	"bytes"
	"strings"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// MaxRegionCells is how many cells one read_region may ask for, all its boxes
// together.
const MaxRegionCells = 32768

// maxStateBytes bounds one palette text; the longest state of the game has about
// 200 bytes.
const maxStateBytes = 512

// unloadedCell is the palette text of a cell in a chunk that is not loaded.
const unloadedCell = "?"

// RegionPage is one page of a region's cells, in y, z, x order from cell From on.
//
//	{"from":0,"palette":["air","stone","?"],"runs":"0*1kw,1,2*3","next":4096,
//	 "be":[[12,"container",1]],"tick":77}
//
// Palette texts are canonical states without the namespace minecraft. A run is an
// index into the palette, with *count behind it when it is longer than one cell;
// both numbers are in base 36.
type RegionPage struct {
	From     int
	Palette  []string // canonical states with their namespace; "" for an unloaded cell
	Runs     []Run
	Next     int // first cell of the next page; -1 when this is the last
	Entities []RegionEntity
	Tick     int // the game's tick at which the page was read
}

// Run is a number of cells with the same content.
type Run struct {
	Entry int // index into the palette
	Count int
}

// RegionEntity is a block entity by the index of its cell in the region.
type RegionEntity struct {
	Cell int
	Kind string
	Full bool
}

// DecodeRegionPage reads a page of a region of the given number of cells. Every
// error is a FrameError: the page is checked completely, so that Paint cannot
// fail.
func DecodeRegionPage(data []byte, cells int) (*RegionPage, error) {
	p := &RegionPage{Next: -1, From: -1}
	var runs []byte
	s := scanner{data: data}
	if s.peek() != '{' {
		return nil, flawed(FlawNotObject, -1, "the page is not an object")
	}
	err := s.object(func(key []byte) error {
		var err error
		switch string(key) {
		case "from":
			p.From, err = s.integer()
		case "palette":
			err = p.palette(&s)
		case "runs":
			runs, err = s.text()
		case "next":
			if s.peek() == 'n' {
				_, err = s.skip()
				break
			}
			p.Next, err = s.integer()
		case "be":
			err = p.entities(&s)
		case "tick":
			p.Tick, err = s.integer()
		default:
			_, err = s.skip()
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, flawed(FlawJSON, -1, "page: %v", err)
	}
	if p.Runs, err = decodeRuns(runs, len(p.Palette)); err != nil {
		return nil, err
	}
	return p, p.check(cells)
}

func (p *RegionPage) palette(s *scanner) error {
	return s.array(func() error {
		text, err := s.text()
		if err != nil {
			return err
		}
		if len(p.Palette) >= MaxRegionCells {
			return s.fail("palette with more entries than cells")
		}
		state, ok := fullState(string(text))
		if !ok {
			return s.fail("palette entry that is no block state")
		}
		p.Palette = append(p.Palette, state)
		return nil
	})
}

// fullState returns a state with its namespace, "" for the unloaded cell.
func fullState(text string) (string, bool) {
	if text == unloadedCell {
		return "", true
	}
	if text == "" || len(text) > maxStateBytes {
		return "", false
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '"' {
			return "", false
		}
	}
	id, _, _ := strings.Cut(text, "[")
	if strings.Contains(id, ":") {
		return text, true
	}
	return "minecraft:" + text, true
}

func (p *RegionPage) entities(s *scanner) error {
	return s.array(func() error {
		if len(p.Entities) >= MaxRegionCells {
			return s.fail("more block entities than cells")
		}
		var e RegionEntity
		field := 0
		err := s.array(func() error {
			var err error
			switch field++; field {
			case 1:
				e.Cell, err = s.integer()
			case 2:
				var kind []byte
				kind, err = s.text()
				e.Kind = string(kind)
			case 3:
				var full int
				full, err = s.integer()
				e.Full = full != 0
			default:
				_, err = s.skip()
			}
			return err
		})
		if err == nil && field < 3 {
			err = s.fail("block entity with fewer than three fields")
		}
		p.Entities = append(p.Entities, e)
		return err
	})
}

func decodeRuns(text []byte, palette int) ([]Run, error) {
	if len(text) == 0 {
		return nil, nil
	}
	runs := make([]Run, 0, bytes.Count(text, []byte{','})+1)
	for at := 0; ; at++ {
		part, rest, more := bytes.Cut(text, []byte{','})
		entry, count, long := bytes.Cut(part, []byte{'*'})
		r := Run{Entry: base36(entry), Count: 1}
		if long {
			r.Count = base36(count)
		}
		if r.Entry < 0 || r.Entry >= palette || r.Count < 1 {
			return nil, flawed(FlawShape, -1, "run %d is %q with a palette of %d", at, clip(part), palette)
		}
		runs = append(runs, r)
		if !more {
			return runs, nil
		}
		text = rest
	}
}

// base36 reads a number of at most four digits, enough for a region's cells; -1
// for anything else.
func base36(b []byte) int {
	if len(b) == 0 || len(b) > 4 {
		return -1
	}
	n := 0
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			n = n*36 + int(c-'0')
		case 'a' <= c && c <= 'z':
			n = n*36 + int(c-'a') + 10
		default:
			return -1
		}
	}
	return n
}

// Len returns the number of cells on the page.
func (p *RegionPage) Len() int {
	n := 0
	for _, r := range p.Runs {
		n += r.Count
	}
	return n
}

// check fails unless the page is a part of a region of so many cells and knows
// what comes after it.
func (p *RegionPage) check(cells int) error {
	end := p.From
	for _, r := range p.Runs {
		// Each count is below 36^4, so this cannot overflow before it is
		// compared.
		if end += r.Count; end > cells {
			break
		}
	}
	switch {
	case p.From < 0 || p.From >= cells:
		return flawed(FlawShape, -1, "page from cell %d of %d", p.From, cells)
	case len(p.Runs) == 0:
		return flawed(FlawShape, -1, "page without cells")
	case end > cells:
		return flawed(FlawShape, -1, "page reaches beyond the region's %d cells", cells)
	case p.Next < 0 && end != cells:
		return flawed(FlawShape, -1, "the last page ends at cell %d of %d", end, cells)
	case p.Next >= 0 && (p.Next != end || end == cells):
		return flawed(FlawShape, -1, "the page ends at cell %d of %d and is followed by %d", end, cells, p.Next)
	}
	for _, e := range p.Entities {
		if e.Cell < 0 || e.Cell >= cells {
			return flawed(FlawShape, -1, "block entity in cell %d of %d", e.Cell, cells)
		}
	}
	return nil
}

// Paint writes the page's cells and block entities into the snapshot. The boxes are
// those that were asked for; their cells are counted through.
func (p *RegionPage) Paint(into *plan.Snapshot, boxes []voxel.Box) {
	ids := make([]voxel.ID, len(p.Palette))
	for i, state := range p.Palette {
		ids[i] = into.Cells.Intern(state)
	}
	at := p.From
	for _, r := range p.Runs {
		for end := at + r.Count; at < end; {
			box, i := cellOf(boxes, at)
			n := min(end-at, box.Volume()-i)
			paintRun(into.Cells, box, i, n, ids[r.Entry])
			at += n
		}
	}
	for _, e := range p.Entities {
		box, i := cellOf(boxes, e.Cell)
		into.Entities = append(into.Entities, plan.BlockEntity{Pos: cellAt(box, box.Size(), i), Kind: e.Kind, Full: e.Full})
	}
}

func paintRun(into *voxel.Volume, box voxel.Box, from, count int, id voxel.ID) {
	switch {
	case id == voxel.None:
	case count == box.Volume():
		into.Fill(box, id)
	default:
		size := box.Size()
		for i := from; i < from+count; i++ {
			into.Set(cellAt(box, size, i), id)
		}
	}
}

// cellOf returns the box that has the i-th cell of all boxes, and its number there.
func cellOf(boxes []voxel.Box, i int) (voxel.Box, int) {
	for _, box := range boxes {
		if n := box.Volume(); i >= n {
			i -= n
			continue
		}
		return box, i
	}
	panic("a page was painted over other boxes than it was read from")
}

// cellAt returns the position of a box's i-th cell in y, z, x order.
func cellAt(box voxel.Box, size voxel.Pos, i int) voxel.Pos {
	row := i / size.X
	return box.Min.Add(voxel.Pos{X: i % size.X, Y: row / size.Z, Z: row % size.Z})
}
