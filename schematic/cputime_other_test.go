//go:build !unix

package schematic

import "time"

// cpuTime returns the time of the clock, which is the best there is here.
func cpuTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
