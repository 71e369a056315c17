package journal

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"strings"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// Lines of an export. Kind says which one it is; a mask is the base64 of
// [groundplan/plan/voxel.Mask.AppendBinary].
type (
	exportPlan struct {
		Kind   string        `json:"kind"` // plan
		Plan   plan.Plan     `json:"plan"`
		States []block.State `json:"states"`
		// Slices and Kept have fills as x1,y1,z1,x2,y2,z2,before,after; the
		// last two are places in States.
		Slices [][][8]int `json:"slices"`
		Kept   [][8]int   `json:"kept"`
	}
	exportOperation struct {
		Kind      string         `json:"kind"` // operation
		Operation plan.Operation `json:"operation"`
		WorldID   string         `json:"world_id"`
		Dimension string         `json:"dimension"`
	}
	exportSlice struct {
		Kind      string `json:"kind"` // slice
		Operation string `json:"operation_id"`
		Slice     int    `json:"slice"`
		At        int64  `json:"at"`
		Cells     int    `json:"cells"`
		Write     []byte `json:"write"`
		Settled   bool   `json:"settled"`
		WroteAt   int64  `json:"wrote_at,omitempty"`
		Wrote     []byte `json:"wrote,omitempty"` // absent when it is the same as write
	}
	exportMark struct {
		Kind      string `json:"kind"` // mark
		WorldID   string `json:"world_id"`
		Dimension string `json:"dimension"`
		Since     int64  `json:"since"`
		Cells     int    `json:"cells"`
		Mask      []byte `json:"mask"`
	}
	exportPart struct {
		Kind string    `json:"kind"` // part
		Part plan.Part `json:"part"`
		Mask []byte    `json:"mask"`
	}
	exportDecision struct {
		Kind     string        `json:"kind"` // decision
		Decision plan.Decision `json:"decision"`
	}
	exportEvent struct {
		Kind  string `json:"kind"` // event
		Event Event  `json:"event"`
		Cells int    `json:"cells"`
		Mask  []byte `json:"mask"`
	}
)

// Export writes all that the journal has as JSON lines: first one of the kind
// "journal" with its Stats, then plans, operations with their slices, marks, parts,
// decisions and events, each oldest first. It is one consistent picture. The
// journal never holds tokens or other secrets, so none are in it.
func (j *Journal) Export(w io.Writer) error {
	stats, err := j.Stats()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	e := exporter{j: j, to: json.NewEncoder(out)}
	e.to.SetEscapeHTML(false)
	err = j.view(func(tx *bbolt.Tx) error {
		e.tx = tx
		e.line(struct {
			Kind string `json:"kind"`
			Stats
		}{"journal", stats})
		for _, step := range []func() error{e.plans, e.operations, e.marks, e.parts, e.decisions, e.events} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if e.failed == nil {
		e.failed = out.Flush()
	}
	if e.failed != nil {
		return fault.Errorf(fault.StorageFailed, "export journal: %w", e.failed)
	}
	return nil
}

// exporter writes lines and remembers the first that could not be written.
type exporter struct {
	j      *Journal
	tx     *bbolt.Tx
	to     *json.Encoder
	failed error
}

func (e *exporter) line(value any) {
	if e.failed == nil {
		e.failed = e.to.Encode(value)
	}
}

func (e *exporter) plans() error {
	for key := range entries(e.tx.Bucket(bucketPlans)) {
		p, err := e.j.decodePlan(e.tx, seqOf(key))
		if err != nil {
			return err
		}
		states := &palette{index: map[block.State]uint64{}}
		rows := func(fills []plan.Fill) [][8]int {
			list := make([][8]int, len(fills))
			for i, f := range fills {
				lo, hi := f.Box.Min, f.Box.Max
				list[i] = [8]int{lo.X, lo.Y, lo.Z, hi.X, hi.Y, hi.Z, int(states.id(f.Before)), int(states.id(f.After))}
			}
			return list
		}
		line := exportPlan{Kind: "plan", Plan: *p, Slices: make([][][8]int, len(p.Slices)), Kept: rows(p.Kept)}
		for i, s := range p.Slices {
			line.Slices[i] = rows(s.Fills)
		}
		line.States = states.states
		e.line(line)
	}
	return nil
}

func (e *exporter) operations() error {
	for key, record := range entries(e.tx.Bucket(bucketOperations)) {
		var r operationRecord
		if err := e.j.codec.openJSON(kindOperation, record, &r); err != nil {
			return err
		}
		e.line(exportOperation{Kind: "operation", Operation: r.Operation, WorldID: r.WorldID, Dimension: r.Dimension})
		for number, record := range prefixed(e.tx.Bucket(bucketSlices), key) {
			s, err := e.j.openSlice(record)
			if err != nil {
				return err
			}
			line := exportSlice{
				Kind: "slice", Operation: r.Operation.ID, Slice: int(binary.BigEndian.Uint32(number[8:])),
				At: s.at, Cells: s.write.len(), Write: s.write.encode(), Settled: s.done, WroteAt: s.wroteAt,
			}
			if s.done && !s.wrote.equal(s.write) {
				line.Wrote = s.wrote.encode()
			}
			e.line(line)
		}
	}
	return nil
}

func (e *exporter) marks() error {
	for name := range entries(e.tx.Bucket(bucketMarks)) {
		cells, since, err := e.j.marked(e.tx, name)
		if err != nil {
			return err
		}
		if len(cells) == 0 {
			continue
		}
		world, dimension, _ := strings.Cut(string(name), "\x00")
		e.line(exportMark{Kind: "mark", WorldID: world, Dimension: dimension, Since: since, Cells: cells.len(), Mask: cells.encode()})
	}
	return nil
}

func (e *exporter) parts() error {
	for _, record := range entries(e.tx.Bucket(bucketParts)) {
		p, err := e.j.openPart(record)
		if err != nil {
			return err
		}
		cells, err := areaOfMask(p.Mask)
		if err != nil {
			return err
		}
		e.line(exportPart{Kind: "part", Part: p, Mask: cells.encode()})
	}
	return nil
}

func (e *exporter) decisions() error {
	for _, record := range entries(e.tx.Bucket(bucketDecisions)) {
		var d plan.Decision
		if err := e.j.codec.openJSON(kindDecision, record, &d); err != nil {
			return err
		}
		e.line(exportDecision{Kind: "decision", Decision: d})
	}
	return nil
}

func (e *exporter) events() error {
	for key, record := range entries(e.tx.Bucket(bucketEvents)) {
		var r event
		if err := e.j.codec.openJSON(kindEvent, record, &r); err != nil {
			return err
		}
		known, err := e.j.event(e.tx, r)
		if err != nil {
			return err
		}
		known.Cursor = uint64(seqOf(key))
		line := exportEvent{Kind: "event", Event: known, Cells: known.Cells.Len()}
		if known.Kind != EventWrote { // that of a slice stands with the slice
			line.Mask = r.Mask
		}
		e.line(line)
	}
	return nil
}
