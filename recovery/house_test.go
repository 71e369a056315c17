package recovery

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

const (
	stone  = block.State("minecraft:stone")
	dirt   = block.State("minecraft:dirt")
	gold   = block.State("minecraft:gold_block")
	bricks = block.State("minecraft:stone_bricks")
)

// house is a Runner over a real journal and a simulated world.
type house struct {
	t        *testing.T
	path     string
	registry *block.Registry
	project  plan.Project
	log      *journal.Journal
	world    *sim
	runner   *Runner
	pace     Pace
	calm     bool  // the Runner does not look by itself at what a reloaded world lost
	disk     *disk // what a crash leaves of the journal's file; nil: all of it
	ids      int
}

// in runs a test in virtual time in a new house.
func in(t *testing.T, test func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		defer h.close()
		h.start()
		test(h)
	})
}

func newHouse(t *testing.T) *house {
	t.Helper()
	registry, err := block.Load(block.Profile50)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, path: filepath.Join(t.TempDir(), "journal.db"), registry: registry, world: newSim(registry)}
	h.project = plan.Project{
		ID: "default", Dimension: "overworld", Limits: plan.DefaultLimits(),
		Region: voxel.Box{Min: voxel.Pos{X: -256, Y: -64, Z: -256}, Max: voxel.Pos{X: 255, Y: 319, Z: 255}},
	}
	h.project.Limits.SliceCells = 8
	return h
}

// start opens the journal and starts a Runner on it, as a new process would.
func (h *house) start() {
	h.t.Helper()
	h.open()
	h.run(h.log, h.world)
}

func (h *house) open() {
	h.t.Helper()
	options := journal.Options{NoSync: true}
	if h.disk != nil {
		options.Seam = h.disk.watch
	}
	log, err := journal.Open(h.path, options)
	if err != nil {
		h.t.Fatal(err)
	}
	h.log = log
}

func (h *house) run(log Log, world World) {
	h.t.Helper()
	if err := h.launch(log, world); err != nil {
		h.t.Fatal(err)
	}
}

// launchWith starts a Runner with a pace.
func (h *house) launchWith(pace Pace) {
	h.t.Helper()
	h.pace = pace
	h.run(h.log, h.world)
}

func (h *house) launch(log Log, world World) error {
	runner, err := Start(context.Background(), Options{
		Log: log, World: world,
		Registry: func() *block.Registry { return h.registry },
		Project:  func(id string) (plan.Project, bool) { return h.project, id == h.project.ID },
		NewID:    h.newID,
		Pace:     h.pace,
	})
	h.runner = runner
	if h.calm && err == nil {
		h.calmDown()
	}
	return err
}

// calmDown makes the Runner take the world as it is loaded now for looked at.
func (h *house) calmDown() {
	h.runner.mu.Lock()
	defer h.runner.mu.Unlock()
	h.runner.greeted = h.world.session() + "/" + h.world.world.Epoch
}

func (h *house) newID() string {
	h.ids++
	return fmt.Sprintf("id-%04d", h.ids)
}

// close stops the Runner and checks the whole journal.
func (h *house) close() {
	h.t.Helper()
	h.runner.Close()
	if err := h.log.Check(); err != nil {
		h.t.Errorf("journal check: %v", err)
	}
	if err := h.log.Close(); err != nil {
		h.t.Error(err)
	}
}

// restart is a stop of the service and a new start on the same data.
func (h *house) restart() {
	h.t.Helper()
	h.close()
	h.start()
}

// box returns the wanted cells of a solid box.
func box(x, y, z, sx, sy, sz int, s block.State) *voxel.Volume {
	v := voxel.NewVolume()
	lo := voxel.Pos{X: x, Y: y, Z: z}
	v.Fill(voxel.Box{Min: lo, Max: lo.Add(voxel.Pos{X: sx - 1, Y: sy - 1, Z: sz - 1})}, v.Intern(string(s)))
	return v
}

// prepare drafts a plan for the wanted cells and stores it.
func (h *house) prepare(wanted *voxel.Volume, dependencies ...voxel.Pos) *plan.Plan {
	h.t.Helper()
	reads := wanted.Mask()
	for _, p := range dependencies {
		reads.Add(p)
	}
	snap, err := h.world.Read(h.t.Context(), "overworld", reads.Reads(maxRead))
	if err != nil {
		h.t.Fatal(err)
	}
	now := time.Now().UnixMilli()
	head := plan.Plan{
		ID: h.newID(), Project: h.project.ID, WorldID: h.world.world.ID, WorldEpoch: h.world.world.Epoch, Dimension: "overworld",
		Region: h.project.Region, CreatedAt: now, ExpiresAt: now + 600_000,
	}
	for _, p := range dependencies {
		text, _ := snap.Cells.At(p)
		head.Dependencies = append(head.Dependencies, plan.Cell{Pos: p, State: block.State(text)})
	}
	p, err := plan.Draft(wanted, snap, head, plan.Env{Registry: h.registry, Limits: h.project.Limits, Region: h.project.Region})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.log.PutPlan(p); err != nil {
		h.t.Fatal(err)
	}
	return p
}

// apply starts a plan and waits until its operation is final.
func (h *house) apply(p *plan.Plan, key string) plan.Operation {
	h.t.Helper()
	op, err := h.begin(p, key)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.wait(op.ID)
}

func (h *house) begin(p *plan.Plan, key string) (plan.Operation, error) {
	return h.runner.Apply(h.project, "console", p.ID, p.Hash, key)
}

// wait returns the operation once it is final; virtual time makes a minute free.
func (h *house) wait(id string) plan.Operation {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	op, err := h.runner.Wait(ctx, id, 1<<62)
	if err != nil {
		h.t.Fatal(err)
	}
	if !op.Status.Final() {
		h.t.Fatalf("operation is %s after a minute: %s", op.Status, op.Message)
	}
	return op
}

// undo prepares and stores the undo plan of an operation.
func (h *house) undo(id string) *plan.Plan {
	h.t.Helper()
	undo, err := h.prepareUndo(id, false)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.log.PutPlan(undo.Plan); err != nil {
		h.t.Fatal(err)
	}
	return undo.Plan
}

func (h *house) prepareUndo(id string, partial bool) (Undo, error) {
	undos, err := h.runner.PrepareUndo(h.t.Context(), UndoRequest{Operations: []string{id}, Partial: partial})
	if err != nil {
		return Undo{}, err
	}
	return undos[0], nil
}

func (h *house) expect(op plan.Operation, status plan.Status, written int) {
	h.t.Helper()
	if op.Status != status || op.Written != written {
		h.t.Fatalf("operation is %s with %d written (%s), want %s with %d", op.Status, op.Written, op.Message, status, written)
	}
}

func (h *house) expectCode(err error, code fault.Code) {
	h.t.Helper()
	if fault.CodeOf(err) != code {
		h.t.Fatalf("error %v has code %q, want %q", err, fault.CodeOf(err), code)
	}
}

func (h *house) expectCell(p voxel.Pos, want block.State) {
	h.t.Helper()
	if got := h.world.show(p); got != want {
		h.t.Fatalf("%v is %s, want %s", p, got, want)
	}
}

// expectCount asserts how many cells of the world have a state.
func (h *house) expectCount(want int, s block.State) {
	h.t.Helper()
	h.world.mu.Lock()
	defer h.world.mu.Unlock()
	if got := h.world.cells.Counts()[string(s)]; got != want {
		h.t.Fatalf("%d cells are %s, want %d", got, s, want)
	}
}
