//go:build unix && !solaris && !illumos && !aix

package journal

import (
	"os"
	"syscall"
)

// unlock gives up bbolt's lock. Closing the file is not enough when the file is
// still mapped, as it is when bbolt panics while it opens it.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
