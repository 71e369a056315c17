// Package nbt reads Named Binary Tags that strangers made: the big-endian form
// of Java and the little-endian form of Bedrock, from bytes in memory or from a
// stream that is being inflated.
//
// Its one promise is that a file costs what its bytes cost, never what it says
// about itself. A length is compared with the bytes that may still come before
// anything is allocated for it; nothing is allocated for what nobody asked for;
// arrays are handed out as views of the buffer; nesting stops at a depth; and
// what may come out of a compressed stream, in all and beside the arrays that
// the caller wants, is bounded.
//
// The caller walks the document: [Reader.Root], then [Reader.Compound] and
// [Reader.List], which call back for every field and element. A callback takes
// its payload whole, with one of the methods named after the tags or with
// [Reader.Skip].
package nbt
