package rpc

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"groundplan/plan"
	"groundplan/plan/voxel"
)

var load = flag.Duration("load", 2*time.Second, "how long the load test runs")

// 64 clients read, prepare and ask for a status at once. Nobody is told anything
// but a result or 429, a status is answered within 50 ms for 99 in 100, and the
// memory does not grow.
func TestLoad(t *testing.T) {
	const clients, slow = 64, 50 * time.Millisecond
	const judged = 10 * time.Second // shorter runs beside other tests say little about time
	s := openWorld(t)
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone", true, room)), "k")
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	before := heap()
	var (
		mu       sync.Mutex // protects the following
		statuses []time.Duration
		busy     int
		calls    int
	)
	end := time.Now().Add(*load)
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for turn := 0; time.Now().Before(end); turn++ {
				var r response
				switch kind := (client + turn) % 8; kind {
				case 0:
					b := voxel.Cube(voxel.Pos{X: client, Y: turn % 200, Z: turn % 50})
					r = s.call("build_prepare", boxRecipe("granite", false, b))
				case 1, 2:
					r = s.call("region_inspect", regionParams(room, fmt.Sprintf(`,"detail":%q`, []string{"summary", "blocks"}[kind-1])))
				case 3:
					r = s.call("project_context", `{}`)
				default:
					start := time.Now()
					r = s.call("operation_status", `{"operation_id":"`+op.ID+`"}`)
					took := time.Since(start)
					mu.Lock()
					statuses = append(statuses, took)
					mu.Unlock()
				}
				mu.Lock()
				calls++
				if r.status == http.StatusTooManyRequests {
					busy++
				} else if !r.OK {
					t.Errorf("%d %s", r.status, r.body)
				}
				mu.Unlock()
				time.Sleep(time.Duration(turn%3) * time.Millisecond)
			}
		})
	}
	group.Wait()
	slices.Sort(statuses)
	p50, p99 := statuses[len(statuses)/2], statuses[len(statuses)*99/100]
	grown := int64(heap()) - int64(before)
	t.Logf("%d calls in %v by %d clients: %d answered 429; operation_status p50 %v, p99 %v; heap grew by %d KiB",
		calls, *load, clients, busy, p50, p99, grown>>10)
	if p99 > slow && *load >= judged {
		t.Errorf("p99 of operation_status is %v; at most %v", p99, slow)
	}
	if grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	if last := ok[plan.Operation](s, "operation_status", `{"operation_id":"`+op.ID+`"}`); last.Status != plan.Applied {
		t.Errorf("%+v", last)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
