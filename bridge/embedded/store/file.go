package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"groundplan/plan/voxel"
)

const magic = "GPWORLD1"

// maxHeader is the most that the header of a file may take, in bytes.
const maxHeader = 256 << 20

var errMalformed = errors.New("malformed world file")

type header struct {
	Palette    []string          `json:"palette"`
	Dimensions []headerDimension `json:"dimensions"`
	Properties map[string]any    `json:"properties"`
}

type headerDimension struct {
	Name     string            `json:"name"`
	Min      int               `json:"min"`
	Max      int               `json:"max"`
	Ground   []State           `json:"ground"`
	Entities map[string]Entity `json:"entities,omitempty"` // by "x,y,z"
}

// Save takes the world as it is now and returns a function that writes it to
// disk. That function may run in another goroutine while the world is changed
// further, but not twice at a time. A world without directory has nothing to
// write.
func (w *World) Save() func() error {
	if w.dir == "" {
		return func() error { return nil }
	}
	c := w.clone()
	return func() error {
		var out bytes.Buffer
		if err := c.encode(&out); err != nil {
			return fmt.Errorf("save world: %w", err)
		}
		// Beside the world and not where the system keeps temporary files: Lock removes what a kill leaves.
		err := renameio.WriteFile(filepath.Join(w.dir, FileName), out.Bytes(), 0o644, renameio.WithTempDir(w.dir))
		if err != nil {
			return fmt.Errorf("save world: %w", err)
		}
		return syncDir(w.dir)
	}
}

// syncDir makes the rename itself durable where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("save world: %w", err)
	}
	defer func() { _ = d.Close() }() // nothing was written to it
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("save world: %w", err)
	}
	return nil
}

