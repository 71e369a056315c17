package script

import "encoding/json"

// Request is what the parent sends first.
type Request struct {
	Code    string `json:"code"`
	Steps   uint64 `json:"steps"`   // at most so many steps of the interpreter
	Seconds int    `json:"seconds"` // at most so long
	Heap    uint64 `json:"heap"`    // at most so many bytes
}

// Record is one line from the child; exactly one field is set.
type Record struct {
	Print *string `json:"print,omitempty"` // a line that the script printed
	Call  *Call   `json:"call,omitempty"`  // a method that it wants called
	End   *End    `json:"end,omitempty"`   // the last record
}

// Call asks the parent for a method of the service.
type Call struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Reply is the parent's answer to a call.
type Reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// End says how the script ended: with the value of its last expression, if that
// is one, or with an error.
type End struct {
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}
