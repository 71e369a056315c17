// Package block has the blocks of Minecraft: canonical Bedrock states, the
// registry of every state, translation from and to Java, rotation, mirroring and
// physics classes.
//
// The one rule it keeps: what it returns is a state of the game, written in the
// one canonical way; what it takes may be written in any way people and games
// write it. A translation that loses something says so.
//
// A block's states are every combination of its values (the generator checks
// that), so a state is a block and a number, and every question about states
// (translate, turn, mirror) is a look-up in a table of numbers. The tables come
// from registry.txt.zst, which command gen builds and describes; it holds three
// profiles, the sets of states that ranges of game versions have. Some states
// are derived: the game computes them from neighbours and may rewrite them at any
// time, so they are never compared (see [Registry.Plain]).
//
// The package is pure: the same answers for the same arguments, no clock, no
// files.
package block

//go:generate go run ./gen
