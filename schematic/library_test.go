package schematic

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func library(t *testing.T) *Library {
	t.Helper()
	return &Library{Dir: filepath.Join(t.TempDir(), "schematics"), Limits: plan.DefaultLimits()}
}

func ids(assets []Asset) string {
	var out []string
	for _, a := range assets {
		out = append(out, a.ID)
	}
	return strings.Join(out, " ")
}

func TestAssetHasTheFieldsOfThePrototype(t *testing.T) {
	l := library(t)
	asset, err := l.Put("cottage", bytes.NewReader(Cottage()), false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(asset)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"assetId":"cottage","name":"Cottage","width":13,"height":10,"length":11,"blockCount":1430,"dataVersion":3955,` +
		`"offset":{"x":-6,"y":-1,"z":-10},"sha256":"`
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("%s", text)
	}
	back, err := l.Bytes("cottage")
	if err != nil || !bytes.Equal(back, Cottage()) || asset.Bytes != len(back) {
		t.Errorf("%d bytes of %d: %v", len(back), asset.Bytes, err)
	}
}

func TestAnEmptyLibraryNeedsNoFolder(t *testing.T) {
	l := library(t)
	assets, err := l.List("")
	if err != nil || assets == nil || len(assets) != 0 {
		t.Errorf("%v %v", assets, err)
	}
	for _, err := range []error{second(l.Bytes("x")), l.Delete("x")} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Error(err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestABrokenFileIsAnEntryAndNotTheEndOfTheList(t *testing.T) {
	l := library(t)
	if _, err := l.Put("good", bytes.NewReader(Cottage()), false); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("broken.schem", "no gzip at all")
	write("bad name.schem", "x")
	write("other.txt", "x")
	if err := os.Symlink(filepath.Join(l.Dir, "good.schem"), filepath.Join(l.Dir, "link.schem")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(l.Dir, "folder.schem"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from memory
		assets, err := l.List("")
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(assets); got != "bad name broken folder good link" {
			t.Errorf("listed: %s", got)
		}
		for _, a := range assets {
			if (a.Error == "") != (a.ID == "good") {
				t.Errorf("%s: %q", a.ID, a.Error)
			}
		}
	}
	for _, query := range []string{"COTT", "cottage"} {
		if assets, err := l.List(query); err != nil || ids(assets) != "good" {
			t.Errorf("%s: %v %v", query, assets, err)
		}
	}
	if _, _, err := l.Open("link", 0, false); fault.CodeOf(err) != fault.UnsupportedFormat {
		t.Error("a link was opened: ", err)
	}
	write("broken.schem", string(Cottage()))
	if assets, err := l.List(""); err != nil || assets[1].Error != "" {
		t.Errorf("a mended file stays broken: %+v %v", assets, err)
	}
}

func TestALinkInPlaceOfTheFolderIsRefused(t *testing.T) {
	l := library(t)
	if err := os.Symlink(t.TempDir(), l.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := l.List(""); fault.CodeOf(err) != fault.StorageFailed {
		t.Error(err)
	}
	if _, err := l.Put("x", bytes.NewReader(Cottage()), false); fault.CodeOf(err) != fault.StorageFailed {
		t.Error(err)
	}
}

func TestIDsThatCouldBePathsAreRefused(t *testing.T) {
	l := library(t)
	for _, id := range []string{"", "../x", "a/b", ".x", "-x", "_x", "a.b", "a b", "ä", strings.Repeat("a", 65), "a\x00"} {
		for _, err := range []error{
			CheckID(id), second(l.Bytes(id)), l.Delete(id), second(l.Put(id, bytes.NewReader(Cottage()), true)),
		} {
			if fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	if err := CheckID(strings.Repeat("a", 64)); err != nil {
		t.Error(err)
	}
}

func TestPutKeepsOnlySchematicsWithinTheLimits(t *testing.T) {
	l := library(t)
	l.Limits.Assets = 2
	put := func(id string, data []byte, replace bool) fault.Code {
		return fault.CodeOf(second(l.Put(id, bytes.NewReader(data), replace)))
	}
	small := (&sketch{size: voxel.Pos{X: 1, Y: 1, Z: 1}}).file(t, 2, "small", voxel.Pos{})
	for i, step := range []struct {
		id      string
		data    []byte
		replace bool
		want    fault.Code
	}{
		{"text", []byte("just text"), false, fault.UnsupportedFormat},
		{"a", Cottage(), false, ""},
		{"a", small, false, fault.Conflict},
		{"a", small, true, ""},
		{"b", Cottage(), false, ""},
		{"c", Cottage(), false, fault.BudgetExceeded},
		{"b", small, true, ""},
	} {
		if got := put(step.id, step.data, step.replace); got != step.want {
			t.Errorf("step %d: %q instead of %q", i, got, step.want)
		}
	}
	l.Limits.AssetBytes = 100
	if got := put("b", Cottage(), true); got != fault.BudgetExceeded {
		t.Errorf("too large: %q", got)
	}
	if err := l.Delete("a"); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "b.schem" {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// TestAFileWithTooManyCellsIsKeptForWhoeverTakesThem: how many cells an import may
// have is a limit of a project, so a Sponge file over that of the library is no
// broken one.
func TestAFileWithTooManyCellsIsKeptForWhoeverTakesThem(t *testing.T) {
	l := library(t)
	l.Limits.AssetCells = 1000
	asset, err := l.Put("cottage", bytes.NewReader(Cottage()), false)
	if err != nil || asset.BlockCount != 1430 {
		t.Fatalf("%+v %v", asset, err)
	}
	if list, err := l.List(""); err != nil || len(list) != 1 || list[0] != asset {
		t.Errorf("%+v %v", list, err)
	}
	if _, _, err := l.Open("cottage", 0, false); fault.CodeOf(err) != fault.BudgetExceeded {
		t.Error(err)
	}
	if s, _, err := l.Open("cottage", 2000, false); err != nil || s.Cells() != 1430 {
		t.Error(err)
	}
	for cells, warned := range map[int]bool{0: true, 2000: false} {
		r, err := l.Inspect("cottage", cells, registry(t), nil)
		if err != nil || strings.Contains(strings.Join(r.Warnings, "; "), "an import takes at most 1000") != warned {
			t.Errorf("%d: %q %v", cells, r.Warnings, err)
		}
	}
	l.Strict = true
	if _, err := l.Put("other", bytes.NewReader(Cottage()), false); fault.CodeOf(err) != fault.BudgetExceeded {
		t.Error("a strict library takes what the prototype took: ", err)
	}
}
