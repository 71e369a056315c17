package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"golang.org/x/sync/semaphore"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// readAhead is how many cells are asked for at one time. The world reads one box
// after the other, so more would only wait, and a large box that waits behind
// others can miss its deadline; the pages on their way stay below
// MaxBufferedBytes.
const readAhead = 2 * MaxRegionCells

// Read returns the cells of the boxes, each of at most MaxRegionCells cells.
// Cells in chunks that are not loaded are absent from the snapshot. One request
// asks for as many boxes as fit it; requests run side by side, the pages of one
// after another, so that even a box is not a picture of one moment.
func (w *World) Read(ctx context.Context, dimension string, boxes []voxel.Box) (*plan.Snapshot, error) {
	for _, box := range boxes {
		if !box.Valid() || box.Volume() > MaxRegionCells {
			return nil, fault.Errorf(fault.BudgetExceeded, "a region of %v; one read has at most %d cells", box, MaxRegionCells)
		}
	}
	s, gen, err := w.link(ctx)
	if err != nil {
		return nil, w.fault("read", err)
	}
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	snapshot := &plan.Snapshot{Cells: voxel.NewVolume()}
	var (
		group sync.WaitGroup
		room  = semaphore.NewWeighted(readAhead)
		mu    sync.Mutex // protects snapshot and first
		first error
	)
	for _, b := range bundles(dimension, boxes) {
		weight := int64(max(b.cells, readAhead/w.server.opts.Window))
		if room.Acquire(ctx, weight) != nil {
			break // a read failed, or the caller gave up
		}
		group.Go(func() {
			defer room.Release(weight)
			err := w.readBundle(ctx, s, gen, b, snapshot, &mu)
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if first == nil {
				first = err
			}
			cancel()
		})
	}
	group.Wait()
	if first == nil && outer.Err() != nil {
		first = outer.Err()
	}
	if first != nil {
		return nil, w.fault("read "+dimension, first)
	}
	return snapshot, nil
}

// readBundle reads the pages of one bundle.
func (w *World) readBundle(ctx context.Context, s *session, gen uint64, b bundle, into *plan.Snapshot, mu *sync.Mutex) error {
	for from := 0; ; {
		result, err := w.call(ctx, s, gen, CapabilityRead, b.payload(from))
		if err != nil {
			return err
		}
		page, err := DecodeRegionPage(result, b.cells)
		if err != nil {
			return err
		}
		if page.From != from {
			return flawed(FlawShape, -1, "page from cell %d where cell %d was asked for", page.From, from)
		}
		mu.Lock()
		page.Paint(into, b.boxes)
		mu.Unlock()
		if page.Next < 0 {
			return nil
		}
		from = page.Next
	}
}

// regionPayload returns the payload for a box's page from a cell on.
func regionPayload(dimension string, box voxel.Box, from int) []byte {
	out := appendQuoted([]byte(`{"dim":`), dimension, true)
	out = appendNumbers(append(out, `,"min":[`...), box.Min)
	out = appendNumbers(append(out, `],"max":[`...), box.Max)
	out = strconv.AppendInt(append(out, `],"page":`...), int64(from), 10)
	return append(out, '}')
}

// Digests returns one digest for each section that the box touches, in y, z, x
// order, over the section's cells inside the box; voxel.UnknownDigest where one of
// them is not loaded. voxel.Digests makes the same of a Volume.
func (w *World) Digests(ctx context.Context, dimension string, box voxel.Box) ([]string, error) {
	if !box.Valid() {
		return nil, fault.Errorf(fault.InvalidRequest, "the box %v is upside down", box)
	}
	s, gen, err := w.link(ctx)
	if err != nil {
		return nil, w.fault("digest", err)
	}
	lo, hi := box.Min.Section(), box.Max.Section()
	want := voxel.Box{Min: voxel.Pos(lo), Max: voxel.Pos(hi)}.Volume()
	var digests []string
	for from := 0; ; {
		result, err := w.call(ctx, s, gen, CapabilityDigest, regionPayload(dimension, box, from))
		if err != nil {
			return nil, w.fault("digest "+dimension, err)
		}
		page, next, err := decodeDigests(result)
		if err != nil {
			return nil, w.fault("digest "+dimension, err)
		}
		digests = append(digests, page...)
		switch {
		case next < 0 && len(digests) == want:
			return digests, nil
		case next <= from || len(digests) >= want || len(page) == 0:
			return nil, w.fault("digest "+dimension, flawed(FlawShape, -1, "%d digests for %d sections", len(digests), want))
		}
		from = next
	}
}

