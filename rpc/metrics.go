package rpc

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"groundplan/journal"
	"groundplan/plan"
)

// metrics is what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.HistogramVec
	errors   *prometheus.CounterVec
}

func newMetrics(s *Service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "groundplan_call_seconds", Help: "How long calls took, by method.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 30},
		}, []string{"method"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "groundplan_errors_total", Help: "Calls that failed, by method and code.",
		}, []string{"method", "code"}),
	}
	m.registry.MustRegister(m.calls, m.errors, newGauges(s))
	return m
}

// gauges collects what the parts below count, once for each reading.
type gauges struct {
	s *Service

	gate, world, broken                            *prometheus.Desc
	operations, cells, commands, weak, conflicting *prometheus.Desc
	trips, fsyncs                                  *prometheus.Desc
}

func newGauges(s *Service) *gauges {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("groundplan_"+name, help, labels, nil)
	}
	return &gauges{
		s:           s,
		gate:        desc("gate_shut", "1 while an operation waits for an admin's decision."),
		world:       desc("world_connected", "1 while a world is connected."),
		broken:      desc("journal_failed", "1 after the disk failed."),
		operations:  desc("operations", "Operations by status, of the newest 10,000.", "status"),
		cells:       desc("cells", "Cells that these operations wrote."),
		commands:    desc("commands", "Commands that they sent."),
		weak:        desc("weak_commands", "Commands whose filter had to drop states to fit the line."),
		conflicting: desc("conflicting_cells", "Cells at which they stopped."),
		trips:       desc("round_trips_total", "Requests made to the game since the start."),
		fsyncs:      desc("fsyncs_total", "Transactions of the journal that reached the disk since the start."),
	}
}

// Describe sends every description.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		g.gate, g.world, g.broken, g.operations, g.cells, g.commands, g.weak, g.conflicting, g.trips, g.fsyncs,
	} {
		out <- d
	}
}

// Collect sends every value.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
	}
	h := g.s.Health()
	gauge(g.gate, truth(h.Gate != "open"))
	gauge(g.world, truth(h.World == "connected"))
	gauge(g.broken, truth(h.Journal != "ok"))
	counter(g.fsyncs, float64(g.s.Journal.Commits()))
	if g.s.RoundTrips != nil {
		counter(g.trips, float64(g.s.RoundTrips()))
	}
	ops, err := g.s.Journal.Operations(journal.Filter{Limit: maxListed})
	if err != nil {
		out <- prometheus.NewInvalidMetric(g.operations, err)
		return
	}
	statuses := map[plan.Status]int{plan.Queued: 0, plan.Applying: 0, plan.Applied: 0, plan.Conflicted: 0, plan.Cancelled: 0, plan.Failed: 0, plan.RecoveryRequired: 0}
	var written, sent, weak, conflicts int
	for _, op := range ops {
		statuses[op.Status]++
		written, sent, weak, conflicts = written+op.Written, sent+op.Sent, weak+op.Weak, conflicts+op.ConflictCount
	}
	for status, n := range statuses {
		gauge(g.operations, float64(n), string(status))
	}
	gauge(g.cells, float64(written))
	gauge(g.commands, float64(sent))
	gauge(g.weak, float64(weak))
	gauge(g.conflicting, float64(conflicts))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// count notes one call.
func (m *metrics) count(method, code string, took time.Duration) {
	m.calls.WithLabelValues(method).Observe(took.Seconds())
	if code != "" {
		m.errors.WithLabelValues(method, code).Inc()
	}
}

func (s *Service) serveMetrics(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
