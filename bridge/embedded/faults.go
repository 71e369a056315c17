package embedded

import "math/rand/v2"

// Faults are what can go wrong, and how often.
type Faults struct{}

// chaos draws faults from one seed.
type chaos struct {
	faults Faults
	random *rand.Rand
}

func newChaos(f Faults, seed uint64) *chaos {
	return &chaos{faults: f, random: rand.New(rand.NewPCG(seed, 0x67726f756e64))}
}

// area is a ticking area.
type area struct{}
