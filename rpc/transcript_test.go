package rpc

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"groundplan/bridge/embedded/store"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
	"groundplan/recovery"
)

var update = flag.Bool("update", false, "write what the service answers into the transcripts")

// A transcript is a txtar file of cases that run one after another on one
// service. A line is one of
//
//	> METHOD PARAMS      a call with the token that the method needs
//	>agent METHOD PARAMS a call with the agent's token; likewise >admin, >alex
//	< STATUS BODY        what it answered: the result, or the error
//	! DIRECTIVE …        something that happens to the service, see directives
//	# …                  a remark
//
// $name in a line is the value that a field of that name had in the answer before
// it, wherever it stood there. Ids, hashes and times are replaced by numbers in
// the order of their appearance.
func TestTranscripts(t *testing.T) {
	seen := &coverage{codes: map[string]map[fault.Code]bool{}}
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	t.Run("all", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				replay(t, file, seen)
			})
		}
	})
	for _, m := range Methods() {
		if !slices.Contains(files, "testdata/transcripts/"+m.Name+".txtar") {
			t.Errorf("%s has no transcript", m.Name)
		}
		for _, code := range append(slices.Clone(m.Errors), "", fault.InvalidRequest, fault.PermissionDenied) {
			if !seen.codes[m.Name][code] {
				t.Errorf("no transcript shows %s answering %q", m.Name, code)
			}
		}
		for code := range seen.codes[m.Name] {
			if code != "" && !m.MayGive(code) {
				t.Errorf("%s answers %s, which the table does not say", m.Name, code)
			}
		}
	}
}

// coverage is which codes the transcripts show, "" for success.
type coverage struct {
	mu    sync.Mutex
	codes map[string]map[fault.Code]bool
}

func (c *coverage) add(method string, code fault.Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.codes[method] == nil {
		c.codes[method] = map[fault.Code]bool{}
	}
	c.codes[method][code] = true
}

func replay(t *testing.T, file string, seen *coverage) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	p := &player{site: openWorld(t), t: t, vars: map[string]string{}, names: map[string]string{}, seen: seen}
	for i := range archive.Files {
		p.section = archive.Files[i].Name
		got := p.play(strings.Split(strings.TrimRight(string(archive.Files[i].Data), "\n"), "\n"))
		want := strings.TrimRight(string(archive.Files[i].Data), "\n")
		if got != want && !*update {
			t.Errorf("%s: %s\n got:\n%s\nwant:\n%s", file, p.section, got, want)
		}
		archive.Files[i].Data = []byte(got + "\n\n")
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// player plays the lines of a transcript.
type player struct {
	*site
	t       *testing.T
	section string
	vars    map[string]string // values of the last answers' fields, by name
	names   map[string]string // what is shown for an id, hash or time
	seen    *coverage
}

func (p *player) play(lines []string) string {
	var out []string
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, ">"):
			out = append(out, line, p.exchange(line))
		case strings.HasPrefix(line, "<"):
		case strings.HasPrefix(line, "! "):
			p.direct(strings.Fields(line[2:]), line)
			out = append(out, line)
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// exchange makes the call of a line and returns the line of its answer.
func (p *player) exchange(line string) string {
	who, call, _ := strings.Cut(line[1:], " ")
	method, params, _ := strings.Cut(call, " ")
	token, ok := map[string]string{"agent": agentToken, "admin": adminToken, "alex": alexToken}[who]
	if !ok {
		token = agentToken
		if p.methods[method].Role == Admin {
			token = adminToken
		}
	}
	r := p.post(token, `{"method":"`+method+`","params":`+p.expand(params)+`}`)
	if r.Error != nil {
		p.seen.add(method, r.Error.Code)
		return p.plain(fmt.Sprintf("< %d %s", r.status, jsonOf(r.Error)))
	}
	p.seen.add(method, "")
	var result any
	p.must(json.Unmarshal(r.Result, &result))
	p.remember(result)
	return p.plain(fmt.Sprintf("< %d %s", r.status, r.Result))
}

var variable = regexp.MustCompile(`\$[a-zA-Z_]+`)

func (p *player) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := p.vars[name[1:]]
		if !ok {
			p.t.Fatalf("%s: %s has no value in %s", p.section, name, text)
		}
		return value
	})
}

