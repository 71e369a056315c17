package rpc

import (
	"context"
	"strconv"
	"strings"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

type inspectParams struct {
	Scope
	Min     voxel.Pos `json:"min"`
	Max     voxel.Pos `json:"max"`
	Detail  string    `json:"detail,omitempty" jsonschema:"summary counts the states; blocks lists every cell; layers is text that the recipe shape layers takes; heightmap has the highest block of each column; find says where a block is" check:"enum=summary|blocks|layers|heightmap|find,default=summary"`
	Block   string    `json:"block,omitempty" jsonschema:"for find: a state, or an id for all its states" check:"max=1024"`
	Cursor  string    `json:"cursor,omitempty" jsonschema:"next_cursor of the page before" check:"max=64"`
	Partial bool      `json:"partial,omitempty" jsonschema:"count cells in unloaded chunks instead of refusing" check:"default=false"`
}

// InspectView is the answer of region_inspect.
type InspectView struct {
	Region    Region         `json:"region"`
	Palette   map[string]int `json:"palette" jsonschema:"cells per state, of the page when there are pages"`
	Blocks    []CellView     `json:"blocks"`
	SampledAt int64          `json:"sampled_at" jsonschema:"milliseconds since 1970"`
	Epoch     string         `json:"world_epoch"`
	Truncated bool           `json:"truncated"`
	Next      string         `json:"next_cursor,omitempty"`
	Unloaded  int            `json:"unloaded,omitempty" jsonschema:"cells in unloaded chunks"`

	Layers    *plan.LayersOperation `json:"layers,omitempty" jsonschema:"an operation of a recipe that builds the page as it is"`
	Heightmap *Heightmap            `json:"heightmap,omitempty"`
	Found     *Found                `json:"found,omitempty"`
}

// CellView is one cell of region_inspect.
type CellView struct {
	Pos    voxel.Pos   `json:"pos"`
	State  block.State `json:"state"`
	Entity string      `json:"block_entity,omitempty" jsonschema:"what it is beside a block: container, sign, …"`
	Full   bool        `json:"has_contents,omitempty"`
}

func (s *Service) regionInspect(ctx context.Context, by Caller, p inspectParams) (InspectView, error) {
	box := voxel.Box{Min: p.Min, Max: p.Max}
	world, err := by.reachable(box)
	if err != nil {
		return InspectView{}, err
	}
	if n, most := box.Volume(), by.Project.Limits.PlanCells; n > most {
		return InspectView{}, fault.Errorf(fault.BudgetExceeded, "the region has %d cells; at most %d are read at once", n, most).
			With("limit", most).With("got", n)
	}
	v := InspectView{Region: regionOf(world.ID, box), Palette: map[string]int{}, Blocks: []CellView{}, Epoch: world.Epoch}
	switch p.Detail {
	case "blocks":
		err = s.inspectPage(ctx, by, box, p, &v)
	case "layers":
		err = s.inspectLayers(ctx, by, box, p, &v)
	default:
		err = s.inspectWhole(ctx, by, box, p, &v)
	}
	return v, err
}

// inspectWhole reads the whole box and sums it up.
func (s *Service) inspectWhole(ctx context.Context, by Caller, box voxel.Box, p inspectParams, v *InspectView) error {
	if p.Cursor != "" {
		return fault.Errorf(fault.InvalidRequest, "cursor: only blocks and layers have pages")
	}
	snap, err := by.read(ctx, []voxel.Box{box}, p.Partial)
	if err != nil {
		return err
	}
	v.Palette, v.SampledAt, v.Unloaded = snap.Cells.Counts(), s.now(), box.Volume()-snap.Cells.Len()
	switch p.Detail {
	case "heightmap":
		v.Heightmap, err = heightmapOf(snap.Cells, box)
	case "find":
		v.Found, err = s.find(snap.Cells, p.Block)
	}
	return err
}

// inspectPage fills the view with the cells of one page, in y, z, x order.
func (s *Service) inspectPage(ctx context.Context, by Caller, box voxel.Box, p inspectParams, v *InspectView) error {
	from, err := cursorOf(p.Cursor, box.Volume())
	if err != nil {
		return err
	}
	to := min(from+by.Project.Limits.InspectCells, box.Volume())
	page := voxel.NewMask()
	for i := from; i < to; i++ {
		page.Add(nth(box, i))
	}
	snap, err := by.read(ctx, page.Reads(maxRead), p.Partial)
	if err != nil {
		return err
	}
	entities := map[voxel.Pos]plan.BlockEntity{}
	for _, e := range snap.Entities {
		entities[e.Pos] = e
	}
	v.SampledAt = s.now()
	for i := from; i < to; i++ {
		pos := nth(box, i)
		text, loaded := snap.Cells.At(pos)
		if !loaded {
			v.Unloaded++
			continue
		}
		v.Palette[text]++
		e := entities[pos]
		v.Blocks = append(v.Blocks, CellView{Pos: pos, State: block.State(text), Entity: e.Kind, Full: e.Full})
	}
	if to < box.Volume() {
		v.Truncated, v.Next = true, strconv.Itoa(to)
	}
	return nil
}

// cursorOf reads a cursor: the index of the page's first cell.
func cursorOf(text string, cells int) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= cells || strings.HasPrefix(text, "+") {
		return 0, fault.Errorf(fault.InvalidRequest, "cursor is none that region_inspect gave for this region")
	}
	return n, nil
}

