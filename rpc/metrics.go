package rpc

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Counters are totals since the service started, asked for when /metrics is read.
type Counters struct {
	Cells      int64 // cells that receipts confirm
	Commands   int64 // commands sent to the world
	RoundTrips int64 // requests to the addon that were answered
	Fsyncs     int64 // transactions of the journal that reached the disk
	Conflicts  int64 // operations that ended in conflict
	Operations map[string]int64
}

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
	gauge := func(name, help string, read func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	counter := func(name, help string, read func(Counters) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 {
			return float64(read(s.counters()))
		})
	}
	m.registry.MustRegister(
		m.calls, m.errors,
		gauge("groundplan_gate_shut", "1 while an operation waits for an admin's decision.", func() float64 { return truth(s.Health().Gate != "open") }),
		gauge("groundplan_world_connected", "1 while a world is connected.", func() float64 { return truth(s.Health().World == "connected") }),
		gauge("groundplan_journal_failed", "1 after the disk failed.", func() float64 { return truth(s.Health().Journal != "ok") }),
		counter("groundplan_cells_total", "Cells written and confirmed.", func(c Counters) int64 { return c.Cells }),
		counter("groundplan_commands_total", "Commands sent to the world.", func(c Counters) int64 { return c.Commands }),
		counter("groundplan_round_trips_total", "Requests that the addon answered.", func(c Counters) int64 { return c.RoundTrips }),
		counter("groundplan_fsyncs_total", "Transactions of the journal on disk.", func(c Counters) int64 { return c.Fsyncs }),
		counter("groundplan_conflicts_total", "Operations that ended in conflict.", func(c Counters) int64 { return c.Conflicts }),
		&byStatus{s: s, desc: prometheus.NewDesc("groundplan_operations_total", "Operations by status.", []string{"status"}, nil)},
	)
	return m
}

func (s *Service) counters() Counters {
	if s.Counters == nil {
		return Counters{}
	}
	return s.Counters()
}

// byStatus collects the operations by their status.
type byStatus struct {
	s    *Service
	desc *prometheus.Desc
}

// Describe sends the one description.
func (b *byStatus) Describe(out chan<- *prometheus.Desc) { out <- b.desc }

// Collect sends a value per status.
func (b *byStatus) Collect(out chan<- prometheus.Metric) {
	for status, n := range b.s.counters().Operations {
		out <- prometheus.MustNewConstMetric(b.desc, prometheus.GaugeValue, float64(n), status)
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// count notes one request. Methods that do not exist are counted together, so
// that a client cannot fill the memory with names.
func (m *metrics) count(method, code string, took time.Duration) {
	if method == "" {
		return
	}
	m.calls.WithLabelValues(method).Observe(took.Seconds())
	if code != "" {
		m.errors.WithLabelValues(method, code).Inc()
	}
}

func (s *Service) serveMetrics(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
