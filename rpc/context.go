package rpc

import (
	"context"
	"slices"

	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/fault"
)

// protocolVersion is that of the RPC.
const protocolVersion = 1

// How many parts and operations project_context names, and how many operations
// it counts.
const (
	contextParts      = 64
	contextOperations = 20
	maxListed         = 10_000
)

// ContextView is the answer of project_context: what an agent must know before it
// does anything.
type ContextView struct {
	Schema      int         `json:"schema_version"`
	Project     string      `json:"project_id"`
	WorldID     string      `json:"world_id" jsonschema:"empty while no world is connected"`
	Epoch       string      `json:"world_epoch"`
	Dimension   string      `json:"dimension"`
	Region      Region      `json:"region"`
	Principal   string      `json:"principal" jsonschema:"for whom the token speaks"`
	MaxBlocks   int         `json:"max_plan_blocks"`
	Limits      plan.Limits `json:"limits"`
	Expected    bool        `json:"checked_expected_blocks"`
	Parts       []PartBrief `json:"parts"`
	PartsTotal  int         `json:"parts_total"`
	Operations  []OpBrief   `json:"operations" jsonschema:"the newest first"`
	OpsTotal    int         `json:"operations_total"`
	Truncated   bool        `json:"truncated"`
	Catalog     CatalogView `json:"material_catalog"`
	Recipe      RecipeView  `json:"recipe"`
	Capability  []string    `json:"capabilities"`
	BlockData   BlockData   `json:"block_data"`
	World       WorldView   `json:"world"`
	Forgotten   []Forgotten `json:"forgotten,omitempty" jsonschema:"operations of which the world had lost cells when it was loaded, until they are repaired by an admin"`
	Unknown     *Unknown    `json:"unknown,omitempty" jsonschema:"present while edits by others were missed and not all that operations own was compared with the world since"`
	Gate        GateView    `json:"gate"`
	Limitations []string    `json:"limitations"`
}

// PartBrief names a part.
type PartBrief struct {
	ID        string `json:"part_id"`
	Name      string `json:"name"`
	Protected bool   `json:"protected"`
	Blocks    int    `json:"block_count"`
}

// OpBrief names an operation.
type OpBrief struct {
	ID      string      `json:"operation_id"`
	Plan    string      `json:"plan_id"`
	Status  plan.Status `json:"status"`
	Written int         `json:"written"`
	Total   int         `json:"total_changes"`
}

// RecipeView says which recipes are understood.
type RecipeView struct {
	Version    int      `json:"version"`
	Operations []string `json:"operations"`
}

// BlockData says what of a block is read and written.
type BlockData struct {
	AllStates bool `json:"all_registered_block_states"`
	Fluids    bool `json:"fluid_placement"`
	Snapshots bool `json:"block_entity_snapshots"`
	NBT       bool `json:"raw_nbt_editing"`
	Inventory bool `json:"item_inventory_editing"`
}

// WorldView says which game is on the other end.
type WorldView struct {
	Connected bool     `json:"connected"`
	Game      string   `json:"game,omitempty"`
	Addon     string   `json:"addon,omitempty"`
	Missing   []string `json:"missing,omitempty" jsonschema:"capabilities that the connected addon does not have"`
	Advice    string   `json:"advice,omitempty" jsonschema:"what an admin can do about it"`
}

// Forgotten names an operation of which the world lost cells.
type Forgotten struct {
	Operation string `json:"operation_id"`
	Lost      int    `json:"lost"`
}

// Unknown says what edits by others that the game did not remember may have changed.
type Unknown struct {
	Since int64 `json:"since" jsonschema:"milliseconds since 1970: edits by others from then on may be unknown"`
	Cells int   `json:"cells" jsonschema:"cells of operations in the region that were not compared with the world since; preparing an undo or recovery_verify compares them"`
}

// GateView says whether new writes may begin.
type GateView struct {
	Open       bool     `json:"open"`
	Operations []string `json:"operations" jsonschema:"that an admin must decide about"`
}

