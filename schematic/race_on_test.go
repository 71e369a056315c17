//go:build race

package schematic

// slower is by what the race detector, which is on, slows a decoder down.
const slower = 12
