package recovery

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// Options are what a Runner is made of.
type Options struct {
	Log   Log
	World World
	// Registry returns the registry for the world that is connected.
	Registry func() *block.Registry
	// Project returns a project, with its policy and limits as they are now.
	Project func(id string) (plan.Project, bool)
	// Allowed says whether the principal of an operation may still change its
	// project; it is asked before each slice. Nil allows.
	Allowed func(op plan.Operation) error
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// NewID makes ids of plans, operations and decisions.
	NewID func() string
	// Logger gets one line per ended operation; nil discards.
	Logger *slog.Logger
	// Queue is how many operations may wait behind the one that runs; zero
	// means 16.
	Queue int
	// Pace bounds how fast the world is written.
	Pace Pace
	// Retry is the pause before the world is asked again after it could not
	// answer; zero means one second.
	Retry time.Duration
	// Observe is the pause between two looks at what others edited while no
	// operation runs; zero means two seconds.
	Observe time.Duration
}

// Runner executes operations, one at a time and in the order of their arrival.
// Its methods may be called from any goroutine.
type Runner struct {
	Options

	wake chan struct{} // holds one token when there may be something to do
	stop context.CancelCauseFunc
	done chan struct{}

	// mu protects the records of operations (every change of one is made
	// under it) and the fields below.
	mu      sync.Mutex
	running string             // the operation that the loop has taken up
	halt    context.CancelFunc // stops the sending of its commands
	changed chan struct{}      // closed and replaced at every change of a record
	broken  error              // the journal failed: no write until restart
	edits   int                // how many edits by others were seen
	greeted string             // the world's session and epoch that Verify was last run in; "" asks for it
	forgot  []Verified         // what that found to be lost
	recheck bool               // an operation has ended since
	watched string             // the dimension of the open slice
	edited  *voxel.Mask        // what others edited there since its intent

	// observing admits one reader of the world's changes at a time and protects
	// the following.
	observing sync.Mutex
	looked    map[string]int64 // when the edits of a world were last known whole, ms

	// The loop's own:
	job      *job     // what it knows of the running operation
	governor governor // how fast it writes
}

var errStopped = errors.New("the service is stopping")

// Start scans the journal, marks every operation that an earlier process left
// unfinished as recovery_required, and starts the loop. Nothing is repeated or
// rolled back by itself (DESIGN §6).
func Start(ctx context.Context, o Options) (*Runner, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Queue == 0 {
		o.Queue = 16
	}
	if o.Retry == 0 {
		o.Retry = time.Second
	}
	if o.Observe == 0 {
		o.Observe = 2 * time.Second
	}
	r := &Runner{Options: o, wake: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}), edited: voxel.NewMask(), looked: map[string]int64{}, governor: governor{pace: o.Pace}}
	if err := r.scan(); err != nil {
		return nil, err
	}
	ctx, r.stop = context.WithCancelCause(ctx)
	go r.loop(ctx)
	return r, nil
}

// scan shuts the gate for everything that is unfinished.
func (r *Runner) scan() error {
	unfinished, err := r.Log.Unfinished()
	if err != nil {
		return err
	}
	for _, op := range unfinished {
		if op.Status == plan.RecoveryRequired {
			continue
		}
		op.Status = plan.RecoveryRequired
		op.Waiting = false
		op.Resumed = ""
		op.Message = "unfinished when the service stopped; an admin must review it"
		op.UpdatedAt = r.now()
		if err := r.Log.Update(op); err != nil {
			return err
		}
		r.Logger.Warn("operation needs recovery", "operation", op.ID, "plan", op.PlanID, "written", op.Written)
	}
	return nil
}

// Close stops the loop between two commands and waits for it. Operations that
// are not finished stay so; the next start finds them.
func (r *Runner) Close() {
	r.stop(errStopped)
	<-r.done
}

func (r *Runner) now() int64 { return r.Now().UnixMilli() }

// loop takes steps while there are any, and rests otherwise.
func (r *Runner) loop(ctx context.Context) {
	defer close(r.done)
	for ctx.Err() == nil {
		took, err := r.step(ctx)
		switch {
		case err != nil:
			r.setback(ctx, err)
		case !took:
			r.rest(ctx)
		}
	}
}

