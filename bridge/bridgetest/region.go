package bridgetest

import (
	"encoding/json"
	"strconv"
	"strings"

	"groundplan/bridge"
	"groundplan/plan/voxel"
)

// Region returns a read_region capability over a function that tells the state of
// a cell, "" for one that is not loaded. Pages have about pageBytes of JSON at
// most.
func Region(pageBytes int, at func(dimension string, p voxel.Pos) string) func(json.RawMessage) (any, error) {
	return func(payload json.RawMessage) (any, error) {
		var r struct {
			Dim      string `json:"dim"`
			Min, Max [3]int
			Page     int `json:"page"`
		}
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, &bridge.CapabilityError{Code: bridge.CodeInvalidRequest, Message: err.Error()}
		}
		box := voxel.Box{Min: voxel.Pos{X: r.Min[0], Y: r.Min[1], Z: r.Min[2]}, Max: voxel.Pos{X: r.Max[0], Y: r.Max[1], Z: r.Max[2]}}
		w := pageWriter{index: map[string]int{}, next: -1}
		i := -1
		for p := range box.All() {
			if i++; i < r.Page {
				continue
			}
			if w.size > pageBytes {
				w.next = i
				break
			}
			w.add(at(r.Dim, p))
		}
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
