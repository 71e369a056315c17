package journal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"groundplan/plan"
)

// Explanation is all that the journal knows of one operation, for people.
type Explanation struct {
	Operation plan.Operation  `json:"operation"`
	Plan      plan.Plan       `json:"plan"` // without its cells
	Slices    []SliceFate     `json:"slices"`
	Owned     int             `json:"owned"`             // cells that it wrote and still owns
	Doubted   int             `json:"doubted,omitempty"` // of them, those that somebody may have edited unseen
	Since     int64           `json:"since,omitempty"`   // doubted ones only: since when, milliseconds since 1970
	Lost      []Loss          `json:"lost,omitempty"`
	Decisions []plan.Decision `json:"decisions,omitempty"`
}

// SliceFate is how far a slice came.
type SliceFate struct {
	Slice      int   `json:"slice"`
	Intended   int   `json:"intended"`    // cells
	IntendedAt int64 `json:"intended_at"` // milliseconds since 1970
	Settled    bool  `json:"settled"`     // there is a receipt
	Wrote      int   `json:"wrote"`       // cells
	WroteAt    int64 `json:"wrote_at"`    // milliseconds since 1970
}

// Loss says who took over cells that the operation wrote.
type Loss struct {
	To    string `json:"to,omitempty"` // an operation; "" for edits by others and abandonments
	Cells int    `json:"cells"`
}

// Explain returns what the journal knows of an operation; not_found when there is
// none.
func (j *Journal) Explain(operation string) (Explanation, error) {
	var e Explanation
	err := j.view(func(tx *bbolt.Tx) error {
		at, r, err := j.operation(tx, operation)
		if err != nil {
			return err
		}
		e.Operation = r.Operation
		planAt := seqOf(tx.Bucket(bucketPlanIDs).Get([]byte(r.Operation.PlanID)))
		head, err := j.planHead(tx, planAt)
		if err != nil {
			return err
		}
		e.Plan = head.Plan
		for _, record := range prefixed(tx.Bucket(bucketSlices), at.key()) {
			s, err := j.openSlice(record)
			if err != nil {
				return err
			}
			e.Slices = append(e.Slices, SliceFate{
				Slice: len(e.Slices), Intended: s.write.len(), IntendedAt: s.at, Settled: s.done, Wrote: s.wrote.len(), WroteAt: s.wroteAt,
			})
		}
		return j.explainOwners(tx, at, r, &e)
	})
	if err != nil {
		return e, err
	}
	decisions, err := j.Decisions()
	for _, d := range decisions {
		if d.Operation == operation {
			e.Decisions = append(e.Decisions, d)
		}
	}
	return e, err
}

// explainOwners counts who owns what the operation wrote.
func (j *Journal) explainOwners(tx *bbolt.Tx, at seq, r operationRecord, e *Explanation) error {
	wrote, _, err := j.written(tx, at)
	if err != nil {
		return err
	}
	name := ownersName(r.WorldID, r.Dimension)
	b := tx.Bucket(bucketOwners).Bucket(name)
	doubted, since, err := j.marked(tx, name)
	if err != nil {
		return err
	}
	lost := map[seq]int{}
	for section, cells := range wrote {
		s, err := j.readStack(b, sectionKey(section))
		if err != nil {
			return err
		}
		owned := s.owned(at)
		e.Owned += owned.Len()
		if unsure := doubted[section]; unsure != nil {
			both := owned.And(unsure)
			e.Doubted, e.Since = e.Doubted+both.Len(), since
		}
		rest := *cells
		rest.Subtract(&owned)
		for i := range slices.Backward(s) {
			taken := s[i].cells.And(&rest)
			rest.Subtract(&taken)
			lost[s[i].op] += taken.Len()
		}
		lost[0] += rest.Len()
	}
	for _, op := range slices.Sorted(maps.Keys(lost)) {
		loss := Loss{Cells: lost[op]}
		if loss.Cells == 0 {
			continue
		}
		if op != 0 {
			r, err := j.operationAt(tx, op)
			if err != nil {
				return err
			}
			loss.To = r.Operation.ID
		}
		e.Lost = append(e.Lost, loss)
	}
	return nil
}

// String returns the explanation as text of several lines.
func (e Explanation) String() string {
	var b strings.Builder
	op := e.Operation
	fmt.Fprintf(&b, "operation %s is %s: %s\n", op.ID, op.Status, cmp.Or(op.Message, "no message"))
	fmt.Fprintf(&b, "  project %s, key %s, by %s, recorded %s, last change %s\n", op.Project, op.Key, op.By, stamp(op.CreatedAt), stamp(op.UpdatedAt))
	if op.UndoOf != "" {
		fmt.Fprintf(&b, "  takes back operation %s\n", op.UndoOf)
	}
	fmt.Fprintf(&b, "  plan %s in %s: %d cells to change, %d slices, hash %s\n", e.Plan.ID, e.Plan.Dimension, e.Plan.Changed, op.Slices, e.Plan.Hash)
	for _, s := range e.Slices {
		fate := "open: whether its cells were written must be read from the world"
		if s.Settled {
			fate = fmt.Sprintf("%d written, confirmed %s", s.Wrote, stamp(s.WroteAt))
		}
		fmt.Fprintf(&b, "  slice %d: %d cells intended %s; %s\n", s.Slice, s.Intended, stamp(s.IntendedAt), fate)
	}
	fmt.Fprintf(&b, "  %d written, %d skipped; %d still owned and so undoable\n", op.Written, op.Skipped, e.Owned)
	if e.Doubted > 0 {
		fmt.Fprintf(&b, "  %d of them may have been edited unseen since %s; a comparison with the world will tell\n", e.Doubted, stamp(e.Since))
	}
	for _, l := range e.Lost {
		to := "operation " + l.To
		if l.To == "" {
			to = "edits by others, or an abandonment"
		}
		fmt.Fprintf(&b, "  %d cells went to %s\n", l.Cells, to)
	}
	for _, c := range op.Conflicts {
		fmt.Fprintf(&b, "  conflict at %v: expected %s, found %s, wanted %s\n", c.Pos, c.Expected, cmp.Or(c.Current, "nothing loaded"), c.Desired)
	}
	for _, d := range e.Decisions {
		fmt.Fprintf(&b, "  decision %s: %s by %s at %s: %s\n", d.ID, d.Verdict, d.By, stamp(d.At), d.Reason)
	}
	return b.String()
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
