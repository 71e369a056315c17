package addon_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"groundplan/bridge/addon"
)

func TestThePackIsTheSameEachTimeAndReadsBack(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{"": addon.Write, "groundplan_bp/": addon.WriteAddon} {
		var one, two bytes.Buffer
		if err := write(&one); err != nil {
			t.Fatal(err)
		}
		if err := write(&two); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Error("two exports differ")
		}
		z, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if first := z.File[0].Name; first != name+"manifest.json" {
			t.Errorf("the first file is %s", first)
		}
		seen := map[string]bool{}
		for _, f := range z.File {
			checkFile(t, f, strings.TrimPrefix(f.Name, name))
			seen[strings.TrimPrefix(f.Name, name)] = true
		}
		if !seen[addon.Entry] {
			t.Errorf("no %s in the pack", addon.Entry)
		}
	}
}

func checkFile(t *testing.T, f *zip.File, name string) {
	t.Helper()
	want, err := fs.ReadFile(addon.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s reads back as other bytes (%v)", name, err)
	}
}

func TestTheManifestFollowsItsSchema(t *testing.T) {
	text, err := os.ReadFile("manifest.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(addon.Files(), "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest any
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(manifest); err != nil {
		t.Error(err)
	}
	uuids := regexp.MustCompile(`"uuid": "([^"]+)"`).FindAllStringSubmatch(string(data), -1)
	distinct := map[string]bool{}
	for _, u := range uuids {
		distinct[u[1]] = true
	}
	if len(uuids) != 3 || len(distinct) != 3 {
		t.Errorf("pack and modules share a uuid: %v", uuids)
	}
}

// TestVersionsAgree holds together what stands in three places: the manifest, the
// script, and the typings that it is checked against.
func TestVersionsAgree(t *testing.T) {
	info, err := addon.Info()
	if err != nil {
		t.Fatal(err)
	}
	constants, err := fs.ReadFile(addon.Files(), "scripts/constants.js")
	if err != nil {
		t.Fatal(err)
	}
	packages, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`ADDON_VERSION = "` + info.Version() + `"`, `API_VERSION = "` + info.Dependencies[0].Version + `"`} {
		if !strings.Contains(string(constants), want) {
			t.Errorf("constants.js does not say %s", want)
		}
	}
	for _, d := range info.Dependencies {
		if !strings.Contains(string(packages), `"`+d.Module+`": "`+d.Version) {
			t.Errorf("package.json has other typings of %s than %s", d.Module, d.Version)
		}
	}
}

// TestScriptsImportWhatIsThere follows every import: nothing is bundled for the
// game, so a wrong path fails only there.
func TestScriptsImportWhatIsThere(t *testing.T) {
	info, err := addon.Info()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for _, d := range info.Dependencies {
		modules[d.Module] = true
	}
	imports := regexp.MustCompile(`(?m)^(?:import|export) .*from "([^"]+)";`)
	err = fs.WalkDir(addon.Files(), "scripts", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(addon.Files(), name)
		for _, m := range imports.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "@minecraft/") {
				if !modules[m[1]] {
					t.Errorf("%s imports %s, which the manifest does not name", name, m[1])
				}
				continue
			}
			if _, err := fs.Stat(addon.Files(), path.Join(path.Dir(name), m[1])); err != nil {
				t.Errorf("%s imports %s: %v", name, m[1], err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
