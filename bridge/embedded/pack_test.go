package embedded

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/dop251/goja"

	"groundplan/bridge/addon"
)

// script loads modules of the pack that need nothing of the game and returns what
// they export.
func script(tb testing.TB, modules ...string) (*goja.Runtime, *goja.Object) {
	tb.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(addon.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(addon.Files(), path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	var entry strings.Builder
	for _, m := range modules {
		entry.WriteString(`export * from "./` + m + "\";\n")
	}
	files["scripts/test.js"] = &fstest.MapFile{Data: []byte(entry.String())}
	program, err := bundle(files, "scripts/test.js")
	if err != nil {
		tb.Fatal(err)
	}
	vm := goja.New()
	load, err := vm.RunProgram(program)
	if err != nil {
		tb.Fatal(err)
	}
	call, _ := goja.AssertFunction(load)
	module := vm.NewObject()
	_ = module.Set("exports", vm.NewObject())
	if _, err := call(goja.Undefined(), goja.Undefined(), module, module.Get("exports"), goja.Undefined()); err != nil {
		tb.Fatal(err)
	}
	return vm, module.Get("exports").ToObject(vm)
}

// vectors reads the file of the protocol's authors, if it is there.
func vectors(tb testing.TB, out any) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "reference", "mcbews-v1-vectors.json"))
	if err != nil {
		tb.Skipf("the protocol's vectors are not here: %v", err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		tb.Fatal(err)
	}
}

