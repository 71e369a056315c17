// Package journal is the memory of groundplan: one bbolt file with every plan,
// operation, intent and receipt, who owns which cell, parts and decisions.
//
// It keeps one rule: a method that changes something returns only when the change
// is on disk, all of it or nothing, and a file that is not wholly understood is
// refused and left as it is. After the first disk error nothing is written any
// more until the file is opened again, because what a failed fsync left behind
// cannot be known.
//
// # Format
//
// Version 2. Numbers called seq are handed out in the order of recording, so that
// keys sort by time whatever the clock does; as keys they are 8 bytes, big-endian.
//
//	meta        "version", "created"               → text
//	plans       plan seq                           → head: everything but the cells, palette of states
//	cells       plan seq, 's'|'k', chunk (4 bytes) → fills of some slices, or of the kept cells
//	plan_ids    plan id                            → plan seq
//	fresh       plan seq                           → never started: expiry and number of cells
//	operations  operation seq                      → operation, with world and dimension
//	op_ids      operation id                       → operation seq
//	keys        project, idempotency key           → operation seq
//	open        operation seq                      → nothing; the operations that are not final
//	slices      operation seq, slice (4 bytes)     → intent and, once it is there, receipt
//	owners      "world\x00dimension" → a bucket of its own:
//	            section (y, z, x; 4 bytes each)    → stack of who wrote which cells
//	parts       project, part id                   → part with its mask
//	decisions   decision seq                       → decision
//	events      event seq                          → what changed the world: a receipt, an edit by others, an abandonment
//	cursors     world id                           → how far the world's edits are known, and since when
//	marks       "world\x00dimension" → a bucket of its own:
//	            section                            → owned cells that somebody may have edited unseen
//
// Every value but those of the index buckets is a record: version (1 byte), kind
// (1 byte), codec (1 byte: 0 plain, 1 zstd after its length as a varint), payload,
// CRC-32C of all before it (4 bytes, little-endian). Payloads are JSON for what
// people would read and varints for cells. Masks have the form of
// [groundplan/plan/voxel.Mask.AppendBinary].
//
// # Ownership
//
// A write gives a cell a new version; an undo gives it back the version it had
// before the write that is undone. An operation owns the cells whose version is
// the one that it left: so all that was written above it has been taken back, and
// the block is known to be the one it wrote. An edit by somebody else, or an
// abandonment, forgets all versions of a cell, for good. See stack.go.
package journal
