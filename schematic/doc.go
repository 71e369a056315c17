// Package schematic reads the files that people keep buildings in, says what a
// Bedrock world would make of them, turns and places them, and writes such files.
//
// It reads Sponge schematics of versions 1, 2 and 3, MCEdit schematics with
// numeric ids, Litematica files, the structure files of Java and those of
// Bedrock; compressed with gzip or zlib, or not at all. What a file is, its
// content says, never its name. It writes Sponge 2 and 3 and Bedrock structures.
//
// [Open] reads a file into a [Schematic] in one pass over the inflated stream;
// [Schematic.Report] says which states become what, how truly, and what is lost;
// [Schematic.Place] gives the wanted cells at a place in the world. [Library] is
// the folder of files that have an id.
//
// Files come from strangers. A file costs memory and time for the bytes it has
// and the cells its caller allows, whatever it says about itself; a broken one is
// an error of code unsupported_format with a sentence that names field and
// offset, one over a limit is budget_exceeded.
package schematic
