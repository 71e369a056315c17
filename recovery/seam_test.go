package recovery

import (
	"context"
	"errors"
	"sync"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

var errCrash = errors.New("the service stopped dead here")

// seam stands before and after every call that changes the journal or reaches
// the world. At its stopAt-th point the service stops dead: that call and every
// later one does nothing.
type seam struct {
	// mu protects everything below.
	mu      sync.Mutex
	passed  int
	stopAt  int    // 0: never
	instead func() // happens there instead of the crash; nil: the crash
	dead    bool
	crashed chan struct{} // closed at the crash
}

func newSeam(stopAt int) *seam { return &seam{stopAt: stopAt, crashed: make(chan struct{})} }

func (s *seam) crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.die()
}

// state returns how many points were passed, and whether the service is dead.
func (s *seam) state() (passed int, dead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passed, s.dead
}

func (s *seam) die() {
	if !s.dead {
		s.dead = true
		close(s.crashed)
	}
}

// alive passes a point and reports whether the service still runs behind it.
func (s *seam) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed++
	switch {
	case s.passed != s.stopAt:
	case s.instead != nil:
		s.instead()
	default:
		s.die()
	}
	return !s.dead
}

// through runs a write between two points.
func (s *seam) through(write func() error) error {
	if !s.alive() {
		return errCrash
	}
	err := write()
	if !s.alive() {
		return errCrash
	}
	return err
}

// tornLog is a journal with a seam around every write.
type tornLog struct {
	Log
	seam *seam
}

func (l tornLog) PutPlan(p *plan.Plan) error {
	return l.seam.through(func() error { return l.Log.PutPlan(p) })
}

func (l tornLog) Enqueue(op plan.Operation) (recorded plan.Operation, err error) {
	err = l.seam.through(func() error { recorded, err = l.Log.Enqueue(op); return err })
	return recorded, err
}

func (l tornLog) Update(op plan.Operation) error {
	return l.seam.through(func() error { return l.Log.Update(op) })
}

func (l tornLog) Advance(op plan.Operation, done *plan.Receipt, next *plan.Intent) error {
	return l.seam.through(func() error { return l.Log.Advance(op, done, next) })
}

func (l tornLog) Disown(worldID, dimension string, cells *voxel.Mask, cursor string) error {
	return l.seam.through(func() error { return l.Log.Disown(worldID, dimension, cells, cursor) })
}

func (l tornLog) Doubt(worldID string, since int64) error {
	return l.seam.through(func() error { return l.Log.Doubt(worldID, since) })
}

func (l tornLog) Confirm(operation string, intact, changed *voxel.Mask) error {
	return l.seam.through(func() error { return l.Log.Confirm(operation, intact, changed) })
}

func (l tornLog) Decide(d plan.Decision, op plan.Operation, mask *voxel.Mask, then ...plan.Operation) error {
	return l.seam.through(func() error { return l.Log.Decide(d, op, mask, then...) })
}

// tornWorld is a world with a seam around every message.
type tornWorld struct {
	World
	seam *seam
}

func (w tornWorld) Read(ctx context.Context, dimension string, boxes []voxel.Box) (snap *plan.Snapshot, err error) {
	err = w.seam.through(func() error { snap, err = w.World.Read(ctx, dimension, boxes); return err })
	return snap, err
}

func (w tornWorld) Changes(ctx context.Context, cursor string) (changes plan.Changes, err error) {
	err = w.seam.through(func() error { changes, err = w.World.Changes(ctx, cursor); return err })
	return changes, err
}

func (w tornWorld) Info() (plan.World, error) {
	w.seam.mu.Lock()
	dead := w.seam.dead
	w.seam.mu.Unlock()
	if dead {
		return plan.World{}, fault.Errorf(fault.WorldUnavailable, "the service is dead")
	}
	return w.World.Info()
}

func (w tornWorld) RunAll(ctx context.Context, commands []string) []plan.Outcome {
	outcomes := make([]plan.Outcome, len(commands))
	for i, command := range commands {
		if w.seam.alive() {
			outcomes[i] = w.World.RunAll(ctx, []string{command})[0]
		}
		if !w.seam.alive() {
			outcomes[i] = plan.Outcome{Kind: plan.Unknown}
		}
	}
	return outcomes
}