// remember keeps every text field of an answer under its name. The outer ones win,
// and among the inner ones those of the first field by name.
func (p *player) remember(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range slices.Backward(v) {
			p.remember(item)
		}
	case map[string]any:
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(v))) {
			p.remember(v[name])
		}
		for name, inner := range v {
			if text, ok := inner.(string); ok {
				p.vars[name] = text
			}
		}
	}
}

var changing = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|@[0-9a-f]{16}|\b1[5-9][0-9]{11}\b|"(path|file_bytes|free_bytes|created|took|dataVersion|data_version|game_version|bytes|catalog_version)":("[^"]*"|[0-9]+)`)

// plain replaces what changes from run to run.
func (p *player) plain(text string) string {
	text = strings.ReplaceAll(text, p.dir, "DATA")
	return changing.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case found[0] == '"':
			name, value, _ := strings.Cut(found, ":")
			if value[0] == '"' {
				return name + `:"…"`
			}
			return name + ":0"
		case len(found) == 13:
			return "1700000000000"
		case p.names[found] == "":
			n := len(p.names) + 1
			switch {
			case found[0] == '@':
				p.names[found] = fmt.Sprintf("@%016d", n)
			case len(found) == 64:
				p.names[found] = fmt.Sprintf("%064d", n)
			default:
				p.names[found] = fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
			}
		}
		return p.names[found]
	})
}

// direct does what a directive says.
func (p *player) direct(words []string, line string) {
	rest := func(n int) string {
		parts := strings.SplitN(line[2:], " ", n+1)
		return p.expand(parts[n])
	}
	switch words[0] {
	case "set": // set X,Y,Z BLOCK: somebody nobody sees changes a cell
		p.must(p.world.Set("overworld", position(words[1]), words[2], false))
	case "player": // player X,Y,Z BLOCK: a player changes a cell
		p.must(p.world.Set("overworld", position(words[1]), words[2], true))
	case "build": // build KEY PARAMS: prepares, applies and waits
		op := p.apply(ok[PlanView](p.site, "build_prepare", rest(2)), words[1])
		p.vars["operation_id"], p.vars["plan_id"] = op.ID, op.PlanID
	case "let": // let NEW OLD: keeps the value of $OLD as $NEW
		p.vars[words[1]] = p.vars[words[2]]
	case "project": // project JSON: changes fields of the default project
		project, _ := p.Projects.Get(DefaultProject)
		p.must(json.Unmarshal([]byte(rest(1)), &project))
		p.must(p.Projects.Put(project))
	case "unload", "load": // unload X,Y,Z
		p.must(p.world.Load("overworld", position(words[1]), words[0] == "load"))
	case "away": // the game leaves
		p.must(p.world.Close())
		p.until(func(_ plan.World, err error) bool { return err != nil })
	case "epoch": // another world is connected
		was, err := p.bridge.World().Info()
		p.must(err)
		p.must(p.world.Close())
		p.connect()
		p.until(func(is plan.World, err error) bool { return err == nil && is.ID != was.ID })
	case "back": // a game is there again
		p.connect()
	case "sleep": // sleep MILLISECONDS
		ms, err := strconv.Atoi(words[1])
		p.must(err)
		time.Sleep(time.Duration(ms) * time.Millisecond)
	case "queue": // one operation cannot go on, and another waits for it
		p.mood.stall(true)
		for i := range 2 {
			view := ok[PlanView](p.site, "build_prepare", boxRecipe("granite", false, voxel.Cube(voxel.Pos{X: 50 + i, Y: 50})))
			op := ok[plan.Operation](p.site, "build_apply", applyOf(view, fmt.Sprint("queue ", i)))
			p.vars["operation_id"] = op.ID
		}
	case "unqueue": // they go on
		p.mood.stall(false)
		p.wait(p.vars["operation_id"])
	case "narrow": // the library takes tiny files only
		p.Library.Limits.AssetBytes = 16
	case "moody": // moody CODE: the world's next reads fail with the code
		p.mood.set(fault.Code(words[1]))
	case "file": // file ID PATH: a file lies in the library
		data, err := os.ReadFile(words[2])
		p.must(err)
		p.must(os.MkdirAll(filepath.Join(p.dir, "schematics"), 0o700))
		p.must(os.WriteFile(filepath.Join(p.dir, "schematics", words[1]+".schem"), data, 0o600))
	case "summon": // summon X,Y,Z TYPE: an entity stands there
		p.must(p.world.Summon("overworld", words[2], position(words[1])))
	case "alias": // alias ID: a link lies in the library where a file should
		p.must(os.Symlink(p.dir, filepath.Join(p.dir, "schematics", words[1]+".schem")))
	case "link": // the folder of schematics is a link
		p.must(os.RemoveAll(filepath.Join(p.dir, "schematics")))
		p.must(os.Symlink(p.dir, filepath.Join(p.dir, "schematics")))
	case "disk": // the next write of the journal fails
		p.broken.Store(true)
	case "readonly": // projects.json cannot be replaced any more
		p.must(os.Rename(filepath.Join(p.dir, "projects.json"), filepath.Join(p.dir, "moved")))
		p.must(os.MkdirAll(filepath.Join(p.dir, "projects.json", "x"), 0o700))
	case "unfinished": // unfinished KEY PARAMS: the service stops after an intent
		p.unfinished(words[1], rest(2))
	case "real": // the world is a real game's
		p.Edit = nil
	case "entity": // entity X,Y,Z: the block there gets contents
		p.must(p.world.SetEntity("overworld", position(words[1]), store.Entity{Slots: 27, Items: []store.Item{{ID: "minecraft:diamond", Count: 3}}}))
	default:
		p.t.Fatalf("unknown directive %s", line)
	}
}

