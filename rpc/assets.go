package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/schematic"
)

type listParams struct {
	Scope
	Query string `json:"query,omitempty" jsonschema:"part of a name, whatever the case" check:"max=64"`
}

// AssetsView is the answer of asset_list.
type AssetsView struct {
	Assets []schematic.Asset `json:"assets"`
}

func (s *Service) assetList(_ context.Context, _ Caller, p listParams) (AssetsView, error) {
	list, err := s.Library.List(p.Query)
	return AssetsView{Assets: list}, err
}

type importParams struct {
	Scope
	Asset    string    `json:"asset_id" check:"min=1,max=64"`
	Target   voxel.Pos `json:"target" jsonschema:"where the anchor goes"`
	Rotation int       `json:"rotation,omitempty" jsonschema:"degrees clockwise seen from above, about the target" check:"enum=0|90|180|270,default=0"`
	Mirror   string    `json:"mirror,omitempty" jsonschema:"x: east and west change places; z: north and south" check:"enum=|x|z"`
	SkipAir  bool      `json:"skip_air,omitempty" jsonschema:"air of the schematic leaves the world as it is" check:"default=false"`
	Anchor   string    `json:"anchor,omitempty" jsonschema:"the point that goes to the target: the file's own (offset), its lowest corner, or the corner on the ground" check:"enum=offset|corner|ground,default=offset"`
	Strict   bool      `json:"strict,omitempty" jsonschema:"accept only what the prototype did: gzip, Sponge version 2, no entities, block entities, biomes, mods, unknown fields or states" check:"default=false"`

	Mapping   map[string]string `json:"mapping,omitempty" jsonschema:"file state pattern to Bedrock state, or keep; it comes before mapping_name"`
	Named     string            `json:"mapping_name,omitempty" jsonschema:"a mapping that mapping_put keeps" check:"max=64"`
	Replace   []string          `json:"replace,omitempty" jsonschema:"write only cells whose present state fits one of these patterns" check:"max=64"`
	AllowLoss []voxel.Pos       `json:"allow_loss,omitempty" jsonschema:"cells whose contents (chest, sign, …) may be lost"`
}

func (s *Service) importPrepare(ctx context.Context, by Caller, p importParams) (PlanView, error) {
	if err := schematic.CheckID(p.Asset); err != nil {
		return PlanView{}, err
	}
	world, err := s.startable(by)
	if err != nil {
		return PlanView{}, err
	}
	file, asset, err := s.Library.Open(p.Asset, by.Project.Limits.AssetCells, p.Strict)
	if err != nil {
		return PlanView{}, err
	}
	if n, most := asset.BlockCount, by.Project.Limits.PlanCells; n > most && !p.SkipAir {
		return PlanView{}, fault.Errorf(fault.BudgetExceeded, "the schematic has %d cells; a plan takes at most %d", n, most).
			With("limit", most).With("got", n)
	}
	env, err := s.env(ctx, by, world, "")
	if err != nil {
		return PlanView{}, err
	}
	env.AllowLoss = p.AllowLoss
	mapping, err := s.mapping(env.Registry, p.Mapping, p.Named)
	if err != nil {
		return PlanView{}, err
	}
	wanted, err := file.Place(env.Registry, schematic.Placement{
		Target: p.Target, Rotation: p.Rotation, Mirror: schematic.Mirror(p.Mirror), Anchor: schematic.Anchor(p.Anchor),
		SkipAir: p.SkipAir, Strict: p.Strict, Mapping: mapping, Ground: env.Ground,
	})
	if err != nil {
		return PlanView{}, err
	}
	if len(p.Replace) > 0 {
		if wanted, err = by.only(ctx, wanted, p.Replace, env.Region); err != nil {
			return PlanView{}, err
		}
	}
	return s.draft(ctx, by, world, wanted, voxel.NewMask(), env)
}

// only returns the wanted cells whose present state fits a pattern.
func (by Caller) only(ctx context.Context, wanted *voxel.Volume, patterns []string, region voxel.Box) (*voxel.Volume, error) {
	if bounds, any := wanted.Bounds(); !any || !region.Contains(bounds) {
		return wanted, nil // nothing to read; the draft says what is outside
	}
	present, err := by.readBoxes(ctx, wanted.Mask().Reads(maxRead))
	if err != nil {
		return nil, err
	}
	return schematic.Replace(wanted, present.Cells, patterns)
}

// mapping joins a call's own mapping with a kept one.
func (s *Service) mapping(r *block.Registry, own map[string]string, named string) (schematic.Mapping, error) {
	joined := schematic.Mapping{}
	if named != "" {
		kept, err := s.Library.Mapping(named)
		if err != nil {
			return nil, err
		}
		maps.Copy(joined, kept)
	}
	maps.Copy(joined, own)
	return joined, joined.Check(r)
}