// rest waits for work, and looks now and then at what others edit.
func (r *Runner) rest(ctx context.Context) {
	timer := time.NewTimer(r.Observe)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-r.wake:
	case <-timer.C:
		err := r.observe(ctx)
		if err == nil {
			err = r.greet(ctx)
		}
		if err != nil && fault.CodeOf(err) != fault.WorldUnavailable {
			r.Logger.Debug("the world could not be looked at", "error", err)
		}
	}
}

// setback deals with a step that could not be taken. A journal that failed ends
// all writing; anything else leaves the operation where it is, because what its
// open slice did is settled by reading and by nothing else.
func (r *Runner) setback(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if _, isLog := errors.AsType[*logError](err); isLog {
		r.mu.Lock()
		r.broken = err
		r.mu.Unlock()
		r.Logger.Error("the journal failed; no more writes until restart", "error", err)
		<-ctx.Done()
		return
	}
	if j := r.job; j != nil && j.open() == nil && !transient(err) {
		if err := r.finish(ctx, j, plan.Failed, fault.CodeOf(err), err.Error()); err != nil {
			r.setback(ctx, err)
		}
		return
	}
	r.pause(ctx, err)
}

// transient reports whether an error of the world may pass by itself.
func transient(err error) bool {
	switch fault.CodeOf(err) {
	case fault.WorldUnavailable, fault.Timeout:
		return true
	default:
		return false
	}
}

// pause says that the operation waits for its world, and waits.
func (r *Runner) pause(ctx context.Context, cause error) {
	if j := r.job; j != nil && (!j.op.Waiting || j.op.Message != cause.Error()) {
		j.op.Waiting = true
		j.op.Message = cause.Error()
		if err := r.commit(j, r.Log.Update); err != nil {
			r.setback(ctx, err)
			return
		}
		r.Logger.Warn("operation waits for the world", "operation", j.op.ID, "error", cause)
	}
	timer := time.NewTimer(r.Retry)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-r.wake:
	}
	if fault.CodeOf(cause) == fault.WorldUnavailable {
		// The wake lets a cancel through to an operation without an open slice.
		waiting, cancel := context.WithTimeout(ctx, r.Retry)
		defer cancel()
		_ = r.World.Await(waiting) // the next step finds out whether it is there
	}
}

// logError marks a failure of the journal among the errors of a step.
type logError struct{ err error }

func (e *logError) Error() string { return e.err.Error() }
func (e *logError) Unwrap() error { return e.err }

// commit writes an operation's record by write. A cancel that was asked for in
// the meantime is kept.
func (r *Runner) commit(j *job, write func(plan.Operation) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	stored, err := r.Log.Operation(j.op.ID)
	if err != nil {
		return &logError{err}
	}
	j.op.Cancel = stored.Cancel
	j.op.UpdatedAt = max(r.now(), stored.UpdatedAt+1)
	if err := write(j.op); err != nil {
		return &logError{err}
	}
	r.announce()
	return nil
}

// announce tells those who wait for a change of a record. Call it with mu held.
func (r *Runner) announce() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// nudge makes the loop look for work.
func (r *Runner) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// finish gives the running operation a final status.
func (r *Runner) finish(ctx context.Context, j *job, status plan.Status, code fault.Code, message string) error {
	j.end(status, code, message)
	if err := r.commit(j, r.Log.Update); err != nil {
		return err
	}
	r.ended(ctx, j)
	return nil
}

// ended lets go of an operation that has its final record.
func (r *Runner) ended(ctx context.Context, j *job) {
	r.mu.Lock()
	r.running = ""
	r.recheck = true // it may have been a repair
	r.mu.Unlock()
	r.job = nil
	r.release(ctx, j)
	r.Logger.Info("operation ended", "operation", j.op.ID, "status", j.op.Status, "written", j.op.Written,
		"skipped", j.op.Skipped, "conflicts", j.op.ConflictCount, "commands", j.op.Sent)
}
