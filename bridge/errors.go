package bridge

import "fmt"

// Flaw is a way in which a frame or a sequence of frames breaks the protocol.
type Flaw string

// The flaws: each of the protocol's "error semantics" is one.
const (
	FlawFieldCount   Flaw = "field_count"        // too few fields between the bars
	FlawPrefix       Flaw = "prefix"             // another namespace or channel
	FlawMetadata     Flaw = "metadata"           // index, total or id cannot be
	FlawEmpty        Flaw = "empty"              // no frames
	FlawMissing      Flaw = "missing"            // an index between 1 and the total is absent
	FlawDuplicate    Flaw = "duplicate"          // an index stands twice
	FlawMixedID      Flaw = "mixed_id"           // frames of several messages
	FlawMixedTotal   Flaw = "mixed_total"        // frames disagree on their number
	FlawMixedMeta    Flaw = "mixed_metadata"     // text frames disagree on player, role, title or conversation
	FlawJSON         Flaw = "json"               // the text is not JSON
	FlawNotObject    Flaw = "not_object"         // JSON, but not an object
	FlawShape        Flaw = "shape"              // an object without the members it must have
	FlawNoMessage    Flaw = "no_message"         // UI chat without a message
	FlawTooMany      Flaw = "too_many_chunks"    // over MaxChunks
	FlawTooLarge     Flaw = "too_large"          // over MaxMessageBytes
	FlawBuffersFull  Flaw = "buffers_full"       // over MaxBuffers or MaxBufferedBytes
	FlawNoRoom       Flaw = "no_room"            // encoding: not one code point fits the line
	FlawLineTooLong  Flaw = "line_too_long"      // encoding: the line is over MaxCommandLine
	FlawUnknownRole  Flaw = "unknown_role"       // text for a role that is not user, assistant or approval
	FlawVersion      Flaw = "version"            // a request version that is not 1 or 2
	FlawUnknownUsage Flaw = "usage_not_on_final" // usage on a text frame that is not the last
)

// FrameError says which frame is wrong and how.
type FrameError struct {
	Flaw  Flaw
	Frame int // position of the frame in what was given, from 0; -1 when none or all are meant
	Msg   string
}

// Error returns the sentence with the frame's position.
func (e *FrameError) Error() string {
	if e.Frame < 0 {
		return fmt.Sprintf("mcbews: %s", e.Msg)
	}
	return fmt.Sprintf("mcbews: frame %d: %s", e.Frame, e.Msg)
}

// Is reports whether target is a FrameError of the same flaw.
func (e *FrameError) Is(target error) bool {
	t, ok := target.(*FrameError)
	return ok && t.Flaw == e.Flaw
}

func flawed(flaw Flaw, frame int, format string, args ...any) *FrameError {
	return &FrameError{Flaw: flaw, Frame: frame, Msg: fmt.Sprintf(format, args...)}
}

// CapabilityError is an addon's answer that it did not do what it was asked.
type CapabilityError struct {
	Code    string // one of the protocol's error codes, or another addon's own
	Message string
}

// Error returns code and message.
func (e *CapabilityError) Error() string { return e.Code + ": " + e.Message }

// StatusError is the game's answer that a command failed.
type StatusError struct {
	Status  Status
	Message string // the game's words, in the player's language
}

// Error returns the status in words and the game's own.
func (e *StatusError) Error() string {
	if e.Message == "" {
		return e.Status.String()
	}
	return fmt.Sprintf("%v (%s)", e.Status, e.Message)
}