// assetCells returns the cells of an asset for a recipe's paste, its anchor at
// 0,0,0.
func (s *Service) assetCells(id string, limits plan.Limits) (*voxel.Volume, error) {
	file, asset, err := s.Library.Open(id, limits.AssetCells, false)
	if err != nil {
		return nil, err
	}
	if n, most := asset.BlockCount, limits.PlanCells; n > most {
		return nil, fault.Errorf(fault.BudgetExceeded, "the asset %s has %d cells; a plan takes at most %d", id, n, most).With("limit", most).With("got", n)
	}
	return file.Place(s.Registry(), schematic.Placement{})
}

type assetParams struct {
	Scope
	Asset   string            `json:"asset_id" check:"min=1,max=64"`
	Mapping map[string]string `json:"mapping,omitempty" jsonschema:"file state pattern to Bedrock state, or keep; it comes before mapping_name"`
	Named   string            `json:"mapping_name,omitempty" jsonschema:"a mapping that mapping_put keeps" check:"max=64"`
}

// assetInspect says what an import would make of a file, before any is placed.
func (s *Service) assetInspect(_ context.Context, by Caller, p assetParams) (schematic.Report, error) {
	mapping, err := s.mapping(s.Registry(), p.Mapping, p.Named)
	if err != nil {
		return schematic.Report{}, err
	}
	report, err := s.Library.Inspect(p.Asset, by.Project.Limits.AssetCells, s.Registry(), mapping)
	if err != nil {
		return schematic.Report{}, err
	}
	report.Judge(by.Project.Policy, s.Registry())
	if most := by.Project.Limits.PlanCells; report.Cells > most {
		report.Warnings = append(report.Warnings, fmt.Sprintf("the file has %d cells; a plan of this project takes at most %d", report.Cells, most))
	}
	return report, nil
}

type assetDeleteParams struct {
	Scope
	Asset string `json:"asset_id" check:"min=1,max=64"`
}

func (s *Service) assetDelete(_ context.Context, _ Caller, p assetDeleteParams) (DeletedView, error) {
	return DeletedView{ID: p.Asset, Deleted: true}, s.Library.Delete(p.Asset)
}

type exportParams struct {
	Scope
	Name    string     `json:"name" jsonschema:"kept in the file" check:"min=1,max=64"`
	Min     voxel.Pos  `json:"min"`
	Max     voxel.Pos  `json:"max"`
	Origin  *voxel.Pos `json:"origin,omitempty" jsonschema:"the anchor; min when left out"`
	Format  string     `json:"format,omitempty" jsonschema:"sponge, or mcstructure: the game's own, which has no anchor and no metadata" check:"enum=sponge|mcstructure,default=sponge"`
	Version int        `json:"version,omitempty" jsonschema:"of the Sponge format" check:"enum=2|3,default=2"`
	Author  string     `json:"author,omitempty" jsonschema:"kept in the file" check:"max=64"`
	Date    int64      `json:"date,omitempty" jsonschema:"kept in the file, in milliseconds since 1970; without it equal regions make equal files" check:"min=0"`

	Metadata  map[string]string `json:"metadata,omitempty" jsonschema:"texts kept in the file beside name, author and date"`
	AllowLoss bool              `json:"allow_loss,omitempty" jsonschema:"leave out contents of block entities, and write air for states that Java does not have" check:"default=false"`
	DryRun    bool              `json:"dry_run,omitempty" jsonschema:"only say what the file would be and lack" check:"default=false"`
}

// ExportView is the answer of schematic_export: the asset, and what it lacks.
type ExportView struct {
	schematic.Asset
	Losses schematic.Losses `json:"losses"`
}

