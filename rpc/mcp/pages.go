package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"groundplan/plan/fault"
)

const (
	pageBytes  = 64 << 10 // of one result
	chunkBytes = 40 << 10 // of a page's chunk, whose quotes are escaped once more
	keptPages  = 8        // results whose rest can still be read
)

// page is a part of a result that is too long for one answer: the chunks put
// together are its JSON.
type page struct {
	Result string `json:"result_id"`
	Page   int    `json:"page"`  // from 1
	Pages  int    `json:"pages"` // how many there are
	Chunk  string `json:"chunk"`
}

// pages keeps the newest long results.
type pages struct {
	mu    sync.Mutex // protects the following
	order []string
	texts map[string][]string
}

func newPages() *pages { return &pages{texts: map[string][]string{}} }

// keep stores a long result and returns its first page.
func (p *pages) keep(text []byte) page {
	var chunks []string
	for len(text) > 0 {
		n := min(len(text), chunkBytes)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		chunks = append(chunks, string(text[:n]))
		text = text[n:]
	}
	id := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = append(p.order, id)
	p.texts[id] = chunks
	if len(p.order) > keptPages {
		delete(p.texts, p.order[0])
		p.order = p.order[1:]
	}
	return page{id, 1, len(chunks), chunks[0]}
}

func (p *pages) get(id string, number int) (page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	chunks, ok := p.texts[id]
	if !ok || number < 1 || number > len(chunks) {
		return page{}, fault.Errorf(fault.NotFound, "no page %d of result %q; only the newest %d results are kept", number, id, keptPages)
	}
	return page{id, number, len(chunks), chunks[number-1]}, nil
}

func pageTool() *sdk.Tool {
	return &sdk.Tool{
		Name: "result_page", Description: "Another page of a result that was over 64 KiB. The chunks put together are the result's JSON. Only the newest results are kept.",
		InputSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"result_id", "page"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{"result_id": {Type: "string"}, "page": {Type: "integer", Minimum: new(1.0)}},
		},
		OutputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
			"result_id": {Type: "string"}, "page": {Type: "integer"}, "pages": {Type: "integer"}, "chunk": {Type: "string"},
		}},
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)},
	}
}

func (h *Handler) resultPage(_ context.Context, _ *call, arguments json.RawMessage) (any, error) {
	var p struct {
		Result string `json:"result_id"`
		Page   int    `json:"page"`
	}
	if err := decode(arguments, &p); err != nil {
		return nil, err
	}
	one, err := h.pages.get(p.Result, p.Page)
	if err != nil {
		return nil, err
	}
	return content(one)
}
