package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServeLeavesTheFilesThatScriptsRelyOn(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s := start(t, data, "--world", "embedded")
	if want, err := filepath.Abs(data); err != nil || s.Data != data && s.Data != want {
		t.Errorf("data %q in the ready line, want %q", s.Data, want)
	}
	if s.MCP != s.RPC+"/mcp" || !strings.HasPrefix(s.RPC, "http://127.0.0.1:") || !strings.HasPrefix(s.Bridge, "ws://127.0.0.1:") {
		t.Errorf("ready line %+v", s.ready)
	}
	if secret := s.Bridge[strings.LastIndex(s.Bridge, "/")+1:]; len(secret) < 16 {
		t.Errorf("the bridge's secret path %q is guessable", secret)
	}
	if s.admin == s.agent || len(s.admin) < 32 || len(s.agent) < 32 {
		t.Error("the tokens are equal or short")
	}
	info, err := os.Stat(filepath.Join(data, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("tokens.json has mode %o", mode)
	}
	resp, err := http.Get(s.RPC + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var health map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&health); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("/health: HTTP %d, %v", resp.StatusCode, err)
	}
	s.stop(t)
	for _, name := range []string{"journal.db", "schematics", "world"} {
		if _, err := os.Stat(filepath.Join(data, name)); err != nil {
			t.Error(err)
		}
	}
}

// The first service's data folder is locked; a second one must say so at once
// instead of waiting, and must not hurt the first.
func TestASecondServiceOnTheSameDataIsRefused(t *testing.T) {
	data := t.TempDir()
	s := start(t, data, "--world", "embedded")
	stdout, stderr, code := output(t, "serve", "--data", data, "--listen", "127.0.0.1:0", "--bridge", "127.0.0.1:0")
	if code == 0 || stdout != "" || stderr == "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, tail(stderr))
	}
	noTrace(t, stderr)
	if got := s.palette(t, pos{0, -64, 0}, pos{0, -61, 0}); len(got) != 3 {
		t.Errorf("column of the flat world: %v", got)
	}
	s.stop(t)
}

// The world is flat, and what was built stays over a restart.
func TestTheEmbeddedWorldIsFlatAndPersists(t *testing.T) {
	data := t.TempDir()
	s := start(t, data, "--world", "embedded")
	lo, hi := pos{-3, -64, 5}, pos{4, -55, 12}
	want := map[string]int{
		"minecraft:bedrock[infiniburn_bit=false]": 64, "minecraft:dirt": 128, "minecraft:grass_block": 64, "minecraft:air": 384,
	}
	if got := s.palette(t, lo, hi); !sameCounts(got, want) {
		t.Errorf("flat world: %v, want %v", got, want)
	}
	s.mustApply(t, s.prepare(t, box(pos{0, -60, 7}, pos{2, -58, 9}, "minecraft:stone")), "stays", 27)
	s.stop(t)

	s = start(t, data, "--world", "embedded")
	if got := s.palette(t, pos{0, -60, 7}, pos{2, -58, 9}); got["minecraft:stone"] != 27 {
		t.Errorf("after a restart: %v", got)
	}
	s.stop(t)
}

func (s *service) mustApply(t *testing.T, p planned, key string, written int) operation {
	t.Helper()
	op := s.apply(t, p, key)
	if op.Status != "applied" || op.Written != written {
		t.Fatalf("%s: %+v, want applied with %d written", key, op, written)
	}
	return op
}

func sameCounts(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// noTrace checks that a message for people is no stack trace.
func noTrace(t *testing.T, text string) {
	t.Helper()
	for _, bad := range []string{"panic:", "goroutine ", "runtime error", "fatal error"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q in:\n%s", bad, tail(text))
		}
	}
}
