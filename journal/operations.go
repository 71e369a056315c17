package journal

import (
	"encoding/binary"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// operationRecord is the record of an operation: what the journal needs to know
// of its plan stands beside it, so that a step reads one record and not a plan.
type operationRecord struct {
	Operation plan.Operation `json:"operation"`
	WorldID   string         `json:"world_id"`
	Dimension string         `json:"dimension"`
	UndoOf    seq            `json:"undo_seq,omitempty"`
}

// keyOf is the key under which an idempotency key of a project is found.
func keyOf(project, key string) []byte {
	return append(append(binary.AppendUvarint(nil, uint64(len(project))), project...), key...)
}

// Enqueue records a new operation under its project and key, and that its plan
// was started. When the key is known it records nothing and returns the operation
// that has it; idempotency_mismatch when that is for another plan. not_found when
// there is no such plan.
func (j *Journal) Enqueue(op plan.Operation) (plan.Operation, error) {
	if err := checkOperation(op); err != nil {
		return plan.Operation{}, err
	}
	stored := op
	err := j.update("enqueue", func(tx *bbolt.Tx) error {
		key := keyOf(op.Project, op.Key)
		if at := seqOf(tx.Bucket(bucketKeys).Get(key)); at != 0 {
			known, err := j.operationAt(tx, at)
			if err != nil {
				return err
			}
			if known.Operation.PlanID != op.PlanID {
				return fault.Errorf(fault.IdempotencyMismatch, "the key %q belongs to operation %s of plan %s", op.Key, known.Operation.ID, known.Operation.PlanID)
			}
			stored = known.Operation
			return errUnchanged
		}
		return j.enqueue(tx, op, key)
	})
	if err != nil {
		return plan.Operation{}, err
	}
	return stored, nil
}

// checkOperation reports a name of a new operation that cannot be stored.
func checkOperation(op plan.Operation) error {
	for what, text := range map[string]string{"operation_id": op.ID, "idempotency_key": op.Key, "project_id": op.Project} {
		if err := checkName(what, text, what != "project_id"); err != nil {
			return err
		}
	}
	return nil
}

// Lookup returns the operation that an idempotency key of a project belongs to,
// and false when the key is not known.
func (j *Journal) Lookup(project, key string) (op plan.Operation, ok bool, err error) {
	err = j.view(func(tx *bbolt.Tx) error {
		at := seqOf(tx.Bucket(bucketKeys).Get(keyOf(project, key)))
		if at == 0 {
			return nil
		}
		known, err := j.operationAt(tx, at)
		op, ok = known.Operation, err == nil
		return err
	})
	return op, ok, err
}

func (j *Journal) enqueue(tx *bbolt.Tx, op plan.Operation, key []byte) error {
	planAt := seqOf(tx.Bucket(bucketPlanIDs).Get([]byte(op.PlanID)))
	if planAt == 0 {
		return fault.Errorf(fault.NotFound, "no plan %q", op.PlanID)
	}
	if tx.Bucket(bucketOperationIDs).Get([]byte(op.ID)) != nil {
		return fault.Errorf(fault.Internal, "operation %s is recorded already", op.ID)
	}
	head, err := j.planHead(tx, planAt)
	if err != nil {
		return err
	}
	record := operationRecord{Operation: op, WorldID: head.Plan.WorldID, Dimension: head.Plan.Dimension}
	if op.UndoOf != "" {
		if record.UndoOf = seqOf(tx.Bucket(bucketOperationIDs).Get([]byte(op.UndoOf))); record.UndoOf == 0 {
			return fault.Errorf(fault.NotFound, "no operation %q to undo", op.UndoOf)
		}
	}
	n, err := tx.Bucket(bucketOperations).NextSequence()
	if err != nil {
		return err
	}
	at := seq(n)
	if err := tx.Bucket(bucketOperationIDs).Put([]byte(op.ID), at.key()); err != nil {
		return err
	}
	if err := tx.Bucket(bucketKeys).Put(key, at.key()); err != nil {
		return err
	}
	if err := tx.Bucket(bucketFresh).Delete(planAt.key()); err != nil {
		return err
	}
	return j.putOperation(tx, at, record)
}

// putOperation writes an operation's record and whether it is open.
func (j *Journal) putOperation(tx *bbolt.Tx, at seq, r operationRecord) error {
	record, err := j.codec.sealJSON(kindOperation, r)
	if err != nil {
		return err
	}
	if err := tx.Bucket(bucketOperations).Put(at.key(), record); err != nil {
		return err
	}
	if r.Operation.Status.Final() {
		return tx.Bucket(bucketOpen).Delete(at.key())
	}
	return tx.Bucket(bucketOpen).Put(at.key(), []byte{})
}

// operation finds an operation by its id.
func (j *Journal) operation(tx *bbolt.Tx, id string) (seq, operationRecord, error) {
	at := seqOf(tx.Bucket(bucketOperationIDs).Get([]byte(id)))
	if at == 0 {
		return 0, operationRecord{}, fault.Errorf(fault.NotFound, "no operation %q", id)
	}
	r, err := j.operationAt(tx, at)
	return at, r, err
}

func (j *Journal) operationAt(tx *bbolt.Tx, at seq) (operationRecord, error) {
	var r operationRecord
	return r, j.codec.openJSON(kindOperation, tx.Bucket(bucketOperations).Get(at.key()), &r)
}

// replace puts an operation in the place of its older self and returns where.
// What an operation is cannot change, only how far it is.
func (j *Journal) replace(tx *bbolt.Tx, op plan.Operation) (seq, operationRecord, error) {
	at, r, err := j.operation(tx, op.ID)
	if err != nil {
		return 0, r, err
	}
	old := r.Operation
	if old.PlanID != op.PlanID || old.Project != op.Project || old.Key != op.Key || old.UndoOf != op.UndoOf || old.CreatedAt != op.CreatedAt {
		return 0, r, fault.Errorf(fault.Internal, "operation %s cannot become one for another plan, project or key", op.ID)
	}
	r.Operation = op
	return at, r, j.putOperation(tx, at, r)
}

// Operation returns an operation; not_found when there is none.
func (j *Journal) Operation(id string) (plan.Operation, error) {
	var r operationRecord
	err := j.view(func(tx *bbolt.Tx) (err error) {
		_, r, err = j.operation(tx, id)
		return err
	})
	return r.Operation, err
}

// Update replaces the record of an operation. Its id, plan, project, key and time
// of creation stay.
func (j *Journal) Update(op plan.Operation) error {
	return j.update("update", func(tx *bbolt.Tx) error {
		_, _, err := j.replace(tx, op)
		return err
	})
}

// Unfinished returns the operations whose status is not final, oldest first.
func (j *Journal) Unfinished() ([]plan.Operation, error) {
	var ops []plan.Operation
	err := j.view(func(tx *bbolt.Tx) error {
		for key := range entries(tx.Bucket(bucketOpen)) {
			r, err := j.operationAt(tx, seqOf(key))
			if err != nil {
				return err
			}
			ops = append(ops, r.Operation)
		}
		return nil
	})
	return ops, err
}

// Filter picks operations. The zero value picks the 100 newest.
type Filter struct {
	Project string      // "" means all
	Status  plan.Status // "" means any
	By      string      // the principal; "" means any
	Limit   int         // 0 means 100
	Before  string      // the id of an operation: only older ones; "" means from the newest on
}

// Operations returns the operations that the filter picks, newest first;
// not_found when Before is no operation.
func (j *Journal) Operations(f Filter) ([]plan.Operation, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	var ops []plan.Operation
	err := j.view(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucketOperations).Cursor()
		key, record := cursor.Last()
		if f.Before != "" {
			at := tx.Bucket(bucketOperationIDs).Get([]byte(f.Before))
			if at == nil {
				return fault.Errorf(fault.NotFound, "no operation %q", f.Before)
			}
			cursor.Seek(at)
			key, record = cursor.Prev()
		}
		for ; key != nil && len(ops) < f.Limit; key, record = cursor.Prev() {
			var r operationRecord
			if err := j.codec.openJSON(kindOperation, record, &r); err != nil {
				return err
			}
			if (f.Project == "" || r.Operation.Project == f.Project) && (f.Status == "" || r.Operation.Status == f.Status) && (f.By == "" || r.Operation.By == f.By) {
				ops = append(ops, r.Operation)
			}
		}
		return nil
	})
	return ops, err
}

// Recent returns the newest operations of a project, "" for all, newest first.
func (j *Journal) Recent(project string, limit int) ([]plan.Operation, error) {
	return j.Operations(Filter{Project: project, Limit: limit})
}
