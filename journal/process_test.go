package journal

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"groundplan/plan/fault"
)

// childEnv names the journal for the process that a test starts: this test's own
// binary, which then runs the script on it and says after each step how many are
// acknowledged.
const childEnv = "GROUNDPLAN_JOURNAL_CHILD"

// TestChild is not a test: it is what the child processes of the others do.
func TestChild(t *testing.T) {
	path := os.Getenv(childEnv)
	if path == "" {
		t.Skip("only for child processes")
	}
	j, err := Open(path, Options{Now: testNow})
	must(t, err)
	fmt.Println("acknowledged 0")
	for i, step := range script() {
		must(t, step(j))
		fmt.Println("acknowledged", i+1)
	}
	for i := 0; ; i++ { // until it is killed
		p := newPlan(fmt.Sprint("p", i), box(i, 0, 0, i+30, 9, 30))
		run(t, j, p, fmt.Sprint("op", i))
		fmt.Println("more", i+1)
	}
}

type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func start(t *testing.T, path string) *child {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	c := &child{cmd: cmd, lines: bufio.NewScanner(out)}
	t.Cleanup(c.kill)
	if !c.lines.Scan() || c.lines.Text() != "acknowledged 0" {
		t.Fatalf("the child says %q", c.lines.Text())
	}
	return c
}

// kill is SIGKILL: the child has no say.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// TestAKilledProcessLosesNothingAcknowledged kills a process that writes, with
// fsync, at random moments.
func TestAKilledProcessLosesNothingAcknowledged(t *testing.T) {
	states := prefixes(t)
	random := rand.New(rand.NewPCG(5, 6))
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	within := 0
	for range rounds {
		path := filepath.Join(t.TempDir(), "journal.db")
		c := start(t, path)
		time.AfterFunc(time.Duration(random.IntN(40_000))*time.Microsecond, func() { _ = c.cmd.Process.Kill() })
		acknowledged, more := 0, 0
		for c.lines.Scan() {
			kind, number, _ := strings.Cut(c.lines.Text(), " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				continue
			}
			if kind == "more" {
				more = n
			} else {
				acknowledged = n
			}
		}
		c.kill()
		if acknowledged < len(script()) {
			within++
			survives(t, path, states, acknowledged)
			continue
		}
		j := reopen(t, path, Options{})
		ops, err := j.Operations(Filter{Limit: more + 10})
		must(t, err)
		if len(ops) < more+3 { // three are of the script
			t.Fatalf("%d operations, and %d were acknowledged", len(ops), more+3)
		}
	}
	t.Logf("%d of %d were killed within the script", within, rounds)
}

func TestAnotherProcessIsRefusedWithTheHoldersPid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	c := start(t, path)
	begin := time.Now()
	_, err := Open(path, Options{})
	wantCode(t, err, fault.StorageFailed)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("refused only after %v", took)
	}
	if want := fmt.Sprintf("process %d has the journal %s open", c.cmd.Process.Pid, path); err.Error() != want {
		t.Errorf("refused with %q, want %q", err, want)
	}
	c.kill()
	if _, err := os.Stat(pidPath(path)); err != nil {
		t.Errorf("the killed process left no pid file: %v", err)
	}
	j := reopen(t, path, Options{}) // the stale file does not matter
	must(t, j.Close())
	if _, err := os.Stat(pidPath(path)); err == nil {
		t.Error("a closed journal leaves its pid file")
	}
}

func TestAStalePidFileOfALivingProcessDoesNotBlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must(t, reopen(t, path, Options{}).Close())
	must(t, os.WriteFile(pidPath(path), []byte("1\n"), 0o600))
	run(t, reopen(t, path, Options{}), newPlan("p", box(0, 0, 0, 1, 1, 1)), "op")
}
