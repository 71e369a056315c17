// Package recovery is the only writer to the world.
//
// To apply a plan is to write "queued" into the journal. One Runner reads the
// next step of the journal, takes it, and keeps nothing in memory that the
// journal does not say. A new operation, a world that came back and an admin's
// resume after a crash enter the loop at the same place: the recovery path is the
// normal path. Start reading at Runner.step.
package recovery
