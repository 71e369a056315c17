package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/rpc"
	"groundplan/schematic"
)

// importCommand brings a file into the library of the running service and plans
// its placing.
type importCommand struct {
	File     string   `arg:"" help:"Schematic file." type:"path"`
	At       position `help:"Where the schematic's anchor goes." required:"" placeholder:"X,Y,Z"`
	Anchor   string   `help:"What goes to the place: the file's own anchor (offset), its lowest corner, or that corner on the ground." enum:"offset,corner,ground" default:"offset"`
	Rotation int      `help:"Degrees clockwise seen from above: 0, 90, 180 or 270." enum:"0,90,180,270" default:"0"`
	Mirror   string   `help:"x: east and west change places; z: north and south. Done before the rotation." enum:",x,z" default:""`
	SkipAir  bool     `help:"Air of the schematic leaves the world as it is."`
	Strict   bool     `help:"Accept only gzip'd Sponge 2 without entities, block entities, biomes, unknown fields and states."`
	Replace  []string `help:"Write only cells whose present block fits a pattern; may be repeated." sep:"none" placeholder:"PATTERN"`

	AllowLoss []position `help:"A cell whose contents (chest, sign, …) may be lost; may be repeated." sep:"none" placeholder:"X,Y,Z"`

	overrides
	MappingName string `help:"A mapping that mapping_put keeps; --mapping and --map come before it." placeholder:"NAME"`

	Project string `help:"The project." default:"default"`
	Yes     bool   `help:"Apply the plan at once; without it the plan is only shown." xor:"apply"`
	DryRun  bool   `help:"Only show the plan; the default." xor:"apply"`
	Report  bool   `help:"Print what the import makes of the file as well, ahead of the plan."`
}

// Run prints the plan, or with --yes the operation that applied it, as one line
// of JSON.
func (c *importCommand) Run(p *program) error {
	ctx := p.ctx()
	mapping, err := c.mapping()
	if err != nil {
		return err
	}
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	asset, err := service.uploadFile(ctx, p, c.File)
	if err != nil {
		return err
	}
	states := map[string]any{"project_id": c.Project, "asset_id": asset.ID, "mapping": mapping, "mapping_name": c.MappingName}
	if c.Report {
		var report schematic.Report
		if err := service.call(ctx, "schematic_inspect", states, &report); err != nil {
			return err
		}
		fmt.Fprintln(p.out, encode(report))
	}
	prepared, err := c.prepare(ctx, p, service, states)
	if err != nil {
		return err
	}
	if !c.Yes {
		fmt.Fprintln(p.out, encode(prepared))
		p.say("%d blocks would change; apply with: groundplan rpc build_apply '%s'", prepared.Changed,
			encode(map[string]string{"project_id": c.Project, "plan_id": prepared.ID, "plan_hash": prepared.Hash, "idempotency_key": "import-" + prepared.ID}))
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

// prepare plans the placing; states are the parameters that say what the file's
// states become.
func (c *importCommand) prepare(ctx context.Context, p *program, service *client, states map[string]any) (rpc.PlanView, error) {
	params := map[string]any{
		"target": c.At.Pos, "rotation": c.Rotation, "mirror": c.Mirror, "anchor": c.Anchor, "skip_air": c.SkipAir,
		"strict": c.Strict, "replace": c.Replace, "allow_loss": c.AllowLoss,
	}
	maps.Copy(params, states)
	defer p.progress(-1, "planning").done()
	var prepared rpc.PlanView
	err := service.call(ctx, "schematic_import_prepare", params, &prepared)
	return prepared, err
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
	id := op.ID
	op, err = service.await(ctx, id, func(op plan.Operation) { bar.set(op.Processed) })
	if err != nil {
		p.say("the operation %s is the service's: it goes on without this program, and after a restart of the service an admin decides about it", id)
	}
	return op, err
}

// overrides say what states of a file become instead of what the registry says.
type overrides struct {
	Mapping string     `help:"JSON file: an object of file state patterns and Bedrock states, or keep." type:"existingfile" placeholder:"FILE"`
	Map     []override `help:"What states of the file become, such as oak_log[axis=x]=stone or mod:*=keep; may be repeated, and comes before --mapping." sep:"none" placeholder:"PATTERN=STATE"`
}

// override is a flag of the form PATTERN=STATE.
type override struct{ pattern, state string }

// UnmarshalText reads PATTERN=STATE; the properties in the pattern's brackets have
// an equals sign, too.
func (o *override) UnmarshalText(text []byte) error {
	depth := 0
	for i, c := range string(text) {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '=' && depth == 0 && i > 0 && i+1 < len(text):
			o.pattern, o.state = string(text[:i]), string(text[i+1:])
			return nil
		}
	}
	return fault.Errorf(fault.InvalidRequest, "an override is PATTERN=STATE, not %q", text)
}

// mapping joins the file with the pairs of the command line.
func (o overrides) mapping() (schematic.Mapping, error) {
	m := schematic.Mapping{}
	if o.Mapping != "" {
		data, err := os.ReadFile(o.Mapping)
		if err != nil {
			return nil, err
		}
		if err := strict.Unmarshal(data, &m); err != nil {
			return nil, fault.Errorf(fault.InvalidRequest, "the mapping %s is not a JSON object of texts: %w", o.Mapping, err)
		}
	}
	for _, one := range o.Map {
		m[one.pattern] = one.state
	}
	return m, nil
}

// uploadFile brings a file into the library under an id made of its name.
func (c *client) uploadFile(ctx context.Context, p *program, path string) (schematic.Asset, error) {
	file, err := os.Open(path)
	if err != nil {
		return schematic.Asset{}, err
	}
	defer file.Close() //nolint:errcheck // only read
	return c.upload(ctx, p, idOf(path), file)
}

// upload brings a file into the library of the service under an id, to which it
// adds when the id is another file's.
func (c *client) upload(ctx context.Context, p *program, id string, file io.ReadSeeker) (schematic.Asset, error) {
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return schematic.Asset{}, err
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	var old rpc.ChunkView
	switch err := c.call(ctx, "asset_get", map[string]any{"asset_id": id}, &old); {
	case err == nil && old.SHA256 != sum:
		id = id[:min(len(id), 50)] + "-" + sum[:12]
	case err != nil && fault.CodeOf(err) != fault.NotFound:
		return schematic.Asset{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return schematic.Asset{}, err
	}
	bar := p.progress(int(size), "uploading")
	defer bar.done()
	chunk := make([]byte, rpc.AssetChunk)
	for offset := 0; ; {
		n, err := io.ReadFull(file, chunk)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return schematic.Asset{}, err
		}
		last := n < len(chunk) || int64(offset+n) == size
		var up schematic.Upload
		err = c.call(ctx, "asset_put", map[string]any{
			"asset_id": id, "offset": offset, "data": chunk[:n], "last": last, "replace": true,
		}, &up)
		if err != nil {
			return schematic.Asset{}, err
		}
		if last {
			return *up.Asset, nil
		}
		offset += n
		bar.set(offset)
	}
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
