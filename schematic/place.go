package schematic

import (
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Placement says where a schematic goes and how it is turned. The zero value puts
// the anchor at 0,0,0, unturned, air included.
type Placement struct {
	Target   voxel.Pos // where the anchor goes
	Rotation int       // degrees clockwise seen from above: 0, 90, 180 or 270
	Mirror   Mirror    // done before the rotation
	Anchor   Anchor    // which point of the schematic goes to Target
	SkipAir  bool      // air of the schematic leaves the world as it is
	Mapping  Mapping   // states that are to become something else than the registry says
	Strict   bool      // a state that the registry does not know is an error instead of a cell left as it is

	// Ground returns the y of the highest solid cell of a column; AnchorGround
	// needs it.
	Ground func(x, z int) (y int, ok bool)
}

// Mirror says along which axis a schematic is flipped.
type Mirror string

// The ways to mirror.
const (
	MirrorNone Mirror = ""
	MirrorX    Mirror = "x" // east and west change places
	MirrorZ    Mirror = "z" // north and south change places
)

// Anchor names the point of a schematic that goes to the target.
type Anchor string

// The anchors.
const (
	AnchorOffset Anchor = "offset" // the file's own: its offset says where the box lies from there; also ""
	AnchorCorner Anchor = "corner" // the lowest corner of the turned box
	AnchorGround Anchor = "ground" // as corner, with the lowest layer that is not all air on the ground at the target's column
)

// check refuses what no placement is.
func (p *Placement) check() error {
	switch p.Rotation {
	case 0, 90, 180, 270:
	default:
		return fault.Errorf(fault.InvalidRequest, "rotation is %d; it must be 0, 90, 180 or 270", p.Rotation)
	}
	switch p.Mirror {
	case MirrorNone, MirrorX, MirrorZ:
	default:
		return fault.Errorf(fault.InvalidRequest, "mirror is %q; it must be x, z or empty", p.Mirror)
	}
	switch p.Anchor {
	case "", AnchorOffset, AnchorCorner:
	case AnchorGround:
		if p.Ground == nil {
			return fault.Errorf(fault.InvalidRequest, "the anchor ground needs a world to look at")
		}
	default:
		return fault.Errorf(fault.InvalidRequest, "anchor is %q; it must be offset, corner or ground", p.Anchor)
	}
	return nil
}

// turn maps a vector from the anchor as mirror and rotation do: each quarter turn
// takes (x, z) to (-z, x).
func (p *Placement) turn(v voxel.Pos) voxel.Pos {
	switch p.Mirror {
	case MirrorX:
		v.X = -v.X
	case MirrorZ:
		v.Z = -v.Z
	case MirrorNone:
	}
	for range p.Rotation / 90 {
		v.X, v.Z = -v.Z, v.X
	}
	return v
}

// Box returns the cells of the world that the schematic would cover.
func (s *Schematic) Box(p Placement) (voxel.Box, error) {
	if err := p.check(); err != nil {
		return voxel.Box{}, err
	}
	a := p.turn(s.Offset)
	b := p.turn(s.Offset.Add(s.Size).Sub(voxel.Pos{X: 1, Y: 1, Z: 1}))
	box := voxel.Cube(a).Union(voxel.Cube(b))
	corner := p.Target
	switch p.Anchor {
	case AnchorCorner:
	case AnchorGround:
		y, ok := p.Ground(p.Target.X, p.Target.Z)
		if !ok {
			return voxel.Box{}, fault.Errorf(fault.OutOfBounds, "there is no ground at %d,%d", p.Target.X, p.Target.Z)
		}
		corner.Y = y + 1 - s.lowestLayer()
	default:
		return box.Move(p.Target), nil
	}
	return box.Move(corner.Sub(box.Min)), nil
}

// lowestLayer returns the y of the first layer that has something else than air.
func (s *Schematic) lowestLayer() int {
	empty := make([]bool, len(s.palette))
	for i, state := range s.palette {
		empty[i] = state == absent || isAir(state)
	}
	for i := range s.cells.n {
		if !empty[s.cells.at(i)] {
			return i / (s.Size.X * s.Size.Z)
		}
	}
	return 0
}

// isAir reports whether a state is one of the kinds of air of either edition.
func isAir(state string) bool {
	switch strings.TrimPrefix(state, "minecraft:") {
	case "air", "cave_air", "void_air":
		return true
	default:
		return false
	}
}

// Place returns the wanted cells. A cell is absent where the file says nothing,
// where its state means "leave what is there", where it is air and SkipAir is set,
// and, unless Strict is set, where the registry does not know the state.
func (s *Schematic) Place(reg *block.Registry, p Placement) (*voxel.Volume, error) {
	box, err := s.Box(p)
	if err != nil {
		return nil, err
	}
	translations := s.translations(reg, p.Mapping)
	if p.Strict || s.strict {
		if err := s.refuseUnknown(translations); err != nil {
			return nil, err
		}
	}
	v := voxel.NewVolume()
	ids := make([]voxel.ID, len(s.palette))
	used := s.counts()
	for i, t := range translations {
		if used[i] == 0 || t.Keep || t.Quality == block.Unmapped || t.State == "" || p.SkipAir && t.State == block.Air {
			continue
		}
		ids[i] = v.Intern(string(p.turnState(reg, t.State)))
	}
	s.paint(v, p, box, ids)
	loose := map[voxel.ID]bool{}
	for i, id := range ids {
		if id != voxel.None && s.isLoose(reg, i, translations[i].State) {
			loose[id] = true
		}
	}
	connect(v, reg, loose)
	return v, nil
}

// isLoose reports whether the file does not say how a state of its palette joins its
// neighbours, which games before 1.13, and those of Bedrock before 1.26.50, did not
// store.
func (s *Schematic) isLoose(reg *block.Registry, entry int, state block.State) bool {
	switch {
	case s.Format != MCEdit && !s.bedrock || reg.Plain(state) == state:
		return false
	case s.Format == MCEdit:
		return true
	default:
		return joined(string(state)) && !joined(s.palette[entry])
	}
}

// joined reports whether a Bedrock state has the connections or the corner that
// came with 1.26.50.
func joined(state string) bool {
	return strings.Contains(state, "minecraft:connection_") || strings.Contains(state, "minecraft:corner")
}

// connect gives cells of loose states the connections and corners that their
// neighbours ask for.
func connect(v *voxel.Volume, reg *block.Registry, loose map[voxel.ID]bool) {
	if len(loose) == 0 {
		return
	}
	type change struct {
		at    voxel.Pos
		state block.State
	}
	var changes []change
	for at, id := range v.All() {
		if !loose[id] {
			continue
		}
		was := block.State(v.Content(id))
		now := reg.Connect(was, func(dx, dy, dz int) block.State {
			text, _ := v.At(at.Add(voxel.Pos{X: dx, Y: dy, Z: dz}))
			return block.State(text)
		})
		if now != was {
			changes = append(changes, change{at, now})
		}
	}
	for _, c := range changes {
		v.Put(c.at, string(c.state))
	}
}

// turnState mirrors and rotates a state.
func (p *Placement) turnState(reg *block.Registry, state block.State) block.State {
	switch p.Mirror {
	case MirrorX:
		state = reg.Mirror(state, block.X)
	case MirrorZ:
		state = reg.Mirror(state, block.Z)
	case MirrorNone:
	}
	if p.Rotation == 0 {
		return state
	}
	return reg.Rotate(state, p.Rotation/90)
}

// paint gives the cells of the box their IDs, section by section. Mirroring and
// rotating are linear, so a cell's index in the file is one too in its position.
func (s *Schematic) paint(v *voxel.Volume, p Placement, box voxel.Box, ids []voxel.ID) {
	stride := voxel.Pos{X: 1, Y: s.Size.X * s.Size.Z, Z: s.Size.X}
	unit := func(d voxel.Pos) int { // how the index changes along d in the world
		for _, axis := range []struct {
			way  voxel.Pos
			step int
		}{{voxel.Pos{X: 1}, stride.X}, {voxel.Pos{Z: 1}, stride.Z}} {
			switch p.turn(axis.way) {
			case d:
				return axis.step
			case voxel.Pos{}.Sub(d):
				return -axis.step
			}
		}
		return stride.Y
	}
	dx, dy, dz := unit(voxel.Pos{X: 1}), unit(voxel.Pos{Y: 1}), unit(voxel.Pos{Z: 1})
	origin := 0 // the index of the cell at box.Min
	size := box.Size()
	if dx < 0 {
		origin -= dx * (size.X - 1)
	}
	if dz < 0 {
		origin -= dz * (size.Z - 1)
	}
	for key := range box.Sections() {
		part := box.Intersect(key.Box())
		var section [voxel.SectionCells]voxel.ID
		for y := part.Min.Y; y <= part.Max.Y; y++ {
			for z := part.Min.Z; z <= part.Max.Z; z++ {
				i := origin + (part.Min.X-box.Min.X)*dx + (y-box.Min.Y)*dy + (z-box.Min.Z)*dz
				for x := part.Min.X; x <= part.Max.X; x, i = x+1, i+dx {
					section[(y&15)<<8|(z&15)<<4|x&15] = ids[s.cells.at(i)]
				}
			}
		}
		setSection(v, key, &section)
	}
}

// setSection keeps a section of one content without its cells.
func setSection(v *voxel.Volume, key voxel.Section, ids *[voxel.SectionCells]voxel.ID) {
	first := ids[0]
	for _, id := range ids {
		if id != first {
			v.SetSection(key, ids)
			return
		}
	}
	if first != voxel.None {
		v.Fill(key.Box(), first)
	}
}

// refuseUnknown names the states that the registry does not know: those of some cell,
// and of a file that was read strictly those of no cell, too.
func (s *Schematic) refuseUnknown(translations []block.Translation) error {
	var names []string
	cells := 0
	for i, n := range s.counts() {
		if (n > 0 || s.strict) && translations[i].Quality == block.Unmapped {
			names = append(names, s.palette[i])
			cells += n
		}
	}
	if len(names) == 0 {
		return nil
	}
	shown := names[:min(len(names), 8)]
	return fault.Errorf(fault.UnsupportedBlock, "%d cells have blocks that the game does not know: %s", cells, strings.Join(shown, ", ")).
		With("states", names[:min(len(names), 64)]).With("cells", cells)
}

// translations returns what each palette entry becomes.
func (s *Schematic) translations(reg *block.Registry, m Mapping) []block.Translation {
	out := make([]block.Translation, len(s.palette))
	for i, state := range s.palette {
		if state == absent {
			out[i] = block.Translation{Keep: true, Quality: block.Exact}
			continue
		}
		t, ok := m.translate(reg, state)
		switch {
		case ok:
		case s.bedrock:
			t = fromBedrock(reg, state)
		default:
			t = reg.TranslateFrom(state, s.DataVersion)
		}
		out[i] = t
	}
	return out
}
