package schematic

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	mcnbt "github.com/Tnze/go-mc/nbt"
	"github.com/klauspost/compress/gzip"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// Export says how cells of a world become a file. Equal cells and equal fields
// make equal bytes: no clock is read.
type Export struct {
	Format  Format    // Sponge, the default, or MCStructure
	Version int       // of Sponge: 2, the default, or 3
	Box     voxel.Box // the cells to write; every one must be known
	Origin  voxel.Pos // the anchor, in the world
	Name    string    // 1 to 64 printable characters
	Author  string    // "" is groundplan
	Date    int64     // milliseconds since 1970; 0 writes none

	// Metadata is written after Name, Author and Date, whose keys it may not use.
	Metadata map[string]string

	// BlockEntities and Entities are what the box has beside its states: the
	// kinds and places of the first, how many of each kind of the second. A file
	// does not get them; unless AllowLoss is set they are an error that names them.
	BlockEntities []plan.BlockEntity
	Entities      map[string]int
	AllowLoss     bool

	Limits plan.Limits // AssetCells and AssetBytes count
}

// What is kept of metadata beside Name, Author and Date.
const (
	maxMetadata     = 64      // texts
	maxMetadataKey  = 256     // bytes of a key
	maxMetadataText = 1 << 14 // bytes of a text
)

// defaultAuthor is who exports are by when nobody else is named.
const defaultAuthor = "groundplan"

// Write writes the file. A state that Java does not have becomes an error of code
// unsupported_block with the states' names; with AllowLoss such cells are written
// as air and returned as Losses.
func (e Export) Write(w io.Writer, reg *block.Registry, cells *voxel.Volume) (Losses, error) {
	if err := e.check(); err != nil {
		return Losses{}, err
	}
	losses, err := e.losses()
	if err != nil {
		return Losses{}, err
	}
	d, err := e.dense(cells)
	if err != nil {
		return Losses{}, err
	}
	if e.Format == MCStructure {
		return losses, e.writeMCStructure(w, d)
	}
	unknown, changed := d.toJava(reg)
	if len(unknown) > 0 && !e.AllowLoss {
		return Losses{}, fault.Errorf(fault.UnsupportedBlock, "Java has no block for %s", listed(unknown)).
			With("states", unknown[:min(len(unknown), 64)])
	}
	losses.States, losses.Changed = unknown, changed
	return losses, e.writeSponge(w, d)
}

// Losses is what a written file does not have.
type Losses struct {
	BlockEntities int      `json:"block_entities"`    // block entities whose contents were left out
	Entities      int      `json:"entities"`          // entities that were left out
	States        []string `json:"states,omitempty"`  // Bedrock states that became air
	Changed       []string `json:"changed,omitempty"` // Bedrock states that an import makes others of
}

func (e *Export) check() error {
	if err := CheckName(e.Name); err != nil {
		return err
	}
	if e.Format == "" {
		e.Format = Sponge
	}
	if e.Version == 0 {
		e.Version = 2
	}
	e.Author = cmp.Or(e.Author, defaultAuthor)
	switch {
	case e.Format != Sponge && e.Format != MCStructure:
		return fault.Errorf(fault.InvalidRequest, "files of format %q are not written; sponge and mcstructure are", e.Format)
	case e.Format == Sponge && e.Version != 2 && e.Version != 3:
		return fault.Errorf(fault.InvalidRequest, "Sponge schematics of version %d are not written; 2 and 3 are", e.Version)
	case !e.Box.Valid():
		return fault.Errorf(fault.InvalidRequest, "min lies above max")
	}
	if len(e.Metadata) > maxMetadata {
		return fault.Errorf(fault.InvalidRequest, "metadata: %d texts; %d are possible", len(e.Metadata), maxMetadata)
	}
	for key, value := range e.Metadata {
		switch {
		case key == "" || key == "Name" || key == "Author" || key == "Date":
			return fault.Errorf(fault.InvalidRequest, "metadata: the key %q is not free", key)
		case len(key) > maxMetadataKey || len(value) > maxMetadataText:
			return fault.Errorf(fault.InvalidRequest, "metadata: %.20q is too long", key)
		}
	}
	size := e.Box.Size()
	if n := e.Box.Volume(); n > e.Limits.AssetCells {
		return fault.Errorf(fault.BudgetExceeded, "the box has %d cells; the limit is %d", n, e.Limits.AssetCells).
			With("limit", e.Limits.AssetCells).With("cells", n)
	}
	if max(size.X, size.Y, size.Z) > 0xffff {
		return fault.Errorf(fault.InvalidRequest, "an edge of the box has more than 65535 cells")
	}
	offset := e.Box.Min.Sub(e.Origin)
	for _, n := range []int{offset.X, offset.Y, offset.Z} {
		if n != int(int32(n)) {
			return fault.Errorf(fault.InvalidRequest, "the origin is too far from the box")
		}
	}
	return nil
}

