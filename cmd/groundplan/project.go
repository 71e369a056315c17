package main

import (
	"fmt"
	"path/filepath"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/rpc"
)

// projectCommand keeps the projects: through the running service, or in
// projects.json when none runs.
type projectCommand struct {
	Add    projectAdd    `cmd:"" help:"Add a project, or replace the one with its id."`
	List   projectList   `cmd:"" help:"List the projects."`
	Remove projectRemove `cmd:"" help:"Remove a project; its history stays."`
}

type projectAdd struct {
	ID         string   `arg:"" help:"Project id."`
	Name       string   `help:"A name for people."`
	Owner      string   `help:"Player id of the owner."`
	Member     []string `help:"Player ids of others who may use it."`
	World      string   `help:"World id; empty takes whatever world is connected."`
	Dimension  string   `help:"overworld, nether or the_end." enum:"overworld,nether,the_end" default:"overworld"`
	Min        position `help:"Lowest corner of the region." required:"" placeholder:"X,Y,Z"`
	Max        position `help:"Highest corner of the region." required:"" placeholder:"X,Y,Z"`
	Automation bool     `help:"Let the principal console use it."`
	Profile    string   `help:"default, or the limits of the prototype." enum:"default,prototype" default:"default"`
	Deny       []string `help:"Block ids that plans may not place or remove."`
}

// Run adds the project.
func (c *projectAdd) Run(p *program) error {
	project := plan.Project{
		ID: c.ID, Name: c.Name, Owner: c.Owner, Members: c.Member, WorldID: c.World, Dimension: c.Dimension,
		Region: voxel.Box{Min: c.Min.Pos, Max: c.Max.Pos}, Automation: c.Automation,
		Policy: plan.Policy{Deny: c.Deny}, Limits: serveFlags{Profile: c.Profile}.limits(),
	}
	return p.projects("project_put", map[string]any{"project": project}, nil, func(file *rpc.Projects) error { return file.Put(project) })
}

type projectList struct{}

// Run prints a JSON object per project.
func (projectList) Run(p *program) error {
	var v rpc.ProjectsView
	err := p.projects("project_list", map[string]any{}, &v, func(file *rpc.Projects) error {
		v.Projects = file.List()
		return nil
	})
	for _, project := range v.Projects {
		fmt.Fprintln(p.out, encode(project))
	}
	return err
}

type projectRemove struct {
	ID string `arg:"" help:"Project id."`
}

// Run removes the project.
func (c *projectRemove) Run(p *program) error {
	return p.projects("project_delete", map[string]any{"id": c.ID}, nil, func(file *rpc.Projects) error { return file.Delete(c.ID) })
}

// projects calls a method of the running service, or works on the file when none
// runs.
func (p *program) projects(method string, params, result any, work func(*rpc.Projects) error) error {
	service, err := dial(p.data)
	if err == nil {
		return service.call(p.ctx(), method, params, result)
	}
	if fault.CodeOf(err) != fault.NotFound {
		return err
	}
	file, err := rpc.OpenProjects(filepath.Join(p.data, "projects.json"), firstProject(serveFlags{World: "embedded"}))
	if err != nil {
		return err
	}
	return work(file)
}
