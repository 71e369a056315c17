package fault

import (
	"errors"
	"fmt"
	"maps"
)

// Error is a failure with a code. Msg is shown to the client; Err is for the log
// only. Details holds what a program must read (limits, positions, nearest names)
// and must marshal to JSON.
type Error struct {
	Code    Code
	Msg     string
	Details map[string]any
	Err     error
}

// Errorf returns an Error with a formatted message. An operand of the verb %w
// becomes the wrapped error.
func Errorf(code Code, format string, args ...any) *Error {
	formatted := fmt.Errorf(format, args...)
	return &Error{Code: code, Msg: formatted.Error(), Err: errors.Unwrap(formatted)}
}

// With returns the error with one more detail.
func (e *Error) With(key string, value any) *Error {
	details := make(map[string]any, len(e.Details)+1)
	maps.Copy(details, e.Details)
	details[key] = value
	return &Error{Code: e.Code, Msg: e.Msg, Details: details, Err: e.Err}
}

// Error returns the sentence for people, with the cause it was given by Wrap.
func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Wrap returns an Error with a sentence for the client and a cause that only the
// log shows.
func Wrap(code Code, cause error, msg string) *Error {
	return &Error{Code: code, Msg: msg, Err: cause}
}

// CodeOf returns the code of err: that of the outermost Error in its chain,
// Internal for an error without one, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
