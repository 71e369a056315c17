// Package groundplan_test holds the tests of the house as a whole: the arrows
// between its packages, and the documents that describe it.
package groundplan_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "groundplan/"

// nouns are the packages that every package above plan may import.
var nouns = []string{"plan", "plan/fault", "plan/strict", "plan/voxel", "plan/block", "plan/render"}

// arrows says what of ours each package may import. A package that is missing
// here takes the row of its parent folder; a parent may always import what
// stands in its own folder, unless this table has a row for that. Nothing may
// import cmd. Tests may import what they try out together.
var arrows = map[string][]string{
	"plan/fault":      {},
	"plan/strict":     {"plan/fault"},
	"plan/voxel":      {"plan/fault"},
	"plan/block":      {"plan/fault"},
	"plan":            {"plan/fault", "plan/strict", "plan/voxel", "plan/block"},
	"plan/render":     {"plan/fault", "plan/voxel", "plan/block"},
	"schematic":       nouns,
	"journal":         nouns,
	"recovery":        nouns,
	"bridge":          nouns,
	"bridge/addon":    {"plan/fault"},
	"bridge/embedded": append([]string{"bridge", "bridge/addon"}, nouns...),
	"rpc":             append([]string{"schematic", "journal", "recovery", "bridge", "bridge/addon"}, nouns...),
	"cmd/groundplan": append([]string{
		"rpc", "schematic", "journal", "recovery", "bridge", "bridge/addon", "bridge/embedded",
	}, nouns...),
}

// impure are the imports that plan may not have: the clock, the random
// generator, contexts, and every way out of the process.
var impure = []string{
	"context", "crypto/rand", "io/fs", "io/ioutil", "log", "math/rand", "net", "os", "plugin", "runtime", "syscall",
	"time", "unsafe", "database/sql", "golang.org/x/sys",
}

// libraries are the modules that a pure package may use beside the standard
// library.
var libraries = map[string][]string{"plan/block": {"github.com/klauspost/compress"}}

// source is one Go file: the folder it stands in, and its imports.
type source struct {
	file, dir string
	test      bool
	command   bool // package main
	imports   []string
}

// sources reads every Go file of the repository. It reads the files itself
// instead of asking the go command, so that the test cache sees what it reads.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{
			file: filepath.ToSlash(name), dir: filepath.ToSlash(filepath.Dir(name)),
			test: strings.HasSuffix(name, "_test.go"), command: file.Name.Name == "main",
		}
		for _, spec := range file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imp)
		}
		list = append(list, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no Go files found")
	}
	return list
}

// row returns the package of the table that rules dir, or "".
func row(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := arrows[dir]; ok {
			return dir
		}
	}
	return ""
}

// allowed reports whether a file in dir may import the package to.
func allowed(dir, to string) bool {
	from := row(dir)
	if from == "" {
		return false
	}
	target := row(to)
	return target == from || slices.Contains(arrows[from], target)
}

func TestNoNewArrowBetweenPackages(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.imports {
			to, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			if strings.HasPrefix(to, "cmd/") && !strings.HasPrefix(s.dir, to) {
				t.Errorf("%s imports %s: nothing stands above cmd", s.file, to)
			}
			if !s.test && !allowed(s.dir, to) {
				t.Errorf("%s imports %s: no such arrow in docs/ARCHITECTURE.md", s.file, to)
			}
		}
	}
}

func TestPlanIsPure(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.command || !strings.HasPrefix(s.dir+"/", "plan/") {
			continue
		}
		for _, imp := range s.imports {
			if under(imp, impure) && !under(imp, libraries[row(s.dir)]) {
				t.Errorf("%s imports %s: plan is pure", s.file, imp)
			}
			outside := strings.Contains(strings.Split(imp, "/")[0], ".")
			if outside && !under(imp, libraries[row(s.dir)]) {
				t.Errorf("%s imports %s: plan needs no library for this", s.file, imp)
			}
		}
	}
}

// under reports whether imp is one of the packages, or stands below one.
func under(imp string, packages []string) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") })
}

func TestTheArrowTableIsItselfInOrder(t *testing.T) {
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		for _, to := range arrows[from] {
			if _, ok := arrows[to]; !ok {
				t.Errorf("%s may import %s, which has no row of its own", from, to)
			}
			if slices.Contains(arrows[to], from) {
				t.Errorf("%s and %s may import each other", from, to)
			}
		}
	}
	for _, c := range []struct {
		dir, to string
		want    bool
	}{
		{"recovery", "journal", false},
		{"journal", "plan/voxel", true},
		{"bridge", "bridge/embedded", false},
		{"bridge/embedded", "bridge/addon", true},
		{"bridge/bridgetest", "bridge", true},
		{"rpc", "bridge/embedded", false},
		{"rpc/mcp", "rpc", true},
		{"plan/voxel", "plan/block", false},
		{"elsewhere", "plan", false},
	} {
		if got := allowed(c.dir, c.to); got != c.want {
			t.Errorf("allowed(%s, %s) = %v, want %v", c.dir, c.to, got, c.want)
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	dirs := map[string]bool{}
	for _, s := range sources(t) {
		if s.dir != "." {
			dirs[s.dir] = dirs[s.dir] || !s.test
		}
	}
	for dir := range dirs {
		if !dirs[dir] {
			continue // nothing but tests
		}
		name := path.Join(dir, "doc.go")
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Errorf("%s has no doc.go: %v", dir, err)
			continue
		}
		if words := len(strings.Fields(file.Doc.Text())); words < 20 {
			t.Errorf("%s: its comment has %d words; a newcomer wants to know what the package owns and promises", name, words)
		}
		if slices.ContainsFunc(file.Decls, func(d ast.Decl) bool { _, ok := d.(*ast.FuncDecl); return ok }) {
			t.Errorf("%s has functions; they belong into a file that is named after them", name)
		}
	}
}

func TestTopLevelFoldersAreThoseOfTheDesign(t *testing.T) {
	want := []string{"bridge", "cmd", "docs", "journal", "plan", "recovery", "rpc", "schematic", "testdata"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() || strings.HasPrefix(name, ".") || bytes.Contains(ignored, []byte("/"+name+"/")) {
			continue
		}
		if !slices.Contains(want, name) {
			t.Errorf("folder %s is none of %v", name, want)
		}
	}
}
