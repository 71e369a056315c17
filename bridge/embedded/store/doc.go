// Package store keeps the blocks of the embedded world on disk.
//
// A world is one file, world.gpw, in a directory of its own. It is only ever
// replaced as a whole – written beside, synced, renamed – so a process that dies
// at any moment leaves a state that existed at some save. What was changed since
// the last save is lost with the process, as in the game.
//
// The file is one zstd frame (with its checksum) around:
//
//	"GPWORLD1"            eight bytes
//	header                uvarint length, JSON: palette, dimensions, properties, block entities
//	for each dimension, in the header's order:
//	  count               uvarint, number of stored sections
//	  count × section     x, y, z as varints, then runs until 4,096 cells are told:
//	                      uvarint state, uvarint length; cells in y, z, x order
//
// A state is an index of the palette. Sections that nobody ever wrote are not
// stored: they hold what the dimension's ground says, which depends on y alone.
package store
