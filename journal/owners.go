package journal

import (
	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// readStack returns the stack at a section; b may be nil.
func (j *Journal) readStack(b *bbolt.Bucket, key []byte) (stack, error) {
	if b == nil {
		return nil, nil
	}
	record := b.Get(key)
	if record == nil {
		return nil, nil
	}
	payload, err := j.codec.open(kindStack, record)
	if err != nil {
		return nil, err
	}
	return decodeStack(payload)
}

func (j *Journal) writeStack(b *bbolt.Bucket, key []byte, s stack) error {
	if len(s) == 0 {
		return b.Delete(key)
	}
	record, err := j.codec.seal(kindStack, s.encode())
	if err != nil {
		return err
	}
	return b.Put(key, record)
}

// own gives an operation the cells that it was seen to have written.
func (j *Journal) own(tx *bbolt.Tx, at seq, r operationRecord, wrote area) error {
	if r.Operation.Abandoned {
		return nil // it owns nothing, for good
	}
	name := ownersName(r.WorldID, r.Dimension)
	b, err := tx.Bucket(bucketOwners).CreateBucketIfNotExists(name)
	if err != nil {
		return err
	}
	marks := tx.Bucket(bucketMarks).Bucket(name)
	for _, section := range wrote.sections() {
		key := sectionKey(section)
		s, err := j.readStack(b, key)
		if err != nil {
			return err
		}
		s = s.write(at, r.UndoOf, *wrote[section])
		if err := j.writeStack(b, key, s); err != nil {
			return err
		}
		if err := j.lift(marks, key, s, wrote[section]); err != nil {
			return err
		}
	}
	return nil
}

// disown ends every ownership of cells, for good.
func (j *Journal) disown(tx *bbolt.Tx, worldID, dimension string, cells area) error {
	name := ownersName(worldID, dimension)
	b, marks := tx.Bucket(bucketOwners).Bucket(name), tx.Bucket(bucketMarks).Bucket(name)
	if b == nil {
		return nil
	}
	for _, section := range cells.sections() {
		key := sectionKey(section)
		s, err := j.readStack(b, key)
		if err != nil {
			return err
		}
		if len(s) == 0 {
			continue
		}
		s = s.clear(cells[section])
		if err := j.writeStack(b, key, s); err != nil {
			return err
		}
		if err := j.lift(marks, key, s, cells[section]); err != nil {
			return err
		}
	}
	return nil
}

// written returns all cells that an operation's receipts have, and those of its
// intents.
func (j *Journal) written(tx *bbolt.Tx, at seq) (wrote, intended area, err error) {
	wrote, intended = area{}, area{}
	for _, record := range prefixed(tx.Bucket(bucketSlices), at.key()) {
		r, err := j.openSlice(record)
		if err != nil {
			return nil, nil, err
		}
		intended.union(r.write)
		wrote.union(r.wrote)
	}
	return wrote, intended, nil
}

// Owned returns the cells that the operation wrote and still owns: nobody known
// wrote them since, or whoever did was undone. The operations in undone, in their
// order, are taken as undone already.
func (j *Journal) Owned(operation string, undone ...string) (*voxel.Mask, error) {
	owned := voxel.NewMask()
	err := j.view(func(tx *bbolt.Tx) error {
		at, r, err := j.operation(tx, operation)
		if err != nil {
			return err
		}
		var back []seq
		for _, id := range undone {
			at, _, err := j.operation(tx, id)
			if err != nil {
				return err
			}
			back = append(back, at)
		}
		cells, err := j.owned(tx, at, r, back)
		if err != nil {
			return err
		}
		owned = cells.mask()
		return nil
	})
	return owned, err
}

func (j *Journal) owned(tx *bbolt.Tx, at seq, r operationRecord, undone []seq) (area, error) {
	wrote, _, err := j.written(tx, at)
	if err != nil {
		return nil, err
	}
	b := tx.Bucket(bucketOwners).Bucket(ownersName(r.WorldID, r.Dimension))
	for section := range wrote {
		s, err := j.readStack(b, sectionKey(section))
		if err != nil {
			return nil, err
		}
		for i, op := range undone {
			imagined := ^seq(0) - seq(i)
			s = s.write(imagined, op, s.owned(op))
		}
		cells := s.owned(at)
		if cells.Empty() {
			delete(wrote, section)
			continue
		}
		wrote[section] = &cells
	}
	return wrote, nil
}

// Disown ends, for good, every operation's ownership of cells that somebody else
// edited, and keeps the cursor up to which the world's edits are known. Without
// cells it only keeps the cursor.
func (j *Journal) Disown(worldID, dimension string, cells *voxel.Mask, cursor string) error {
	for what, text := range map[string]string{"world_id": worldID, "dimension": dimension} {
		if err := checkName(what, text, what == "world_id"); err != nil {
			return err
		}
	}
	edited, err := areaOfMask(cells)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "disown: %w", err)
	}
	return j.update("disown", func(tx *bbolt.Tx) error {
		cursors := tx.Bucket(bucketCursors)
		old, err := j.look(tx, worldID)
		if err != nil {
			return err
		}
		if len(edited) == 0 && cursors.Get([]byte(worldID)) != nil && old.Cursor == cursor {
			return errUnchanged // whoever polls an idle world costs no fsync
		}
		record, err := j.codec.sealJSON(kindLook, look{Cursor: cursor, At: j.o.Now().UnixMilli()})
		if err != nil {
			return err
		}
		if err := cursors.Put([]byte(worldID), record); err != nil {
			return err
		}
		if len(edited) == 0 {
			return nil
		}
		return j.external(tx, worldID, dimension, edited)
	})
}

