package plan

import (
	"slices"
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Denied returns the ids of the blocks that no plan may place or remove unless the
// project's policy allows them: they run commands, are made for map makers only,
// or send players elsewhere.
func Denied() []string {
	return []string{
		"minecraft:allow", "minecraft:barrier", "minecraft:border_block", "minecraft:chain_command_block",
		"minecraft:command_block", "minecraft:deny", "minecraft:end_gateway", "minecraft:end_portal",
		"minecraft:jigsaw", "minecraft:mob_spawner", "minecraft:portal", "minecraft:repeating_command_block",
		"minecraft:structure_block", "minecraft:structure_void", "minecraft:trial_spawner",
	}
}

// classNames are the words for physics classes in a policy.
var classNames = []struct {
	name  string
	class block.Class
}{
	{"solid", block.Solid},
	{"gravity", block.Gravity},
	{"fluid", block.Fluid},
	{"attached", block.Attached},
	{"half", block.Half},
	{"container", block.Container},
	{"block_entity", block.BlockEntity},
	{"redstone", block.Redstone},
	{"random_tick", block.RandomTick},
}

// ClassNames returns the words that Policy.DenyClasses takes.
func ClassNames() []string {
	names := make([]string, len(classNames))
	for i, c := range classNames {
		names[i] = c.name
	}
	return names
}

func named(id string) string {
	if strings.Contains(id, ":") {
		return id
	}
	return "minecraft:" + id
}

// Refuses returns why a plan may neither place nor remove the state; "" when it
// may.
func (p Policy) Refuses(s block.State, r *block.Registry) string {
	id := s.ID()
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(other string) bool { return named(other) == id })
	}
	if has(p.Deny) {
		return "the project's policy denies " + id
	}
	if has(Denied()) && !has(p.Allow) {
		return id + " is denied unless the project's policy allows it"
	}
	class := r.Class(s)
	for _, c := range classNames {
		if class&c.class != 0 && slices.Contains(p.DenyClasses, c.name) && !has(p.Allow) {
			return "the project's policy denies blocks of the class " + c.name + ", such as " + id
		}
	}
	return ""
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