// schematicExport writes a region into the library, air included.
func (s *Service) schematicExport(ctx context.Context, by Caller, p exportParams) (ExportView, error) {
	if err := schematic.CheckName(p.Name); err != nil {
		return ExportView{}, err
	}
	box := voxel.Box{Min: p.Min, Max: p.Max}
	if _, err := by.reachable(box); err != nil {
		return ExportView{}, err
	}
	if n, most := box.Volume(), by.Project.Limits.PlanCells; n > most {
		return ExportView{}, fault.Errorf(fault.BudgetExceeded, "the region has %d cells; at most %d are exported", n, most).
			With("limit", most).With("got", n)
	}
	snap, err := by.read(ctx, []voxel.Box{box}, false)
	if err != nil {
		return ExportView{}, err
	}
	entities, err := by.entities(ctx, box)
	if err != nil {
		return ExportView{}, err
	}
	export := schematic.Export{
		Format: schematic.Format(p.Format), Version: p.Version, Box: box, Origin: p.Min, Name: p.Name,
		Author: p.Author, Date: p.Date, Metadata: p.Metadata,
		BlockEntities: snap.Entities, Entities: entities, AllowLoss: p.AllowLoss, Limits: s.Library.Limits,
	}
	if p.Origin != nil {
		export.Origin = *p.Origin
	}
	var file bytes.Buffer
	losses, err := export.Write(&file, s.Registry(), snap.Cells)
	if err != nil {
		return ExportView{}, err
	}
	var asset schematic.Asset
	if p.DryRun {
		asset, err = s.Library.Describe("", file.Bytes())
	} else {
		asset, err = s.Library.Put(s.NewID(), &file, false)
	}
	return ExportView{Asset: asset, Losses: losses}, err
}

// entities counts what stands in a box by type.
func (by Caller) entities(ctx context.Context, box voxel.Box) (map[string]int, error) {
	all := map[string]int{}
	for _, part := range split(box) {
		some, err := by.handle.Entities(ctx, by.Project.Dimension, part)
		if err != nil {
			return nil, err
		}
		for kind, n := range some {
			all[kind] += n
		}
	}
	return all, nil
}

type mappingParams struct {
	Scope
	Name    string            `json:"name" check:"min=1,max=64"`
	Mapping map[string]string `json:"mapping" jsonschema:"file state pattern to Bedrock state, or keep; an empty one removes the name"`
}

// MappingsView names the kept mappings.
type MappingsView struct {
	Mappings []string `json:"mappings"`
}

func (s *Service) mappingPut(_ context.Context, _ Caller, p mappingParams) (MappingsView, error) {
	mapping := schematic.Mapping(p.Mapping)
	if err := mapping.Check(s.Registry()); err != nil {
		return MappingsView{}, err
	}
	if err := s.Library.PutMapping(p.Name, mapping); err != nil {
		return MappingsView{}, err
	}
	names, err := s.Library.Mappings()
	return MappingsView{Mappings: names}, err
}

type putParams struct {
	Scope
	Asset   string `json:"asset_id" check:"min=1,max=64"`
	Offset  int64  `json:"offset" jsonschema:"of the chunk's first byte in the file; 0 begins anew" check:"min=0"`
	Data    []byte `json:"data" jsonschema:"the chunk in base64; at most 720,000 characters" check:"max=720000"`
	Last    bool   `json:"last,omitempty" jsonschema:"the file is whole" check:"default=false"`
	Replace bool   `json:"replace,omitempty" jsonschema:"take the place of the asset that has the id" check:"default=false"`
}

// AssetChunk is the most bytes of a chunk of asset_put and asset_get: 720,000
// characters in base64.
const AssetChunk = 540_000

func (s *Service) assetPut(_ context.Context, _ Caller, p putParams) (schematic.Upload, error) {
	return s.Library.Append(schematic.Chunk{ID: p.Asset, Offset: p.Offset, Data: p.Data, Last: p.Last, Replace: p.Replace})
}

type getParams struct {
	Scope
	Asset  string `json:"asset_id" check:"min=1,max=64"`
	Offset int    `json:"offset,omitempty" jsonschema:"of the chunk's first byte in the file" check:"min=0,default=0"`
}

// ChunkView is the answer of asset_get: a piece of the file as it is.
type ChunkView struct {
	ID     string `json:"assetId"`
	Bytes  int    `json:"bytes" jsonschema:"of the whole file"`
	SHA256 string `json:"sha256" jsonschema:"of the whole file, lower-case hex: equal in all chunks unless the file was replaced"`
	Offset int    `json:"offset"`
	Data   []byte `json:"data" jsonschema:"the chunk in base64"`
	Last   bool   `json:"last" jsonschema:"the file ends with the chunk"`
}

func (s *Service) assetGet(_ context.Context, _ Caller, p getParams) (ChunkView, error) {
	file, err := s.Library.Bytes(p.Asset)
	if err != nil {
		return ChunkView{}, err
	}
	if p.Offset > len(file) {
		return ChunkView{}, fault.Errorf(fault.InvalidRequest, "offset %d lies behind the file's %d bytes", p.Offset, len(file))
	}
	sum := sha256.Sum256(file)
	end := min(p.Offset+AssetChunk, len(file))
	return ChunkView{
		ID: p.Asset, Bytes: len(file), SHA256: hex.EncodeToString(sum[:]), Offset: p.Offset, Data: file[p.Offset:end], Last: end == len(file),
	}, nil
}