func (w *World) encode(out io.Writer) error {
	zw, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	h := header{Palette: w.palette, Properties: w.Properties}
	for _, d := range w.dimensions {
		hd := headerDimension{Name: d.Name, Min: d.Min, Max: d.Max, Ground: d.ground}
		if len(d.entities) > 0 {
			hd.Entities = make(map[string]Entity, len(d.entities))
		}
		for p, e := range d.entities {
			hd.Entities[p.String()] = e
		}
		h.Dimensions = append(h.Dimensions, hd)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	buf := binary.AppendUvarint([]byte(magic), uint64(len(text)))
	buf = append(buf, text...)
	for _, d := range w.dimensions {
		buf = binary.AppendUvarint(buf, uint64(len(d.sections)))
		for _, key := range d.keys() {
			buf = append(buf, d.sections[key].encoding(key)...)
			if len(buf) > 1<<16 {
				if _, err := zw.Write(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
	}
	if _, err := zw.Write(buf); err != nil {
		return err
	}
	return zw.Close()
}

// encoding returns the section's part of the file and keeps it: most sections do
// not change between two saves.
func (s *section) encoding(key voxel.Section) []byte {
	if s.coded != nil {
		return s.coded
	}
	out := binary.AppendVarint(nil, int64(key.X))
	out = binary.AppendVarint(out, int64(key.Y))
	out = binary.AppendVarint(out, int64(key.Z))
	for start := 0; start < voxel.SectionCells; {
		state, end := s.at(start), voxel.SectionCells
		if s.cells != nil {
			for end = start + 1; end < voxel.SectionCells && s.cells[end] == state; end++ {
			}
		}
		out = binary.AppendUvarint(out, uint64(state))
		out = binary.AppendUvarint(out, uint64(end-start))
		start = end
	}
	s.coded = out
	return out
}

func decode(in io.Reader) (*World, error) {
	zr, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	defer zr.Close()
	r := bufio.NewReader(zr)
	lead := make([]byte, len(magic))
	if _, err := io.ReadFull(r, lead); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if string(lead) != magic {
		return nil, fmt.Errorf("%w: it begins with %q", errMalformed, lead)
	}
	w, err := decodeHeader(r)
	if err != nil {
		return nil, err
	}
	for _, d := range w.dimensions {
		if err := w.decodeSections(r, d); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errMalformed, d.Name, err)
		}
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows the last section", errMalformed)
	}
	return w, nil
}

func decodeHeader(r *bufio.Reader) (*World, error) {
	size, err := binary.ReadUvarint(r)
	if err != nil || size > maxHeader {
		return nil, fmt.Errorf("%w: header", errMalformed)
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil || uint64(len(text)) != size {
		return nil, fmt.Errorf("%w: header ends early", errMalformed)
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("%w: header: %w", errMalformed, err)
	}
	w := &World{Properties: h.Properties, palette: h.Palette, index: make(map[string]State, len(h.Palette))}
	if w.Properties == nil {
		w.Properties = map[string]any{}
	}
	if len(h.Palette) == 0 || len(h.Palette) > 1<<16 || h.Palette[0] != Air {
		return nil, fmt.Errorf("%w: palette", errMalformed)
	}
	for i, text := range h.Palette {
		w.index[text] = State(i)
	}
	for _, hd := range h.Dimensions {
		d, err := hd.dimension(len(h.Palette))
		if err != nil {
			return nil, err
		}
		w.dimensions = append(w.dimensions, d)
	}
	for _, name := range []string{Overworld, Nether, TheEnd} {
		if w.Dimension(name) == nil {
			return nil, fmt.Errorf("%w: no dimension %s", errMalformed, name)
		}
	}
	return w, nil
}

func (hd headerDimension) dimension(states int) (*Dimension, error) {
	if hd.Min < -2048 || hd.Max > 2047 || hd.Min > hd.Max || len(hd.Ground) != hd.Max-hd.Min+1 {
		return nil, fmt.Errorf("%w: heights of %s", errMalformed, hd.Name)
	}
	for _, s := range hd.Ground {
		if int(s) >= states {
			return nil, fmt.Errorf("%w: ground of %s", errMalformed, hd.Name)
		}
	}
	d := &Dimension{Name: hd.Name, Min: hd.Min, Max: hd.Max, ground: hd.Ground}
	d.clear()
	for text, e := range hd.Entities {
		p, err := parsePos(text)
		if err != nil {
			return nil, err
		}
		d.entities[p] = e
	}
	return d, nil
}

// clear removes every written cell.
func (d *Dimension) clear() {
	d.sections = map[voxel.Section]*section{}
	d.entities = map[voxel.Pos]Entity{}
}

func parsePos(text string) (voxel.Pos, error) {
	words := strings.Split(text, ",")
	var xyz [3]int
	if len(words) != len(xyz) {
		return voxel.Pos{}, fmt.Errorf("%w: position %q", errMalformed, text)
	}
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			return voxel.Pos{}, fmt.Errorf("%w: position %q", errMalformed, text)
		}
		xyz[i] = n
	}
	return voxel.Pos{X: xyz[0], Y: xyz[1], Z: xyz[2]}, nil
}

func (w *World) decodeSections(r *bufio.Reader, d *Dimension) error {
	count, err := binary.ReadUvarint(r)
	if err != nil {
		return err
	}
	for range count {
		var xyz [3]int64
		for i := range xyz {
			if xyz[i], err = binary.ReadVarint(r); err != nil {
				return err
			}
		}
		s, err := w.decodeSection(r)
		if err != nil {
			return err
		}
		d.sections[voxel.Section{X: int(xyz[0]), Y: int(xyz[1]), Z: int(xyz[2])}] = s
	}
	return nil
}

func (w *World) decodeSection(r *bufio.Reader) (*section, error) {
	s := &section{}
	for start := 0; start < voxel.SectionCells; {
		state, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, err
		}
		length, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, err
		}
		if state >= uint64(len(w.palette)) || length == 0 || length > uint64(voxel.SectionCells-start) {
			return nil, errors.New("run out of range")
		}
		if length == voxel.SectionCells {
			s.fill = State(state)
			return s, nil
		}
		if s.cells == nil {
			s.cells = new([voxel.SectionCells]State)
		}
		for range length {
			s.cells[start] = State(state)
			start++
		}
	}
	return s, nil
}
