package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/google/renameio/v2"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// DefaultProject is the project of calls that name none.
const DefaultProject = "default"

// Projects are the permission boundaries of a process, kept in projects.json.
type Projects struct {
	path string

	mu   sync.RWMutex // protects list
	list []plan.Project
}

// OpenProjects reads the projects of a file, or makes it with first as its only
// one.
func OpenProjects(path string, first plan.Project) (*Projects, error) {
	p := &Projects{path: path}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		p.list = []plan.Project{first}
		return p, p.save()
	}
	if err != nil {
		return nil, fmt.Errorf("open projects: %w", err)
	}
	if err := strict.Unmarshal(data, &p.list); err != nil {
		return nil, fmt.Errorf("open projects: %s: %w", path, err)
	}
	for _, one := range p.list {
		if err := CheckProject(one); err != nil {
			return nil, fmt.Errorf("open projects: %s: %w", path, err)
		}
	}
	return p, nil
}

// CheckProject reports what is wrong with a project's definition.
func CheckProject(p plan.Project) error {
	bad := func(format string, args ...any) error { return fault.Errorf(fault.InvalidRequest, format, args...) }
	switch {
	case !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`).MatchString(p.ID):
		return bad("a project id is 1 to 64 of A-Z a-z 0-9 _ . -")
	case !slices.Contains([]string{"overworld", "nether", "the_end"}, p.Dimension):
		return bad("project %s: no dimension %q; there are overworld, nether and the_end", p.ID, p.Dimension)
	case !p.Region.Valid():
		return bad("project %s: Invalid inclusive region bounds", p.ID)
	case p.Region.Intersect(widest()) != p.Region:
		return bad("project %s: the region leaves the world", p.ID)
	case p.Limits.PlanCells < 1 || p.Limits.SliceCells < 1 || p.Limits.InspectCells < 1 || p.Limits.PlanTTL < 1:
		return bad("project %s: limits must be positive", p.ID)
	}
	return nil
}

// widest is what the game can address.
func widest() voxel.Box {
	const far = 30_000_000
	return voxel.Box{Min: voxel.Pos{X: -far, Y: -512, Z: -far}, Max: voxel.Pos{X: far, Y: 511, Z: far}}
}

func (p *Projects) save() error {
	data, err := json.MarshalIndent(p.list, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(p.path, append(data, '\n'), 0o600); err != nil {
		return fault.Wrap(fault.StorageFailed, err, "the projects could not be written")
	}
	return nil
}

// Get returns a project.
func (p *Projects) Get(id string) (plan.Project, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if i := p.find(id); i >= 0 {
		return p.list[i], true
	}
	return plan.Project{}, false
}

func (p *Projects) find(id string) int {
	return slices.IndexFunc(p.list, func(one plan.Project) bool { return one.ID == id })
}

// List returns the projects in the order of the file.
func (p *Projects) List() []plan.Project {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clone(p.list)
}

// Put adds a project, or replaces the one with its id.
func (p *Projects) Put(one plan.Project) error {
	if err := CheckProject(one); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := slices.Clone(p.list)
	if i := p.find(one.ID); i >= 0 {
		p.list[i] = one
	} else {
		p.list = append(p.list, one)
	}
	if err := p.save(); err != nil {
		p.list = before
		return err
	}
	return nil
}

// Delete removes a project. Its plans and operations stay in the journal.
func (p *Projects) Delete(id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.find(id)
	if i < 0 {
		return fault.Errorf(fault.NotFound, "no project %q", short(id))
	}
	if id == DefaultProject {
		return fault.Errorf(fault.InvalidRequest, "the default project stays")
	}
	before := slices.Clone(p.list)
	p.list = slices.Delete(p.list, i, i+1)
	if err := p.save(); err != nil {
		p.list = before
		return err
	}
	return nil
}

// Allowed reports why the principal of an operation may not change its project
// any more. The Runner asks before each slice.
func (p *Projects) Allowed(op plan.Operation) error {
	project, ok := p.Get(op.Project)
	switch {
	case !ok:
		return fault.Errorf(fault.PermissionDenied, "there is no project %s any more", op.Project)
	case op.By == adminPrincipal,
		op.By == Console && project.Automation,
		op.By != "" && op.By == project.Owner,
		slices.Contains(project.Members, op.By):
		return nil
	}
	return fault.Errorf(fault.PermissionDenied, "%s may not change project %s any more", op.By, op.Project)
}