// CheckName refuses what is no name of a schematic: 1 to 64 printable characters,
// not all of them spaces.
func CheckName(name string) error {
	n := utf8.RuneCountInString(name)
	if n < 1 || n > 64 || strings.TrimSpace(name) == "" || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return fault.Errorf(fault.InvalidRequest, "name must have 1 to 64 printable characters")
	}
	return nil
}

// losses counts what the file will not have, and refuses it without AllowLoss.
func (e *Export) losses() (Losses, error) {
	l := Losses{BlockEntities: len(e.BlockEntities)}
	for _, n := range e.Entities {
		l.Entities += n
	}
	if e.AllowLoss {
		return l, nil
	}
	if len(e.Entities) > 0 {
		names := slices.Sorted(maps.Keys(e.Entities))
		return l, fault.Errorf(fault.UnsupportedEntity, "a schematic would lose the entities %s", listed(names)).
			With("entities", names)
	}
	if len(e.BlockEntities) > 0 {
		var names []string
		for _, b := range e.BlockEntities[:min(len(e.BlockEntities), 32)] {
			names = append(names, fmt.Sprintf("%s at %v", b.Kind, b.Pos))
		}
		return l, fault.Errorf(fault.UnsupportedBlockEntity, "a schematic would lose what %d blocks hold: %s", l.BlockEntities, listed(names)).
			With("block_entities", e.BlockEntities[:min(len(e.BlockEntities), 32)])
	}
	return l, nil
}

// listed joins the first names.
func listed(names []string) string {
	if len(names) > 8 {
		return strings.Join(names[:8], ", ") + fmt.Sprintf(" and %d more", len(names)-8)
	}
	return strings.Join(names, ", ")
}

// dense is a box of cells as files have it: a palette in the order of first use
// and an index for each cell, in y, z, x order.
type dense struct {
	size    voxel.Pos
	palette []string
	cells   []uint16
}

// dense copies the box out of the volume.
func (e *Export) dense(v *voxel.Volume) (*dense, error) {
	d := &dense{size: e.Box.Size(), cells: make([]uint16, e.Box.Volume())}
	for key := range e.Box.Sections() {
		var ids [voxel.SectionCells]voxel.ID
		v.SectionIDs(key, &ids)
		part := e.Box.Intersect(key.Box())
		for p := range part.All() {
			id := ids[(p.Y&15)<<8|(p.Z&15)<<4|p.X&15]
			if id == voxel.None {
				return nil, fault.Errorf(fault.ChunkNotLoaded, "the cell %v is not loaded", p)
			}
			q := p.Sub(e.Box.Min)
			d.cells[(q.Y*d.size.Z+q.Z)*d.size.X+q.X] = uint16(id)
		}
	}
	index := make([]uint16, len(v.Palette()))
	for i, id := range d.cells {
		if index[id] == 0 {
			d.palette = append(d.palette, v.Content(voxel.ID(id)))
			index[id] = uint16(len(d.palette))
		}
		d.cells[i] = index[id] - 1
	}
	return d, nil
}

