package rpc

import (
	"context"
	"time"

	"groundplan/plan/fault"
)

// lanes bound how many calls run at once, so that a crowd of expensive calls
// cannot starve the cheap ones. A heavy call waits a moment for a place and is
// then told to come back.
type lanes struct {
	light chan struct{}
	heavy chan struct{}
	wait  time.Duration // how long a heavy call waits for a place
}

func newLanes(light, heavy int, wait time.Duration) *lanes {
	return &lanes{light: make(chan struct{}, light), heavy: make(chan struct{}, heavy), wait: wait}
}

// enter takes a place and returns the function that gives it back.
func (l *lanes) enter(ctx context.Context, heavy bool) (func(), error) {
	lane := l.light
	if heavy {
		lane = l.heavy
	}
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	default:
	}
	if heavy {
		timer := time.NewTimer(l.wait)
		defer timer.Stop()
		select {
		case lane <- struct{}{}:
			return func() { <-lane }, nil
		case <-ctx.Done():
			return nil, fault.Errorf(fault.Cancelled, "the client went away")
		case <-timer.C:
		}
	}
	return nil, fault.Errorf(fault.TooManyRequests, "too many calls at once; repeat in a moment")
}
