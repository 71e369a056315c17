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
	cells    *voxel.Volume // what was seen
}

// look sorts the cells of mask. A cell that is both (a change of derived states
// only) counts as after.
func (j *judge) look(mask *voxel.Mask, snap *plan.Snapshot, reason string) faces {
	f := faces{before: voxel.NewMask(), after: voxel.NewMask(), cells: snap.Cells}
	classes := [3][]int{j.classes(snap.Cells), j.classes(j.before), j.classes(j.after)}
	for _, key := range mask.Sections() {
		j.lookAt(key, mask.SectionBits(key), snap, classes, reason, &f)
	}
	return f
}

func (j *judge) lookAt(key voxel.Section, cells voxel.Bits, snap *plan.Snapshot, classes [3][]int, reason string, f *faces) {
	var now, before, after [voxel.SectionCells]voxel.ID
	snap.Cells.SectionIDs(key, &now)
	j.before.SectionIDs(key, &before)
	j.after.SectionIDs(key, &after)
	var isBefore, isAfter voxel.Bits
	for i := range now {
		if !cells.Has(i) {
			continue
		}
		switch class := classes[0][now[i]]; {
		case now[i] == voxel.None:
			f.unloaded++
		case class == classes[2][after[i]]:
			isAfter.Set(i)
		case class == classes[1][before[i]]:
			isBefore.Set(i)
		default:
			f.total++
			f.foreign = appendConflict(f.foreign, plan.Conflict{
				Pos: key.Pos(i), Reason: reason,
				Expected: state(j.before.Content(before[i])),
				Current:  state(snap.Cells.Content(now[i])),
				Desired:  state(j.after.Content(after[i])),
			})
		}
	}
	f.before.SetSection(key, isBefore)
	f.after.SetSection(key, isAfter)
}

func state(text string) block.State { return block.State(text) }