func (s *Service) projectContext(_ context.Context, by Caller, _ struct{ Scope }) (ContextView, error) {
	p := by.Project
	v := ContextView{
		Schema: 1, Project: p.ID, Dimension: p.Dimension, Principal: by.Principal, MaxBlocks: p.Limits.PlanCells, Limits: p.Limits,
		Expected: true, Catalog: s.catalogView(), Recipe: RecipeView{Version: 1, Operations: plan.Operations()}, Capability: s.capabilities(),
		BlockData: BlockData{AllStates: true, Fluids: true}, Limitations: limitations(), Gate: GateView{Open: true, Operations: []string{}},
	}
	world, err := by.world()
	switch {
	case err == nil:
		v.WorldID, v.Epoch = world.ID, world.Epoch
		v.World = WorldView{Connected: true, Game: world.Game, Addon: world.Addon, Missing: world.Missing}
		if len(world.Missing) > 0 {
			v.World.Advice = "update the behaviour pack: groundplan addon export writes the one of this version"
		}
	case fault.CodeOf(err) == fault.WorldUnavailable || fault.CodeOf(err) == fault.VersionMismatch:
		v.WorldID, v.World.Advice = p.WorldID, err.Error()
	default:
		return ContextView{}, err
	}
	v.Region = regionOf(v.WorldID, p.Region)
	ids, err := s.Runner.Gate()
	if err != nil {
		return ContextView{}, err
	}
	if len(ids) > 0 {
		v.Gate = GateView{Operations: ids}
	}
	for _, f := range s.Runner.Forgotten() {
		if _, err := s.operation(by, f.Operation); err == nil {
			v.Forgotten = append(v.Forgotten, Forgotten{Operation: f.Operation, Lost: f.Lost})
		}
	}
	if v.Unknown, err = s.unknown(v.WorldID, p); err != nil {
		return ContextView{}, err
	}
	return v, s.contextLists(p, &v)
}

// unknown returns what is in doubt of a project's region, nil for nothing.
func (s *Service) unknown(worldID string, p plan.Project) (*Unknown, error) {
	doubted, since, err := s.Journal.Doubted(worldID, p.Dimension)
	if err != nil {
		return nil, err
	}
	n := inside(doubted, p.Region).Len()
	if n == 0 {
		return nil, nil //nolint:nilnil // nothing is an answer
	}
	return &Unknown{Since: since, Cells: n}, nil
}

// contextLists adds the parts and the newest operations.
func (s *Service) contextLists(p plan.Project, v *ContextView) error {
	parts, err := s.Journal.Parts(p.ID)
	if err != nil {
		return err
	}
	v.PartsTotal, v.Parts = len(parts), []PartBrief{}
	for _, part := range parts[:min(len(parts), contextParts)] {
		v.Parts = append(v.Parts, briefOf(part))
	}
	ops, err := s.Journal.Operations(journal.Filter{Project: p.ID, Limit: maxListed})
	if err != nil {
		return err
	}
	v.OpsTotal, v.Operations = len(ops), []OpBrief{}
	for _, op := range ops[:min(len(ops), contextOperations)] {
		v.Operations = append(v.Operations, OpBrief{ID: op.ID, Plan: op.PlanID, Status: op.Status, Written: op.Written, Total: op.Total})
	}
	v.Truncated = v.PartsTotal > len(v.Parts) || v.OpsTotal > len(v.Operations)
	return nil
}

func briefOf(p plan.Part) PartBrief {
	return PartBrief{ID: p.ID, Name: p.Name, Protected: p.Protected, Blocks: p.Mask.Len()}
}

// capabilities names the methods that agents may call.
func (s *Service) capabilities() []string {
	var names []string
	for _, m := range s.table {
		if m.Role == Agent && m.Name != "project_context" {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

func limitations() []string {
	return []string{
		"Only loaded chunks are read and written; the service loads none by itself.",
		"Contents of containers, signs and banners are neither read nor written; a plan that would lose them is refused unless allow_loss names the cells.",
		"What the game does after a block is placed (fluids, gravity, growth, redstone) is warned about but not undone.",
		"A recipe is not merged with edits that others made in the meantime: such cells are conflicts.",
		"World files and journal are not one transaction: recovery_verify finds what a crash of the game may have lost.",
	}
}
