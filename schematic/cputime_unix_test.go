//go:build unix

package schematic

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that the process has used, so that a busy
// machine does not fail a test.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
