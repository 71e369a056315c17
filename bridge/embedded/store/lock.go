package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lockTimeout is how long Lock waits for another process to leave the world.
const lockTimeout = 2 * time.Second

// Lock takes the directory of a world for this process, and returns what gives it
// back. The operating system gives it back when the process dies, so a lock is
// never stale. Lock removes the half files of saves that a kill cut short. An
// empty dir needs none.
func Lock(dir string) (unlock func(), err error) {
	if dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("lock world: %w", err)
	}
	type outcome struct {
		unlock func()
		err    error
	}
	got := make(chan outcome)
	late := make(chan struct{})
	go func() { // the lock cannot be asked for without waiting
		unlock, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock()
		select {
		case got <- outcome{unlock, err}:
		case <-late:
			if err == nil {
				unlock()
			}
		}
	}()
	timer := time.NewTimer(lockTimeout)
	defer timer.Stop()
	select {
	case o := <-got:
		if o.err != nil {
			return nil, fmt.Errorf("lock world: %w", o.err)
		}
		if err := sweep(dir); err != nil {
			o.unlock()
			return nil, fmt.Errorf("lock world: %w", err)
		}
		return o.unlock, nil
	case <-timer.C:
		close(late)
		return nil, fmt.Errorf("another process runs the world in %s", dir)
	}
}

// sweep removes what saves that were cut short have left.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+FileName) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
