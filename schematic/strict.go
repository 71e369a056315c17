package schematic

import (
	"groundplan/plan/fault"
)

// strictFields are the top-level fields that the prototype accepted.
var strictFields = map[string]bool{
	"Version": true, "DataVersion": true, "Width": true, "Height": true, "Length": true, "Offset": true,
	"PaletteMax": true, "Palette": true, "BlockData": true, "BlockEntities": true, "Entities": true, "Metadata": true,
}

// maxStrictPalette is the prototype's bound of PaletteMax and of the palette.
const maxStrictPalette = 4096

// checkStrict refuses what the prototype refused and the reading let pass.
func (d *document) checkStrict(s *Schematic) error {
	p := &d.sponge
	switch {
	case s.Format != Sponge || s.Version != 2 || !d.seen["Version"]:
		return fault.Errorf(fault.UnsupportedFormat, "only Sponge schematics of version 2 are accepted, this is %s %d", s.Format, s.Version)
	case d.wrapped:
		return d.Errorf("a field named Schematic")
	case !d.seen["DataVersion"]:
		return d.Errorf("the field DataVersion is missing")
	case d.named && (CheckName(d.name) != nil):
		return d.Errorf("the name has not 1 to 64 printable characters")
	case d.dataVersion < 0 || d.dataVersion > DataVersion:
		return d.Errorf("the DataVersion %d is newer than %d", d.dataVersion, DataVersion)
	case len(p.palette.states) > maxStrictPalette || p.palette.missing:
		return d.Errorf("the palette has %d entries", len(p.palette.states))
	case d.seen["PaletteMax"] && (p.paletteMax < int64(len(p.palette.states)) || p.paletteMax > maxStrictPalette):
		return d.Errorf("PaletteMax is %d, the palette has %d entries", p.paletteMax, p.palette.entries)
	}
	for name := range d.seen {
		if !strictFields[name] {
			return d.Errorf("the field %q is not accepted", name)
		}
	}
	return nil
}
