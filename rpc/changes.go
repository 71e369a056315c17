package rpc

import (
	"context"
	"strconv"
	"strings"

	"groundplan/journal"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// changesPage is how many events one page of region_changes has, and changesBoxes
// how many boxes it shows for one of them.
const (
	changesPage  = 256
	changesBoxes = 64
)

type changesParams struct {
	Scope
	Cursor string `json:"cursor,omitempty" jsonschema:"cursor of the answer before; without it the feed begins now" check:"max=80"`
}

// ChangesView is the answer of region_changes.
type ChangesView struct {
	Status  string       `json:"status" jsonschema:"ok"`
	Cursor  string       `json:"cursor" jsonschema:"pass it to the next call"`
	Changes []ChangeView `json:"changes" jsonschema:"oldest first"`
	More    bool         `json:"more" jsonschema:"there are further changes already"`
}

// ChangeView is one change of the world.
type ChangeView struct {
	Kind      journal.EventKind `json:"kind" jsonschema:"wrote: by an operation of ours; external: by somebody else; abandoned: given up by an admin; gap: edits by others since that time may be missing anywhere in the region"`
	Operation string            `json:"operation_id,omitempty"`
	At        int64             `json:"at" jsonschema:"milliseconds since 1970"`
	Since     int64             `json:"since,omitempty" jsonschema:"gap only: milliseconds since 1970"`
	Cells     int               `json:"cells"`
	Boxes     []voxel.Box       `json:"boxes" jsonschema:"boxes that hold the cells, and perhaps others; the first 64"`
}

// regionChanges pages through what changed the project's region. A cursor is
// bound to the world and its epoch: another world, or one from a backup, needs a
// fresh look.
func (s *Service) regionChanges(_ context.Context, by Caller, p changesParams) (ChangesView, error) {
	world, err := by.world()
	if err != nil {
		return ChangesView{}, err
	}
	bound := world.ID + "." + world.Epoch
	v := ChangesView{Status: "ok", Changes: []ChangeView{}}
	if p.Cursor == "" {
		last, err := s.Journal.LastEvent()
		v.Cursor = cursorFor(last, bound)
		return v, err
	}
	text, of, _ := strings.Cut(p.Cursor, "@")
	after, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil || of == "":
		return ChangesView{}, fault.Errorf(fault.InvalidRequest, "cursor is none that region_changes gave")
	case of != digestOf(bound):
		return ChangesView{}, fault.Errorf(fault.ResyncRequired, "the cursor is of another world or another backup of it; read the region anew")
	}
	events, next, err := s.Journal.Events(world.ID, by.Project.Dimension, after, changesPage)
	if err != nil {
		return ChangesView{}, err
	}
	for _, e := range events {
		if c, ok := changeOf(e, by.Project.Region); ok {
			v.Changes = append(v.Changes, c)
		}
	}
	v.Cursor, v.More = cursorFor(next, bound), len(events) == changesPage
	return v, nil
}

// changeOf shows an event as far as it lies in a region. A gap may lie anywhere.
func changeOf(e journal.Event, region voxel.Box) (ChangeView, bool) {
	if e.Kind == journal.EventGap {
		return ChangeView{Kind: e.Kind, At: e.At, Since: e.Since, Boxes: []voxel.Box{region}}, true
	}
	cells := inside(e.Cells, region)
	boxes := cells.Reads(maxRead)
	return ChangeView{
		Kind: e.Kind, Operation: e.Operation, At: e.At, Cells: cells.Len(), Boxes: boxes[:min(len(boxes), changesBoxes)],
	}, len(boxes) > 0
}

// inside returns the cells that lie in a region.
func inside(cells *voxel.Mask, region voxel.Box) *voxel.Mask {
	in := cells.Clone()
	for p := range cells.All() {
		if !region.Has(p) {
			in.Remove(p)
		}
	}
	return in
}

func cursorFor(at uint64, bound string) string {
	return strconv.FormatUint(at, 10) + "@" + digestOf(bound)
}
