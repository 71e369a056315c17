package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// untouched returns a check that nothing was recorded and nothing was built
// since.
func untouched(t *testing.T, s *service) (check func()) {
	t.Helper()
	before := s.palette(t, pos{-8, -64, -8}, pos{7, -49, 7})
	return func() {
		context := call[struct {
			Total int `json:"operations_total"`
		}](t, s, "project_context", nil)
		if context.Total != 0 {
			t.Errorf("%d operations were recorded", context.Total)
		}
		if got := s.palette(t, pos{-8, -64, -8}, pos{7, -49, 7}); !sameCounts(got, before) {
			t.Errorf("the world changed: %v", got)
		}
		s.stop(t)
	}
}

func TestBadCallsAreRefusedWithACodeAndASentence(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	defer untouched(t, s)()
	here := pos{0, -60, 0}
	for name, c := range map[string]struct {
		method string
		params object
		codes  []string
	}{
		"unknown method":        {"build_everything", nil, []string{"unsupported_method"}},
		"unknown block":         {"build_prepare", object{"recipe": recipe(box(here, here, "minecraft:stoone"))}, []string{"unsupported_block"}},
		"unknown state":         {"build_prepare", object{"recipe": recipe(box(here, here, "minecraft:stone[colour=red]"))}, []string{"unsupported_block"}},
		"block is not a word":   {"build_prepare", object{"recipe": recipe(box(here, here, "stone; op @a"))}, []string{"unsupported_block", "invalid_request"}},
		"outside the region":    {"build_prepare", object{"recipe": recipe(box(pos{255, 0, 0}, pos{256, 0, 0}, "minecraft:stone"))}, []string{"out_of_bounds"}},
		"below the world":       {"build_prepare", object{"recipe": recipe(box(pos{0, -65, 0}, here, "minecraft:stone"))}, []string{"out_of_bounds"}},
		"inverted box":          {"build_prepare", object{"recipe": recipe(box(pos{1, 0, 0}, pos{0, 0, 0}, "minecraft:stone"))}, []string{"invalid_request"}},
		"too big":               {"build_prepare", object{"recipe": recipe(box(pos{-256, -64, -256}, pos{255, 319, 255}, "minecraft:stone"))}, []string{"budget_exceeded"}},
		"fractional coordinate": {"build_prepare", object{"recipe": recipe(object{"type": "box", "min": object{"x": 0.5, "y": 0, "z": 0}, "max": here, "block": "minecraft:stone"})}, []string{"invalid_request"}},
		"unknown operation":     {"build_prepare", object{"recipe": recipe(object{"type": "castle"})}, []string{"invalid_request"}},
		"no recipe":             {"build_prepare", object{}, []string{"invalid_request"}},
		"recipe of version 2":   {"build_prepare", object{"recipe": object{"version": 2, "operations": []object{}}}, []string{"invalid_request"}},
		"unknown plan":          {"build_apply", planned{PlanID: "nothing", PlanHash: strings.Repeat("0", 64)}.under("k"), []string{"not_found", "invalid_request"}},
		"unknown operation id":  {"operation_status", object{"operation_id": "nothing"}, []string{"not_found", "invalid_request"}},
		"inspect outside":       {"region_inspect", object{"min": pos{0, 0, 0}, "max": pos{0, 0, 300}}, []string{"out_of_bounds"}},
		"inspect without min":   {"region_inspect", object{"max": here}, []string{"invalid_request"}},
		"unknown asset":         {"schematic_import_prepare", object{"asset_id": "nothing", "target": here}, []string{"not_found", "invalid_request"}},
		"asset out of the dir":  {"schematic_import_prepare", object{"asset_id": "../tokens", "target": here}, []string{"not_found", "invalid_request"}},
		"another project":       {"project_context", object{"project_id": "other"}, []string{"permission_denied", "not_found"}},
		"another player":        {"project_context", object{"player_id": "Steve"}, []string{"permission_denied"}},
		"dependency outside":    {"build_prepare", object{"recipe": recipe(box(here, here, "minecraft:stone")), "dependencies": []pos{{0, 0, 999}}}, []string{"out_of_bounds", "invalid_request"}},
		"id of the wrong type":  {"operation_status", object{"operation_id": 7}, []string{"invalid_request"}},
		"unknown parameter":     {"operation_status", object{"operation_id": "x", "operation": "x"}, []string{"invalid_request", "not_found"}},
	} {
		t.Run(name, func(t *testing.T) { s.refused(t, c.method, c.params, c.codes...) })
	}
}

