package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/alecthomas/kong"

	"groundplan/plan/fault"
)

// version is that of the program.
const version = "0.1.0"

// program is what a command runs with.
type program struct {
	ctx     func() context.Context
	in      io.Reader
	out     io.Writer // results
	err     io.Writer // everything else
	log     *slog.Logger
	data    string
	command string // the last word of the chosen command
	stderr  bool   // err is a terminal: progress may be drawn on it
}

// Run is the whole program: it reads the arguments, does what they say until it
// is done or ctx ends, and returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			asked, ok := v.(exit)
			if !ok {
				panic(v)
			}
			code = int(asked)
		}
	}()
	var line commandLine
	k, err := parser(&line, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "groundplan:", err)
		return 1
	}
	chosen, err := k.Parse(args)
	if err != nil {
		fmt.Fprintln(stderr, "groundplan:", err)
		if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
			fmt.Fprintln(stderr, "groundplan --help lists the commands and flags")
		}
		return 2
	}
	p := &program{
		ctx: func() context.Context { return ctx }, in: stdin, out: stdout, err: stderr, data: line.Data,
		log:    slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: line.level()})),
		stderr: isTerminal(stderr),
	}
	if node := chosen.Selected(); node != nil {
		p.command = node.Name
	}
	if err := chosen.Run(p, &line.Recovery); err != nil {
		fmt.Fprintln(stderr, "groundplan:", sentence(err))
		return 1
	}
	return 0
}

// sentence is what a person is told of an error.
func sentence(err error) string {
	text := err.Error()
	if code := fault.CodeOf(err); code != fault.Internal {
		text += " (" + string(code) + ")"
	}
	return text
}
