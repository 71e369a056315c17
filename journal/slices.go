package journal

import (
	"encoding/binary"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// sliceRecord is the record of one slice, with areas instead of masks.
type sliceRecord struct {
	write   area
	at      int64
	done    bool
	wrote   area // when done; or what an earlier receipt had, when opened again
	wroteAt int64
}

// Flags of a slice's record.
const (
	sliceDone  = 1 << iota // there is a receipt
	sliceAll               // and it has all cells of the intent
	sliceAgain             // there was a receipt, and the slice is open again
)

func (r *sliceRecord) encode() []byte {
	flags := byte(0)
	if r.done {
		flags |= sliceDone
		if r.write.equal(r.wrote) {
			flags |= sliceAll
		}
	}
	if !r.done && len(r.wrote) > 0 {
		flags |= sliceAgain
	}
	out := binary.AppendVarint([]byte{flags}, r.at)
	write := r.write.encode()
	out = binary.AppendUvarint(out, uint64(len(write)))
	out = append(out, write...)
	if r.done {
		out = binary.AppendVarint(out, r.wroteAt)
	}
	if flags == sliceDone || flags == sliceAgain {
		out = append(out, r.wrote.encode()...)
	}
	return out
}

func decodeSlice(payload []byte) (*sliceRecord, error) {
	in := reader{data: payload}
	flags := in.byte()
	r := &sliceRecord{at: in.varint(), done: flags&sliceDone != 0}
	var err error
	if r.write, err = areaOf(in.bytes(in.uvarint())); err != nil || flags > sliceAgain || flags == sliceAll {
		return nil, damaged(kindSlice, "intent")
	}
	if r.done {
		r.wroteAt = in.varint()
		r.wrote = r.write
	}
	if flags == sliceDone || flags == sliceAgain {
		if r.wrote, err = areaOf(in.data); err != nil {
			return nil, damaged(kindSlice, "receipt")
		}
		in.data = nil
	}
	if in.bad || len(in.data) > 0 {
		return nil, damaged(kindSlice, "length")
	}
	return r, nil
}

func sliceKey(op seq, slice int) []byte {
	return binary.BigEndian.AppendUint32(op.key(), uint32(slice))
}

func (j *Journal) slice(tx *bbolt.Tx, op seq, slice int) (*sliceRecord, error) {
	record := tx.Bucket(bucketSlices).Get(sliceKey(op, slice))
	if record == nil {
		return nil, nil //nolint:nilnil // no such slice is an answer
	}
	return j.openSlice(record)
}

func (j *Journal) openSlice(record []byte) (*sliceRecord, error) {
	payload, err := j.codec.open(kindSlice, record)
	if err != nil {
		return nil, err
	}
	return decodeSlice(payload)
}

func (j *Journal) putSlice(tx *bbolt.Tx, op seq, slice int, r *sliceRecord) error {
	record, err := j.codec.seal(kindSlice, r.encode())
	if err != nil {
		return err
	}
	return tx.Bucket(bucketSlices).Put(sliceKey(op, slice), record)
}

// Advance writes, in one transaction, the operation's record, the receipt of the
// slice that is done, with the ownership of what it wrote, and the intent of the
// next. Either of the two may be nil.
//
// It is the last guard of the order of writing and refuses, with internal, a
// receipt without an intent that has its cells, an intent with cells that are not
// in the plan's slice, an intent while another is open, and a slice that is not
// the next. An intent may be widened but never narrowed: its cells may have been
// written. One that has its receipt may be opened again, for cells that the world
// forgot, when it keeps the cells that were written. The receipt of a slice may
// come again when it is the same.
func (j *Journal) Advance(op plan.Operation, done *plan.Receipt, next *plan.Intent) error {
	return j.update("advance", func(tx *bbolt.Tx) error {
		at, r, err := j.replace(tx, op)
		if err != nil {
			return err
		}
		if done != nil {
			if err := j.settle(tx, at, r, done); err != nil {
				return err
			}
		}
		if next != nil {
			return j.intend(tx, at, r, next)
		}
		return nil
	})
}

// settle records a receipt and gives the operation what it wrote.
func (j *Journal) settle(tx *bbolt.Tx, at seq, r operationRecord, done *plan.Receipt) error {
	refuse := func(why string) error {
		return fault.Errorf(fault.Internal, "operation %s, slice %d: a receipt %s", r.Operation.ID, done.Slice, why)
	}
	if done.Operation != r.Operation.ID {
		return refuse("of another operation")
	}
	slice, err := j.slice(tx, at, done.Slice)
	if err != nil {
		return err
	}
	wrote, err := areaOfMask(done.Wrote)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "receipt: %w", err)
	}
	switch {
	case slice == nil:
		return refuse("without an intent")
	case slice.done && !slice.wrote.equal(wrote):
		return refuse("that differs from the first")
	case slice.done:
		return nil
	case !wrote.within(slice.write):
		return refuse("of cells that were not intended")
	}
	if lost := slice.wrote.without(wrote); len(lost) > 0 {
		if err := j.disown(tx, r.WorldID, r.Dimension, lost); err != nil {
			return err
		}
	}
	slice.done, slice.wrote, slice.wroteAt = true, wrote, done.At
	if err := j.putSlice(tx, at, done.Slice, slice); err != nil {
		return err
	}
	if err := j.own(tx, at, r, wrote); err != nil {
		return err
	}
	return j.addEvent(tx, event{Kind: EventWrote, WorldID: r.WorldID, Dimension: r.Dimension, At: done.At, Operation: at, Slice: done.Slice})
}

