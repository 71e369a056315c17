// The command gen writes docs/PROTOCOL.md out of the method table and the
// transcripts in rpc/testdata; go generate ./rpc runs it, and a test of rpc fails
// when the page is not what it would write.
package main