// until waits until the connected world is as wanted.
func (p *player) until(wanted func(plan.World, error) bool) {
	p.t.Helper()
	for range 500 {
		if wanted(p.bridge.World().Info()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatal("the world does not become as wanted")
}

func position(text string) (v voxel.Pos) {
	if _, err := fmt.Sscanf(text, "%d,%d,%d", &v.X, &v.Y, &v.Z); err != nil {
		panic(err)
	}
	return v
}

// unfinished leaves behind what a service that was killed right after an intent
// leaves: an operation with an open slice. Then the service starts again.
func (p *player) unfinished(key, params string) {
	view := ok[PlanView](p.site, "build_prepare", params)
	stored, err := p.Journal.Plan(view.ID)
	p.must(err)
	p.Runner.Close()
	now := time.Now().UnixMilli()
	op, err := p.Journal.Enqueue(plan.Operation{
		ID: NewID(), PlanID: view.ID, Project: DefaultProject, Key: key, By: Console, Status: plan.Queued,
		CreatedAt: now, UpdatedAt: now, Slices: len(stored.Slices), Total: stored.Total,
	})
	p.must(err)
	op.Status = plan.Applying
	p.must(p.Journal.Advance(op, nil, &plan.Intent{Operation: op.ID, Write: stored.Slices[0].Mask(), At: now}))
	p.Runner = p.startRunner()
	p.vars["operation_id"], p.vars["plan_id"], p.vars["plan_hash"] = op.ID, view.ID, view.Hash
}

// mood is how reads of the world go.
type mood struct {
	mu      sync.Mutex
	code    fault.Code // they fail with
	left    int        // so often
	stalled chan struct{}
}

func (m *mood) set(code fault.Code) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.code, m.left = code, 1
	if code == fault.Timeout {
		m.left = readTries
	}
}

// stall lets reads of the Runner wait, or go on.
func (m *mood) stall(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stalled != nil {
		close(m.stalled)
		m.stalled = nil
	}
	if on {
		m.stalled = make(chan struct{})
	}
}

// take returns the error of the next read.
func (m *mood) take() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		return nil
	}
	m.left--
	return fault.Errorf(m.code, "the world is moody")
}

// moody is a world whose reads fail when they are told to.
type moody struct {
	World
	mood *mood
}

func (m *moody) Read(ctx context.Context, dimension string, boxes []voxel.Box) (*plan.Snapshot, error) {
	if err := m.mood.take(); err != nil {
		return nil, err
	}
	return m.World.Read(ctx, dimension, boxes)
}

// moodyWriter is the world as recovery has it, with the same moods.
type moodyWriter struct {
	recovery.World
	mood *mood
}

func (m *moodyWriter) Read(ctx context.Context, dimension string, boxes []voxel.Box) (*plan.Snapshot, error) {
	m.mood.mu.Lock()
	stalled := m.mood.stalled
	m.mood.mu.Unlock()
	if stalled != nil {
		select {
		case <-stalled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := m.mood.take(); err != nil {
		return nil, err
	}
	return m.World.Read(ctx, dimension, boxes)
}