// nth returns the i-th cell of a box in y, z, x order.
func nth(b voxel.Box, i int) voxel.Pos {
	size := b.Size()
	return b.Min.Add(voxel.Pos{X: i % size.X, Z: i / size.X % size.Z, Y: i / (size.X * size.Z)})
}

// reachable checks that a box is one, lies in the project's region and in the
// connected world, and returns that world.
func (by Caller) reachable(box voxel.Box) (plan.World, error) {
	if !box.Valid() {
		return plan.World{}, fault.Errorf(fault.InvalidRequest, "Invalid inclusive region bounds: min must not be above max")
	}
	if !by.Project.Region.Contains(box) {
		return plan.World{}, fault.Errorf(fault.OutOfBounds, "%v leaves the project's region %v", box, by.Project.Region).
			With("region", by.Project.Region)
	}
	world, err := by.world()
	if err != nil {
		return plan.World{}, err
	}
	if h, ok := world.Dimensions[by.Project.Dimension]; ok && (box.Min.Y < h.Min || box.Max.Y > h.Max) {
		return plan.World{}, fault.Errorf(fault.OutOfBounds, "the world's height is %d to %d", h.Min, h.Max).With("height", h)
	}
	return world, nil
}

// world returns the connected world, when it is the project's.
func (by Caller) world() (plan.World, error) {
	p := by.Project
	world, err := by.handle.Info()
	if err != nil {
		return plan.World{}, err
	}
	if p.WorldID != "" && p.WorldID != world.ID {
		return plan.World{}, fault.Errorf(fault.VersionMismatch, "project %s belongs to another world than the one that is connected", p.ID)
	}
	return world, nil
}

// read reads boxes of any size. Unless partial is set, a cell in an unloaded
// chunk is an error that says where.
func (by Caller) read(ctx context.Context, boxes []voxel.Box, partial bool) (*plan.Snapshot, error) {
	var small []voxel.Box
	for _, b := range boxes {
		small = append(small, split(b)...)
	}
	snap, err := by.readBoxes(ctx, small)
	if err != nil || partial {
		return snap, err
	}
	for _, b := range small {
		for p := range b.All() {
			if snap.Cells.ID(p) == voxel.None {
				return nil, fault.Errorf(fault.ChunkNotLoaded, "the chunk at %v is not loaded; go near it, or add a ticking area", p).With("pos", p)
			}
		}
	}
	return snap, nil
}

// split cuts a box into boxes of at most maxRead cells, along the grid of
// sections so that the addon reads each section once.
func split(b voxel.Box) []voxel.Box {
	const edge = 2 * voxel.Edge // 32³ cells are the most that one read takes
	down := func(n int) int { return n &^ (edge - 1) }
	var parts []voxel.Box
	for y := down(b.Min.Y); y <= b.Max.Y; y += edge {
		for z := down(b.Min.Z); z <= b.Max.Z; z += edge {
			for x := down(b.Min.X); x <= b.Max.X; x += edge {
				low := voxel.Pos{X: x, Y: y, Z: z}
				parts = append(parts, b.Intersect(voxel.Box{Min: low, Max: low.Add(voxel.Pos{X: edge - 1, Y: edge - 1, Z: edge - 1})}))
			}
		}
	}
	return parts
}

// readTries is how often a read is made before its timeout is the caller's: a game
// that is busy for a moment answers the second time.
const readTries = 3

// readBoxes reads boxes of at most maxRead cells.
func (by Caller) readBoxes(ctx context.Context, boxes []voxel.Box) (*plan.Snapshot, error) {
	for try := 1; ; try++ {
		snap, err := by.handle.Read(ctx, by.Project.Dimension, boxes)
		if err == nil || try == readTries || fault.CodeOf(err) != fault.Timeout || ctx.Err() != nil {
			return snap, err
		}
	}
}
