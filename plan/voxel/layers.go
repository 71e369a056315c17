package voxel

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Layers is a box of cells as text: short enough to be read and edited whole.
//
// Text has one string for each horizontal layer from the bottom up. A layer is its
// rows from the lowest z, joined by commas; a row is its runs from the lowest x,
// each a symbol with the run's length in front unless that is 1; "16a" is sixteen
// cells of a. A row with "*n" behind it stands n times. A layer with "n:" in front
// stands n times; "=k" is the same layer as the k-th, counted from 0 without
// repetitions folded. All rows of a text have the same length and all layers the
// same number of rows.
//
// A symbol is a letter, a dot, an underscore or a dash, or ~ with two letters; the
// legend says what it stands for. The symbol ? needs no legend: nothing is said
// about the cell.
type Layers struct {
	Min    Pos               `json:"min"`
	Legend map[string]string `json:"legend"`
	Text   []string          `json:"layers"`
}

// absent is the symbol of cells that have no content.
const absent = "?"

// EncodeLayers returns the cells of the box as text. name gives the legend's text
// for a content; contents of one name are not told apart. Symbols are given by
// number of cells, the most frequent name first; reserved fixes the symbols of some
// names, when they occur.
func EncodeLayers(v *Volume, box Box, name func(content string) string, reserved map[string]string) Layers {
	e := layerEncoder{size: box.Size()}
	ids := v.dense(box)
	symbols, legend := legend(v, ids, name, reserved)
	layers := make([]string, e.size.Y)
	area := e.size.X * e.size.Z
	for y := range layers {
		layers[y] = e.layer(ids[y*area:(y+1)*area], symbols)
	}
	return Layers{Min: box.Min, Legend: legend, Text: foldLayers(layers)}
}

// dense copies the IDs of a box in y, z, x order.
func (v *Volume) dense(box Box) []ID {
	size := box.Size()
	ids := make([]ID, box.Volume())
	for key := range box.Sections() {
		s := v.sections[key]
		if s == nil {
			continue
		}
		part := box.Intersect(key.Box())
		for y := part.Min.Y; y <= part.Max.Y; y++ {
			for z := part.Min.Z; z <= part.Max.Z; z++ {
				from := ((y-box.Min.Y)*size.Z+z-box.Min.Z)*size.X + part.Min.X - box.Min.X
				cell := Pos{part.Min.X, y, z}.cell()
				for x := range part.Max.X - part.Min.X + 1 {
					ids[from+x] = s.at(cell + x)
				}
			}
		}
	}
	return ids
}

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	letters      = lowerLetters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// symbolOf returns the n-th symbol: a letter, or ~ and two letters, or ~~ and three.
func symbolOf(n int) string {
	const base = len(letters)
	if n < base {
		return letters[n : n+1]
	}
	n -= base
	if n < base*base {
		return "~" + letters[n/base:n/base+1] + letters[n%base:n%base+1]
	}
	n -= base * base
	return "~~" + letters[n/base/base:n/base/base+1] + letters[n/base%base:n/base%base+1] + letters[n%base:n%base+1]
}

// legend gives the IDs that occur their symbols. IDs of one name become one ID.
func legend(v *Volume, ids []ID, name func(string) string, reserved map[string]string) (symbols []string, names map[string]string) {
	alias, counts := make([]ID, len(v.palette)), make([]int, len(v.palette))
	first := map[string]ID{}
	var used []ID
	for i, id := range ids {
		if id == None {
			continue
		}
		if alias[id] == None {
			text := name(v.palette[id])
			if _, known := first[text]; !known {
				first[text] = id
				used = append(used, id)
			}
			alias[id] = first[text]
		}
		ids[i] = alias[id]
		counts[alias[id]]++
	}
	slices.SortStableFunc(used, func(a, b ID) int { return counts[b] - counts[a] })
	symbols, names = make([]string, len(v.palette)), map[string]string{}
	symbols[None] = absent
	n := 0
	for _, id := range used {
		text := name(v.palette[id])
		symbol, ok := reserved[text]
		if !ok {
			symbol = symbolOf(n)
			n++
		}
		symbols[id], names[symbol] = symbol, text
	}
	return symbols, names
}

type layerEncoder struct {
	size Pos
}

func (e layerEncoder) layer(ids []ID, symbols []string) string {
	rows := make([]string, e.size.Z)
	for z := range rows {
		rows[z] = encodeRow(ids[z*e.size.X:(z+1)*e.size.X], symbols)
	}
	var b strings.Builder
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end] == rows[start] {
			end++
		}
		if start > 0 {
			b.WriteByte(',')
		}
		b.WriteString(rows[start])
		if end-start > 1 {
			b.WriteByte('*')
			b.WriteString(strconv.Itoa(end - start))
		}
		start = end
	}
	return b.String()
}

func encodeRow(ids []ID, symbols []string) string {
	var b strings.Builder
	for start := 0; start < len(ids); {
		end := start + 1
		for end < len(ids) && ids[end] == ids[start] {
			end++
		}
		if end-start > 1 {
			b.WriteString(strconv.Itoa(end - start))
		}
		b.WriteString(symbols[ids[start]])
		start = end
	}
	return b.String()
}

