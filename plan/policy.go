package plan

import (
	"slices"
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func named(id string) string {
	if strings.Contains(id, ":") {
		return id
	}
	return "minecraft:" + id
}

// Refuses returns why a plan may neither place nor remove the state; "" when it
// may. Blocks of the class admin – those that run commands, are made for map makers
// or send players elsewhere – are refused unless the policy allows them by id.
func (p Policy) Refuses(s block.State, r *block.Registry) string {
	id := s.ID()
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(other string) bool { return named(other) == id })
	}
	switch class := r.Class(s); {
	case has(p.Deny):
		return "the project's policy denies " + id
	case has(p.Allow):
		return ""
	case class&block.Admin != 0:
		return id + " is denied unless the project's policy allows it"
	default:
		for _, name := range p.DenyClasses {
			if c, err := block.ParseClass(name); err == nil && class&c != 0 {
				return "the project's policy denies blocks of the class " + name + ", such as " + id
			}
		}
		return ""
	}
}

// allowed checks what the plan places and removes against the policy.
func (d *differ) allowed() error {
	reasons := map[voxel.ID]string{}
	first := ""
	for i, c := range d.pairs {
		if i == 0 || c.phase == phaseKept {
			continue
		}
		reason := d.env.Policy.Refuses(c.after, d.env.Registry)
		if reason == "" {
			reason = d.env.Policy.Refuses(c.before, d.env.Registry)
		}
		if reason != "" {
			reasons[voxel.ID(i)] = reason
			if first == "" {
				first = reason
			}
		}
	}
	if first == "" {
		return nil
	}
	var cells places
	for _, v := range d.phases {
		if v == nil {
			continue
		}
		for p, id := range v.All() {
			if reasons[id] != "" {
				cells.add(p)
			}
		}
	}
	return cells.fault(fault.Errorf(fault.UnsupportedBlock, "%s (%d cells, such as %v)", first, cells.count, cells.cells[0]))
}
