package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"groundplan/plan/fault"
)

// maxMessage is how many bytes of a message an answer carries, as in the
// prototype.
const maxMessage = 600

// mapping says how a code travels over HTTP.
type mapping struct {
	status int
	retry  time.Duration // when the same call may be worth repeating; 0: no advice
}

// mappings is the one table from code to HTTP status. A test walks fault.Codes.
func mappings() map[fault.Code]mapping {
	return map[fault.Code]mapping{
		fault.InvalidRequest:         {status: http.StatusBadRequest},
		fault.UnsupportedMethod:      {status: http.StatusBadRequest},
		fault.MethodNotAllowed:       {status: http.StatusMethodNotAllowed},
		fault.PermissionDenied:       {status: http.StatusForbidden},
		fault.NotFound:               {status: http.StatusNotFound},
		fault.RequestTooLarge:        {status: http.StatusRequestEntityTooLarge},
		fault.BudgetExceeded:         {status: http.StatusBadRequest},
		fault.TooManyRequests:        {status: http.StatusTooManyRequests, retry: 250 * time.Millisecond},
		fault.OutOfBounds:            {status: http.StatusBadRequest},
		fault.ChunkNotLoaded:         {status: http.StatusConflict, retry: 2 * time.Second},
		fault.UnsupportedBlock:       {status: http.StatusBadRequest},
		fault.UnsupportedEntity:      {status: http.StatusBadRequest},
		fault.UnsupportedBlockEntity: {status: http.StatusBadRequest},
		fault.UnsupportedFormat:      {status: http.StatusBadRequest},
		fault.StaleSnapshot:          {status: http.StatusConflict},
		fault.PlanExpired:            {status: http.StatusConflict},
		fault.VersionMismatch:        {status: http.StatusConflict},
		fault.IdempotencyMismatch:    {status: http.StatusConflict},
		fault.Conflict:               {status: http.StatusConflict},
		fault.UndoConflict:           {status: http.StatusConflict},
		fault.RecoveryRequired:       {status: http.StatusLocked},
		fault.Busy:                   {status: http.StatusTooManyRequests, retry: time.Second},
		fault.Cancelled:              {status: http.StatusConflict},
		fault.Timeout:                {status: http.StatusServiceUnavailable, retry: 2 * time.Second},
		fault.WorldUnavailable:       {status: http.StatusServiceUnavailable, retry: 5 * time.Second},
		fault.UnsupportedCapability:  {status: http.StatusServiceUnavailable},
		fault.WriteRefused:           {status: http.StatusConflict},
		fault.StorageFailed:          {status: http.StatusServiceUnavailable},
		fault.ResyncRequired:         {status: http.StatusConflict},
		fault.InvalidMaterialQuery:   {status: http.StatusBadRequest},
		fault.InvalidMaterial:        {status: http.StatusBadRequest},
		fault.InvalidCursor:          {status: http.StatusBadRequest},
		fault.StaleCursor:            {status: http.StatusConflict},
		fault.Internal:               {status: http.StatusInternalServerError},
	}
}

// Status returns the HTTP status of a code.
func Status(code fault.Code) int {
	if m, ok := mappings()[code]; ok {
		return m.status
	}
	return http.StatusInternalServerError
}

// Problem is the error of an answer.
type Problem struct {
	Code         fault.Code     `json:"code"`
	Message      string         `json:"message"`
	Details      map[string]any `json:"details,omitempty"`
	Retryable    bool           `json:"retryable"`
	RetryAfterMS int64          `json:"retry_after_ms,omitempty"`
}

// ProblemOf returns what a client may see of an error that no HTTP request gave
// an id to.
func ProblemOf(err error) Problem { return problemOf(err, "") }

// problemOf returns what a client may see of err. The cause of an internal error
// stays in the log; the client gets the id to find it there.
func problemOf(err error, id string) Problem {
	code := fault.CodeOf(err)
	p := Problem{Code: code, Retryable: code.Retryable()}
	if p.Retryable {
		p.RetryAfterMS = mappings()[code].retry.Milliseconds()
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && code != fault.Internal {
		p.Message, p.Details = e.Msg, e.Details
	} else {
		p.Message = fmt.Sprintf("internal error; the log has it under %s", id)
	}
	if len(p.Message) > maxMessage {
		p.Message = cut(p.Message, maxMessage)
	}
	return p
}

// cut shortens text to at most n bytes without splitting a character.
func cut(text string, n int) string {
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}
