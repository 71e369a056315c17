//go:build !race

package schematic

// slower is by what the race detector, which is off, slows a decoder down.
const slower = 1
