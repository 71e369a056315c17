package script

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxLine is how long a line between parent and child may be.
const maxLine = 8 << 20

// host is the child's side.
type host struct {
	in  *bufio.Scanner
	mu  sync.Mutex // protects out and ended
	out *json.Encoder
	// ended is set once the last record is written.
	ended bool

	calls      int
	operations []any // of the recipe that the script is building
}

// Host runs the one script that comes in, and returns the exit code of the
// process.
func Host(in io.Reader, out io.Writer) int {
	h := &host{in: bufio.NewScanner(in), out: json.NewEncoder(out)}
	h.in.Buffer(make([]byte, 64<<10), maxLine)
	var request Request
	if !h.in.Scan() || json.Unmarshal(h.in.Bytes(), &request) != nil {
		return 2
	}
	limitAddressSpace(4 * request.Heap)
	go h.watch(request)
	value, err := h.run(request)
	if err != nil {
		h.end(End{Error: err.Error()})
		return 1
	}
	h.end(End{Value: value})
	return 0
}

func (h *host) record(r Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return
	}
	if h.out.Encode(r) != nil {
		os.Exit(3) // the parent is gone
	}
}

func (h *host) end(e End) {
	h.record(Record{End: &e})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
}

// watch ends the process when it takes too long or too much: a single builtin may
// run for ever without a step, and an allocation is seen here before its pages
// are touched.
func (h *host) watch(request Request) {
	deadline := time.Now().Add(time.Duration(request.Seconds) * time.Second)
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		time.Sleep(2 * time.Millisecond)
		metrics.Read(heap)
		switch {
		case heap[0].Value.Uint64() > request.Heap:
			h.end(End{Error: fmt.Sprintf("killed: the script needs more than %d MiB", request.Heap>>20)})
		case time.Now().After(deadline):
			h.end(End{Error: fmt.Sprintf("killed: the script took longer than %d s", request.Seconds)})
		default:
			continue
		}
		os.Exit(4)
	}
}

// dialect is Starlark written the Python way: loops and ifs at the top level,
// while, and names that may be set again.
func dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
}

const fileName = "script.star"

// run executes the script. When its last statement is an expression, that is its
// value.
func (h *host) run(request Request) (string, error) {
	file, err := dialect().Parse(fileName, request.Code, 0)
	if err != nil {
		return "", errors.New(explain(err, request.Code))
	}
	const last = "__value__"
	if n := len(file.Stmts); n > 0 {
		if expression, ok := file.Stmts[n-1].(*syntax.ExprStmt); ok {
			at, _ := expression.Span()
			file.Stmts[n-1] = &syntax.AssignStmt{OpPos: at, Op: syntax.EQ, LHS: &syntax.Ident{NamePos: at, Name: last}, RHS: expression.X}
		}
	}
	builtins := h.builtins()
	program, err := starlark.FileProgram(file, builtins.Has)
	if err != nil {
		return "", errors.New(explain(err, request.Code))
	}
	thread := &starlark.Thread{Name: fileName, Print: func(_ *starlark.Thread, text string) { h.record(Record{Print: &text}) }}
	thread.SetMaxExecutionSteps(request.Steps)
	globals, err := program.Init(thread, builtins)
	if err != nil {
		return "", errors.New(explain(err, request.Code))
	}
	if value := globals[last]; value != nil && value != starlark.None {
		return value.String(), nil
	}
	return "", nil
}

// maxProblems is how many problems of a script are told at once.
const maxProblems = 8

// explain puts each problem with its place, its line and a caret.
func explain(err error, code string) string {
	lines := strings.Split(code, "\n")
	var problems []string
	add := func(at syntax.Position, text string) {
		if len(problems) == maxProblems {
			return
		}
		problem := fmt.Sprintf("%s:%d:%d: error: %s", fileName, at.Line, at.Col, text)
		if i := int(at.Line) - 1; i >= 0 && i < len(lines) && at.Col > 0 {
			problem += "\n  " + lines[i] + "\n  " + strings.Repeat(" ", int(at.Col)-1) + "^"
		}
		problems = append(problems, problem)
	}
	if list, ok := errors.AsType[resolve.ErrorList](err); ok {
		for _, e := range list {
			add(e.Pos, e.Msg)
		}
	} else if e, ok := errors.AsType[syntax.Error](err); ok {
		add(e.Pos, e.Msg)
	} else if e, ok := errors.AsType[*starlark.EvalError](err); ok {
		at := syntax.Position{}
		for _, frame := range e.CallStack {
			if frame.Pos.Filename() == fileName {
				at = frame.Pos
			}
		}
		add(at, e.Msg)
		if len(e.CallStack) > 2 {
			problems = append(problems, e.CallStack.String())
		}
	} else {
		problems = append(problems, err.Error())
	}
	return strings.Join(problems, "\n")
}

// call asks the parent for a method and waits for the answer.
func (h *host) call(method string, params any) (starlark.Value, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	h.calls++
	h.record(Record{Call: &Call{ID: h.calls, Method: method, Params: raw}})
	if !h.in.Scan() {
		os.Exit(3) // the parent is gone
	}
	var reply Reply
	switch err := json.Unmarshal(h.in.Bytes(), &reply); {
	case err != nil:
		return nil, err
	case reply.ID != h.calls:
		return nil, fmt.Errorf("reply %d to call %d", reply.ID, h.calls)
	case reply.Error != "":
		return nil, errors.New(reply.Error)
	}
	return fromJSON(reply.Result)
}
