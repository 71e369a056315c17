package plan

import "groundplan/plan/voxel"

// World describes the Bedrock world behind the bridge, as its addon says at
// connect.
type World struct {
	ID         string             `json:"world_id"`    // stays with the world
	Epoch      string             `json:"world_epoch"` // changes when an admin restores the world from a backup
	Session    string             `json:"session"`     // changes each time the game loads the world
	Game       string             `json:"game"`        // version, such as 1.26.50
	Addon      string             `json:"addon"`       // version of our behaviour pack
	Player     string             `json:"player"`      // whose game it is
	Dimensions map[string]Heights `json:"dimensions"`
	Missing    []string           `json:"missing,omitempty"` // capabilities that the addon does not have
}

// Heights are the lowest and highest y that can hold a block.
type Heights struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Snapshot is what a read of the world showed.
type Snapshot struct {
	Cells    *voxel.Volume // canonical states; a cell in an unloaded chunk is absent
	Entities []BlockEntity // the block entities among the cells
}

// BlockEntity is a block with data that its state does not tell.
type BlockEntity struct {
	Pos  voxel.Pos `json:"pos"`
	Kind string    `json:"kind"` // container, sign, banner, …
	Full bool      `json:"full"` // it has contents that would be lost
}

// Outcome is what is known of a command after Run. There is no error value for
// it: whoever reads it must say what each of the three means.
type Outcome struct {
	Kind    OutcomeKind
	Success bool   // Answered only: the game reports that the command changed something
	Message string // Answered: the game's words, localised; otherwise why
}

// OutcomeKind is one of three.
type OutcomeKind uint8

// The kinds of outcome.
const (
	Unknown  OutcomeKind = iota // sent, or perhaps sent; it may have run or may still run
	Refused                     // never left this service, or was refused before it could run
	Answered                    // the world ran it and answered
)

// Change is one edit that the addon saw somebody else make.
type Change struct {
	Pos       voxel.Pos `json:"pos"`
	Dimension string    `json:"dimension"`
	Kind      string    `json:"kind"` // place, break, explosion, piston
	Player    string    `json:"player,omitempty"`
}

// Changes is a page of the addon's ring of observed edits.
type Changes struct {
	Cursor string   // pass it to the next call
	Gap    bool     // edits between the last cursor and this page were lost
	List   []Change // oldest first
}