func TestBadBodiesAreRefusedWithACodeAndASentence(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	defer untouched(t, s)()
	good := `{"method":"project_context","params":{}}`
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"empty":                 {"", "invalid_request"},
		"not JSON":              {"method=project_context", "invalid_request"},
		"an array":              {"[" + good + "]", "invalid_request"},
		"cut off":               {good[:len(good)-1], "invalid_request"},
		"two values":            {good + good, "invalid_request"},
		"method twice":          {`{"method":"project_context","method":"project_context"}`, "invalid_request"},
		"METHOD":                {`{"METHOD":"project_context"}`, "invalid_request"},
		"method is a number":    {`{"method":1}`, "invalid_request"},
		"params is a string":    {`{"method":"project_context","params":"x"}`, "invalid_request"},
		"broken UTF-8":          {"{\"method\":\"project_\xff\"}", "invalid_request"},
		"deep":                  {`{"method":"build_prepare","params":{"recipe":` + strings.Repeat("[", 100_000), "invalid_request"},
		"longer than the limit": {`{"method":"project_context","requestId":"` + strings.Repeat("x", 1<<20) + `"}`, "request_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			checkRefusal(t, name, s.post(t, s.agent, []byte(c.body)), c.code, "unsupported_method", "budget_exceeded")
		})
	}
}

func TestOnlyATokenOpensTheDoor(t *testing.T) {
	s := start(t, t.TempDir(), "--world", "embedded")
	defer untouched(t, s)()
	body := []byte(`{"method":"project_context"}`)
	for name, token := range map[string]string{
		"none": "", "wrong": strings.Repeat("0", len(s.agent)), "a part": s.agent[:len(s.agent)-1], "longer": s.agent + "0",
	} {
		t.Run(name, func(t *testing.T) {
			a := s.post(t, token, body)
			r := checkRefusal(t, name, a, "permission_denied")
			if a.status != http.StatusForbidden {
				t.Errorf("HTTP %d", a.status)
			}
			if strings.Contains(r.Message, s.agent) || strings.Contains(r.Message, s.admin) {
				t.Error("the message gives a token away")
			}
		})
	}
	for name, change := range map[string]func(*http.Request){
		"a page's Origin": func(r *http.Request) { r.Header.Set("Origin", "https://example.org") },
		"a foreign Host":  func(r *http.Request) { r.Host = "example.org" },
		"GET":             func(r *http.Request) { r.Method = http.MethodGet },
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.RPC+"/v1/rpc", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+s.agent)
			change(req)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if raw, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode < 400 || resp.StatusCode > 499 {
				t.Errorf("HTTP %d %s, %v", resp.StatusCode, raw, err)
			}
		})
	}
}

// badFiles are files that are no schematics, each broken in its own way.
func badFiles(t *testing.T) map[string][]byte {
	t.Helper()
	zip := func(b []byte) []byte {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	whole := zip(append([]byte{10, 0, 9}, "Schematic\x02\x00\x05Width\x00\x01\x00"...))
	return map[string][]byte{
		"empty":      {},
		"text":       []byte("this is not a schematic\n"),
		"not-nbt":    zip([]byte("this is not NBT either")),
		"truncated":  whole[:len(whole)-12],
		"incomplete": whole,
		"lying":      zip(append([]byte{10, 0, 9}, "Schematic\x07\x00\x09BlockData\x7f\xff\xff\xff"...)),
		"deep":       zip(bytes.Repeat([]byte{10, 0, 0}, 100_000)),
	}
}

func TestABadFileIsRefusedAndTheLibraryGoesOn(t *testing.T) {
	data := t.TempDir()
	s := start(t, data, "--world", "embedded")
	defer untouched(t, s)()
	for name, content := range badFiles(t) {
		if err := os.WriteFile(filepath.Join(data, "schematics", name+".schem"), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name := range badFiles(t) {
		t.Run(name, func(t *testing.T) {
			s.refused(t, "schematic_import_prepare", object{"asset_id": name, "target": pos{0, -60, 0}},
				"unsupported_format", "invalid_request", "budget_exceeded")
		})
	}
	list := call[struct {
		Assets []map[string]any `json:"assets"`
	}](t, s, "asset_list", nil)
	if len(list.Assets) < len(badFiles(t)) {
		t.Errorf("%d assets are listed, the bad ones must be among them", len(list.Assets))
	}
}

func TestACommandThatIsGivenABadFileSaysOneSentence(t *testing.T) {
	for name, content := range badFiles(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".schem")
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, code := output(t, "demo", "--file", file)
			if code == 0 || stdout != "" {
				t.Errorf("exit code %d, standard output %q", code, stdout)
			}
			noTrace(t, stderr)
			if lines := strings.Split(strings.TrimSpace(stderr), "\n"); len(strings.Fields(lines[len(lines)-1])) < 3 {
				t.Errorf("no sentence: %q", stderr)
			}
		})
	}
	_, stderr, code := output(t, "demo", "--file", filepath.Join(t.TempDir(), "missing.schem"))
	if code == 0 || !strings.Contains(stderr, "missing.schem") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
