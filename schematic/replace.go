package schematic

import (
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Replace returns those of the wanted cells whose present state fits one of the
// patterns, which are those of a Mapping, of Bedrock states: with "air" a building
// grows around what stands there. A cell that is not loaded is an error.
func Replace(wanted, present *voxel.Volume, patterns []string) (*voxel.Volume, error) {
	for _, pattern := range patterns {
		if err := checkPattern(pattern); err != nil {
			return nil, err
		}
	}
	verdicts := make([]bool, len(present.Palette()))
	for id, state := range present.Palette() {
		for _, pattern := range patterns {
			verdicts[id] = verdicts[id] || fits(pattern, state)
		}
	}
	out := voxel.NewVolume()
	ids := make([]voxel.ID, len(wanted.Palette()))
	for i, state := range wanted.Palette() {
		ids[i] = out.Intern(state)
	}
	for _, key := range wanted.Sections() {
		var want, have [voxel.SectionCells]voxel.ID
		wanted.SectionIDs(key, &want)
		present.SectionIDs(key, &have)
		for i := range want {
			switch {
			case want[i] == voxel.None:
			case have[i] == voxel.None:
				return nil, fault.Errorf(fault.ChunkNotLoaded, "the cell %v is not loaded", key.Pos(i))
			case verdicts[have[i]]:
				want[i] = ids[want[i]]
			default:
				want[i] = voxel.None
			}
		}
		setSection(out, key, &want)
	}
	return out, nil
}
