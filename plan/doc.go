// Package plan has the nouns of groundplan – Plan, Slice, Operation, Intent,
// Receipt, Part, Decision – and the pure steps between them: recipe to cells,
// cells and a snapshot of the world to a plan, a plan to commands.
//
// It is pure: no clock, no randomness, no context, no input or output. Whoever
// calls it passes the times and the ids in. Nothing elsewhere in groundplan
// defines a position, a block or an error code again.
package plan
