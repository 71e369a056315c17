//go:build race

package recovery

// The race detector makes everything some ten times slower; it looks at fewer
// second crashes and at fewer random sequences.
const (
	usualStride = 400
	usualChecks = 12
)