// toJava replaces the palette by Java states, joins entries that become the same,
// and returns the states that became air for want of one, and those that will come
// back as others. Where the surroundings say more than a state alone (a double
// chest, a fence of an old game), they are asked cell by cell.
func (d *dense) toJava(reg *block.Registry) (unknown, changed []string) {
	index := map[string]uint16{}
	var palette []string
	number := func(java string) uint16 {
		at, ok := index[java]
		if !ok {
			at = uint16(len(palette))
			index[java] = at
			palette = append(palette, java)
		}
		return at
	}
	becomes, settles := make([]uint16, len(d.palette)), make([]bool, len(d.palette))
	for i, state := range d.palette {
		if settles[i] = reg.Settles(block.State(state)); settles[i] && reg.Convertible(block.State(state)) {
			continue
		}
		java, ok := reg.ToJava(block.State(state))
		switch {
		case !ok:
			unknown = append(unknown, state)
			java = string(block.Air)
		case !reg.Convertible(block.State(state)):
			changed = append(changed, state)
		}
		if !settles[i] {
			becomes[i] = number(java)
		}
	}
	cells := make([]uint16, len(d.cells))
	for i, id := range d.cells {
		if !settles[id] {
			cells[i] = becomes[id]
			continue
		}
		java, _ := reg.JavaAt(block.State(d.palette[id]), d.around(i))
		cells[i] = number(java)
	}
	d.palette, d.cells = palette, cells
	return unknown, changed
}

// around returns the function that gives the states around a cell; "" outside of
// the box.
func (d *dense) around(i int) func(dx, dy, dz int) block.State {
	x, z, y := i%d.size.X, i/d.size.X%d.size.Z, i/d.size.X/d.size.Z
	return func(dx, dy, dz int) block.State {
		p := voxel.Pos{X: x + dx, Y: y + dy, Z: z + dz}
		if p.X < 0 || p.Y < 0 || p.Z < 0 || p.X >= d.size.X || p.Y >= d.size.Y || p.Z >= d.size.Z {
			return ""
		}
		return block.State(d.palette[d.cells[(p.Y*d.size.Z+p.Z)*d.size.X+p.X]])
	}
}

// compound is a compound whose fields keep their order, which go-mc's maps do not.
type compound []namedTag

type namedTag struct {
	name  string
	value any
}

// TagType says that it is a compound.
func (c compound) TagType() byte { return mcnbt.TagCompound }

// MarshalNBT writes the fields one after the other.
func (c compound) MarshalNBT(w io.Writer) error {
	for _, f := range c {
		if err := mcnbt.NewEncoder(w).Encode(f.value, nbt.Modified(f.name)); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	_, err := w.Write([]byte{mcnbt.TagEnd})
	return err
}

// none is an empty list of compounds.
var none = []struct{}{}

func (e *Export) writeSponge(w io.Writer, d *dense) error {
	states := make(compound, len(d.palette))
	for i, state := range d.palette {
		states[i] = namedTag{state, int32(i)}
	}
	data := make([]byte, 0, len(d.cells))
	for _, id := range d.cells {
		data = binary.AppendUvarint(data, uint64(id))
	}
	version, err := exportVersion(d.palette)
	if err != nil {
		return err
	}
	offset := e.Box.Min.Sub(e.Origin)
	head := compound{
		{"Version", int32(e.Version)},
		{"DataVersion", int32(version)},
		{"Width", int16(uint16(d.size.X))},
		{"Height", int16(uint16(d.size.Y))},
		{"Length", int16(uint16(d.size.Z))},
		{"Offset", []int32{int32(offset.X), int32(offset.Y), int32(offset.Z)}},
	}
	if e.Version == 2 {
		head = append(head, compound{
			{"PaletteMax", int32(len(d.palette))}, {"Palette", states}, {"BlockData", data}, {"BlockEntities", none},
		}...)
	} else {
		head = append(head, namedTag{"Blocks", compound{{"Palette", states}, {"Data", data}, {"BlockEntities", none}}})
	}
	head = append(head, namedTag{"Entities", none}, namedTag{"Metadata", e.metadata()})
	z := gzip.NewWriter(w)
	root, name := head, "Schematic"
	if e.Version == 3 {
		root, name = compound{{"Schematic", head}}, ""
	}
	if err := mcnbt.NewEncoder(z).Encode(root, name); err != nil {
		return fmt.Errorf("write schematic: %w", err)
	}
	return z.Close()
}

func (e *Export) metadata() compound {
	m := compound{{"Name", nbt.Modified(e.Name)}, {"Author", nbt.Modified(e.Author)}}
	if e.Date != 0 {
		m = append(m, namedTag{"Date", e.Date})
	}
	keys := make([]string, 0, len(e.Metadata))
	for key := range e.Metadata {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		m = append(m, namedTag{key, nbt.Modified(e.Metadata[key])})
	}
	return m
}
