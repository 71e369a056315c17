package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"groundplan/bridge/addon"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/rpc"
	"groundplan/schematic"
)

// inspectCommand says what an import would make of a file. It needs no running
// service.
type inspectCommand struct {
	File string `arg:"" help:"Schematic file." type:"path"`
	overrides
	JSON bool   `help:"Print the whole report as one JSON object." name:"json"`
	Game string `help:"Game version to translate for." default:"1.26.50"`
}

// Run prints the report.
func (c *inspectCommand) Run(p *program) error {
	registry, err := block.Load(block.ProfileOf(c.Game))
	if err != nil {
		return err
	}
	mapping, err := c.mapping()
	if err != nil {
		return err
	}
	if err := mapping.Check(registry); err != nil {
		return err
	}
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	report, err := schematic.Options{Limits: plan.DefaultLimits()}.Inspect(file, registry, mapping)
	if err != nil {
		return err
	}
	report.Judge(plan.Policy{}, registry)
	if c.JSON {
		fmt.Fprintln(p.out, encode(report))
		return nil
	}
	p.report(report)
	return nil
}

// report prints a report for people: what is not exact, and the warnings.
func (p *program) report(r schematic.Report) {
	game := ""
	if r.GameVersion != "" {
		game = " of the game " + r.GameVersion
	}
	p.print("%s version %d%s, %d×%d×%d cells, %d states", r.Format, r.Version, game, r.Width, r.Height, r.Length, len(r.Palette))
	for _, quality := range slices.Sorted(maps.Keys(r.ByQuality)) {
		if cells := r.ByQuality[quality]; cells > 0 {
			p.print("%9d cells %s", cells, quality)
		}
	}
	for _, entry := range r.Palette {
		if entry.Quality != block.Exact {
			p.print("%9d %s -> %s (%s) %s", entry.Count, entry.Java, cmp.Or(entry.Bedrock, "as it is"), entry.Quality, entry.Note)
		}
	}
	for _, kind := range slices.Concat(r.BlockEntities, r.Entities) {
		if kind.Dropped > 0 {
			p.print("%9d of %d %s: %s", kind.Dropped, kind.Count, kind.Kind, kind.Note)
		}
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(p.out, warning)
	}
}

// exportCommand saves a region of the running service's world as a file.
type exportCommand struct {
	File      string    `arg:"" help:"File to write; .mcstructure makes a structure of the game, anything else a Sponge schematic."`
	Min       position  `help:"Lowest corner." required:"" placeholder:"X,Y,Z"`
	Max       position  `help:"Highest corner." required:"" placeholder:"X,Y,Z"`
	Origin    *position `help:"The anchor; the lowest corner when left out." placeholder:"X,Y,Z"`
	Version   int       `help:"Version of the Sponge format: 2 or 3." enum:"2,3" default:"2"`
	Name      string    `help:"Name that the file keeps; by default made of the file's own."`
	Author    string    `help:"Author that the file keeps."`
	Date      int64     `help:"Date that the file keeps, in milliseconds since 1970; without it equal regions make equal files."`
	AllowLoss bool      `help:"Leave out what the file cannot have instead of refusing."`
	Project   string    `help:"The project." default:"default"`
	DryRun    bool      `help:"Only say what the file would have and lose; write nothing." xor:"what"`
	Report    bool      `help:"Print what an import makes of the file as well, ahead of the answer." xor:"what"`

	Metadata map[string]string `help:"A text that the file keeps; may be repeated." mapsep:"none" placeholder:"KEY=TEXT"`
}

// Run exports into the library and copies the file out of it.
func (c *exportCommand) Run(p *program) error {
	ctx := p.ctx()
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	v, err := c.export(ctx, p, service)
	if err != nil {
		return err
	}
	if !c.DryRun {
		data, err := service.download(ctx, p, v.Asset)
		if err != nil {
			return err
		}
		if err := renameio.WriteFile(c.File, data, 0o644); err != nil {
			return err
		}
	}
	if c.Report {
		var report schematic.Report
		if err := service.call(ctx, "schematic_inspect", map[string]any{"project_id": c.Project, "asset_id": v.ID}, &report); err != nil {
			return err
		}
		fmt.Fprintln(p.out, encode(report))
	}
	fmt.Fprintln(p.out, encode(v))
	return nil
}

// export lets the service write the file into its library.
func (c *exportCommand) export(ctx context.Context, p *program, service *client) (rpc.ExportView, error) {
	params := map[string]any{
		"project_id": c.Project, "name": cmp.Or(c.Name, idOf(c.File)), "min": c.Min.Pos, "max": c.Max.Pos, "format": schematic.Sponge,
		"version": c.Version, "author": c.Author, "date": c.Date, "allow_loss": c.AllowLoss, "dry_run": c.DryRun,
	}
	if filepath.Ext(c.File) == ".mcstructure" {
		params["format"] = schematic.MCStructure
	}
	if c.Origin != nil {
		params["origin"] = c.Origin.Pos
	}
	if len(c.Metadata) > 0 {
		params["metadata"] = c.Metadata
	}
	defer p.progress(-1, "reading the world").done()
	var v rpc.ExportView
	err := service.call(ctx, "schematic_export", params, &v)
	return v, err
}

// download returns a file of the service's library.
func (c *client) download(ctx context.Context, p *program, asset schematic.Asset) ([]byte, error) {
	bar := p.progress(asset.Bytes, "downloading")
	defer bar.done()
	var data []byte
	for {
		var v rpc.ChunkView
		if err := c.call(ctx, "asset_get", map[string]any{"asset_id": asset.ID, "offset": len(data)}, &v); err != nil {
			return nil, err
		}
		if v.SHA256 != asset.SHA256 {
			return nil, fault.Errorf(fault.Conflict, "the asset %s was replaced while it was read", asset.ID)
		}
		data = append(data, v.Data...)
		bar.set(len(data))
		if v.Last {
			return data, nil
		}
	}
}

// addonCommand writes the behaviour pack for a real game.
type addonCommand struct {
	Export addonExport `cmd:"" help:"Write the behaviour pack as a .mcpack or .mcaddon file."`
}

type addonExport struct {
	File string `arg:"" help:"File to write; .mcaddon makes an add-on, anything else a pack." default:"groundplan.mcpack" optional:""`
}

// Run writes the file and says how to use it.
func (c *addonExport) Run(p *program) error {
	write := addon.Write
	if filepath.Ext(c.File) == ".mcaddon" {
		write = addon.WriteAddon
	}
	if err := writeFile(c.File, write); err != nil {
		return err
	}
	p.say("wrote %s: open it with Minecraft, activate the pack in the world's settings, switch Cheats and Beta APIs on, and type /connect with the bridge's address", c.File)
	return nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer file.Cleanup() //nolint:errcheck // nothing to clean after the replacement
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}
