package addon

import (
	"archive/zip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"groundplan/plan/fault"
)

//go:embed pack
var embedded embed.FS

// Entry is the path of the script that the game loads first, within Files.
const Entry = "scripts/main.js"

// Files returns the files of the behaviour pack, the manifest at its root.
func Files() fs.FS {
	pack, err := fs.Sub(embedded, "pack")
	if err != nil {
		panic(err) // the name above is valid
	}
	return pack
}

// Manifest is the part of the pack's manifest that others need to know.
type Manifest struct {
	Header struct {
		Name             string `json:"name"`
		UUID             string `json:"uuid"`
		Version          [3]int `json:"version"`
		MinEngineVersion [3]int `json:"min_engine_version"`
	} `json:"header"`
	Dependencies []struct {
		Module  string `json:"module_name"`
		Version string `json:"version"`
	} `json:"dependencies"`
}

// Info returns the pack's manifest.
func Info() (Manifest, error) {
	var m Manifest
	data, err := fs.ReadFile(Files(), "manifest.json")
	if err != nil {
		return m, fault.Wrap(fault.Internal, err, "the behaviour pack has no manifest")
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fault.Wrap(fault.Internal, err, "the manifest of the behaviour pack is not valid")
	}
	return m, nil
}

// Version returns the pack's version, such as 0.1.0.
func (m Manifest) Version() string {
	v := m.Header.Version
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// Write writes the pack as a .mcpack, which a player opens to import it. The
// bytes depend on the pack alone: the same build writes the same file.
func Write(w io.Writer) error { return writeZip(w, Files(), "") }

// WriteAddon writes the pack as a .mcaddon: the same with the pack in a folder of
// its own, for hosts that take add-ons only.
func WriteAddon(w io.Writer) error { return writeZip(w, Files(), "groundplan_bp/") }

// writeZip writes the files, sorted by path, with no times of their own.
func writeZip(w io.Writer, files fs.FS, folder string) error {
	names, err := list(files)
	if err != nil {
		return fmt.Errorf("write behaviour pack: %w", err)
	}
	out := zip.NewWriter(w)
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("write behaviour pack: %w", err)
		}
		header := &zip.FileHeader{Name: folder + name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(0o644)
		file, err := out.CreateHeader(header)
		if err != nil {
			return fmt.Errorf("write behaviour pack: %w", err)
		}
		if _, err := file.Write(data); err != nil {
			return fmt.Errorf("write behaviour pack: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write behaviour pack: %w", err)
	}
	return nil
}

// epoch is the oldest time that a zip file can carry.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// list returns the paths of all files, the manifest first: some importers look no
// further than the first entry.
func list(files fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	slices.SortFunc(names, func(a, b string) int {
		if (a == "manifest.json") != (b == "manifest.json") {
			if a == "manifest.json" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names, err
}