func TestChunksOfTheVectors(t *testing.T) {
	var v struct {
		Behavior struct {
			Chunking []struct {
				Name, Prefix, ID, Payload string
				Budget                    int
				Points                    int    `json:"max_content_code_points"`
				Wrapper                   string `json:"wrapper_prefix"`
			}
		}
	}
	vectors(t, &v)
	vm, exports := script(t, "chunks.js")
	chunk, _ := goja.AssertFunction(exports.Get("chunkPayload"))
	for _, c := range v.Behavior.Chunking {
		limits := vm.ToValue(map[string]any{"budget": c.Budget, "points": c.Points, "wrapper": c.Wrapper})
		got, err := chunk(goja.Undefined(), vm.ToValue(c.Prefix), vm.ToValue(c.ID), vm.ToValue(c.Payload), limits)
		if strings.Contains(c.Name, "no-room") {
			if err == nil {
				t.Errorf("%s: %v", c.Name, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var lines []string
		if err := vm.ExportTo(got, &lines); err != nil {
			t.Fatal(err)
		}
		checkLines(t, c.Name, lines, c.Prefix, c.ID, c.Payload, c.Budget-len(c.Wrapper), c.Points)
	}
}

func checkLines(tb testing.TB, name string, lines []string, prefix, id, payload string, bytes, points int) {
	tb.Helper()
	var b strings.Builder
	for i, line := range lines {
		parts := strings.SplitN(line, "|", 5)
		if len(line) > bytes || parts[0]+"|"+parts[1] != prefix || parts[2] != id || !strings.HasPrefix(parts[3], string(rune('1'+i))) && i < 9 {
			tb.Errorf("%s: line %q", name, line)
		}
		if n := utf8.RuneCountInString(parts[4]); n > points || !utf8.ValidString(parts[4]) {
			tb.Errorf("%s: %d code points in %q", name, n, line)
		}
		b.WriteString(parts[4])
	}
	if b.String() != payload {
		tb.Errorf("%s: the lines say %q", name, b.String())
	}
}

func TestChunksOfAnyLength(t *testing.T) {
	vm, exports := script(t, "chunks.js")
	chunk, _ := goja.AssertFunction(exports.Get("chunkBridgePayload"))
	for _, payload := range []string{"", "x", strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("é😀", 5000), strings.Repeat("y", 30000)} {
		got, err := chunk(goja.Undefined(), vm.ToValue("r00000000000"), vm.ToValue(payload))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		if err := vm.ExportTo(got, &lines); err != nil {
			t.Fatal(err)
		}
		checkLines(t, "any", lines, "MCBEWS|BRIDGE", "r00000000000", payload, 461-len("tell @s "), 256)
	}
}

func TestTextFramesOfTheVectors(t *testing.T) {
	var v struct {
		Behavior struct {
			Text []struct {
				Name     string
				Chunks   []json.RawMessage
				Expected *struct {
					Player       string `json:"player_name"`
					Role, Text   string
					ID           string `json:"response_id"`
					Conversation string `json:"conversation_id"`
				}
				Error string `json:"expected_error"`
			} `json:"text_response"`
		}
		Text []struct{ Frame json.RawMessage } `json:"text_response"`
	}
	vectors(t, &v)
	vm, exports := script(t, "textframes.js")
	_ = vm.Set("Reassembly", exports.Get("Reassembly"))
	feed := func(frames []json.RawMessage) (map[string]any, error) {
		_ = vm.Set("frames", frames)
		var texts []string
		for _, f := range frames {
			texts = append(texts, string(f))
		}
		_ = vm.Set("frames", texts)
		got, err := vm.RunString(`(() => { const r = new Reassembly(); let m; for (const f of frames) m = r.add(f, 0) ?? m; if (r.buffers.size + r.bytes !== 0) throw new Error("left over"); return m; })()`)
		if err != nil {
			return nil, err
		}
		m, _ := got.Export().(map[string]any)
		return m, nil
	}
	for _, c := range v.Behavior.Text {
		m, err := feed(c.Chunks)
		switch {
		case c.Error != "":
			if err == nil || !strings.Contains(err.Error(), c.Error) {
				t.Errorf("%s: %v, %v", c.Name, m, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		case m["text"] != c.Expected.Text || m["player"] != c.Expected.Player || m["role"] != c.Expected.Role || m["id"] != c.Expected.ID || m["conversation"] != c.Expected.Conversation || m["usage"] == nil:
			t.Errorf("%s: %v", c.Name, m)
		}
	}
	for _, c := range v.Text {
		if m, err := feed([]json.RawMessage{c.Frame}); err != nil || m["text"] == nil {
			t.Errorf("%s: %v %v", c.Frame, m, err)
		}
	}
}

func TestTextFramesAreBounded(t *testing.T) {
	vm, exports := script(t, "textframes.js")
	_ = vm.Set("Reassembly", exports.Get("Reassembly"))
	for name, code := range map[string]string{
		"frames of one message": `r.add(frame("a", 1, 129, ""), 0)`,
		"bytes of one message":  `r.add(frame("a", 1, 2, "x".repeat(65537)), 0)`,
		"messages":              `for (let i = 0; i < 65; i++) r.add(frame("m" + i, 1, 2, ""), 0)`,
		"bytes in all":          `for (let i = 0; i < 5; i++) r.add(frame("m" + i, 1, 2, "x".repeat(60000)), 0)`,
		"roles":                 `r.add(JSON.stringify({ id: "a", i: 1, n: 1, p: "p", r: "admin", c: "" }), 0)`,
	} {
		_, err := vm.RunString(`(() => { const r = new Reassembly(); const frame = (id, i, n, c) => JSON.stringify({ id, i, n, p: "p", r: "user", c }); ` + code + ` })()`)
		if err == nil {
			t.Errorf("no bound on %s", name)
		}
	}
	if _, err := vm.RunString(`(() => { const r = new Reassembly(); const frame = (id, i, n, c) => JSON.stringify({ id, i, n, p: "p", r: "user", c });
		for (let i = 0; i < 200; i++) r.add(frame("m" + i, 1, 2, "x".repeat(60000)), i * 31000); })()`); err != nil {
		t.Errorf("old messages are kept: %v", err)
	}
}

// BenchmarkChunks shows that cutting takes time in proportion to the length.
func BenchmarkChunks(b *testing.B) {
	vm, exports := script(b, "chunks.js")
	chunk, _ := goja.AssertFunction(exports.Get("chunkBridgePayload"))
	for name, payload := range map[string]string{"16": strings.Repeat("x", 16), "16K": strings.Repeat("x", 16<<10), "16K unicode": strings.Repeat("é", 16<<10)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := chunk(goja.Undefined(), vm.ToValue("r1"), vm.ToValue(payload)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
