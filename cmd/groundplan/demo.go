package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/rpc"
	"groundplan/schematic"
)

// demoCommand is the whole way of a schematic through the service, once.
type demoCommand struct {
	File string   `help:"Schematic file; without it one of ours." type:"existingfile"`
	At   position `help:"Where its anchor goes; without it the lowest corner is put on the ground." placeholder:"X,Y,Z"`
	Keep bool     `help:"Keep the data directory and say where it is."`
}

// result is what the demo prints.
type result struct {
	Asset    string  `json:"asset"`
	Cells    int     `json:"cells"`
	Changed  int     `json:"changed_blocks"`
	Commands int     `json:"commands"`
	Applied  bool    `json:"applied"`
	Verified bool    `json:"verified"`
	Undone   bool    `json:"undone"`
	Seconds  float64 `json:"seconds"`
}

// Run fails unless the world was seen to be built as planned and then to be as
// it was before.
func (c *demoCommand) Run(p *program) error {
	start := time.Now()
	dir, err := os.MkdirTemp("", "groundplan-demo-")
	if err != nil {
		return err
	}
	if c.Keep {
		p.say("data: %s", dir)
	} else {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	}
	p.data = dir
	ctx := p.ctx()
	h, err := build(ctx, dir, serveFlags{Listen: "127.0.0.1:0", Bridge: "127.0.0.1:0", World: "embedded", Profile: "default"}, p.log)
	if err != nil {
		return err
	}
	defer h.close()
	p.say("the service runs on %s with its embedded world", h.addr)
	r, err := c.show(ctx, p, h)
	if err != nil {
		return err
	}
	r.Seconds = float64(time.Since(start).Milliseconds()) / 1000
	fmt.Fprintln(p.out, encode(r))
	if !r.Applied || !r.Verified || !r.Undone {
		return fault.Errorf(fault.Conflict, "the demonstration did not end as it should")
	}
	return nil
}

// show imports, plans, applies, verifies and undoes, as any client would.
func (c *demoCommand) show(ctx context.Context, p *program, h *house) (result, error) {
	var r result
	service, err := dial(h.dir)
	if err != nil {
		return r, err
	}
	asset, err := c.asset(ctx, p, service)
	if err != nil {
		return r, err
	}
	if err := welcome(ctx, h, service, asset); err != nil {
		return r, err
	}
	r.Asset, r.Cells = asset.ID, asset.BlockCount
	p.say("imported %s: %d×%d×%d cells", asset.ID, asset.Width, asset.Height, asset.Length)
	var prepared rpc.PlanView
	if err := service.call(ctx, "schematic_import_prepare", c.params(asset), &prepared); err != nil {
		return r, err
	}
	r.Changed, r.Commands = prepared.Changed, prepared.Commands
	p.say("planned %s: %d blocks change, %d commands, %d warnings", prepared.ID, prepared.Changed, prepared.Commands, len(prepared.Warnings))
	if prepared.Bounds == nil {
		return r, fault.Errorf(fault.InvalidRequest, "the schematic has no cells")
	}
	before, err := palette(ctx, service, *prepared.Bounds)
	if err != nil {
		return r, err
	}
	op, err := apply(ctx, p, service, rpc.DefaultProject, prepared, "demo-apply")
	if err != nil {
		return r, err
	}
	r.Applied = op.Status == plan.Applied
	p.say("applied: %s, %d written, %d commands, %d conflicts", op.Status, op.Written, op.Sent, op.ConflictCount)
	if r.Verified, err = c.verify(ctx, service, asset, prepared); err != nil || !r.Applied {
		return r, err
	}
	r.Undone, err = undo(ctx, p, service, op, *prepared.Bounds, before)
	return r, err
}

// welcome lets the demonstration's project have every block of the file, those for
// map makers included: the world is nobody's.
func welcome(ctx context.Context, h *house, service *client, asset schematic.Asset) error {
	var report schematic.Report
	if err := service.call(ctx, "schematic_inspect", map[string]any{"asset_id": asset.ID}, &report); err != nil {
		return err
	}
	project, _ := h.service.Projects.Get(rpc.DefaultProject)
	for _, entry := range report.Palette {
		if entry.Bedrock != "" {
			project.Policy.Allow = append(project.Policy.Allow, entry.Bedrock.ID())
		}
	}
	slices.Sort(project.Policy.Allow)
	project.Policy.Allow = slices.Compact(project.Policy.Allow)
	return h.service.Projects.Put(project)
}

// asset brings the file into the library.
func (c *demoCommand) asset(ctx context.Context, p *program, service *client) (schematic.Asset, error) {
	if c.File != "" {
		return service.uploadFile(ctx, p, c.File)
	}
	return service.upload(ctx, p, "demo", bytes.NewReader(schematic.Cottage()))
}

// params are those of schematic_import_prepare. The embedded world's ground is at
// -61: the schematic is put on it unless a place is given.
func (c *demoCommand) params(asset schematic.Asset) map[string]any {
	switch {
	case c.At != (position{}):
		return map[string]any{"asset_id": asset.ID, "target": c.At.Pos}
	case c.File == "":
		return map[string]any{"asset_id": asset.ID, "target": voxel.Pos{Y: -61}} // its anchor is in the ground
	}
	corner := voxel.Pos{X: -asset.Width / 2, Y: -60, Z: -asset.Length / 2}
	return map[string]any{"asset_id": asset.ID, "target": corner, "anchor": "corner"}
}

// verify prepares the same placing once more: on a world that is as planned,
// nothing is left to change.
func (c *demoCommand) verify(ctx context.Context, service *client, asset schematic.Asset, prepared rpc.PlanView) (bool, error) {
	var again rpc.PlanView
	err := service.call(ctx, "schematic_import_prepare", c.params(asset), &again)
	return again.Changed == 0 && again.Content == prepared.Content, err
}

// undo takes the operation back and compares the world with what it was. What may
// be in the pots and chests that the demonstration itself placed is nothing.
func undo(ctx context.Context, p *program, service *client, op plan.Operation, bounds voxel.Box, before []map[string]int) (bool, error) {
	var prepared rpc.PlanView
	if err := service.call(ctx, "operation_undo_prepare", map[string]any{"operation_id": op.ID, "allow_loss": true}, &prepared); err != nil {
		return false, err
	}
	undone, err := apply(ctx, p, service, rpc.DefaultProject, prepared, "demo-undo")
	if err != nil {
		return false, err
	}
	after, err := palette(ctx, service, bounds)
	p.say("undone: %s, %d written", undone.Status, undone.Written)
	return undone.Status == plan.Applied && reflect.DeepEqual(before, after), err
}

// palette counts the states of each layer of a box: what the demonstration
// compares before and after.
func palette(ctx context.Context, service *client, box voxel.Box) ([]map[string]int, error) {
	var layers []map[string]int
	for y := box.Min.Y; y <= box.Max.Y; y++ {
		layer := box
		layer.Min.Y, layer.Max.Y = y, y
		var v rpc.InspectView
		if err := service.call(ctx, "region_inspect", map[string]any{"min": layer.Min, "max": layer.Max}, &v); err != nil {
			return nil, err
		}
		layers = append(layers, v.Palette)
	}
	return layers, nil
}
