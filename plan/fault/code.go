package fault

// Code names a kind of failure. The names follow the prototype's protocol
// (reference/paper-prototype.md §1.6) where it has one.
type Code string

// The codes, each with the one situation it stands for.
const (
	InvalidRequest         Code = "invalid_request"          // the call itself is wrong: JSON, types, ranges, a stale digest
	UnsupportedMethod      Code = "unsupported_method"       // no such method in this service
	MethodNotAllowed       Code = "method_not_allowed"       // HTTP verb
	PermissionDenied       Code = "permission_denied"        // token, scope, owner, protected part
	NotFound               Code = "not_found"                // no such path, plan, operation, part, asset
	RequestTooLarge        Code = "request_too_large"        // the request body is over its limit
	BudgetExceeded         Code = "budget_exceeded"          // cells, dependencies, visits, pages over a limit
	TooManyRequests        Code = "too_many_requests"        // more calls at once than the service takes
	OutOfBounds            Code = "out_of_bounds"            // a position outside region, part or world
	ChunkNotLoaded         Code = "chunk_not_loaded"         // a needed cell is in an unloaded chunk
	UnsupportedBlock       Code = "unsupported_block"        // unknown to the game, or refused by policy
	UnsupportedEntity      Code = "unsupported_entity"       // an entity that an export cannot carry
	UnsupportedBlockEntity Code = "unsupported_block_entity" // contents that would be lost
	UnsupportedFormat      Code = "unsupported_format"       // a file that is not a readable schematic
	StaleSnapshot          Code = "stale_snapshot"           // plan_hash or expected_blocks differ
	PlanExpired            Code = "plan_expired"             // the plan may no longer be started
	VersionMismatch        Code = "version_mismatch"         // world id or epoch are not those of the plan
	IdempotencyMismatch    Code = "idempotency_mismatch"     // the key belongs to another plan
	Conflict               Code = "conflict"                 // the world is neither as planned before nor after
	UndoConflict           Code = "undo_conflict"            // cells changed since the operation wrote them
	RecoveryRequired       Code = "recovery_required"        // the gate is shut until an admin decides
	Busy                   Code = "busy"                     // the queue of operations is full
	Cancelled              Code = "cancelled"                // stopped by request
	Timeout                Code = "timeout"                  // the world did not answer in time
	WorldUnavailable       Code = "world_unavailable"        // no world is connected
	UnsupportedCapability  Code = "unsupported_capability"   // the connected addon cannot do this
	WriteRefused           Code = "write_refused"            // the world kept refusing a command
	StorageFailed          Code = "storage_failed"           // the disk failed; no write until restart
	ResyncRequired         Code = "resync_required"          // the change feed cannot continue from this cursor
	InvalidMaterialQuery   Code = "invalid_material_query"   // a query, kind or limit that material_search does not take
	InvalidMaterial        Code = "invalid_material"         // no such material
	InvalidCursor          Code = "invalid_cursor"           // a cursor of another search, or none at all
	StaleCursor            Code = "stale_cursor"             // the catalog changed since the cursor was given
	Internal               Code = "internal"                 // a bug here
)

// Codes lists every code, in the order above.
func Codes() []Code {
	return []Code{
		InvalidRequest, UnsupportedMethod, MethodNotAllowed, PermissionDenied, NotFound, RequestTooLarge,
		BudgetExceeded, TooManyRequests, OutOfBounds, ChunkNotLoaded, UnsupportedBlock, UnsupportedEntity,
		UnsupportedBlockEntity, UnsupportedFormat, StaleSnapshot, PlanExpired, VersionMismatch,
		IdempotencyMismatch, Conflict, UndoConflict, RecoveryRequired, Busy, Cancelled, Timeout,
		WorldUnavailable, UnsupportedCapability, WriteRefused, StorageFailed, ResyncRequired,
		InvalidMaterialQuery, InvalidMaterial, InvalidCursor, StaleCursor, Internal,
	}
}

// Retryable reports whether the same call may succeed later without a change to
// it and without a person.
func (c Code) Retryable() bool {
	switch c {
	case Busy, TooManyRequests, Timeout, WorldUnavailable, ChunkNotLoaded:
		return true
	default:
		return false
	}
}
