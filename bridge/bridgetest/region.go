package bridgetest

import (
	"encoding/json"
	"strconv"
	"strings"

	"groundplan/bridge"
	"groundplan/plan/voxel"
)

// Region returns a read_region capability over a function that tells the state of
// a cell, "" for one that is not loaded; runs go on from one box to the next. Pages have about pageBytes of JSON at
// most.
func Region(pageBytes int, at func(dimension string, p voxel.Pos) string) func(json.RawMessage) (any, error) {
	return func(payload json.RawMessage) (any, error) {
		var r struct {
			Dim      string `json:"dim"`
			Min, Max [3]int
			More     []int
			Page     int
		}
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, &bridge.CapabilityError{Code: bridge.CodeInvalidRequest, Message: err.Error()}
		}
		min := voxel.Pos{X: r.Min[0], Y: r.Min[1], Z: r.Min[2]}
		boxes := []voxel.Box{{Min: min, Max: voxel.Pos{X: r.Max[0], Y: r.Max[1], Z: r.Max[2]}}}
		for m := r.More; len(m) >= 6; m = m[6:] {
			low := min.Add(voxel.Pos{X: m[0], Y: m[1], Z: m[2]})
			boxes = append(boxes, voxel.Box{Min: low, Max: low.Add(voxel.Pos{X: m[3] - 1, Y: m[4] - 1, Z: m[5] - 1})})
		}
		w := pageWriter{index: map[string]int{}, next: -1}
		w.cells(boxes, r.Page, pageBytes, func(p voxel.Pos) string { return at(r.Dim, p) })
		w.flush()
		page := map[string]any{"from": r.Page, "palette": w.palette, "runs": strings.Join(w.runs, ","), "next": nil, "be": []any{}, "tick": 1}
		if w.next >= 0 {
			page["next"] = w.next
		}
		return page, nil
	}
}

type pageWriter struct {
	palette []string
	index   map[string]int
	runs    []string
	entry   int
	count   int
	size    int
	next    int
}

// cells adds the cells of the boxes, from a number on, until the page is full.
func (w *pageWriter) cells(boxes []voxel.Box, from, pageBytes int, at func(voxel.Pos) string) {
	i := -1
	for _, box := range boxes {
		for p := range box.All() {
			if i++; i < from {
				continue
			}
			if w.size > pageBytes {
				w.next = i
				return
			}
			w.add(at(p))
		}
	}
}

func (w *pageWriter) add(state string) {
	text := strings.TrimPrefix(state, "minecraft:")
	if state == "" {
		text = "?"
	}
	entry, known := w.index[text]
	if !known {
		entry = len(w.palette)
		w.index[text] = entry
		w.palette = append(w.palette, text)
		w.size += len(text) + 3
	}
	if w.count > 0 && entry == w.entry {
		w.count++
		return
	}
	w.flush()
	w.entry, w.count = entry, 1
}

func (w *pageWriter) flush() {
	if w.count == 0 {
		return
	}
	run := strconv.FormatInt(int64(w.entry), 36)
	if w.count > 1 {
		run += "*" + strconv.FormatInt(int64(w.count), 36)
	}
	w.runs = append(w.runs, run)
	w.size += len(run) + 1
	w.count = 0
}
