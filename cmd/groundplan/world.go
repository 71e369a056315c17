package main

import (
	"fmt"

	"groundplan/plan/voxel"
	"groundplan/rpc"
)

// worldCommand is a second door to the embedded world of the running service, for
// people who watch.
type worldCommand struct {
	Run  worldRun  `cmd:"" help:"Run an embedded world in a process of its own, with the switches for everything that can go wrong."`
	Show worldShow `cmd:"" help:"Print layers of the world as text."`
	Edit worldEdit `cmd:"" help:"Set a cell as another player would, past every plan."`
}

type worldShow struct {
	Min     position `help:"Lowest corner." required:"" placeholder:"X,Y,Z"`
	Max     position `help:"Highest corner." required:"" placeholder:"X,Y,Z"`
	Y       *int     `help:"Only this layer."`
	Project string   `help:"The project." default:"default"`
}

// Run prints a legend and, for each layer, its rows from the lowest z.
func (c *worldShow) Run(p *program) error {
	box := voxel.Box{Min: c.Min.Pos, Max: c.Max.Pos}
	if c.Y != nil {
		box.Min.Y, box.Max.Y = *c.Y, *c.Y
	}
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	for cursor := ""; ; {
		var v rpc.InspectView
		err := service.call(p.ctx(), "region_inspect", map[string]any{
			"project_id": c.Project, "min": box.Min, "max": box.Max, "detail": "layers", "cursor": cursor, "partial": true,
		}, &v)
		if err != nil {
			return err
		}
		fmt.Fprintln(p.out, encode(v.Layers))
		if cursor = v.Next; cursor == "" {
			return nil
		}
	}
}

type worldEdit struct {
	At      position `help:"The cell." required:"" placeholder:"X,Y,Z"`
	Block   string   `arg:"" help:"The block to be there."`
	Unseen  bool     `help:"Without the event that the addon would see."`
	Project string   `help:"The project." default:"default"`
}

// Run sets the cell.
func (c *worldEdit) Run(p *program) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	return service.call(p.ctx(), "world_edit", map[string]any{
		"project_id": c.Project, "pos": c.At.Pos, "block": c.Block, "unseen": c.Unseen,
	}, nil)
}

// doctorCommand says what is wrong with the running service and what to do.
type doctorCommand struct {
	JSON bool `help:"Print everything as JSON." name:"json"`
}

// Run prints the advice, one sentence a line.
func (c *doctorCommand) Run(p *program) error {
	var v rpc.DoctorView
	return p.ask("doctor", map[string]any{}, &v, c.JSON, func() {
		if len(v.Advice) == 0 {
			fmt.Fprintln(p.out, "All is well. "+v.World.Sentence)
		}
		for _, sentence := range v.Advice {
			fmt.Fprintln(p.out, sentence)
		}
	})
}