// foldLayers joins equal neighbours and refers to equal layers below.
func foldLayers(layers []string) []string {
	var out []string
	first := map[string]int{}
	for start := 0; start < len(layers); {
		end := start + 1
		for end < len(layers) && layers[end] == layers[start] {
			end++
		}
		text := layers[start]
		if k, known := first[text]; known && len(text) > len("=100") {
			text = "=" + strconv.Itoa(k)
		} else if !known {
			first[text] = start
		}
		if end-start > 1 {
			text = strconv.Itoa(end-start) + ":" + text
		}
		out = append(out, text)
		start = end
	}
	return out
}

// LayerError says where a text is wrong.
type LayerError struct {
	Layer int // index into Text; -1 when the whole is meant
	Msg   string
	Size  bool // the text has more cells than were allowed
}

// Error returns the sentence.
func (e *LayerError) Error() string { return e.Msg }

// Decode calls set with each cell that the text has something to say about, in y,
// z, x order, and returns the size of the box. It stops with a LayerError before it
// has looked at more than limit cells.
func (l Layers) Decode(limit int, set func(p Pos, symbol string)) (Pos, error) {
	d := layerDecoder{Layers: l, left: limit, set: set}
	for i, text := range l.Text {
		if err := d.layer(i, text); err != nil {
			return Pos{}, err
		}
	}
	return Pos{d.width, d.y, d.rows}, nil
}

type layerDecoder struct {
	Layers
	left        int // cells that may still be looked at
	set         func(p Pos, symbol string)
	width, rows int // of every row and layer; 0 while unknown
	y           int
	seen        []string // the rows of each layer so far
}

// layer decodes one element of the text.
func (d *layerDecoder) layer(i int, text string) error {
	fail := func(format string, args ...any) error {
		return &LayerError{Layer: i, Msg: fmt.Sprintf(format, args...)}
	}
	count, body := 1, text
	if head, rest, ok := strings.Cut(text, ":"); ok {
		n, err := strconv.Atoi(head)
		if err != nil || n < 1 || n > 1<<16 {
			return fail("%q before the colon is not a number of layers", head)
		}
		count, body = n, rest
	}
	if ref, ok := strings.CutPrefix(body, "="); ok {
		k, err := strconv.Atoi(ref)
		if err != nil || k < 0 || k >= len(d.seen) {
			return fail("%q is not the number of a layer below", ref)
		}
		body = d.seen[k]
	}
	rows, err := d.unfoldRows(body)
	if err != nil {
		return fail("%s", err)
	}
	if d.rows == 0 {
		d.rows = len(rows)
	}
	if len(rows) != d.rows {
		return fail("the layer has %d rows, the first one has %d", len(rows), d.rows)
	}
	for range count {
		for z, row := range rows {
			if err := d.row(row, z); err != nil {
				return &LayerError{Layer: i, Msg: fmt.Sprintf("row %d: %s", z, err), Size: errors.Is(err, errTooMany)}
			}
		}
		d.seen = append(d.seen, body)
		d.y++
	}
	return nil
}

var errTooMany = errors.New("the text has more cells than are allowed")

// unfoldRows returns the rows of a layer, repetitions written out.
func (d *layerDecoder) unfoldRows(body string) ([]string, error) {
	var rows []string
	for row := range strings.SplitSeq(body, ",") {
		n := 1
		if runs, times, ok := strings.Cut(row, "*"); ok {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 1 {
				return nil, fmt.Errorf("%q is not a number of rows", times)
			}
			row = runs
		}
		if n > d.left || len(rows)+n > d.left {
			return nil, errTooMany
		}
		for range n {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// row decodes one row.
func (d *layerDecoder) row(row string, z int) error {
	x := 0
	for rest := row; rest != ""; {
		n, symbol, tail, err := nextRun(rest)
		if err != nil {
			return err
		}
		rest = tail
		if n > d.left {
			return errTooMany
		}
		d.left -= n
		if symbol != absent {
			if _, ok := d.Legend[symbol]; !ok {
				return fmt.Errorf("the legend has no symbol %q", symbol)
			}
			for k := range n {
				d.set(d.Min.Add(Pos{x + k, d.y, z}), symbol)
			}
		}
		x += n
	}
	if d.width == 0 {
		d.width = x
	}
	if x != d.width || x == 0 {
		return fmt.Errorf("%q has %d cells, the first row has %d", row, x, d.width)
	}
	return nil
}

// nextRun takes one run off a row.
func nextRun(row string) (n int, symbol, rest string, err error) {
	i := 0
	for i < len(row) && '0' <= row[i] && row[i] <= '9' {
		i++
	}
	n = 1
	if i > 0 {
		if n, err = strconv.Atoi(row[:i]); err != nil || n < 1 {
			return 0, "", "", fmt.Errorf("%q is not the length of a run", row[:i])
		}
	}
	size := symbolLen(row[i:])
	if size == 0 {
		return 0, "", "", fmt.Errorf("there is no symbol at %q", row[i:])
	}
	return n, row[i : i+size], row[i+size:], nil
}

// symbolLen returns the length of the symbol at the start of s; 0 when there is
// none.
func symbolLen(s string) int {
	tildes := len(s) - len(strings.TrimLeft(s, "~"))
	size := 1
	switch tildes {
	case 0:
		if s != "" && strings.ContainsRune("._-"+absent, rune(s[0])) {
			return 1
		}
	case 1:
		size = 3
	case 2:
		size = 5
	default:
		return 0
	}
	if len(s) < size || strings.Trim(s[tildes:size], letters) != "" {
		return 0
	}
	return size
}

// ValidSymbol reports whether s may stand in a legend.
func ValidSymbol(s string) bool { return s != absent && s != "" && symbolLen(s) == len(s) }
