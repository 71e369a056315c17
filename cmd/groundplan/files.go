package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"groundplan/bridge/addon"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/rpc"
	"groundplan/schematic"
)

// inspectCommand says what an import would make of a file. It needs no running
// service.
type inspectCommand struct {
	File string `arg:"" help:"Schematic file." type:"existingfile"`
	JSON bool   `help:"Print the whole report as one JSON object." name:"json"`
	Game string `help:"Game version to translate for." default:"1.26.50"`
}

// Run prints the report.
func (c *inspectCommand) Run(p *program) error {
	registry, err := block.Load(block.ProfileOf(c.Game))
	if err != nil {
		return err
	}
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	report, err := schematic.Inspect(file, registry, plan.DefaultLimits())
	if err != nil {
		return err
	}
	if c.JSON {
		fmt.Fprintln(p.out, encode(report))
		return nil
	}
	p.print("%s version %d, %d×%d×%d cells, %d states", report.Format, report.Version,
		report.Width, report.Height, report.Length, len(report.Palette))
	for quality, cells := range report.ByQuality {
		if cells > 0 {
			p.print("%9d cells %s", cells, quality)
		}
	}
	for _, entry := range report.Palette {
		if entry.Quality != block.Exact {
			p.print("%9d %s -> %s (%s) %s", entry.Count, entry.Java, entry.Bedrock, entry.Quality, entry.Note)
		}
	}
	for _, warning := range report.Warnings {
		fmt.Fprintln(p.out, warning)
	}
	return nil
}

// exportCommand saves a region of the running service's world as a file.
type exportCommand struct {
	File      string   `arg:"" help:"File to write; .mcstructure makes a structure of the game, anything else a Sponge schematic."`
	Min       position `help:"Lowest corner." required:"" placeholder:"X,Y,Z"`
	Max       position `help:"Highest corner." required:"" placeholder:"X,Y,Z"`
	Project   string   `help:"The project." default:"default"`
	Version   int      `help:"Version of the Sponge format: 2 or 3." enum:"2,3" default:"2"`
	AllowLoss bool     `help:"Leave out what the file cannot have instead of refusing."`
}

// Run exports into the library and copies the file out of it.
func (c *exportCommand) Run(p *program) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	format := schematic.Sponge
	if filepath.Ext(c.File) == ".mcstructure" {
		format = schematic.MCStructure
	}
	var v rpc.ExportView
	err = service.call(p.ctx(), "schematic_export", map[string]any{
		"project_id": c.Project, "name": idOf(c.File), "min": c.Min.Pos, "max": c.Max.Pos, "format": format, "version": c.Version, "allow_loss": c.AllowLoss,
	}, &v)
	if err != nil {
		return err
	}
	library := schematic.Library{Dir: filepath.Join(p.data, "schematics"), Limits: plan.DefaultLimits()}
	data, err := library.Bytes(v.ID)
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(c.File, data, 0o644); err != nil {
		return err
	}
	fmt.Fprintln(p.out, encode(v))
	return nil
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
