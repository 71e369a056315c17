package rpc

import (
	"encoding/json"
	"net/http"

	"groundplan/plan/fault"
)

// Health is the answer of GET /health. It has no private data: nobody's name, no
// position, no id.
type Health struct {
	Service string `json:"service"`
	Version string `json:"version"`
	Status  string `json:"status"`  // ready, or the first reason why it is not
	Live    bool   `json:"live"`    // the process answers
	Ready   bool   `json:"ready"`   // a write could begin now
	Journal string `json:"journal"` // ok, failed
	World   string `json:"world"`   // connected, away
	Gate    string `json:"gate"`    // open, shut
}

// Health says in what state the service is.
func (s *Service) Health() Health {
	h := Health{Service: "groundplan", Version: s.Version, Status: "ready", Live: true, Journal: "ok", World: "connected", Gate: "open"}
	undecided, err := s.Runner.Gate()
	if err != nil || s.Runner.Broken() != nil {
		h.Journal = "failed"
	}
	if len(undecided) > 0 {
		h.Gate = "shut"
	}
	if _, err := s.World().Info(); err != nil {
		h.World = "away"
	}
	switch {
	case h.Journal != "ok":
		h.Status = string(fault.StorageFailed)
	case h.Gate != "open":
		h.Status = string(fault.RecoveryRequired)
	case h.World != "connected":
		h.Status = string(fault.WorldUnavailable)
	}
	h.Ready = h.Status == "ready"
	return h
}

func (s *Service) serveHealth(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Health()) }

func (s *Service) serveSchema(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"version": protocolVersion, "methods": schemaPages(s.table)})
}

func schemaPages(table []Method) []map[string]any {
	var pages []map[string]any
	for _, m := range table {
		pages = append(pages, map[string]any{
			"name": m.Name, "description": m.Doc, "role": m.Role, "writes": m.Writes, "idempotent": m.Idempotent,
			"errors": append(m.Errors, CommonErrors()...), "params": m.Params, "result": m.Result,
		})
	}
	return pages
}

func writeJSON(w http.ResponseWriter, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a client that went away is not our error
}
