package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/rpc"
	"groundplan/schematic"
)

// importCommand brings a file into the library of the running service and plans
// its placing.
type importCommand struct {
	File     string   `arg:"" help:"Schematic file." type:"existingfile"`
	At       position `help:"Where the schematic's anchor goes." required:"" placeholder:"X,Y,Z"`
	Rotation int      `help:"Degrees clockwise seen from above: 0, 90, 180 or 270." enum:"0,90,180,270" default:"0"`
	Project  string   `help:"The project." default:"default"`
	Mirror   string   `help:"x: east and west change places; z: north and south." enum:",x,z" default:""`
	Anchor   string   `help:"What goes to the place: the file's own anchor, its lowest corner, or the corner on the ground." enum:",corner,ground" default:""`
	SkipAir  bool     `help:"Air of the schematic leaves the world as it is."`
	Yes      bool     `help:"Apply the plan at once; without it the plan is only shown."`
	DryRun   bool     `help:"Only show the plan; the default."`
	Report   bool     `help:"Print what the import makes of the file as well, ahead of the plan."`
}

// Run prints the plan, or with --yes the operation that applied it, as one line
// of JSON.
func (c *importCommand) Run(p *program) error {
	ctx := p.ctx()
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	asset, err := keep(c.File, &schematic.Library{Dir: filepath.Join(p.data, "schematics"), Limits: plan.DefaultLimits()})
	if err != nil {
		return err
	}
	if c.Report {
		var report schematic.Report
		if err := service.call(ctx, "schematic_inspect", map[string]any{"asset_id": asset.ID}, &report); err != nil {
			return err
		}
		fmt.Fprintln(p.out, encode(report))
	}
	var prepared rpc.PlanView
	err = service.call(ctx, "schematic_import_prepare", map[string]any{
		"project_id": c.Project, "asset_id": asset.ID, "target": c.At.Pos, "rotation": c.Rotation,
		"mirror": c.Mirror, "anchor": c.Anchor, "skip_air": c.SkipAir,
	}, &prepared)
	if err != nil {
		return err
	}
	if !c.Yes || c.DryRun {
		fmt.Fprintln(p.out, encode(prepared))
		p.say("%d blocks would change; apply with: groundplan rpc build_apply '%s'", prepared.Changed,
			encode(map[string]string{"plan_id": prepared.ID, "plan_hash": prepared.Hash, "idempotency_key": "import-" + prepared.ID}))
		return nil
	}
	op, err := apply(ctx, p, service, c.Project, prepared, "import-"+prepared.ID)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.out, encode(op))
	if op.Status != plan.Applied {
		return fault.Errorf(fault.Conflict, "the operation ended as %s: %s", op.Status, op.Message)
	}
	return nil
}

// apply starts a plan and follows its operation to the end.
func apply(ctx context.Context, p *program, service *client, project string, prepared rpc.PlanView, key string) (plan.Operation, error) {
	var op plan.Operation
	err := service.call(ctx, "build_apply", map[string]any{
		"project_id": project, "plan_id": prepared.ID, "plan_hash": prepared.Hash, "idempotency_key": key,
	}, &op)
	if err != nil {
		return op, err
	}
	bar := p.progress(prepared.Total, "writing")
	defer bar.done()
	return service.await(ctx, op.ID, func(op plan.Operation) { bar.set(op.Processed) })
}

// keep puts a file into the library under an id made of its name, and of its
// contents when that id is another file's.
func keep(path string, library *schematic.Library) (schematic.Asset, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return schematic.Asset{}, err
	}
	id := idOf(path)
	if old, err := library.Bytes(id); err == nil && string(old) != string(data) {
		sum := sha256.Sum256(data)
		id = id[:min(len(id), 50)] + "-" + hex.EncodeToString(sum[:6])
	}
	return library.Put(id, strings.NewReader(string(data)), true)
}

// idOf makes an asset id of a file's name.
func idOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(name, "-"), "-_")
	if name == "" {
		name = "asset"
	}
	return name[:min(len(name), 64)]
}
