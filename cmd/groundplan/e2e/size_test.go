package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var figures = flag.Bool("figures", false, "also run what takes minutes and is there for its figures")

// peak returns the most memory that the service has had, in MiB; 0 where the
// system does not tell.
func (s *service) peak(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(raw)
	if m == nil {
		return 0
	}
	kib, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}

// The time and memory of a big build: 100 × 60 × 100 cells of eight blocks, with
// service and embedded world in one process. Stripes are what buildings are like;
// noise, where nearly every cell is a command of its own, is the worst there is.
func TestSixHundredThousandCells(t *testing.T) {
	if raceEnabled {
		t.Skip("takes time and finds no races; .ci/run has a step for it without the race detector")
	}
	lo, hi := pos{-50, 0, -50}, pos{49, 59, 49}
	noise := recipe(box(lo, hi, "$noise"))
	noise["palette"] = object{"noise": eight}
	t.Run("stripes", func(t *testing.T) { bigBuild(t, recipe(stripes(lo, 100, 60, 100)...)) })
	t.Run("noise", func(t *testing.T) {
		if !*figures {
			t.Skip("takes a minute; run with -figures")
		}
		bigBuild(t, noise)
	})
}

// The time and memory of preparing as many cells as a plan may have, from the bottom
// of the world up through its ground and a heap of eight blocks by chance: the
// cells as they are come from the world, and not one box of them is all air.
func TestAMillionCellsArePrepared(t *testing.T) {
	if raceEnabled {
		t.Skip("takes time and finds no races; .ci/run has a step for it without the race detector")
	}
	const cells, seconds, mebibytes = 1 << 20, 5, 600
	lo, hi := pos{-64, -64, -64}, pos{63, -1, 63}
	mixed := func(operations ...object) object {
		r := recipe(operations...)
		r["palette"] = object{"noise": eight}
		return r
	}
	for name, r := range map[string]object{
		"stone":   recipe(box(lo, hi, "stone")),
		"stripes": recipe(append(stripes(lo, 126, 64, 128), box(pos{62, -64, -64}, hi, "glass"))...),
		"noise":   mixed(box(lo, hi, "$noise")),
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, t.TempDir(), "--world", "embedded")
			heap := mixed(object{"type": "pyramid", "center": pos{0, -60, 0}, "base": 20, "block": "$noise"})
			s.mustApply(t, call[planned](t, s, "build_prepare", object{"recipe": heap}), "heap", 12_341)
			busy, began := s.processor(t), time.Now()
			plan := call[planned](t, s, "build_prepare", object{"recipe": r})
			took, busy := time.Since(began), s.processor(t)-busy
			memory := s.peak(t)
			t.Logf("%d of %d cells changed by %d commands: prepared in %.1f s, %.1f s of a processor, peak %d MiB",
				plan.Changed, cells, plan.Commands, took.Seconds(), busy.Seconds(), memory)
			if plan.Changed < cells*9/10 {
				t.Errorf("changed_blocks %d of %d", plan.Changed, cells)
			}
			if min(took, busy).Seconds() > seconds { // others may keep the machine busy
				t.Errorf("took %.1f s, want at most %d", took.Seconds(), seconds)
			}
			if memory > mebibytes {
				t.Errorf("took %d MiB, want at most %d", memory, mebibytes)
			}
			s.stop(t)
		})
	}
}

// processor returns the processor time that the service has used; 0 where the
// system does not tell.
func (s *service) processor(t *testing.T) time.Duration {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0
	}
	var user, system int
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

func bigBuild(t *testing.T, r object) {
	t.Helper()
	const cells, mebibytes = 600_000, 1024
	s := start(t, t.TempDir(), "--world", "embedded")
	began := time.Now()
	plan := call[planned](t, s, "build_prepare", object{"recipe": r})
	prepared := time.Since(began)
	if plan.Changed != cells {
		t.Fatalf("changed_blocks %d, want %d", plan.Changed, cells)
	}
	op := s.mustApply(t, plan, "big", cells)
	total := time.Since(began)
	undo := call[planned](t, s, "operation_undo_prepare", object{"operation_id": op.OperationID})
	unprepared := time.Since(began) - total
	s.mustApply(t, undo, "back", cells)
	memory := s.peak(t)
	t.Logf("%d cells, %d commands: prepared in %.1f s, applied in %.1f s, together %.1f s; undo of %d commands prepared in %.1f s, applied in %.1f s; peak %d MiB",
		cells, plan.Commands, prepared.Seconds(), (total - prepared).Seconds(), total.Seconds(),
		undo.Commands, unprepared.Seconds(), (time.Since(began) - total - unprepared).Seconds(), memory)
	if memory > mebibytes {
		t.Errorf("took %d MiB, want at most %d", memory, mebibytes)
	}
	s.stop(t)
}
