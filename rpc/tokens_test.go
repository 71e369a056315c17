package rpc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundplan/plan"
	"groundplan/plan/fault"
)

func TestTokensAreMadeOnceForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	made, err := OpenTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	again, err := OpenTokens(path)
	if err != nil || again.Admin != made.Admin || again.Agent != made.Agent {
		t.Fatalf("the second start has other tokens: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTokens(path); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("a file that others could read stays so: %v", info.Mode())
	}
}

func TestWeakTokensAreRefusedWithoutShowingThem(t *testing.T) {
	strong := strings.Repeat("a", 40)
	for name, text := range map[string]string{
		"short": `{"admin":"hunter2","agent":"` + strong + `"}`,
		"equal": `{"admin":"` + strong + `","agent":"` + strong + `"}`,
		"space": `{"admin":"` + strong + ` x","agent":"` + strong + `b"}`,
		"none":  `{}`,
		"text":  `hunter2`,
	} {
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenTokens(path)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), strong) {
			t.Errorf("%s: the error shows a token: %v", name, err)
		}
	}
}

func TestPrincipalIsBoundToTheToken(t *testing.T) {
	local := plan.Project{ID: "a", Automation: true, Owner: "steve", Members: []string{"alex"}}
	real := plan.Project{ID: "b", Owner: "steve", Members: []string{"alex"}}
	orphan := plan.Project{ID: "c"}
	agent, admin := Identity{Role: Agent}, Identity{Role: Admin}
	alex, mallory := Identity{Role: Agent, Player: "alex"}, Identity{Role: Agent, Player: "mallory"}
	for _, c := range []struct {
		project plan.Project
		id      Identity
		player  string
		want    string // "" means refused
	}{
		{local, agent, "", "console"},
		{local, agent, "console", "console"},
		{local, agent, "steve", "steve"},
		{local, agent, "alex", ""},
		{local, agent, "mallory", ""},
		{local, admin, "", "console"},
		{local, admin, "alex", "alex"},
		{real, agent, "", "steve"},
		{real, agent, "console", ""},
		{real, agent, "alex", ""},
		{real, admin, "", "admin"},
		{real, admin, "console", ""},
		{real, alex, "", "alex"},
		{real, alex, "alex", "alex"},
		{real, alex, "steve", ""},
		{real, mallory, "", ""},
		{orphan, agent, "", ""},
		{orphan, admin, "", "admin"},
	} {
		got, err := principalOf(c.project, c.id, c.player)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("project %s, %+v as %q: %q, %v; want %q", c.project.ID, c.id, c.player, got, err, c.want)
		}
		if err != nil && fault.CodeOf(err) != fault.PermissionDenied {
			t.Errorf("project %s, %+v as %q: code %s", c.project.ID, c.id, c.player, fault.CodeOf(err))
		}
	}
}
