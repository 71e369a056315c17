package groundplan_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	mdLink     = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	mdCode     = regexp.MustCompile("`([^`\n]+)`")
	repoPath   = regexp.MustCompile(`^(?:\./)?((?:cmd|rpc|plan|journal|schematic|recovery|bridge|docs|testdata|\.ci)/[A-Za-z0-9_./-]*[A-Za-z0-9_])/?$`)
	makeTarget = regexp.MustCompile(`\bmake ([a-z]+)\b`)
	goTestPath = regexp.MustCompile(`\bgo (?:test|run|build|vet) (?:-\S+ )*(\./[A-Za-z0-9_/]+[A-Za-z0-9_])`)
	targetLine = regexp.MustCompile(`(?m)^([a-z]+):`)
)

// documents returns the Markdown files of the repository with their text.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		raw, err := os.ReadFile(name)
		texts[filepath.ToSlash(name)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestDocumentsNameOnlyFilesThatExist(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if target := path.Join(path.Dir(name), m[1]); !exists(target) {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
		for _, m := range mdCode.FindAllStringSubmatch(text, -1) {
			if p := repoPath.FindStringSubmatch(m[1]); p != nil && !exists(p[1]) {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		for _, m := range goTestPath.FindAllStringSubmatch(text, -1) {
			if !exists(m[1]) {
				t.Errorf("%s: %s: no such folder", name, m[0])
			}
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestDocumentsNameOnlyMakeTargetsThatExist(t *testing.T) {
	raw, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range targetLine.FindAllStringSubmatch(string(raw), -1) {
		targets[m[1]] = true
	}
	if !targets["ci"] || !targets["test"] {
		t.Fatalf("targets of the Makefile: %v", targets)
	}
	for name, text := range documents(t) {
		for _, code := range mdCode.FindAllString(text, -1) {
			for _, m := range makeTarget.FindAllStringSubmatch(code, -1) {
				if !targets[m[1]] {
					t.Errorf("%s: no target %s in the Makefile", name, m[1])
				}
			}
		}
	}
}
