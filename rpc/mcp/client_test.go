package mcp

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/plan/voxel"
)

// tool calls a tool and returns its text and whether that is an error.
func tool(t *testing.T, session *sdk.ClientSession, name string, arguments any) (string, bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("%s answered %T", name, result.Content[0])
	}
	return text.Text, result.IsError
}

// fields calls a tool that must succeed and returns its result.
func fields(t *testing.T, session *sdk.ClientSession, name string, arguments any) map[string]any {
	t.Helper()
	text, failed := tool(t, session, name, arguments)
	if failed {
		t.Fatalf("%s: %s", name, text)
	}
	var f map[string]any
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%s: %v in %s", name, err, text)
	}
	return f
}

type object = map[string]any

func at(x, y, z int) object { return object{"x": x, "y": y, "z": z} }

func TestOfficialClientBuildsAndUndoes(t *testing.T) {
	s := openSite(t)
	session := s.client()
	list, err := session.ListTools(t.Context(), nil)
	s.must(err)
	if n := len(list.Tools); n < 20 || n > 24 {
		t.Fatalf("%d tools", n)
	}
	context := fields(t, session, "project_context", object{})
	if context["project_id"] != "default" {
		t.Fatalf("context is %v", context)
	}
	seen := fields(t, session, "region_inspect", object{"min": at(0, -60, 0), "max": at(2, -58, 2)})
	if palette, ok := seen["palette"].(object); !ok || palette["minecraft:air"] != 27.0 {
		t.Fatalf("palette is %v", seen["palette"])
	}
	p := fields(t, session, "build_prepare", object{"recipe": object{"version": 1, "operations": []object{
		{"type": "box", "min": at(0, -60, 0), "max": at(2, -58, 2), "block": "minecraft:stone_bricks", "hollow": true},
	}}})
	if p["changed_blocks"] != 26.0 {
		t.Fatalf("plan is %v", p)
	}
	apply := func(p object, key string) object {
		op := fields(t, session, "build_apply", object{"plan_id": p["plan_id"], "plan_hash": p["plan_hash"], "idempotency_key": key})
		for op["status"] == "queued" || op["status"] == "applying" {
			op = fields(t, session, "operation_status", object{"operation_id": op["operation_id"], "wait_ms": 1000})
		}
		return op
	}
	op := apply(p, "k1")
	if op["status"] != "applied" || op["written"] != 26.0 {
		t.Fatalf("operation is %v", op)
	}
	if got, _ := s.game.At("overworld", voxel.Pos{X: 0, Y: -60, Z: 0}); got != "minecraft:stone_bricks" {
		t.Fatalf("the world has %s", got)
	}
	undo := apply(fields(t, session, "operation_undo_prepare", object{"operation_id": op["operation_id"]}), "k2")
	if undo["status"] != "applied" {
		t.Fatalf("undo is %v", undo)
	}
}

func TestToolListIsAffordableAndSaysWhatToolsDo(t *testing.T) {
	session := openSite(t).client()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools, %d bytes, about %d tokens; instructions %d words", len(list.Tools), len(text), len(text)/4, len(strings.Fields(instructions)))
	if len(text)/4 > 6000 {
		for _, tool := range list.Tools {
			one, _ := json.Marshal(tool)
			t.Logf("%6d %s", len(one), tool.Name)
		}
		t.Errorf("the tool list is about %d tokens, over 6000", len(text)/4)
	}
	if n := len(strings.Fields(instructions)); n >= 400 {
		t.Errorf("the instructions have %d words", n)
	}
	for _, tool := range list.Tools {
		schema, _ := json.Marshal(tool.InputSchema)
		if tool.Description == "" || tool.OutputSchema == nil || tool.Annotations == nil || strings.Contains(string(schema), "player_id") || strings.Contains(string(schema), "project_id") {
			t.Errorf("%s: %s", tool.Name, schema)
		}
		if strings.HasPrefix(tool.Name, "recovery_") || strings.HasPrefix(tool.Name, "chat_") || strings.HasPrefix(tool.Name, "project_p") {
			t.Errorf("%s is not for agents", tool.Name)
		}
	}
}

func TestScopeIsNotTheModelsToChoose(t *testing.T) {
	session := openSite(t).client()
	text, failed := tool(t, session, "region_inspect", object{"min": at(0, 0, 0), "max": at(0, 0, 0), "player_id": "somebody"})
	if !failed || !strings.Contains(text, "permission_denied") {
		t.Fatalf("a forged player_id gave %s", text)
	}
}

func TestRunCommandRefusesToGoRoundTheJournal(t *testing.T) {
	session := openSite(t).client()
	for _, command := range []string{"fill 0 0 0 1 1 1 stone", "/setblock 0 0 0 stone", "execute in overworld run fill 0 0 0 1 1 1 stone", "structure load x 0 0 0", "minecraft:clone 0 0 0 1 1 1 2 2 2"} {
		text, failed := tool(t, session, "run_command", object{"command": command})
		if !failed || !strings.Contains(text, "build_prepare") {
			t.Errorf("%s: %s", command, text)
		}
	}
	if text, failed := tool(t, session, "run_command", object{"command": "op Steve"}); !failed || !strings.Contains(text, "permission_denied") {
		t.Errorf("op: %s", text)
	}
	answered := fields(t, session, "run_command", object{"command": "testforblock 0 -61 0 grass_block"})
	if answered["outcome"] != "answered" || answered["success"] != true {
		t.Errorf("testforblock: %v", answered)
	}
}

