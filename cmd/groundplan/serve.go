package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// serveCommand runs the service until the program is told to stop.
type serveCommand struct {
	serveFlags
}

// Run prints the ready line on standard output and waits.
func (c *serveCommand) Run(p *program) error {
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
