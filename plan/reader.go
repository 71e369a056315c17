package plan

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
	"groundplan/plan/voxel"
)

// reader turns the tree of a recipe into nodes. It keeps the first error only.
type reader struct {
	env     *Env
	cells   *voxel.Volume // whose palette the brushes refer to
	java    bool          // blocks are in Java notation
	palette map[string]brush
	states  map[string]brush // by the text of the recipe
	table   []operation
	depth   int
	err     error
}

func newReader(env *Env) *reader {
	return &reader{
		env: env, cells: voxel.NewVolume(), palette: map[string]brush{}, states: map[string]brush{},
		table: operations(),
	}
}

// fail keeps the first error.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// recipe reads the whole tree.
func (r *reader) recipe(tree *strict.Value) ([]node, error) {
	keys := []string{"version", "operations", "edition", "seed", "palette", "relative_to", "ground"}
	if !r.object(tree, keys, "version", "operations") {
		return nil, r.err
	}
	r.integer(tree, "version", recipeVersion, recipeVersion)
	r.edition(tree)
	r.readPalette(tree)
	frame := r.placement(tree)
	nodes := r.operations(tree.Get("operations"))
	if r.err != nil {
		return nil, r.err
	}
	if frame == nil {
		return nodes, nil
	}
	frame.nodes = nodes
	return []node{{src: tree, shape: frame}}, nil
}

func (r *reader) edition(tree *strict.Value) {
	switch r.word(tree, "edition", []string{"bedrock", "java"}) {
	case "java":
		r.java = true
	default:
		r.java = false
	}
}

// object checks that v is an object with nothing but the allowed keys and with all
// of the required ones.
func (r *reader) object(v *strict.Value, allowed []string, required ...string) bool {
	if v.Kind() != strict.Object {
		r.fail(strict.Allow(v.Errorf("an object is required here, not %s", v.Kind()), allowed))
		return false
	}
	for i, key := range v.Keys() {
		if !slices.Contains(allowed, key) {
			r.fail(v.Items()[i].Unknown(allowed, required...))
			return false
		}
	}
	for _, key := range required {
		if v.Get(key) == nil {
			err := strict.Allow(v.Errorf("key %q is missing", key), required)
			if value, ok := obvious[key]; ok {
				err = strict.Fix(err, v.Add(key, value))
			}
			r.fail(err)
			return false
		}
	}
	return r.err == nil
}

// obvious are the values of missing keys that can only be meant in one way.
var obvious = map[string]any{"version": recipeVersion, "operations": []any{}, "height": 1, "count": 1, "radius": 0}

// integer reads a key that must be a plain integer in lo..hi; an absent key is 0.
func (r *reader) integer(v *strict.Value, key string, lo, hi int) int {
	value := v.Get(key)
	if value == nil || r.err != nil {
		return 0
	}
	n, err := value.Integer(lo, hi)
	if err != nil {
		r.fail(err)
	}
	return n
}

// flag reads a boolean key; an absent key is false.
func (r *reader) flag(v *strict.Value, key string) bool {
	value := v.Get(key)
	if value == nil || r.err != nil {
		return false
	}
	b, ok := value.Bool()
	if ok {
		return b
	}
	err := strict.Allow(value.Errorf("true or false is required here, not %s", value.Excerpt()), []bool{true, false})
	switch strings.Trim(strings.ToLower(value.Excerpt()), `"`) {
	case "true", "yes", "1":
		err = strict.Fix(err, value.Replace(true))
	case "false", "no", "0", "null":
		err = strict.Fix(err, value.Replace(false))
	}
	r.fail(err)
	return false
}

// word reads a key that must be one of the words; an absent key is "".
func (r *reader) word(v *strict.Value, key string, words []string) string {
	value := v.Get(key)
	if value == nil || r.err != nil {
		return ""
	}
	text, ok := value.Text()
	if ok && slices.Contains(words, text) {
		return text
	}
	err := strict.Allow(value.Errorf("%s is not one of %s", value.Excerpt(), strings.Join(words, ", ")), words)
	if near := strict.Nearest(text, words); near != "" {
		err = strict.Fix(err, value.Replace(near))
	}
	r.fail(err)
	return ""
}

// text reads a key that must be a string of 1..most bytes.
func (r *reader) text(v *strict.Value, key string, most int) string {
	value := v.Get(key)
	if value == nil || r.err != nil {
		return ""
	}
	text, ok := value.Text()
	if !ok || text == "" || len(text) > most {
		r.fail(strict.Allow(value.Errorf("a string of 1 to %d bytes is required here", most),
			map[string]any{"type": "string", "maxLength": most}))
	}
	return text
}

var axes = []string{"x", "y", "z"}

// pos reads a position under a key; an absent key is the origin.
func (r *reader) pos(v *strict.Value, key string) voxel.Pos {
	value := v.Get(key)
	if value == nil || r.err != nil {
		return voxel.Pos{}
	}
	return r.position(value)
}

