package rpc

import (
	"context"
	"encoding/json"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

type prepareParams struct {
	Scope
	Recipe       json.RawMessage `json:"recipe" jsonschema:"version 1: {version:1, operations:[…]}; docs/RECIPES.md"`
	Dependencies []voxel.Pos     `json:"dependencies,omitempty" jsonschema:"cells that must stay as they are"`
	Part         string          `json:"part_id,omitempty" jsonschema:"every cell must lie in this part"`
	Expected     []expectedCell  `json:"expected_blocks,omitempty" jsonschema:"what you believe every wanted cell to hold; each exactly once"`
	AllowLoss    []voxel.Pos     `json:"allow_loss,omitempty" jsonschema:"cells whose contents (chest, sign, …) may be lost"`
	Strict       bool            `json:"strict,omitempty" jsonschema:"refuse a plan that has warnings" check:"default=false"`
}

type expectedCell struct {
	Pos   voxel.Pos   `json:"pos"`
	State block.State `json:"state" check:"min=1,max=1024"`
}

func (s *Service) buildPrepare(ctx context.Context, by Caller, p prepareParams) (PlanView, error) {
	world, err := s.startable(by)
	if err != nil {
		return PlanView{}, err
	}
	env, err := s.env(ctx, by, world, p.Part)
	if err != nil {
		return PlanView{}, err
	}
	env.AllowLoss, env.Strict = p.AllowLoss, p.Strict
	for _, c := range p.Expected {
		env.Expected = append(env.Expected, plan.Cell{Pos: c.Pos, State: c.State})
	}
	wanted, err := plan.Compile(p.Recipe, env)
	if err != nil {
		return PlanView{}, err
	}
	dependencies, err := dependenciesOf(by.Project, p.Dependencies)
	if err != nil {
		return PlanView{}, err
	}
	return s.draft(ctx, by, world, wanted, dependencies, env)
}

// startable returns the connected world when plans may be made: the prototype
// refuses to prepare what could not be started.
func (s *Service) startable(by Caller) (plan.World, error) {
	if err := s.Runner.Broken(); err != nil {
		return plan.World{}, fault.Wrap(fault.StorageFailed, err, "the journal could not be written; restart the service")
	}
	return by.world()
}

// env returns what compiling a recipe may know of the project and its world.
func (s *Service) env(ctx context.Context, by Caller, world plan.World, partID string) (plan.Env, error) {
	parts, err := s.Journal.Parts(by.Project.ID)
	if err != nil {
		return plan.Env{}, err
	}
	region := by.Project.Region
	if h, ok := world.Dimensions[by.Project.Dimension]; ok {
		region.Min.Y, region.Max.Y = max(region.Min.Y, h.Min), min(region.Max.Y, h.Max)
	}
	env := plan.Env{
		Registry: s.Registry(), Limits: by.Project.Limits, Region: region, Policy: by.Project.Policy, Parts: parts,
		Assets: func(id string) (*voxel.Volume, error) { return s.assetCells(id, by.Project.Limits) },
		Ground: func(x, z int) (int, bool) { return by.ground(ctx, region, x, z) },
		World: func(box voxel.Box) (*voxel.Volume, error) {
			snap, err := by.read(ctx, []voxel.Box{box}, false)
			if err != nil {
				return nil, err
			}
			return snap.Cells, nil
		},
	}
	if partID == "" {
		return env, nil
	}
	for i := range parts {
		if parts[i].ID == partID && parts[i].WorldID == world.ID && parts[i].Dimension == by.Project.Dimension {
			env.Part = &parts[i]
			return env, nil
		}
	}
	return plan.Env{}, fault.Errorf(fault.NotFound, "no part %q in this project", short(partID))
}

// dependenciesOf returns the distinct positions, checked.
func dependenciesOf(project plan.Project, list []voxel.Pos) (*voxel.Mask, error) {
	m := voxel.NewMask()
	for _, p := range list {
		if !project.Region.Has(p) {
			return nil, fault.Errorf(fault.OutOfBounds, "the dependency %v is outside the project's region", p).With("pos", p)
		}
		m.Add(p)
	}
	if n, most := m.Len(), project.Limits.Dependencies; n > most {
		return nil, fault.Errorf(fault.BudgetExceeded, "%d dependencies; at most %d are taken", n, most).With("limit", most).With("got", n)
	}
	return m, nil
}

// draft reads the world before the change, makes the plan, puts it on disk, and
// only then shows it.
func (s *Service) draft(ctx context.Context, by Caller, world plan.World, wanted *voxel.Volume, dependencies *voxel.Mask, env plan.Env) (PlanView, error) {
	before := &plan.Snapshot{Cells: voxel.NewVolume()}
	if bounds, any := wanted.Bounds(); !any || env.Region.Contains(bounds) { // otherwise Draft says which cell is outside
		cells := wanted.Mask()
		cells.Union(dependencies)
		var err error
		if before, err = by.readBoxes(ctx, cells.Reads(maxRead)); err != nil {
			return PlanView{}, err
		}
	}
	if err := by.readAround(ctx, world, plan.Surroundings(wanted, before, env), env.Region, before); err != nil {
		return PlanView{}, err
	}
	now := s.now()
	head := plan.Plan{
		ID: s.NewID(), Project: by.Project.ID, WorldID: world.ID, WorldEpoch: world.Epoch,
		Dimension: by.Project.Dimension, Region: by.Project.Region,
		CreatedAt: now, ExpiresAt: now + int64(by.Project.Limits.PlanTTL)*1000,
	}
	if env.Part != nil {
		head.Part = env.Part.ID
	}
	for p := range dependencies.All() {
		head.Dependencies = append(head.Dependencies, plan.Cell{Pos: p})
	}
	drafted, err := plan.Draft(wanted, before, head, env)
	if err != nil {
		return PlanView{}, err
	}
	if err := s.Journal.PutPlan(drafted); err != nil {
		return PlanView{}, err
	}
	return viewOf(drafted), nil
}

// readAround reads the cells into before as far as the world has them: up to one
// block beyond the region.
func (by Caller) readAround(ctx context.Context, world plan.World, cells *voxel.Mask, region voxel.Box, before *plan.Snapshot) error {
	reach := voxel.Box{Min: region.Min.Sub(voxel.Pos{X: 1, Z: 1}), Max: region.Max.Add(voxel.Pos{X: 1, Z: 1})}
	if h, ok := world.Dimensions[by.Project.Dimension]; ok {
		reach.Min.Y, reach.Max.Y = max(region.Min.Y-1, h.Min), min(region.Max.Y+1, h.Max)
	}
	var boxes []voxel.Box
	for _, b := range cells.Reads(maxRead) {
		if b = b.Intersect(reach); b.Valid() {
			boxes = append(boxes, b)
		}
	}
	if len(boxes) == 0 {
		return nil
	}
	around, err := by.readBoxes(ctx, boxes)
	if err != nil {
		return err
	}
	for p, id := range around.Cells.All() {
		before.Cells.Put(p, around.Cells.Content(id))
	}
	return nil
}

// ground returns the y of the highest block of a column that is not air.
func (by Caller) ground(ctx context.Context, region voxel.Box, x, z int) (int, bool) {
	column := voxel.Box{Min: voxel.Pos{X: x, Y: region.Min.Y, Z: z}, Max: voxel.Pos{X: x, Y: region.Max.Y, Z: z}}
	snap, err := by.readBoxes(ctx, []voxel.Box{column})
	if err != nil {
		return 0, false
	}
	for y := region.Max.Y; y >= region.Min.Y; y-- {
		text, loaded := snap.Cells.At(voxel.Pos{X: x, Y: y, Z: z})
		if loaded && block.State(text) != block.Air {
			return y, true
		}
	}
	return 0, false
}
