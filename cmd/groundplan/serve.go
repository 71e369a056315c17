package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// memoryGoal is the size in bytes from which the garbage collector works harder: a
// plan of tens of millions of cells leaves more behind while it is made than it
// holds. The variable GOMEMLIMIT has the last word.
const memoryGoal = 400 << 20

// serveCommand runs the service until the program is told to stop.
type serveCommand struct {
	serveFlags
}

// Run prints the ready line on standard output and waits.
func (c *serveCommand) Run(p *program) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
	ctx := p.ctx()
	h, err := build(ctx, p.data, c.serveFlags, p.log)
	if err != nil {
		return err
	}
	defer h.close()
	fmt.Fprintln(p.out, encode(h.ready()))
	if h.embedded == nil {
		p.say("type into the game's chat: /connect %s", strings.TrimPrefix(h.bridge.URL(), "ws://"))
	}
	<-ctx.Done()
	p.log.Info("stopping")
	return nil
}

// encode returns v as one line of JSON.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a type of this package that does not marshal
	}
	return string(data)
}
