package plan

import (
	"fmt"
	"strings"

	"groundplan/plan/block"
)

// maxLine is how many bytes a command line may have in the game's chat, as the
// addon's protocol sets it.
const maxLine = 461

// envelope is what stands around a command in the line that carries it; request
// ids have at most 12 characters.
const envelope = `scriptevent mcbews:bridge_req {"v":2,"request_id":"r00000000000",` +
	`"capability":"run_world_command","payload":{"command":""}}`

// MaxCommandBytes is how many bytes a command may have once it is escaped inside a
// JSON string. What it runs in, "execute in the_nether run ", counts.
const MaxCommandBytes = maxLine - len(envelope)

// Lines returns the command that does a fill as a compare-and-set: it changes only
// cells that still are f.Before. The command has at most MaxCommandBytes bytes. To
// get there, ids lose their namespace and states that are defaults are left out of
// what is placed; then states are left out of the filter, which lets other states
// of the same block pass: weak says so. Where even that is too long, what is placed
// goes without the states that the game computes itself.
//
// A fill that reads or writes the water layer is a command of the addon.
func Lines(f Fill, r *block.Registry, dimension string) (command string, weak bool) {
	l := commandLine{head: runIn(dimension), wet: f.Before.Waterlogged() || f.After.Waterlogged()}
	b := f.Box
	l.box = fmt.Sprintf(" %d %d %d %d %d %d ", b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z)
	l.after, l.before = f.After.Waterlogged(), f.Before.Waterlogged()

	filter := r.Filter(f.Before)
	for _, try := range [][2]string{
		{r.Command(f.After), filter},
		{r.Short(f.After), filter},
		{r.Short(f.After), strings.TrimPrefix(filter, "minecraft:")},
	} {
		if command = l.text(try[0], try[1]); escapedLen(command) <= MaxCommandBytes {
			return command, false
		}
	}
	return l.weak(r.Short(f.After), r.Short(r.Plain(f.After)), strings.TrimPrefix(filter, "minecraft:")), true
}

// weak leaves out states of the filter, from the last, until the command is short
// enough with what is to be placed, or else with the plain form of it.
func (l commandLine) weak(after, plain, filter string) string {
	for f := filter; strings.Contains(f, "["); {
		f = dropState(f)
		if command := l.text(after, f); escapedLen(command) <= MaxCommandBytes {
			return command
		}
	}
	id, _, _ := strings.Cut(filter, "[")
	return l.text(plain, id)
}

// commandLine has the fixed parts of a command.
type commandLine struct {
	head, box          string
	wet, before, after bool // whether water layers matter, and what they are
}

func (l commandLine) text(after, filter string) string {
	if !l.wet {
		return l.head + "fill" + l.box + after + " replace " + filter
	}
	return fmt.Sprintf("%sgroundplan:fill%s%s %t replace %s %t", l.head, l.box, after, l.after, filter, l.before)
}

// runIn returns what makes a command run in a dimension; commands of the addon run
// in the overworld otherwise.
func runIn(dimension string) string {
	if dimension == "" || dimension == "overworld" {
		return ""
	}
	return "execute in " + dimension + " run "
}

// dropState takes the last state out of a block with states.
func dropState(s string) string {
	if i := strings.LastIndexByte(s, ','); i >= 0 {
		return s[:i] + "]"
	}
	id, _, _ := strings.Cut(s, "[")
	return id
}

// escapedLen returns the length of s inside a JSON string.
func escapedLen(s string) int {
	return len(s) + strings.Count(s, `"`) + strings.Count(s, `\`)
}