func TestLongResultsComeInPages(t *testing.T) {
	session := openSite(t).client()
	first := fields(t, session, "region_inspect", object{"min": at(0, -64, 0), "max": at(15, -49, 15), "detail": "blocks"})
	pages, ok := first["pages"].(float64)
	if !ok || pages < 2 {
		t.Fatalf("the result has %v pages", first["pages"])
	}
	var whole strings.Builder
	whole.WriteString(first["chunk"].(string))
	for n := 2.0; n <= pages; n++ {
		whole.WriteString(fields(t, session, "result_page", object{"result_id": first["result_id"], "page": n})["chunk"].(string))
	}
	var result struct {
		Blocks []any `json:"blocks"`
	}
	if err := json.Unmarshal([]byte(whole.String()), &result); err != nil || len(result.Blocks) != 4096 {
		t.Fatalf("the pages together have %d blocks, %v", len(result.Blocks), err)
	}
	if text, failed := tool(t, session, "result_page", object{"result_id": "none", "page": 1}); !failed || !strings.Contains(text, "not_found") {
		t.Errorf("an unknown result gave %s", text)
	}
}

func TestScriptBuildsPlansAndAppliesOnlyWhenAllowed(t *testing.T) {
	s := openSite(t)
	session := s.client()
	const code = `
for y in range(3):
    box((0, -60 + y, 0), (4, -60 + y, 4), "stone_bricks", hollow = True)
line((0, -57, 0), (4, -57, 4), "oak_planks")
p = plan()
print("changes", p["changed_blocks"])
op = apply(p)
op["status"]
`
	text, failed := tool(t, session, "execute_code", object{"code": code})
	if !failed || !strings.Contains(text, "changes ") || !strings.Contains(text, "permission_denied") || !strings.Contains(text, "script.star:7:") {
		t.Fatalf("without apply: %s", text)
	}
	text, failed = tool(t, session, "execute_code", object{"code": code, "apply": true, "idempotency_key": "s1"})
	if failed || !strings.HasSuffix(text, `=> "applied"`) {
		t.Fatalf("with apply: %s", text)
	}
	if got, _ := s.game.At("overworld", voxel.Pos{X: 2, Y: -57, Z: 2}); got != "minecraft:oak_planks" {
		t.Fatalf("the world has %s", got)
	}
	if text, failed = tool(t, session, "execute_code", object{"code": "x = 1"}); failed || text != "(no output)" {
		t.Errorf("nothing: %s", text)
	}
	if text, failed = tool(t, session, "execute_code", object{"code": "x = (\nif"}); !failed || !strings.Contains(text, "script.star:2:1: error") {
		t.Errorf("a syntax error: %s", text)
	}
}

// heap returns how many bytes of this process, the service's, are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestHostileScriptsEndWithinTheirLimits(t *testing.T) {
	session := openSite(t).client()
	before := heap()
	for name, code := range map[string]string{
		"endless loop":       "while True:\n    pass",
		"range of 10^12":     "for i in range(1000000000000): pass",
		"endless recursion":  "def f(): return f()\nf()",
		"doubling list":      "x = [1]\nwhile True:\n    x = x + x",
		"doubling string":    "x = 'x'\nwhile True:\n    x = x + x",
		"big numbers":        "x = 3\nwhile True:\n    x = x * x",
		"list repetition":    "x = [0] * (1 << 29)",
		"string repetition":  "x = 'x' * (1 << 29) * 2",
		"sorted":             "x = sorted([0] * (1 << 28))",
		"replace":            "x = ('a' * 65536).replace('a', 'b' * 65536)",
		"aliased nest":       "x = [1]\nfor i in range(60): x = [x, x]\nstr(x)",
		"compare nests":      "a = [1]\nb = [1]\nfor i in range(60):\n    a = [a, a]\n    b = [b, b]\na == b",
		"growing dict":       "d = {}\nwhile True:\n    d[len(d)] = 'x' * 1000",
		"print flood":        "while True:\n    print('x' * 1000)",
		"nested parentheses": strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000),
		"call flood":         "while True:\n    context()",
	} {
		start := time.Now()
		text, failed := tool(t, session, "execute_code", object{"code": code, "timeout_seconds": 2})
		if !failed {
			t.Errorf("%s succeeded: %.200s", name, text)
		}
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("the service grew by %d bytes", grown)
	}
	if text, failed := tool(t, session, "execute_code", object{"code": "1 + 1"}); failed || text != "=> 2" {
		t.Errorf("the call after them: %s", text)
	}
}
