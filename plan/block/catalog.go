package block

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"groundplan/plan/fault"
)

// Material is a block or an item, as a search finds it.
type Material struct {
	ID     string `json:"id"`
	Block  bool   `json:"block"`            // can be placed as a block
	Item   bool   `json:"item"`             // can be carried
	Shape  string `json:"shape,omitempty"`  // cube, stairs, slab, fence, …
	Colour string `json:"colour,omitempty"` // in words: dark brown

	words []string // what a query may ask for besides the id
}

// Query is a search for materials.
type Query struct {
	Text   string `json:"query"`            // words, all of which must fit; "" finds everything; at most 96 characters
	Kind   string `json:"kind,omitempty"`   // block, item or all; "" is block
	Limit  int    `json:"limit,omitempty"`  // results per page, 1 to 32; 0 is 16
	Cursor string `json:"cursor,omitempty"` // where the next page starts, from the last; "" is the start
}

// Found is a page of results, the best first.
type Found struct {
	Version    string     `json:"catalog_version"` // changes when the set of materials does
	Query      string     `json:"query"`           // normalised
	Kind       string     `json:"kind"`
	Total      int        `json:"total"`
	Results    []Material `json:"results"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// The limits of a search.
const (
	maxQuery   = 96
	maxCursor  = 100
	maxResults = 32
)

// catalog is every material, sorted by id.
type catalog struct {
	version string
	list    []Material
}

func (d *decoder) catalog(kind, rest string) error {
	switch kind {
	case "I":
		d.r.items = strings.Fields(rest)
	case "O":
		for id := range strings.FieldsSeq(rest) {
			d.r.noItem[namespace+id] = true
		}
	case "L":
		level, ids, _ := strings.Cut(rest, "\t")
		n, err := strconv.Atoi(level)
		if err != nil {
			return err
		}
		for id := range strings.FieldsSeq(ids) {
			d.r.light[namespace+id] = n
		}
	}
	return nil
}

func newCatalog(r *Registry) *catalog {
	c := &catalog{}
	for _, v := range r.bedrock.list {
		if r.lacks(v.id) {
			continue
		}
		m := Material{ID: v.id, Block: true, Item: !r.noItem[v.id], Shape: r.shapeClass(v), Colour: r.colour[v.id].Name()}
		m.words = r.words(v, m)
		c.list = append(c.list, m)
	}
	for _, id := range r.items {
		c.list = append(c.list, Material{ID: namespace + id, Item: true})
	}
	slices.SortFunc(c.list, func(a, b Material) int { return strings.Compare(a.ID, b.ID) })
	h := sha256.New()
	fmt.Fprintln(h, r.profile)
	for _, m := range c.list {
		fmt.Fprintln(h, m.ID+":"+strconv.FormatBool(m.Block)+":"+strconv.FormatBool(m.Item))
	}
	c.version = hex.EncodeToString(h.Sum(nil))[:24]
	return c
}

// Search finds materials by words of their ids, and by what they look like and
// are: colours (dark, warm, brown), shapes (stairs, slab), kinds (wood, stone,
// glass), physics classes (gravity, container), light. Every word must fit.
//
// A malformed query, kind, limit or cursor is an invalid_request whose detail
// "reason" is invalid_material_query, invalid_cursor or stale_cursor.
func (r *Registry) Search(q Query) (Found, error) {
	c := r.catalog()
	text, err := normalise(q.Text)
	if err != nil {
		return Found{}, err
	}
	if q.Kind == "" {
		q.Kind = "block"
	}
	if q.Limit == 0 {
		q.Limit = 16
	}
	if q.Kind != "block" && q.Kind != "item" && q.Kind != "all" || q.Limit < 1 || q.Limit > maxResults {
		return Found{}, refuse("invalid_material_query", "kind is block, item or all; limit is 1 to %d", maxResults)
	}
	offset, err := c.start(q, text)
	if err != nil {
		return Found{}, err
	}
	hits := c.find(text, q.Kind)
	if offset > 0 && offset >= len(hits) {
		return Found{}, refuse("invalid_cursor", "the cursor is beyond the end")
	}
	f := Found{Version: c.version, Query: text, Kind: q.Kind, Total: len(hits), Results: []Material{}}
	end := min(len(hits), offset+q.Limit)
	f.Results = append(f.Results, hits[offset:end]...)
	if end < len(hits) {
		f.NextCursor = c.version + ":" + scope(q.Kind, text) + ":" + strconv.Itoa(end)
	}
	return f, nil
}

func normalise(text string) (string, error) {
	if len([]rune(text)) > maxQuery || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "", refuse("invalid_material_query", "a query has at most %d characters and no control characters", maxQuery)
	}
	return strings.Join(strings.Fields(strings.ToLower(text)), " "), nil
}

func refuse(reason, format string, args ...any) error {
	return fault.Errorf(fault.InvalidRequest, format, args...).With("reason", reason)
}

// scope ties a cursor to its query.
func scope(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return hex.EncodeToString(sum[:])[:24]
}

// start returns the offset of a cursor.
func (c *catalog) start(q Query, text string) (int, error) {
	if q.Cursor == "" {
		return 0, nil
	}
	parts := strings.Split(q.Cursor, ":")
	if len(q.Cursor) > maxCursor || len(parts) != 3 {
		return 0, refuse("invalid_cursor", "not a cursor of this service")
	}
	if parts[0] != c.version {
		return 0, refuse("stale_cursor", "the catalog has changed since; start again")
	}
	offset, err := strconv.Atoi(parts[2])
	if err != nil || offset < 0 || parts[1] != scope(q.Kind, text) {
		return 0, refuse("invalid_cursor", "the cursor belongs to another query")
	}
	return offset, nil
}

// find returns the materials that fit every word, best first: words of the id
// count more than parts of words, and those more than looks.
func (c *catalog) find(text, kind string) []Material {
	type hit struct {
		Material
		score int
	}
	var hits []hit
	for _, m := range c.list {
		if kind == "block" && !m.Block || kind == "item" && !m.Item {
			continue
		}
		score, ok := m.score(strings.Fields(text))
		if ok {
			hits = append(hits, hit{m, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.score - b.score })
	out := make([]Material, len(hits))
	for i, h := range hits {
		out[i] = h.Material
	}
	return out
}

func (m *Material) score(tokens []string) (int, bool) {
	id := strings.TrimPrefix(m.ID, namespace)
	parts := strings.Split(id, "_")
	score := len(parts)
	for _, token := range tokens {
		token = strings.TrimPrefix(token, namespace)
		switch {
		case slices.Contains(parts, token), slices.Contains(parts, synonym(token)):
		case strings.Contains(id, token):
			score += 4
		case slices.Contains(m.words, token), slices.Contains(m.words, synonym(token)):
			score += 8
		default:
			return 0, false
		}
	}
	return score, true
}
