package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// FileName is the name of the world's file in its directory.
const FileName = "world.gpw"

// The names of the dimensions.
const (
	Overworld = "overworld"
	Nether    = "nether"
	TheEnd    = "the_end"
)

// Air is the first entry of every palette.
const Air = "minecraft:air"

// World is the block store. It is not safe for concurrent use; only the write of
// a Save runs beside changes.
type World struct {
	// Properties are the dynamic properties that the addon keeps in the world.
	Properties map[string]any

	dir        string // "" keeps the world in memory only
	palette    []string
	index      map[string]State
	dimensions []*Dimension
}

// Open reads the world in dir, or makes a flat one if there is none. An empty dir
// means a world that is never on disk.
func Open(dir string) (*World, error) {
	if dir == "" {
		return newWorld(""), nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open world: %w", err)
	}
	file, err := os.Open(filepath.Join(dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return newWorld(dir), nil
	}
	if err != nil {
		return nil, fmt.Errorf("open world: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	w, err := decode(file)
	if err != nil {
		return nil, fmt.Errorf("open world %s: %w", dir, err)
	}
	w.dir = dir
	return w, nil
}

// newWorld returns a flat world: bedrock at -64, two layers of dirt, grass at
// -61, air above; nothing in the other dimensions.
func newWorld(dir string) *World {
	w := &World{Properties: map[string]any{}, dir: dir, index: map[string]State{}}
	air := w.mustIntern(Air)
	over := newDimension(Overworld, -64, 319, air)
	layers := []string{"minecraft:bedrock[infiniburn_bit=false]", "minecraft:dirt", "minecraft:dirt", "minecraft:grass_block"}
	for i, text := range layers {
		over.ground[i] = w.mustIntern(text)
	}
	w.dimensions = []*Dimension{over, newDimension(Nether, 0, 127, air), newDimension(TheEnd, 0, 255, air)}
	return w
}

func newDimension(name string, lowest, highest int, ground State) *Dimension {
	d := &Dimension{Name: name, Min: lowest, Max: highest}
	d.ground = make([]State, highest-lowest+1)
	for i := range d.ground {
		d.ground[i] = ground
	}
	d.clear()
	return d
}

// Dimension returns the dimension of a name, nil for an unknown one.
func (w *World) Dimension(name string) *Dimension {
	for _, d := range w.dimensions {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Dimensions returns all dimensions.
func (w *World) Dimensions() []*Dimension { return w.dimensions }

// Intern returns the State of a canonical text, adding it to the palette at its
// first use. It fails when the palette is full.
func (w *World) Intern(text string) (State, error) {
	if s, ok := w.index[text]; ok {
		return s, nil
	}
	if len(w.palette) > 0xffff {
		return 0, errors.New("store: more than 65,536 distinct states")
	}
	s := State(len(w.palette))
	w.palette = append(w.palette, text)
	w.index[text] = s
	return s, nil
}

func (w *World) mustIntern(text string) State {
	s, err := w.Intern(text)
	if err != nil {
		panic(err) // a new palette is empty
	}
	return s
}

// Text returns the canonical text of a State.
func (w *World) Text(s State) string { return w.palette[s] }

// States returns how many states the palette has.
func (w *World) States() int { return len(w.palette) }

// clone returns a copy for a save: it shares the sections, which are frozen.
func (w *World) clone() *World {
	c := &World{Properties: maps.Clone(w.Properties), palette: slices.Clip(w.palette)}
	for _, d := range w.dimensions {
		copied := *d
		copied.sections = maps.Clone(d.sections)
		copied.entities = maps.Clone(d.entities)
		for _, s := range d.sections {
			s.frozen = true
		}
		c.dimensions = append(c.dimensions, &copied)
	}
	return c
}