// intend records an intent.
func (j *Journal) intend(tx *bbolt.Tx, at seq, r operationRecord, next *plan.Intent) error {
	refuse := func(why string) error {
		return fault.Errorf(fault.Internal, "operation %s, slice %d: an intent %s", r.Operation.ID, next.Slice, why)
	}
	if next.Operation != r.Operation.ID || next.Slice < 0 {
		return refuse("of another operation")
	}
	write, err := areaOfMask(next.Write)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "intent: %w", err)
	}
	known, err := j.slice(tx, at, next.Slice)
	if err != nil {
		return err
	}
	switch {
	case known == nil:
	case !known.done && !known.write.within(write), known.done && !known.wrote.within(write):
		return refuse("that takes back an earlier one")
	}
	if known == nil && next.Slice > 0 {
		last, err := j.slice(tx, at, next.Slice-1)
		if err != nil {
			return err
		}
		if last == nil || !last.done {
			return refuse("before the slice ahead of it is settled")
		}
	}
	p, err := j.plan(tx, r.Operation.PlanID)
	if err != nil {
		return err
	}
	if next.Slice >= len(p.Slices) || !write.within(sliceArea(p.Slices[next.Slice])) {
		return refuse("of cells that are not in the plan")
	}
	record := &sliceRecord{write: write, at: next.At}
	if known != nil {
		record.wrote = known.wrote
	}
	return j.putSlice(tx, at, next.Slice, record)
}

func sliceArea(s plan.Slice) area {
	a := area{}
	for _, f := range s.Fills {
		a.addBox(f.Box)
	}
	return a
}

// Entries returns the records of an operation's slices, in order.
func (j *Journal) Entries(operation string) ([]plan.Entry, error) {
	var list []plan.Entry
	err := j.view(func(tx *bbolt.Tx) error {
		at, _, err := j.operation(tx, operation)
		if err != nil {
			return err
		}
		for number, record := range prefixed(tx.Bucket(bucketSlices), at.key()) {
			r, err := j.openSlice(record)
			if err != nil {
				return err
			}
			list = append(list, r.entry(operation, int(binary.BigEndian.Uint32(number[8:]))))
		}
		return nil
	})
	return list, err
}

func (r *sliceRecord) entry(operation string, slice int) plan.Entry {
	entry := plan.Entry{Intent: plan.Intent{Operation: operation, Slice: slice, Write: r.write.mask(), At: r.at}}
	if r.done {
		entry.Receipt = &plan.Receipt{Operation: operation, Slice: slice, Wrote: r.wrote.mask(), At: r.wroteAt}
	}
	return entry
}
