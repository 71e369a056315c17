package embedded

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

const (
	maxTickingAreas = 10 // per world
	maxAreaChunks   = 100
	maxAreaRadius   = 4 // chunks, of a circle
	// areaDelay is how many ticks pass until the chunks of a new area are there.
	areaDelay = 4
)

// area is a ticking area.
type area struct {
	dimension *store.Dimension
	box       voxel.Box // of chunks; y is 0
}

// tickingarea keeps chunks loaded:
//
//	tickingarea add FROM TO [NAME] [PRELOAD]
//	tickingarea add circle CENTER RADIUS [NAME] [PRELOAD]
//	tickingarea remove NAME|POS, remove_all, list [all-dimensions]
//
// It answers before the chunks are loaded, and nothing tells when they are.
func (w *World) tickingarea(o origin, a *arguments) (result, error) {
	action, err := a.next()
	if err != nil {
		return result{}, err
	}
	switch action {
	case "add":
		return w.addArea(o, a)
	case "remove":
		return w.removeArea(o, a)
	case "remove_all":
		if len(w.forced) == 0 {
			return nothing(text{key: textAreaNone}), nil
		}
		n := len(w.forced)
		clear(w.forced)
		return succeed(n, text{key: textAreaRemoved}), nil
	case "list":
		names := slices.Sorted(maps.Keys(w.forced))
		if len(names) == 0 {
			return nothing(text{key: textAreaNone}), nil
		}
		return succeed(len(names), text{key: textVerbatim, args: []any{fmt.Sprint(names)}}), nil
	default:
		return result{}, syntax("%s", action)
	}
}

func (w *World) addArea(o origin, a *arguments) (result, error) {
	var chunks voxel.Box
	if a.peek() == "circle" {
		a.pos++
		center, err := w.position(o, a)
		if err != nil {
			return result{}, err
		}
		radius, err := a.coordinate(0)
		if err != nil {
			return result{}, err
		}
		if radius < 1 || radius > maxAreaRadius {
			return fail(text{key: textAreaRadius, args: []any{maxAreaRadius}}), nil
		}
		at := voxel.Pos{X: center.X >> 4, Z: center.Z >> 4}
		chunks = voxel.Box{Min: at.Sub(voxel.Pos{X: radius, Z: radius}), Max: at.Add(voxel.Pos{X: radius, Z: radius})}
	} else {
		box, err := w.area(o, a)
		if err != nil {
			return result{}, err
		}
		chunks = voxel.Box{Min: voxel.Pos{X: box.Min.X >> 4, Z: box.Min.Z >> 4}, Max: voxel.Pos{X: box.Max.X >> 4, Z: box.Max.Z >> 4}}
	}
	name := "Area" + strconv.Itoa(len(w.forced))
	if a.more() && a.peek() != "true" && a.peek() != "false" {
		name, _ = a.next()
	}
	if _, err := a.mode("false", "true"); err != nil {
		return result{}, err
	}
	switch {
	case chunks.Volume() > maxAreaChunks:
		return fail(text{key: textAreaBig, args: []any{maxAreaChunks}}), nil
	case len(w.forced) >= maxTickingAreas:
		return fail(text{key: textAreaFull, args: []any{maxTickingAreas}}), nil
	}
	if _, taken := w.forced[name]; taken {
		return fail(text{key: textAreaTaken, args: []any{name}}), nil
	}
	w.forced[name] = area{o.dimension, chunks}
	w.later(areaDelay, func() {
		if f, ok := w.forced[name]; ok {
			for c := range f.box.All() {
				delete(w.unloaded, chunk{f.dimension, c.X, c.Z})
			}
		}
	})
	return succeed(1, text{key: textAreaAdded}), nil
}

// removeArea removes the area of a name, or all that hold a position.
func (w *World) removeArea(o origin, a *arguments) (result, error) {
	count := len(w.forced)
	if name := a.peek(); len(a.list)-a.pos == 3 && w.forced[name].dimension == nil {
		p, err := w.position(o, a)
		if err != nil {
			return result{}, err
		}
		maps.DeleteFunc(w.forced, func(_ string, f area) bool {
			return f.dimension == o.dimension && f.box.Has(voxel.Pos{X: p.X >> 4, Z: p.Z >> 4})
		})
	} else {
		delete(w.forced, name)
	}
	if len(w.forced) == count {
		return nothing(text{key: textAreaNone}), nil
	}
	return succeed(1, text{key: textAreaRemoved}), nil
}
