package rpc

import (
	"context"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

type partDefineParams struct {
	Scope
	Name      string `json:"name" check:"min=1,max=64"`
	Operation string `json:"operation_id" jsonschema:"an applied operation; the part has the cells that it wrote" check:"min=1"`
}

// PartView is the answer of part_get and its like.
type PartView struct {
	ID        string  `json:"part_id"`
	Name      string  `json:"name"`
	Blocks    int     `json:"block_count"`
	Protected bool    `json:"protected"`
	Operation string  `json:"operation_id"`
	Dimension string  `json:"dimension"`
	Bounds    *Region `json:"bounds,omitempty" jsonschema:"the box around the mask; it is not the mask"`
}

func partOf(p plan.Part) PartView {
	v := PartView{ID: p.ID, Name: p.Name, Blocks: p.Mask.Len(), Protected: p.Protected, Operation: p.Operation, Dimension: p.Dimension}
	if bounds, ok := p.Mask.Bounds(); ok {
		r := regionOf(p.WorldID, bounds)
		v.Bounds = &r
	}
	return v
}

func (s *Service) partDefine(_ context.Context, by Caller, p partDefineParams) (PartView, error) {
	op, err := s.operation(by, p.Operation)
	if err != nil {
		return PartView{}, err
	}
	if op.Status != plan.Applied {
		return PartView{}, fault.Errorf(fault.Busy, "operation %s is %s; a part is made of an applied one", op.ID, op.Status)
	}
	source, err := s.Journal.Plan(op.PlanID)
	if err != nil {
		return PartView{}, err
	}
	mask, err := s.written(op.ID)
	if err != nil {
		return PartView{}, err
	}
	if mask.Len() == 0 {
		return PartView{}, fault.Errorf(fault.InvalidRequest, "operation %s wrote no cell", op.ID)
	}
	part := plan.Part{
		ID: s.NewID(), Project: by.Project.ID, Name: p.Name, Operation: op.ID,
		WorldID: source.WorldID, Dimension: source.Dimension, Mask: mask,
	}
	s.partsMu.Lock()
	defer s.partsMu.Unlock()
	if err := s.roomForPart(by.Project, part); err != nil {
		return PartView{}, err
	}
	return partOf(part), s.Journal.PutPart(part)
}

// written returns the cells that receipts confirm for an operation.
func (s *Service) written(id string) (*voxel.Mask, error) {
	entries, err := s.Journal.Entries(id)
	if err != nil {
		return nil, err
	}
	mask := voxel.NewMask()
	for _, e := range entries {
		if e.Receipt != nil {
			mask.Union(e.Receipt.Wrote)
		}
	}
	return mask, nil
}

// roomForPart checks that a new part overlaps no other and is not one too many.
func (s *Service) roomForPart(project plan.Project, part plan.Part) error {
	parts, err := s.Journal.Parts(project.ID)
	if err != nil {
		return err
	}
	if n := len(parts); n >= project.Limits.Parts {
		return fault.Errorf(fault.BudgetExceeded, "the project has %d parts already", n).With("limit", project.Limits.Parts)
	}
	for _, other := range parts {
		if other.WorldID != part.WorldID || other.Dimension != part.Dimension {
			continue
		}
		common := part.Mask.Clone()
		common.Intersect(other.Mask)
		if n := common.Len(); n > 0 {
			return fault.Errorf(fault.Conflict, "the part would share %d cells with the part %q", n, other.Name).With("part_id", other.ID)
		}
	}
	return nil
}

type partParams struct {
	Scope
	Part string `json:"part_id" check:"min=1"`
}

func (s *Service) partGet(_ context.Context, by Caller, p partParams) (PartView, error) {
	part, err := s.Journal.Part(by.Project.ID, p.Part)
	if err != nil {
		return PartView{}, err
	}
	return partOf(part), nil
}

type partListParams struct {
	Scope
	From int `json:"from,omitempty" jsonschema:"how many to leave out" check:"min=0"`
}

// partPage is how many parts one page of part_list has.
const partPage = 256

// PartsView is the answer of part_list.
type PartsView struct {
	Parts []PartView `json:"parts"`
	Total int        `json:"parts_total"`
	Next  int        `json:"next,omitempty" jsonschema:"from of the next page"`
}

func (s *Service) partList(_ context.Context, by Caller, p partListParams) (PartsView, error) {
	parts, err := s.Journal.Parts(by.Project.ID)
	if err != nil {
		return PartsView{}, err
	}
	v := PartsView{Parts: []PartView{}, Total: len(parts)}
	end := min(p.From+partPage, len(parts))
	for i := p.From; i < end; i++ {
		v.Parts = append(v.Parts, partOf(parts[i]))
	}
	if end < len(parts) {
		v.Next = end
	}
	return v, nil
}

// DeletedView says what was deleted.
type DeletedView struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

func (s *Service) partDelete(_ context.Context, by Caller, p partParams) (DeletedView, error) {
	s.partsMu.Lock()
	defer s.partsMu.Unlock()
	part, err := s.Journal.Part(by.Project.ID, p.Part)
	if err != nil {
		return DeletedView{}, err
	}
	if part.Protected {
		return DeletedView{}, fault.Errorf(fault.PermissionDenied, "the part %q is protected", part.Name)
	}
	return DeletedView{ID: p.Part, Deleted: true}, s.Journal.DeletePart(by.Project.ID, p.Part)
}

type protectParams struct {
	Scope
	Part      string `json:"part_id" check:"min=1"`
	Protected bool   `json:"protected" jsonschema:"whether plans that change the part are refused"`
}

func (s *Service) partProtect(_ context.Context, by Caller, p protectParams) (PartView, error) {
	s.partsMu.Lock()
	defer s.partsMu.Unlock()
	part, err := s.Journal.Part(by.Project.ID, p.Part)
	if err != nil {
		return PartView{}, err
	}
	part.Protected = p.Protected
	return partOf(part), s.Journal.PutPart(part)
}
