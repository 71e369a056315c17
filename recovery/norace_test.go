//go:build !race

package recovery

// How much of the sweep and of the random sequences an ordinary run takes.
const (
	usualStride = 41
	usualChecks = 60
)
