package plan

import "groundplan/plan/voxel"

// Project is a permission boundary: who may change what, where, and how much.
type Project struct {
	ID         string    `json:"project_id"`
	Name       string    `json:"name,omitempty"`
	Owner      string    `json:"owner,omitempty"`    // player id; empty until somebody is bound
	Members    []string  `json:"members,omitempty"`  // other player ids that may use it
	WorldID    string    `json:"world_id,omitempty"` // empty: whatever world is connected
	Dimension  string    `json:"dimension"`
	Region     voxel.Box `json:"region"`
	Automation bool      `json:"allow_local_automation"` // the principal "console" may use it
	Policy     Policy    `json:"policy"`
	Limits     Limits    `json:"limits"`
}

// Policy says which blocks a plan may place or remove.
type Policy struct {
	Deny        []string `json:"deny,omitempty"`         // block ids, beside the default list
	Allow       []string `json:"allow,omitempty"`        // block ids that the default list denies
	DenyClasses []string `json:"deny_classes,omitempty"` // names of physics classes
}

// Limits bound what one call may cost (DESIGN §11).
type Limits struct {
	PlanCells     int `json:"max_plan_blocks"`  // cells per plan
	SliceCells    int `json:"slice_cells"`      // cells per slice, and so per command
	InspectCells  int `json:"inspect_cells"`    // cells per page of region_inspect with blocks
	Dependencies  int `json:"max_dependencies"` // positions in build_prepare
	Parts         int `json:"max_parts"`        // parts per project
	Assets        int `json:"max_assets"`       // files in the library
	AssetCells    int `json:"asset_cells"`      // cells of a schematic
	AssetBytes    int `json:"asset_bytes"`      // bytes of a schematic file
	AssetInflated int `json:"asset_inflated"`   // bytes of a schematic once inflated
	PlanTTL       int `json:"plan_ttl_seconds"` // how long a plan may be started
}

// DefaultLimits are the limits of the profile "default".
func DefaultLimits() Limits {
	return Limits{
		PlanCells: 1 << 20, SliceCells: 1 << 15, InspectCells: 4096, Dependencies: 4096, Parts: 4096,
		Assets: 4096, AssetCells: 1 << 24, AssetBytes: 32 << 20, AssetInflated: 512 << 20, PlanTTL: 600,
	}
}

// PrototypeLimits are the limits of the profile "prototype", those of the seed.
func PrototypeLimits() Limits {
	return Limits{
		PlanCells: 4096, SliceCells: 128, InspectCells: 4096, Dependencies: 512, Parts: 64,
		Assets: 64, AssetCells: 4096, AssetBytes: 1 << 20, AssetInflated: 4 << 20, PlanTTL: 600,
	}
}
