// Package e2e drives the built program from outside, as a script would: it
// starts groundplan serve and groundplan demo with an empty data folder, reads
// the ready line, and calls POST /v1/rpc with the tokens it finds on disk. Of
// our own packages its tests use only the embedded world, as the game at the
// other end of a bridge that they listen in on, its store, to read a world's file
// past everybody, and the block registry, to compare states.
//
// What it promises is the contract that scripts rely on: the flags, the ready
// line, the files in the data folder, the exit codes, the method names, and the
// fields of their answers.
package e2e
