//go:build !linux

package script

// limitAddressSpace does nothing where there is no such limit: the watchdog and
// the parent hold the script.
func limitAddressSpace(uint64) {}
