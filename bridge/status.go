package bridge

import "fmt"

// Status is the statusCode of a commandResponse or error frame. A negative one
// is a failure.
type Status int32

// The status codes that mean something to this service
// (reference/bedrock-wire.md §1.7).
const (
	StatusSuccess          Status = 0
	StatusStepDone         Status = 131073
	StatusIncomplete       Status = 131074
	StatusInitiated        Status = 131075
	StatusNewerVersion     Status = 131076
	StatusParseFailure     Status = -2147483648 // also: no such command, no such custom command
	StatusUnknownCommand   Status = -2147483647
	StatusNoPermission     Status = -2147483646
	StatusVersionMismatch  Status = -2147483645
	StatusBadOverload      Status = -2147483644
	StatusInvalidContext   Status = -2147483643
	StatusInvalidCall      Status = -2147483642
	StatusCheatsOff        Status = -2147483641
	StatusNoChat           Status = -2147483640
	StatusNoTargets        Status = -2147483639
	StatusChatMuted        Status = -2147483638
	StatusInvalidOrigin    Status = -2147483637
	StatusExpectedRequest  Status = -2147418112
	StatusMalformed        Status = -2147418111
	StatusProtocolMismatch Status = -2147418110
	StatusTooManyPending   Status = -2147418109
	StatusMustVersion      Status = -2147418108
	StatusMustEncrypt      Status = -2147418107
	StatusExecutionFailed  Status = -2147352576
	StatusStepFailed       Status = -2147352575
	StatusTargetsFailed    Status = -2147352574
	StatusFailedSilently   Status = -2147352573
)

// Failed reports whether the command did not succeed.
func (s Status) Failed() bool { return s < 0 }

// String returns the code's name in words.
func (s Status) String() string {
	if name, ok := statusName(s); ok {
		return name
	}
	return fmt.Sprintf("status %d", int32(s))
}

func statusName(s Status) (string, bool) {
	switch s {
	case StatusSuccess:
		return "success", true
	case StatusStepDone:
		return "step done", true
	case StatusIncomplete:
		return "incomplete", true
	case StatusInitiated:
		return "request initiated", true
	case StatusNewerVersion:
		return "newer version exists", true
	case StatusTooManyPending:
		return "too many pending commands", true
	case StatusMustEncrypt:
		return "encrypted session required", true
	case StatusExpectedRequest:
		return "request expected", true
	case StatusMalformed:
		return "malformed request", true
	case StatusProtocolMismatch:
		return "protocol version mismatch", true
	case StatusMustVersion:
		return "version must be specified", true
	default:
		return commandStatusName(s)
	}
}

func commandStatusName(s Status) (string, bool) {
	switch s {
	case StatusParseFailure:
		return "syntax error or unknown command", true
	case StatusUnknownCommand:
		return "command not found", true
	case StatusNoPermission:
		return "not enough permission", true
	case StatusVersionMismatch:
		return "command version mismatch", true
	case StatusBadOverload:
		return "no such form of the command", true
	case StatusInvalidContext:
		return "invalid context", true
	case StatusInvalidCall:
		return "invalid call", true
	case StatusCheatsOff:
		return "cheats are disabled", true
	case StatusNoChat:
		return "no permission to chat", true
	case StatusNoTargets:
		return "no targets matched", true
	case StatusChatMuted:
		return "chat is muted", true
	case StatusInvalidOrigin:
		return "invalid origin", true
	case StatusExecutionFailed:
		return "execution failed", true
	case StatusStepFailed:
		return "a step failed", true
	case StatusTargetsFailed:
		return "all targets failed", true
	case StatusFailedSilently:
		return "failed without a message", true
	default:
		return "", false
	}
}
