package journal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// Check verifies every invariant of the journal, from bbolt's pages up, and
// returns storage_failed with a sentence for the first that does not hold. It
// reads the whole file, and writers wait meanwhile.
func (j *Journal) Check() error {
	j.writing.Lock() // bbolt's check compares the file with its list of free pages in memory
	defer j.writing.Unlock()
	if err := checkPages(j.path, true); err != nil {
		return storage("journal check", err)
	}
	return j.view(func(tx *bbolt.Tx) error {
		if err := touch(tx); err != nil {
			return err
		}
		var first error
		for err := range tx.Check() { // to its end, or its goroutine stays
			if first == nil {
				first = broken("file: %v", err)
			}
		}
		if first != nil {
			return first
		}
		c := checker{j: j, tx: tx}
		for _, step := range []func() error{c.sequences, c.plans, c.operations, c.slices, c.owners, c.marks, c.looks, c.parts, c.decisions, c.events} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// touch looks at every key and value of the file, and finds each key again. It
// comes ahead of bbolt's own check, which runs on a goroutine of its own: there a
// read beyond the mapped file, as a damaged page asks for, would end the process;
// here it is an error.
func touch(tx *bbolt.Tx) error {
	sum := crc32.NewIEEE()
	var walk func(find func(key []byte) []byte, c *bbolt.Cursor, nested func(key []byte) *bbolt.Bucket) error
	walk = func(find func(key []byte) []byte, c *bbolt.Cursor, nested func(key []byte) *bbolt.Bucket) error {
		for key, value := c.First(); key != nil; key, value = c.Next() {
			sum.Write(key)
			sum.Write(value)
			if !bytes.Equal(find(key), key) {
				return broken("file: a key is not found where it stands")
			}
			if value != nil {
				continue
			}
			b := nested(key)
			if b == nil {
				return broken("file: a bucket cannot be opened")
			}
			if err := walk(finder(b.Cursor()), b.Cursor(), b.Bucket); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(finder(tx.Cursor()), tx.Cursor(), tx.Bucket)
}

func finder(c *bbolt.Cursor) func(key []byte) []byte {
	return func(key []byte) []byte {
		found, _ := c.Seek(key)
		return found
	}
}

// quickCheck verifies what a start relies on: that all that is unfinished is
// there and whole. It reads nothing of what is finished.
func (j *Journal) quickCheck() error {
	return j.view(func(tx *bbolt.Tx) error {
		c := checker{j: j, tx: tx}
		for key := range entries(tx.Bucket(bucketOpen)) {
			r, err := j.operationAt(tx, seqOf(key))
			if err != nil {
				return err
			}
			if r.Operation.Status.Final() {
				return broken("operation %s is %s and listed as unfinished", r.Operation.ID, r.Operation.Status)
			}
			if _, err := c.history(seqOf(key), r); err != nil {
				return err
			}
		}
		return nil
	})
}

func broken(format string, args ...any) error {
	return fault.Errorf(fault.StorageFailed, "journal check: "+format, args...)
}

// checker is one walk over a journal.
type checker struct {
	j  *Journal
	tx *bbolt.Tx

	stacks map[string]stack // decoded lately: operations next to one another are near one another
	layers int              // of them

	owning int // pairs of section and operation that owners confirmed from the receipts' side
}

// sequences checks that no number is handed out twice: the last ones must not be below
// the last keys, and where nothing is ever removed at the end they are the same.
func (c *checker) sequences() error {
	for _, name := range buckets() {
		b := c.tx.Bucket(name)
		last, want := seq(b.Sequence()), seq(0)
		switch string(name) {
		case string(bucketOperations), string(bucketDecisions), string(bucketEvents), string(bucketPlans):
			key, _ := b.Cursor().Last()
			want = seqOf(key)
		}
		if last < want || last > want && !bytes.Equal(name, bucketPlans) {
			return broken("the numbers of %s are at %d, not %d", name, last, want)
		}
	}
	return nil
}

// plans checks that every plan decodes, that no cell is in two of its fills, that
// ids lead to it, and that exactly the never-started ones are fresh.
func (c *checker) plans() error {
	started := map[string]bool{}
	for _, record := range entries(c.tx.Bucket(bucketOperations)) {
		var r operationRecord
		if err := c.j.codec.openJSON(kindOperation, record, &r); err != nil {
			return err
		}
		started[r.Operation.PlanID] = true
	}
	n := 0
	for key := range entries(c.tx.Bucket(bucketPlans)) {
		at := seqOf(key)
		p, err := c.j.decodePlan(c.tx, at)
		if err != nil {
			return err
		}
		if seqOf(c.tx.Bucket(bucketPlanIDs).Get([]byte(p.ID))) != at {
			return broken("plan %s is not found by its id", p.ID)
		}
		waits := c.tx.Bucket(bucketFresh).Get(key)
		if fresh := waits != nil; fresh == started[p.ID] {
			return broken("plan %s: started is %t and fresh is %t", p.ID, started[p.ID], fresh)
		}
		if waits != nil && !bytes.Equal(waits, freshValue(p)) {
			return broken("plan %s waits under another expiry or number of cells", p.ID)
		}
		if err := disjoint(p); err != nil {
			return err
		}
		n++
	}
	if ids := c.tx.Bucket(bucketPlanIDs).Stats().KeyN; ids != n {
		return broken("%d ids for %d plans", ids, n)
	}
	for key := range entries(c.tx.Bucket(bucketFresh)) {
		if c.tx.Bucket(bucketPlans).Get(key) == nil {
			return broken("plan number %d is fresh and missing", seqOf(key))
		}
	}
	for key := range entries(c.tx.Bucket(bucketCells)) {
		if len(key) != 13 || c.tx.Bucket(bucketPlans).Get(key[:8]) == nil {
			return broken("cells of a plan that is missing")
		}
	}
	return nil
}

func disjoint(p *plan.Plan) error {
	all, n := area{}, 0
	for _, s := range p.Slices {
		for _, f := range s.Fills {
			all.addBox(f.Box)
			n += f.Box.Volume()
		}
	}
	if all.len() != n {
		return broken("plan %s has a cell twice", p.ID)
	}
	return nil
}

// operations checks each operation's record, its indices and its slices.
func (c *checker) operations() error {
	n, open := 0, 0
	for key, record := range entries(c.tx.Bucket(bucketOperations)) {
		var r operationRecord
		if err := c.j.codec.openJSON(kindOperation, record, &r); err != nil {
			return err
		}
		if err := c.operation(seqOf(key), r); err != nil {
			return err
		}
		n++
		if !r.Operation.Status.Final() {
			open++
		}
	}
	for name, want := range map[string]int{string(bucketOperationIDs): n, string(bucketKeys): n, string(bucketOpen): open} {
		if got := c.tx.Bucket([]byte(name)).Stats().KeyN; got != want {
			return broken("%d entries in %s, not %d", got, name, want)
		}
	}
	return nil
}

func (c *checker) operation(at seq, r operationRecord) error {
	op := r.Operation
	if seqOf(c.tx.Bucket(bucketOperationIDs).Get([]byte(op.ID))) != at {
		return broken("operation %s is not found by its id", op.ID)
	}
	if seqOf(c.tx.Bucket(bucketKeys).Get(keyOf(op.Project, op.Key))) != at {
		return broken("operation %s is not found by its key", op.ID)
	}
	if open := c.tx.Bucket(bucketOpen).Get(at.key()) != nil; open == op.Status.Final() {
		return broken("operation %s is %s, and listed as unfinished is %t", op.ID, op.Status, open)
	}
	if undone := seqOf(c.tx.Bucket(bucketOperationIDs).Get([]byte(op.UndoOf))); op.UndoOf != "" && (undone == 0 || undone != r.UndoOf) {
		return broken("operation %s undoes %s, which is missing", op.ID, op.UndoOf)
	}
	p, err := c.j.plan(c.tx, op.PlanID)
	if err != nil {
		return broken("operation %s: %v", op.ID, err)
	}
	if p.WorldID != r.WorldID || p.Dimension != r.Dimension {
		return broken("operation %s is in another dimension than its plan", op.ID)
	}
	h, err := c.history(at, r)
	if err != nil {
		return err
	}
	for i, slice := range h {
		if i >= len(p.Slices) || !slice.write.within(sliceArea(p.Slices[i])) {
			return broken("operation %s, slice %d: an intent outside of the plan", op.ID, i)
		}
	}
	return c.ending(at, r, h, p)
}

// history checks that an operation's slices follow one another, that only the
// last may be open, that receipts are of intended cells and are counted, and
// returns them.
func (c *checker) history(at seq, r operationRecord) ([]*sliceRecord, error) {
	op := r.Operation
	var h []*sliceRecord
	written := 0
	for key, record := range prefixed(c.tx.Bucket(bucketSlices), at.key()) {
		slice, err := c.j.openSlice(record)
		if err != nil {
			return nil, err
		}
		if len(key) != 12 || binary.BigEndian.Uint32(key[8:]) != uint32(len(h)) {
			return nil, broken("operation %s: slice %d is missing", op.ID, len(h))
		}
		if !slice.done && len(h) != op.Next {
			return nil, broken("operation %s: slice %d is open and slice %d is the next", op.ID, len(h), op.Next)
		}
		if slice.done {
			if !slice.wrote.within(slice.write) {
				return nil, broken("operation %s, slice %d: a receipt of cells that were not intended", op.ID, len(h))
			}
			written += slice.wrote.len()
		}
		h = append(h, slice)
	}
	if op.Written != written {
		return nil, broken("operation %s counts %d cells as written and its receipts have %d", op.ID, op.Written, written)
	}
	if op.Next > len(h) {
		return nil, broken("operation %s: next slice is %d after %d intents", op.ID, op.Next, len(h))
	}
	return h, nil
}

// ending checks what an operation's status promises.
func (c *checker) ending(at seq, r operationRecord, h []*sliceRecord, p *plan.Plan) error {
	op := r.Operation
	open := slices.ContainsFunc(h, func(s *sliceRecord) bool { return !s.done })
	switch op.Status {
	case plan.Applied:
		if open || len(h) != len(p.Slices) {
			return broken("operation %s is applied with %d of %d slices", op.ID, op.Next, len(p.Slices))
		}
	case plan.Conflicted:
		if open {
			return broken("operation %s ended with slice %d open", op.ID, op.Next)
		}
	case plan.Queued:
		if len(h) > 0 {
			return broken("operation %s is queued and has begun", op.ID)
		}
	case plan.Cancelled, plan.Failed, plan.Applying, plan.RecoveryRequired:
		// A slice may be open: the world went away for good, or an admin decided.
	default:
		return broken("operation %s has the status %q", op.ID, op.Status)
	}
	// From the receipts to the stacks; owners goes the other way.
	b := c.tx.Bucket(bucketOwners).Bucket(ownersName(r.WorldID, r.Dimension))
	wrote := area{}
	for _, slice := range h {
		wrote.union(slice.wrote)
	}
	for section, cells := range wrote {
		s, err := c.stack(b, ownersName(r.WorldID, r.Dimension), sectionKey(section))
		if err != nil {
			return err
		}
		found := false
		for i := range s {
			if s[i].op != at {
				continue
			}
			found = true
			if !s[i].cells.Within(cells) || s[i].undoOf != r.UndoOf || op.Abandoned {
				return broken("operation %s owns cells of section %v that it did not write", op.ID, section.Box())
			}
		}
		if found {
			c.owning++
		}
	}
	return nil
}

// stack reads a stack and remembers it for a while.
func (c *checker) stack(b *bbolt.Bucket, dimension, section []byte) (stack, error) {
	name := string(dimension) + string(section)
	if s, ok := c.stacks[name]; ok {
		return s, nil
	}
	s, err := c.j.readStack(b, section)
	if c.layers += len(s) + 1; c.layers > 1<<16 || c.stacks == nil {
		c.stacks, c.layers = map[string]stack{}, len(s)+1
	}
	c.stacks[name] = s
	return s, err
}

// slices checks that each slice belongs to an operation.
func (c *checker) slices() error {
	for key := range entries(c.tx.Bucket(bucketSlices)) {
		if len(key) != 12 || c.tx.Bucket(bucketOperations).Get(key[:8]) == nil {
			return broken("a slice of an operation that is missing")
		}
	}
	return nil
}

// owners checks that each stack decodes, is possible, and names only operations
// that have receipts there.
func (c *checker) owners() error {
	pairs := 0
	for name, value := range entries(c.tx.Bucket(bucketOwners)) {
		if value != nil || bytes.Count(name, []byte{0}) != 1 {
			return broken("owners of no dimension")
		}
		for key, record := range entries(c.tx.Bucket(bucketOwners).Bucket(name)) {
			section, ok := sectionOf(key)
			payload, err := c.j.codec.open(kindStack, record)
			if err != nil {
				return err
			}
			s, err := decodeStack(payload)
			if err != nil {
				return err
			}
			if what := s.broken(); what != "" || !ok || len(s) == 0 {
				return broken("owners of section %v: %s", section.Box(), what)
			}
			ops := map[seq]bool{}
			for i := range s {
				ops[s[i].op] = true
			}
			pairs += len(ops)
		}
	}
	if pairs != c.owning {
		return broken("%d owners in sections, of which %d have receipts", pairs, c.owning)
	}
	return nil
}

func (c *checker) looks() error {
	for world := range entries(c.tx.Bucket(bucketCursors)) {
		if _, err := c.j.look(c.tx, string(world)); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) parts() error {
	for key, record := range entries(c.tx.Bucket(bucketParts)) {
		p, err := c.j.openPart(record)
		if err != nil {
			return err
		}
		if !bytes.Equal(key, keyOf(p.Project, p.ID)) {
			return broken("part %s is filed under another name", p.ID)
		}
	}
	return nil
}

func (c *checker) decisions() error {
	for _, record := range entries(c.tx.Bucket(bucketDecisions)) {
		var d plan.Decision
		if err := c.j.codec.openJSON(kindDecision, record, &d); err != nil {
			return err
		}
		_, r, err := c.j.operation(c.tx, d.Operation)
		if err != nil {
			return broken("decision %s: %v", d.ID, err)
		}
		if d.Verdict == plan.Abandon && !r.Operation.Abandoned {
			return broken("operation %s was abandoned and does not say so", d.Operation)
		}
	}
	return nil
}

func (c *checker) events() error {
	last := seq(0)
	for key, record := range entries(c.tx.Bucket(bucketEvents)) {
		var e event
		if err := c.j.codec.openJSON(kindEvent, record, &e); err != nil {
			return err
		}
		if last != 0 && seqOf(key) != last+1 {
			return broken("the feed has a gap after event %d", last)
		}
		last = seqOf(key)
		if _, err := c.j.event(c.tx, e); err != nil {
			return broken("event %d: %v", last, err)
		}
	}
	return nil
}
