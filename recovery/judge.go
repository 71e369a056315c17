package recovery

import (
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/voxel"
)

// judge tells before, after and foreign cells apart. States are compared without
// the ones that the game derives from neighbours (DESIGN §3); each distinct text
// is looked at once.
type judge struct {
	registry *block.Registry
	before   *voxel.Volume
	after    *voxel.Volume
	plain    map[string]int // text to the number of its plain form
	numbers  map[block.State]int
}

func newJudge(registry *block.Registry, before, after *voxel.Volume) *judge {
	return &judge{registry: registry, before: before, after: after, plain: map[string]int{"": 0}, numbers: map[block.State]int{}}
}

// class returns a number that two texts share when they differ in derived states
// only; 0 is the absent cell's.
func (j *judge) class(text string) int {
	if n, ok := j.plain[text]; ok {
		return n
	}
	key := j.registry.Plain(block.State(text))
	n, ok := j.numbers[key]
	if !ok {
		n = len(j.numbers) + 1
		j.numbers[key] = n
	}
	j.plain[text] = n
	return n
}

func (j *judge) same(a, b string) bool { return j.class(a) == j.class(b) }

func (j *judge) classes(v *voxel.Volume) []int {
	table := make([]int, len(v.Palette()))
	for id, text := range v.Palette() {
		table[id] = j.class(text)
	}
	return table
}

// faces are the cells of a mask sorted by what the world shows.
type faces struct {
	before   *voxel.Mask
	after    *voxel.Mask
	foreign  []plan.Conflict // the first of them
	total    int             // how many are foreign
	unloaded int
}

// look sorts the cells of mask. A cell that is both (a change of derived states
// only) counts as after.
func (j *judge) look(mask *voxel.Mask, snap *plan.Snapshot, reason string) faces {
	f := faces{before: voxel.NewMask(), after: voxel.NewMask()}
	now, before, after := j.classes(snap.Cells), j.classes(j.before), j.classes(j.after)
	for p := range mask.All() {
		id := snap.Cells.ID(p)
		switch class := now[id]; {
		case id == voxel.None:
			f.unloaded++
		case class == after[j.after.ID(p)]:
			f.after.Add(p)
		case class == before[j.before.ID(p)]:
			f.before.Add(p)
		default:
			f.total++
			f.foreign = appendConflict(f.foreign, plan.Conflict{
				Pos: p, Reason: reason,
				Expected: state(j.before.Content(j.before.ID(p))),
				Current:  state(snap.Cells.Content(id)),
				Desired:  state(j.after.Content(j.after.ID(p))),
			})
		}
	}
	return f
}

func state(text string) block.State { return block.State(text) }