// external records an edit by somebody else.
func (j *Journal) external(tx *bbolt.Tx, worldID, dimension string, edited area) error {
	if err := j.disown(tx, worldID, dimension, edited); err != nil {
		return err
	}
	return j.addEvent(tx, event{
		Kind: EventExternal, WorldID: worldID, Dimension: dimension, At: j.o.Now().UnixMilli(), Mask: edited.encode(),
	})
}

// look is the record of how far a world's edits are known.
type look struct {
	Cursor string `json:"cursor"`
	At     int64  `json:"at"` // when it was kept, milliseconds since 1970
}

// look returns the record of a world, the zero value when there is none.
func (j *Journal) look(tx *bbolt.Tx, worldID string) (last look, err error) {
	if record := tx.Bucket(bucketCursors).Get([]byte(worldID)); record != nil {
		err = j.codec.openJSON(kindLook, record, &last)
	}
	return last, err
}

// Cursor returns what Disown last kept for the world, "" when it never did.
func (j *Journal) Cursor(worldID string) (string, error) {
	var last look
	err := j.view(func(tx *bbolt.Tx) (err error) {
		last, err = j.look(tx, worldID)
		return err
	})
	return last.Cursor, err
}

// Decide records a decision with the operation's new record. For Abandon it also
// voids every ownership under the mask, and under whatever the operation may have
// written should the mask lack some of that. In the same transaction it records
// the new operations that the decision starts: one that is decided has them.
func (j *Journal) Decide(d plan.Decision, op plan.Operation, mask *voxel.Mask, then ...plan.Operation) error {
	if err := checkName("decision_id", d.ID, true); err != nil {
		return err
	}
	for _, next := range then {
		if err := checkOperation(next); err != nil {
			return err
		}
	}
	if d.Operation != op.ID {
		return fault.Errorf(fault.Internal, "a decision about operation %s came with operation %s", d.Operation, op.ID)
	}
	if d.Verdict == plan.Abandon && (!op.Abandoned || !op.Status.Final()) {
		return fault.Errorf(fault.Internal, "operation %s is to be abandoned and does not say so", op.ID)
	}
	cells, err := areaOfMask(mask)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "decide: %w", err)
	}
	return j.update("decide", func(tx *bbolt.Tx) error {
		at, r, err := j.replace(tx, op)
		if err != nil {
			return err
		}
		for _, next := range then {
			if err := j.enqueue(tx, next, keyOf(next.Project, next.Key)); err != nil {
				return err
			}
		}
		n, err := tx.Bucket(bucketDecisions).NextSequence()
		if err != nil {
			return err
		}
		record, err := j.codec.sealJSON(kindDecision, d)
		if err != nil {
			return err
		}
		if err := tx.Bucket(bucketDecisions).Put(seq(n).key(), record); err != nil {
			return err
		}
		if d.Verdict != plan.Abandon {
			return nil
		}
		_, intended, err := j.written(tx, at)
		if err != nil {
			return err
		}
		cells.union(intended)
		if len(cells) == 0 {
			return nil
		}
		if err := j.disown(tx, r.WorldID, r.Dimension, cells); err != nil {
			return err
		}
		return j.addEvent(tx, event{
			Kind: EventAbandoned, WorldID: r.WorldID, Dimension: r.Dimension, At: d.At, Operation: at, Mask: cells.encode(),
		})
	})
}

// Decisions returns all decisions, oldest first.
func (j *Journal) Decisions() ([]plan.Decision, error) {
	var list []plan.Decision
	err := j.view(func(tx *bbolt.Tx) error {
		for _, record := range entries(tx.Bucket(bucketDecisions)) {
			var d plan.Decision
			if err := j.codec.openJSON(kindDecision, record, &d); err != nil {
				return err
			}
			list = append(list, d)
		}
		return nil
	})
	return list, err
}