func (r *reader) position(value *strict.Value) voxel.Pos {
	if value.Kind() == strict.Array && len(value.Items()) == len(axes) {
		err := strict.Allow(value.Errorf(`a position is {"x":…,"y":…,"z":…}, not an array`), axes)
		fixed := map[string]any{}
		for i, axis := range axes {
			fixed[axis] = value.Items()[i].Raw()
		}
		r.fail(strict.Fix(err, value.Replace(fixed)))
		return voxel.Pos{}
	}
	if !r.object(value, axes, axes...) {
		return voxel.Pos{}
	}
	var c [3]int
	for i, axis := range axes {
		c[i] = r.integer(value, axis, math.MinInt32, math.MaxInt32)
	}
	return voxel.Pos{X: c[0], Y: c[1], Z: c[2]}
}

// box reads the keys min and max.
func (r *reader) box(v *strict.Value) voxel.Box {
	b := voxel.Box{Min: r.pos(v, "min"), Max: r.pos(v, "max")}
	if r.err == nil && !b.Valid() {
		lo := voxel.Pos{X: min(b.Min.X, b.Max.X), Y: min(b.Min.Y, b.Max.Y), Z: min(b.Min.Z, b.Max.Z)}
		hi := voxel.Pos{X: max(b.Min.X, b.Max.X), Y: max(b.Min.Y, b.Max.Y), Z: max(b.Min.Z, b.Max.Z)}
		r.fail(strict.Fix(v.Errorf("min must be at or below max on every axis, got %v and %v", b.Min, b.Max),
			v.Get("min").Replace(lo), v.Get("max").Replace(hi)))
	}
	return b
}

var paletteName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// block reads a key that names a block state, or with $ an entry of the palette.
func (r *reader) block(v *strict.Value, key string) brush {
	value := v.Get(key)
	if value == nil || r.err != nil {
		return brush{}
	}
	return r.brush(value)
}

func (r *reader) brush(value *strict.Value) brush {
	text, ok := value.Text()
	if !ok || text == "" || len(text) > maxStateText {
		r.fail(strict.Allow(value.Errorf("a block state of 1 to %d bytes is required here, such as \"minecraft:stone\"",
			maxStateText), map[string]any{"type": "string", "maxLength": maxStateText}))
		return brush{}
	}
	if name, isName := strings.CutPrefix(text, "$"); isName {
		return r.named(value, name)
	}
	if b, known := r.states[text]; known {
		return b
	}
	s, err := r.state(text)
	if err != nil {
		r.fail(r.blockError(value, text, err))
		return brush{}
	}
	b := brush{id: r.cells.Intern(string(s))}
	r.states[text] = b
	return b
}

// state reads a block state in the recipe's edition.
func (r *reader) state(text string) (block.State, error) {
	if !r.java {
		return r.env.Registry.Parse(text)
	}
	t := r.env.Registry.Translate(text)
	if t.Keep || t.Quality == block.Unmapped || t.State == "" {
		return "", fault.Errorf(fault.UnsupportedBlock, "no Bedrock block is known for the Java state %q: %s", text, t.Note)
	}
	return t.State, nil
}

// operations reads an array of operations.
func (r *reader) operations(v *strict.Value) []node {
	if v == nil || r.err != nil {
		return nil
	}
	if v.Kind() != strict.Array {
		err := v.Errorf("an array of operations is required here, not %s", v.Kind())
		if v.Kind() == strict.Object {
			err = strict.Fix(err, v.Replace([]any{v.Raw()}))
		}
		r.fail(err)
		return nil
	}
	if len(v.Items()) > maxOperations {
		r.fail(v.Fault(fault.BudgetExceeded, "more than %d operations", maxOperations).With("limit", maxOperations))
		return nil
	}
	if r.depth > maxDepth {
		r.fail(v.Fault(fault.BudgetExceeded, "operations nest deeper than %d levels", maxDepth).With("limit", maxDepth))
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	nodes := make([]node, 0, len(v.Items()))
	for _, item := range v.Items() {
		nodes = append(nodes, node{src: item, shape: r.operation(item)})
		if r.err != nil {
			return nil
		}
	}
	return nodes
}

// operation reads one operation.
func (r *reader) operation(v *strict.Value) shape {
	if v.Kind() != strict.Object {
		r.fail(v.Errorf("an operation is an object with a type, not %s", v.Kind()))
		return nil
	}
	kind := v.Get("type")
	if kind == nil {
		r.fail(r.untyped(v))
		return nil
	}
	name := r.word(v, "type", Operations())
	if r.err != nil {
		return nil
	}
	for _, op := range r.table {
		if op.name == name && r.object(v, append([]string{"type"}, op.keys...), op.required...) {
			return op.read(r, v)
		}
	}
	return nil
}

// untyped returns the error for an operation without a type. Its fix is the type
// whose keys the operation has.
func (r *reader) untyped(v *strict.Value) error {
	err := strict.Allow(v.Errorf("key \"type\" is missing"), Operations())
	for _, op := range r.table {
		has := func(key string) bool { return v.Get(key) != nil }
		foreign := slices.ContainsFunc(v.Keys(), func(key string) bool { return !slices.Contains(op.keys, key) })
		if !foreign && !slices.ContainsFunc(op.required, func(key string) bool { return !has(key) }) {
			return strict.Fix(err, v.Add("type", op.name))
		}
	}
	return err
}
