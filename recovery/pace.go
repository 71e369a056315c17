package recovery

import (
	"context"
	"time"

	"groundplan/plan"
)

// Pace bounds how fast a world is written. Beside the ceilings, writing slows down
// by itself while the world takes longer to answer than it did.
type Pace struct {
	Commands int // per second; 0 means no ceiling
	Cells    int // per second; 0 means no ceiling
}

// batch is how many commands are sent between two looks at the clock.
const batch = 512

// The world is struggling when an answer takes longer than strained, and longer
// than strain times what it took at best.
const (
	strained = 250 * time.Millisecond
	strain   = 4
	longRest = 2 * time.Second
	heavy    = 1024 // cells that cost about as much as one more command
)

// governor turns what a batch took into the pause after it.
type governor struct {
	pace Pace
	best time.Duration // per unit of work, at best
}

// rest returns the pause after a batch. A struggling world is given as long again
// as the batch took, up to two seconds.
func (g *governor) rest(commands, cells int, took time.Duration) time.Duration {
	if commands == 0 {
		return 0
	}
	each := max(took/time.Duration(commands+cells/heavy), 1)
	if g.best == 0 || each < g.best {
		g.best = each
	}
	pause := max(atRate(commands, g.pace.Commands), atRate(cells, g.pace.Cells)) - took
	if took > strained && each > strain*g.best {
		pause = max(pause, min(took, longRest))
	}
	return max(pause, 0)
}

// atRate returns how long n takes at a rate per second, 0 without a rate.
func atRate(n, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(n) * time.Second / time.Duration(rate)
}

// order is one command and the cells it may change.
type order struct {
	line  string
	cells int
}

// run sends orders in batches at the governor's pace, and returns how many
// outcomes are unknown. A context that ends leaves the rest unsent.
func (r *Runner) run(ctx context.Context, orders []order) (unknown int) {
	for len(orders) > 0 && ctx.Err() == nil {
		n := min(batch, len(orders))
		lines, cells := make([]string, n), 0
		for i, o := range orders[:n] {
			lines[i] = o.line
			cells += o.cells
		}
		orders = orders[n:]
		start := r.Now()
		for _, outcome := range r.World.RunAll(ctx, lines) {
			if outcome.Kind == plan.Unknown {
				unknown++
			}
		}
		sleep(ctx, r.governor.rest(n, cells, r.Now().Sub(start)))
	}
	return unknown
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
