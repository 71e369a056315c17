package schematic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestAnUploadInChunksBecomesAnAsset(t *testing.T) {
	l := library(t)
	file := Cottage()
	var at int64
	for at < int64(len(file)) {
		end := min(at+300, int64(len(file)))
		up, err := l.Append(Chunk{ID: "house", Offset: at, Data: file[at:end], Last: end == int64(len(file))})
		if err != nil {
			t.Fatal(err)
		}
		if (up.Asset != nil) != (end == int64(len(file))) || up.Received != end {
			t.Fatalf("%+v at %d", up, end)
		}
		at = up.Received
	}
	back, err := l.Bytes("house")
	if err != nil || string(back) != string(file) {
		t.Errorf("%d bytes: %v", len(back), err)
	}
	if entries, err := os.ReadDir(l.Dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestChunksThatDoNotFollowSayWhereToGoOn(t *testing.T) {
	l := library(t)
	file := Cottage()
	if _, err := l.Append(Chunk{ID: "a", Data: file[:100]}); err != nil {
		t.Fatal(err)
	}
	for _, offset := range []int64{50, 101, 1000} {
		_, err := l.Append(Chunk{ID: "a", Offset: offset, Data: file[100:]})
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Code != fault.Conflict || e.Details["received"] != int64(100) {
			t.Errorf("at %d: %v", offset, err)
		}
	}
	if _, err := l.Append(Chunk{ID: "b", Offset: 5, Data: file}); fault.CodeOf(err) != fault.Conflict {
		t.Error(err)
	}
	if _, err := l.Append(Chunk{ID: "a", Data: []byte("from the start: text"), Last: true}); fault.CodeOf(err) != fault.UnsupportedFormat {
		t.Error(err)
	}
	if entries, err := os.ReadDir(l.Dir); err != nil || len(entries) != 0 {
		t.Errorf("a refused file left %v %v", entries, err)
	}
}

func TestUploadsAreBounded(t *testing.T) {
	l := library(t)
	l.Limits.AssetBytes = 1000
	for _, c := range []Chunk{
		{ID: "a", Data: make([]byte, 1001)}, {ID: "a", Offset: 1 << 62, Data: make([]byte, 1)}, {ID: "a", Offset: -1, Data: make([]byte, 1)},
	} {
		if _, err := l.Append(c); fault.CodeOf(err) != fault.BudgetExceeded {
			t.Errorf("%d: %v", c.Offset, err)
		}
	}
	for i := range maxUploads {
		if _, err := l.Append(Chunk{ID: fmt.Sprint("u", i), Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Append(Chunk{ID: "more", Data: []byte("x")}); fault.CodeOf(err) != fault.BudgetExceeded {
		t.Error(err)
	}
	if err := l.Delete("u3"); err != nil {
		t.Error(err)
	}
	if _, err := l.Append(Chunk{ID: "more", Data: []byte("x")}); err != nil {
		t.Error(err)
	}
	if err := l.Delete("nothing"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestMappingsAreKeptUnderNames(t *testing.T) {
	l := library(t)
	if names, err := l.Mappings(); err != nil || len(names) != 0 {
		t.Error(names, err)
	}
	m := Mapping{"computercraft:*": "minecraft:stone", "oak_log[axis=x]": keep}
	for _, name := range []string{"mods", "b"} {
		if err := l.PutMapping(name, m); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := l.Mappings(); err != nil || fmt.Sprint(names) != "[b mods]" {
		t.Error(names, err)
	}
	if got, err := l.Mapping("mods"); err != nil || fmt.Sprint(got) != fmt.Sprint(m) {
		t.Error(got, err)
	}
	if err := l.PutMapping("b", nil); err != nil {
		t.Error(err)
	}
	if _, err := l.Mapping("b"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	if err := l.PutMapping("../x", m); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(l.Dir, "bad.mapping.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Mapping("bad"); fault.CodeOf(err) != fault.StorageFailed {
		t.Error(err)
	}
	if assets, err := l.List(""); err != nil || len(assets) != 0 {
		t.Errorf("a mapping is listed as an asset: %v %v", assets, err)
	}
}

func TestMappingsWithWhatIsNoPatternOrStateAreRefused(t *testing.T) {
	reg := registry(t)
	for pattern, target := range map[string]string{
		"": "stone", "[": "stone", "a[b": "stone", "a]": "stone", "oak_log": "no_such_block", "[a-": "stone",
	} {
		if err := (Mapping{pattern: target}).Check(reg); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	if err := (Mapping{"*_log[axis=x]": "stone", "mod:*": keep}).Check(reg); err != nil {
		t.Error(err)
	}
}

func TestReplaceKeepsCellsWhosePresentStateFits(t *testing.T) {
	wanted, present := voxel.NewVolume(), voxel.NewVolume()
	for x, state := range []string{"air", "stone", "oak_leaves[persistent_bit=true,update_bit=false]", "oak_log[pillar_axis=x]", "oak_log[pillar_axis=y]"} {
		present.Put(voxel.Pos{X: x}, "minecraft:"+state)
		wanted.Put(voxel.Pos{X: x}, "minecraft:bricks")
	}
	got, err := Replace(wanted, present, []string{"air", "*_leaves", "oak_log[pillar_axis=y]"})
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range []bool{true, false, true, false, true} {
		if _, ok := got.At(voxel.Pos{X: x}); ok != want {
			t.Errorf("cell %d: %v", x, ok)
		}
	}
	wanted.Put(voxel.Pos{X: 99}, "minecraft:bricks")
	if _, err := Replace(wanted, present, []string{"air"}); fault.CodeOf(err) != fault.ChunkNotLoaded {
		t.Error(err)
	}
	if _, err := Replace(wanted, present, []string{"a["}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
}
