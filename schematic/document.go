package schematic

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/schematic/nbt"
)

// document is a file while it is read. The fields of a compound come in any
// order, so what a file is and whether its parts fit is decided at its end; on the
// way each part is only held against the limits.
type document struct {
	*nbt.Reader
	strict bool
	limit  int  // cells that may be kept
	box    int  // cells that a Sponge schematic may have: more than limit when they are only counted
	count  bool // the cells are counted and not kept

	seen    map[string]bool // names of top-level fields
	wrapped bool            // the fields stand in a child named Schematic
	unknown []string        // fields that nobody reads

	version, dataVersion  int64
	width, height, length int64 // -1 until read
	offset                []int32
	name, author          string
	named                 bool // the metadata has a name
	metadata              map[string]string
	worldEdit             struct { // the offset that WorldEdit keeps in the metadata
		offset [3]int
		has    uint8 // of its axes
	}
	blockEntities positions
	entities      tally
	thing         thing // the block entity or entity that is being read
	biomes        []string
	warnings      []string

	sponge     spongeParts
	mcedit     mceditParts
	litematica litematicaParts
	structure  structureParts
	bedrock    mcstructureParts
}

// countedBox is by how much a box whose cells are only counted may be larger than one
// whose cells are kept.
const countedBox = 4

// readDocument reads the whole of r.
func readDocument(r *nbt.Reader, o Options) (*Schematic, error) {
	d := &document{
		Reader: r, strict: o.Strict, limit: o.Limits.AssetCells, box: o.Limits.AssetCells, count: o.count, seen: map[string]bool{},
		width: -1, height: -1, length: -1,
	}
	if d.count && !d.strict {
		d.box = countedBox * d.limit
	}
	tag, name, err := r.Root()
	if err != nil {
		return nil, err
	}
	if tag != nbt.Compound {
		return nil, r.Errorf("the root is a value of type %v instead of a compound", tag)
	}
	if d.strict && name != "" && name != "Schematic" {
		return nil, r.Errorf("the root is named %q", name)
	}
	if err := r.Compound(d.field); err != nil {
		return nil, err
	}
	s, err := d.assemble()
	if err != nil {
		return nil, err
	}
	if d.strict {
		if err := d.checkStrict(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// maxFields bounds the top-level fields; writers have fewer than 30.
const maxFields = 1000

// field reads one top-level field.
func (d *document) field(name []byte, t nbt.Tag) error {
	if string(name) == "Schematic" && t == nbt.Compound && !d.wrapped {
		d.wrapped = true
		return d.Compound(d.field)
	}
	key := nbt.Plain(name)
	if d.seen[key] {
		return d.Errorf("the field stands there twice")
	}
	if len(d.seen) == maxFields {
		return d.Errorf("more than %d fields", maxFields)
	}
	d.seen[key] = true
	read := d.reader(key, t)
	if read == nil {
		if len(d.unknown) < 20 {
			d.unknown = append(d.unknown, key)
		}
		return d.Skip(t)
	}
	return read(t)
}

// reader returns what reads a top-level field, nil for one that nobody reads.
func (d *document) reader(name string, t nbt.Tag) func(nbt.Tag) error {
	switch name {
	case "Version":
		if t == nbt.Compound { // MCEdit-Unified writes the game's version so
			return d.Skip
		}
		return d.number(&d.version, nbt.Int)
	case "DataVersion", "MinecraftDataVersion":
		return d.number(&d.dataVersion, nbt.Int)
	case "Width":
		return d.edge(&d.width)
	case "Height":
		return d.edge(&d.height)
	case "Length":
		return d.edge(&d.length)
	case "Offset":
		return d.readOffset
	case "Metadata":
		return d.readMetadata
	case "author":
		return d.text(&d.author)
	case "BlockEntities", "TileEntities":
		return d.readBlockEntities
	case "Entities", "entities":
		return d.readEntities
	}
	for _, find := range []func(string, nbt.Tag) func(nbt.Tag) error{
		d.spongeReader, d.mceditReader, d.litematicaReader, d.structureReader, d.mcstructureReader,
	} {
		if read := find(name, t); read != nil {
			return read
		}
	}
	return nil
}

// number reads a whole number; strict files must have it in its own type.
func (d *document) number(into *int64, own nbt.Tag) func(nbt.Tag) error {
	return func(t nbt.Tag) error {
		if d.strict && t != own {
			return d.Errorf("%s instead of %s", t.A(), own.A())
		}
		n, err := d.Number(t)
		*into = n
		return err
	}
}

// edge reads the length of an edge: a short without a sign, or a larger type.
func (d *document) edge(into *int64) func(nbt.Tag) error {
	return func(t nbt.Tag) error {
		if err := d.number(into, nbt.Short)(t); err != nil {
			return err
		}
		if t == nbt.Short {
			*into &= 0xffff
		}
		if *into < 1 || *into > 0xffff {
			return d.Errorf("an edge of %d cells; 1 to 65535 are possible", *into)
		}
		return nil
	}
}

func (d *document) text(into *string) func(nbt.Tag) error {
	return func(t nbt.Tag) error {
		if t != nbt.String {
			return d.Errorf("%s instead of a string", t.A())
		}
		s, err := d.Text()
		*into = s
		return err
	}
}

func (d *document) readOffset(t nbt.Tag) error {
	if t != nbt.IntArray {
		return d.Errorf("%s instead of three numbers in an int array", t.A())
	}
	n, err := d.ArrayHeader(t)
	if err != nil {
		return err
	}
	if n != 3 {
		return d.Errorf("%d numbers instead of three", n)
	}
	d.offset = make([]int32, 3)
	return d.Ints(d.offset)
}

// readMetadata reads what several formats keep under this name.
func (d *document) readMetadata(t nbt.Tag) error {
	if t != nbt.Compound {
		return d.Errorf("%s instead of a compound", t.A())
	}
	return d.Compound(func(name []byte, t nbt.Tag) error {
		switch key := string(name); {
		case key == "Name" && t == nbt.String:
			d.named = true
			return d.text(&d.name)(t)
		case key == "Author" && t == nbt.String:
			return d.text(&d.author)(t)
		case strings.HasPrefix(key, "WEOffset") && t == nbt.Int && len(key) == len("WEOffsetX"):
			return d.readWEOffset(key[len(key)-1])
		case key == "RequiredMods" && t == nbt.List:
			return d.requiredMods(t)
		case d.strict && (key == "Name" || key == "RequiredMods"):
			return d.Errorf("a value of type %v", t)
		}
		if t == nbt.String {
			return d.keepMetadata(nbt.Plain(name))
		}
		return d.Skip(t)
	})
}

// readWEOffset reads one axis of the offset that WorldEdit keeps in the metadata.
func (d *document) readWEOffset(axis byte) error {
	n, err := d.Number(nbt.Int)
	if i := int(axis) - 'X'; i >= 0 && i < 3 {
		d.worldEdit.offset[i] = int(n)
		d.worldEdit.has |= 1 << i
	}
	return err
}

// keepMetadata keeps a text of the metadata, for exports to pass on.
func (d *document) keepMetadata(key string) error {
	b, err := d.Bytes()
	if err != nil || len(d.metadata) == maxMetadata || len(key) > maxMetadataKey || len(b) > maxMetadataText {
		return err
	}
	if d.metadata == nil {
		d.metadata = map[string]string{}
	}
	d.metadata[key] = nbt.Plain(b)
	return nil
}

func (d *document) requiredMods(nbt.Tag) error {
	var mods []string
	err := d.List(func(_ int, t nbt.Tag) error {
		if t != nbt.String {
			return d.Errorf("a list of %v", t)
		}
		mod, err := d.Text()
		if len(mods) < 20 {
			mods = append(mods, mod)
		}
		return err
	})
	if err != nil || len(mods) == 0 {
		return err
	}
	if d.strict {
		return d.Errorf("required mods: %s", strings.Join(mods, ", "))
	}
	d.warn("the file was made for the mods %s", strings.Join(mods, ", "))
	return nil
}

// warn adds a sentence to the report.
func (d *document) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// assemble makes the Schematic out of what was seen.
func (d *document) assemble() (*Schematic, error) {
	s := &Schematic{Version: int(d.version), DataVersion: int(d.dataVersion), Name: clean(d.name), Author: clean(d.author), Metadata: d.metadata}
	var err error
	switch {
	case d.litematica.found:
		s.Format = Litematica
		err = d.assembleLitematica(s)
	case d.bedrock.found:
		s.Format = MCStructure
		err = d.assembleMCStructure(s)
	case d.structure.found():
		s.Format = Structure
		err = d.assembleStructure(s)
	case d.mcedit.blocks != nil && !d.sponge.found:
		s.Format = MCEdit
		err = d.assembleMCEdit(s)
	case d.sponge.found || d.wrapped || d.version > 0 && d.width > 0:
		s.Format = Sponge
		err = d.assembleSponge(s)
	default:
		return nil, fault.Errorf(fault.UnsupportedFormat,
			"not a schematic: NBT with %s, which no format of buildings has", d.namesSeen())
	}
	if err != nil {
		return nil, err
	}
	if s.Game == "" {
		s.Game = gameVersion(s.DataVersion)
	}
	if s.DataVersion > DataVersion {
		d.warn("the file was written by a newer game (DataVersion %d) than the newest known (%d); newer blocks are unknown", s.DataVersion, DataVersion)
	}
	d.blockEntities.report(d, s.Size)
	s.BlockEntities = d.blockEntities.sorted()
	s.Entities = d.entities.sorted()
	s.Biomes = d.biomes
	slices.Sort(s.Biomes)
	if len(d.unknown) > 0 {
		d.warn("unknown fields were ignored: %s", strings.Join(d.unknown, ", "))
	}
	s.Warnings = d.warnings
	return s, nil
}

// namesSeen lists some of the top-level fields.
func (d *document) namesSeen() string {
	if len(d.seen) == 0 {
		return "no fields"
	}
	names := make([]string, 0, len(d.seen))
	for name := range d.seen {
		names = append(names, fmt.Sprintf("%.40q", name))
	}
	sort.Strings(names)
	if len(names) > 6 {
		names = append(names[:6], "others")
	}
	return "the fields " + strings.Join(names, ", ")
}

// size checks the edges and the number of cells.
func (d *document) size() (voxel.Pos, error) {
	for _, edge := range []struct {
		name  string
		cells int64
	}{{"Width", d.width}, {"Height", d.height}, {"Length", d.length}} {
		if edge.cells < 0 {
			return voxel.Pos{}, d.Errorf("the field %s is missing", edge.name)
		}
	}
	size := voxel.Pos{X: int(d.width), Y: int(d.height), Z: int(d.length)}
	return size, d.checkBox(size, d.box)
}

// checkSize refuses a box without cells or over the limit.
func (d *document) checkSize(size voxel.Pos) error { return d.checkBox(size, d.limit) }

func (d *document) checkBox(size voxel.Pos, limit int) error {
	if size.X < 1 || size.Y < 1 || size.Z < 1 {
		return d.Errorf("a box of %d×%d×%d cells", size.X, size.Y, size.Z)
	}
	box := voxel.Box{Max: size.Sub(voxel.Pos{X: 1, Y: 1, Z: 1})}
	if n := box.Volume(); n > limit {
		return fault.Errorf(fault.BudgetExceeded, "the schematic has %d cells; the limit is %d", n, limit).
			With("limit", limit).With("cells", n)
	}
	return nil
}

// overCells is the error of cells that are too many, however many they are.
func (d *document) overCells(limit int) error {
	return fault.Errorf(fault.BudgetExceeded, "the schematic has more than %d cells, which is the limit", limit).
		With("limit", limit)
}

// clean makes a text of the file fit to be shown: no control characters, at most
// 64 of the rest.
func clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			return -1
		}
		return c
	}, s)
	if runes := []rune(s); len(runes) > 64 {
		s = string(runes[:64])
	}
	return strings.TrimSpace(s)
}
