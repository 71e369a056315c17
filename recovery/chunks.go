package recovery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

// A world takes ten ticking areas of at most 100 chunks each
// (reference/bedrock-wire.md §3.3), and says nothing when one is ready.
const (
	maxAreas  = 10
	areaEdge  = 10 // chunks
	loadTries = 20
	loadPause = 500 * time.Millisecond
)

// column is a chunk's place: its x and z, divided by 16.
type column struct{ x, z int }

// present reads boxes and, where cells are in unloaded chunks, has the game load
// them for as long as the operation runs. Cells that stay unloaded are absent.
func (r *Runner) present(ctx context.Context, j *job, boxes []voxel.Box) (*plan.Snapshot, error) {
	snap, err := r.World.Read(ctx, j.plan.Dimension, boxes)
	if err != nil {
		return nil, err
	}
	missing := columns(boxes, snap.Cells)
	if len(missing) == 0 || !r.hold(ctx, j, missing) {
		return snap, nil
	}
	for range loadTries {
		sleep(ctx, loadPause)
		if snap, err = r.World.Read(ctx, j.plan.Dimension, boxes); err != nil {
			return nil, err
		}
		if len(columns(boxes, snap.Cells)) == 0 {
			break
		}
	}
	return snap, nil
}

// columns returns the chunks of the cells that are absent.
func columns(boxes []voxel.Box, cells *voxel.Volume) map[column]bool {
	missing := map[column]bool{}
	var ids [voxel.SectionCells]voxel.ID
	for _, box := range boxes {
		for key := range box.Sections() {
			if cells.SectionIDs(key, &ids) == voxel.SectionCells {
				continue
			}
			part := box.Intersect(key.Box())
			for p := range part.All() {
				if cells.ID(p) == voxel.None {
					missing[column{key.X, key.Z}] = true
					break
				}
			}
		}
	}
	return missing
}

// hold asks for ticking areas over chunks, and reports whether there were enough.
func (r *Runner) hold(ctx context.Context, j *job, chunks map[column]bool) bool {
	tiles := map[column][2]column{}
	for c := range chunks {
		at := column{floorDiv(c.x, areaEdge), floorDiv(c.z, areaEdge)}
		span, ok := tiles[at]
		if !ok {
			span = [2]column{c, c}
		}
		tiles[at] = [2]column{{min(span[0].x, c.x), min(span[0].z, c.z)}, {max(span[1].x, c.x), max(span[1].z, c.z)}}
	}
	if j.areas+len(tiles) > maxAreas {
		return false
	}
	var lines []string
	for _, at := range slices.SortedFunc(maps.Keys(tiles), func(a, b column) int { return (a.x-b.x)<<16 + a.z - b.z }) {
		span := tiles[at]
		lines = append(lines, r.areaLine(j, fmt.Sprintf("remove %s", areaName(j.areas))),
			r.areaLine(j, fmt.Sprintf("add %d 0 %d %d 0 %d %s true", span[0].x<<4, span[0].z<<4, span[1].x<<4|15, span[1].z<<4|15, areaName(j.areas))))
		j.areas++
	}
	r.World.RunAll(ctx, lines)
	return true
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func areaName(n int) string { return fmt.Sprintf("groundplan%d", n) }

func (r *Runner) areaLine(j *job, words string) string {
	line := "tickingarea " + words
	if j.plan.Dimension != "overworld" {
		line = "execute in " + j.plan.Dimension + " run " + line
	}
	return line
}

// release gives the operation's ticking areas back.
func (r *Runner) release(ctx context.Context, j *job) {
	var lines []string
	for ; j.areas > 0; j.areas-- {
		lines = append(lines, r.areaLine(j, "remove "+areaName(j.areas-1)))
	}
	if len(lines) > 0 {
		r.World.RunAll(ctx, lines)
	}
}
