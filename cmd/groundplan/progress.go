package main

import (
	"fmt"

	"github.com/schollz/progressbar/v3"
)

// bar shows progress: drawn on a terminal, nothing elsewhere.
type bar struct{ drawn *progressbar.ProgressBar }

// progress returns a bar for so many steps; with -1, for as long as it takes.
func (p *program) progress(steps int, what string) bar {
	if !p.stderr {
		return bar{}
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p.err), progressbar.OptionSetDescription(what), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true), progressbar.OptionSetWidth(30),
	}
	if steps >= 0 {
		options = append(options, progressbar.OptionShowCount())
	}
	return bar{progressbar.NewOptions(steps, options...)}
}

func (b bar) set(n int) {
	if b.drawn != nil {
		_ = b.drawn.Set(n) // a bar that cannot be drawn is no reason to stop
	}
}

func (b bar) done() {
	if b.drawn != nil {
		_ = b.drawn.Finish() // likewise
	}
}

// say tells a step on standard error.
func (p *program) say(format string, args ...any) { _, _ = fmt.Fprintf(p.err, format+"\n", args...) }

// print prints a line of a result on standard output.
func (p *program) print(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...) // whoever closed the output does not want it
}
