// Command gen builds the embedded registry of package block.
//
// It reads the npm packages minecraft-data (MIT) and @minecraft/vanilla-data
// (MIT), fetched by npm pack at pinned versions and checked against pinned
// digests, applies patches.txt and classes.txt (one rule, one reason per line),
// checks everything against everything, and writes registry.txt.zst:
//
//	blocks 1                              format and version
//	P name…                               the profiles, oldest first
//	T quality text                        a note: what a translation loses
//	B mask states⇥id id …                 Bedrock blocks of equal states, in the profiles of the mask
//	K class,class⇥id id …                 physics classes
//	J properties                          Java blocks of equal properties and equal rule follow
//	C state prop,prop=value,value…        one component of the rule: a table over the properties it depends on
//	N id=target,target id=target …        Java ids, and the Bedrock ids that component "id" indexes
//	M rrggbb⇥id id …                      colours
//	G faces box;box…                      a shape, in sixteenths; faces: which are full squares (bits)
//	S state:count,…=shape,…⇥id id …       the shapes of a block, over the states they depend on
//	L level⇥id id …                       blocks that shine
//	I id id …                             items that are no blocks
//	O id id …                             blocks that are no items
//	U states                              blocks of older Bedrock versions; C and N lines follow as for J
//
// Ids stand without minecraft:. States and properties are written
// "name=value,*value;name=…", the default starred. The rule of a Java block is
// split into one table per Bedrock state, which holds the few properties that
// state depends on: a release that changes one rule changes one line.
//
// Usage:
//
//	go run ./plan/block/gen [-check] [-cache dir] [-text file]
//
// -check writes nothing and fails when the embedded file is not what would be
// written; -text also writes the text before compression, for reading.
package main