// decodeDigests reads a page of digests; next is -1 on the last.
func decodeDigests(result []byte) (digests []string, next int, err error) {
	var page struct {
		Digests string `json:"digests"`
		Next    *int   `json:"next"`
	}
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, 0, flawed(FlawShape, -1, "digests: %v", err)
	}
	const size = len(voxel.UnknownDigest)
	if len(page.Digests)%size != 0 {
		return nil, 0, flawed(FlawShape, -1, "digests of %d characters", len(page.Digests))
	}
	for at := 0; at < len(page.Digests); at += size {
		d := page.Digests[at : at+size]
		if d != voxel.UnknownDigest && !isHex(d) {
			return nil, 0, flawed(FlawShape, -1, "digest %q", d)
		}
		digests = append(digests, d)
	}
	if page.Next == nil || *page.Next < 0 {
		return digests, -1, nil
	}
	return digests, *page.Next, nil
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Entities counts the entities in a box of at most 32,768 cells by type, such as
// minecraft:cow; players are none. unsupported_capability when the addon is too old to
// tell.
func (w *World) Entities(ctx context.Context, dimension string, box voxel.Box) (map[string]int, error) {
	s, gen, err := w.link(ctx)
	if err != nil {
		return nil, w.fault("entities", err)
	}
	result, err := w.call(ctx, s, gen, CapabilityEntities, regionPayload(dimension, box, 0))
	if err != nil {
		return nil, w.fault("entities "+dimension, err)
	}
	var answer struct {
		Entities map[string]int `json:"entities"`
	}
	if err := json.Unmarshal(result, &answer); err != nil || answer.Entities == nil {
		return nil, w.fault("entities "+dimension, flawed(FlawShape, -1, "entities: %v", err))
	}
	return answer.Entities, nil
}

// maxChanges bounds the changes that one call of Changes returns; the next call
// goes on where it ended.
const maxChanges = 1 << 17

// Changes returns the edits by others after the cursor; "" asks for where the
// ring stands now.
func (w *World) Changes(ctx context.Context, cursor string) (plan.Changes, error) {
	s, gen, err := w.link(ctx)
	if err != nil {
		return plan.Changes{}, w.fault("changes", err)
	}
	changes := plan.Changes{Cursor: cursor}
	for {
		payload := append(appendQuoted([]byte(`{"cursor":`), changes.Cursor, true), '}')
		result, err := w.call(ctx, s, gen, CapabilityChanges, payload)
		if err != nil {
			return plan.Changes{}, w.fault("changes", err)
		}
		more, err := decodeChanges(result, &changes)
		if err != nil {
			return plan.Changes{}, w.fault("changes", err)
		}
		if !more || len(changes.List) >= maxChanges {
			return changes, nil
		}
	}
}

// decodeChanges adds a page of the ring to the changes.
func decodeChanges(result []byte, changes *plan.Changes) (more bool, err error) {
	var page struct {
		Cursor  string `json:"cursor"`
		Gap     bool   `json:"gap"`
		More    bool   `json:"more"`
		Changes []struct {
			Pos    []int  `json:"pos"`
			Dim    string `json:"dim"`
			Kind   string `json:"kind"`
			Player string `json:"player"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(result, &page); err != nil {
		return false, flawed(FlawShape, -1, "changes: %v", err)
	}
	if page.Cursor == "" || page.More && page.Cursor == changes.Cursor {
		return false, flawed(FlawShape, -1, "changes without a cursor that leads on")
	}
	for i, c := range page.Changes {
		if len(c.Pos) != 3 || c.Dim == "" {
			return false, flawed(FlawShape, i, "change without position or dimension")
		}
		changes.List = append(changes.List, plan.Change{
			Pos: voxel.Pos{X: c.Pos[0], Y: c.Pos[1], Z: c.Pos[2]}, Dimension: c.Dim, Kind: c.Kind, Player: c.Player,
		})
	}
	changes.Cursor, changes.Gap = page.Cursor, changes.Gap || page.Gap
	return page.More, nil
}

// IDs returns the ids of all blocks of the running game, without the namespace
// minecraft.
func (w *World) IDs(ctx context.Context) ([]string, error) {
	s, gen, err := w.link(ctx)
	if err != nil {
		return nil, w.fault("block ids", err)
	}
	var ids []string
	for number, pages := 0, 1; number < pages; number++ {
		result, err := w.call(ctx, s, gen, CapabilityHello, fmt.Appendf(nil, `{"ids":%d}`, number))
		if err != nil {
			return nil, w.fault("block ids", err)
		}
		var page struct {
			IDs   []string `json:"ids"`
			Page  int      `json:"page"`
			Pages int      `json:"pages"`
		}
		err = json.Unmarshal(result, &page)
		if err != nil || page.Page != number || page.Pages < 1 || page.Pages > maxIDPages || len(page.IDs) == 0 {
			return nil, w.fault("block ids", flawed(FlawShape, -1, "page %d of the block ids", number))
		}
		ids, pages = append(ids, page.IDs...), page.Pages
	}
	return ids, nil
}

// maxIDPages bounds the pages of block ids: a game has 1,500 ids or so, of which
// a page holds hundreds.
const maxIDPages = 256
