package rpc

import (
	"context"

	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Diagnosis says whether the world can be reached, and what to do when it cannot.
type Diagnosis struct {
	Condition string `json:"condition"`
	Sentence  string `json:"sentence"`
}

// DoctorView is the answer of doctor.
type DoctorView struct {
	Health  Health        `json:"health"`
	World   Diagnosis     `json:"world"`
	Journal journal.Stats `json:"journal"`
	Advice  []string      `json:"advice" jsonschema:"what an admin can do, the most urgent first"`
}

// doctor looks at every part and says what to do about it.
func (s *Service) doctor(ctx context.Context, _ Caller, _ struct{ Scope }) (DoctorView, error) {
	stats, err := s.Journal.Stats()
	if err != nil {
		return DoctorView{}, err
	}
	v := DoctorView{Health: s.Health(), Journal: stats, Advice: []string{}}
	if s.Diagnose != nil {
		v.World = s.Diagnose(ctx)
	}
	if v.Health.Journal != "ok" {
		v.Advice = append(v.Advice, "The disk failed: make room or repair it, then restart the service.")
	}
	if v.Health.Gate != "open" {
		v.Advice = append(v.Advice, "Operations were unfinished when the service stopped: groundplan recovery list.")
	}
	if v.Health.World != "connected" && v.World.Sentence != "" {
		v.Advice = append(v.Advice, v.World.Sentence)
	}
	return v, nil
}

// ProjectsView is the answer of project_list.
type ProjectsView struct {
	Projects []plan.Project `json:"projects"`
}

func (s *Service) projectList(_ context.Context, _ Caller, _ struct{ Scope }) (ProjectsView, error) {
	return ProjectsView{Projects: s.Projects.List()}, nil
}

type projectParams struct {
	Scope
	Project plan.Project `json:"project" jsonschema:"the whole definition; it takes the place of the one with its project_id"`
}

func (s *Service) projectPut(_ context.Context, _ Caller, p projectParams) (plan.Project, error) {
	return p.Project, s.Projects.Put(p.Project)
}

type projectDeleteParams struct {
	Scope
	ID string `json:"id" jsonschema:"the project to remove; its history stays in the journal" check:"min=1,max=64"`
}

func (s *Service) projectDelete(_ context.Context, _ Caller, p projectDeleteParams) (DeletedView, error) {
	return DeletedView{ID: p.ID, Deleted: true}, s.Projects.Delete(p.ID)
}

type editParams struct {
	Scope
	Pos    voxel.Pos `json:"pos"`
	Block  string    `json:"block" check:"min=1,max=1024"`
	Unseen bool      `json:"unseen,omitempty" jsonschema:"without the event that the addon would see" check:"default=false"`
}

// EditView is the answer of world_edit.
type EditView struct {
	Pos voxel.Pos `json:"pos"`
}

// worldEdit changes the embedded world as another player would, past every plan:
// for whoever wants to see what the service makes of it.
func (s *Service) worldEdit(_ context.Context, by Caller, p editParams) (EditView, error) {
	if s.Edit == nil {
		return EditView{}, fault.Errorf(fault.UnsupportedCapability, "only the embedded world can be edited from outside; in a real game, place the block there")
	}
	if _, err := by.reachable(voxel.Cube(p.Pos)); err != nil {
		return EditView{}, err
	}
	state, err := s.Registry().Parse(p.Block)
	if err != nil {
		return EditView{}, err
	}
	return EditView{Pos: p.Pos}, s.Edit(by.Project.Dimension, p.Pos, string(state), !p.Unseen)
}
