package script

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitAddressSpace makes an allocation that the watchdog did not see in time
// fail instead of filling the machine: the process may map so much beside what
// the runtime has mapped already.
func limitAddressSpace(more uint64) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return // the other two limits hold without this one
	}
	first, _, _ := bytes.Cut(statm, []byte(" "))
	mapped, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return
	}
	most := mapped*uint64(os.Getpagesize()) + more
	_ = unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}) // as above
}
