package recovery

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// TestMain sets how many random sequences are run when the command line does not
// say it (-rapid.checks).
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", strconv.Itoa(usualChecks)); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(m.Run())
}
