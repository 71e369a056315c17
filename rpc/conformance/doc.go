// Package conformance has no code of its own: its tests are a client that was
// written for the prototype's protocol, and say whether a running service answers
// as the prototype does (reference numbers T, G, P, A, U, R, C, S, M).
//
//	go test ./rpc/conformance                                  builds and starts a service with its embedded world
//	go test ./rpc/conformance -target URL -data DIR            uses a running one and the tokens of its data directory
//	go test ./rpc/conformance -profile prototype               with the prototype's limits
//
// The cells 0..31, 96..115, 0..31 of the default project must be air; they are air
// again when the suite ends. What needs a second hand in the world, or a crash, runs
// only with the embedded world.
package conformance
