package bridge

import (
	"context"
	"sync"

	"groundplan/plan"
)

// RunAll runs commands, sent in their order and as many at once as the window
// allows, and says what is known of each. Each names its dimension itself
// ("execute in …"). When ctx ends, those not yet sent are refused, and those under
// way are still waited for, up to the timeout of a request. After the first that
// cannot be sent at all, the rest is refused too.
func (w *World) RunAll(ctx context.Context, commands []string) []plan.Outcome {
	outcomes := make([]plan.Outcome, len(commands))
	var answers sync.WaitGroup
	for i, command := range commands {
		s, gen, err := w.link(ctx)
		if err != nil {
			for j := i; j < len(commands); j++ {
				outcomes[j] = plan.Outcome{Kind: plan.Refused, Message: err.Error()}
			}
			break
		}
		c := s.begin()
		c.reply, c.guarded, c.gen = true, true, gen
		c.line = appendRun(c.line, c.id, overworld, command)
		if len(c.line) > MaxCommandLine {
			outcomes[i] = plan.Outcome{Kind: plan.Refused, Message: lineTooLong(len(c.line)).Error()}
			continue
		}
		if !s.send(ctx, c, w.server.opts.Timeout) {
			outcomes[i] = c.outcome()
			continue
		}
		answers.Go(func() {
			s.wait(context.WithoutCancel(ctx), c)
			if s.retry(ctx, c, 0) {
				s.recycle(c)
				outcomes[i] = w.Run(ctx, overworld, command)
				return
			}
			outcomes[i] = c.outcome()
			s.recycle(c)
		})
	}
	answers.Wait()
	return outcomes
}
