package journal

import (
	"go.etcd.io/bbolt"

	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// EventKind says what changed, or may have changed, cells of the world.
type EventKind string

// The kinds of events.
const (
	EventWrote     EventKind = "wrote"     // a slice of one of our operations
	EventExternal  EventKind = "external"  // an edit by somebody else
	EventAbandoned EventKind = "abandoned" // nothing changed, but nobody owns the cells any more
	EventGap       EventKind = "gap"       // edits by others anywhere in the world, since a time, may be missing
)

// Event is one entry of the feed of changes.
type Event struct {
	Cursor    uint64      `json:"cursor"` // its place in the feed; they grow
	Kind      EventKind   `json:"kind"`
	Operation string      `json:"operation_id,omitempty"` // not for external ones
	Slice     int         `json:"slice,omitempty"`        // wrote only
	At        int64       `json:"at"`                     // milliseconds since 1970
	Since     int64       `json:"since,omitempty"`        // gap only: milliseconds since 1970
	Cells     *voxel.Mask `json:"-"`
}

// event is the record of an Event. The cells of a written slice are in its
// receipt.
type event struct {
	Kind      EventKind `json:"kind"`
	WorldID   string    `json:"world_id"`
	Dimension string    `json:"dimension"`
	At        int64     `json:"at"`
	Operation seq       `json:"operation,omitempty"`
	Slice     int       `json:"slice,omitempty"`
	Mask      []byte    `json:"mask,omitempty"`
	Since     int64     `json:"since,omitempty"`
}

// addEvent appends to the feed and lets go of the oldest beyond its limit.
func (j *Journal) addEvent(tx *bbolt.Tx, e event) error {
	b := tx.Bucket(bucketEvents)
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	record, err := j.codec.sealJSON(kindEvent, e)
	if err != nil {
		return err
	}
	if err := b.Put(seq(n).key(), record); err != nil {
		return err
	}
	for oldest, _ := b.Cursor().First(); seqOf(oldest)+seq(j.o.MaxEvents) <= seq(n); oldest, _ = b.Cursor().First() {
		if err := b.Delete(oldest); err != nil {
			return err
		}
	}
	return nil
}

// Events returns what changed a dimension after a cursor, oldest first, at most
// limit of them, and the cursor to go on from. resync_required when events after
// the cursor are no longer kept, or the cursor is not of this journal.
func (j *Journal) Events(worldID, dimension string, after uint64, limit int) ([]Event, uint64, error) {
	var list []Event
	next := after
	err := j.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketEvents)
		cursor := b.Cursor()
		oldest, _ := cursor.First()
		if after > b.Sequence() || oldest != nil && seq(after)+1 < seqOf(oldest) {
			return fault.Errorf(fault.ResyncRequired, "the changes since cursor %d are no longer known; read the region anew", after)
		}
		for key, record := cursor.Seek(seq(after + 1).key()); key != nil && len(list) < limit; key, record = cursor.Next() {
			var e event
			if err := j.codec.openJSON(kindEvent, record, &e); err != nil {
				return err
			}
			next = uint64(seqOf(key))
			if e.WorldID != worldID || e.Dimension != dimension && e.Kind != EventGap {
				continue
			}
			known, err := j.event(tx, e)
			if err != nil {
				return err
			}
			known.Cursor = next
			list = append(list, known)
		}
		return nil
	})
	return list, next, err
}

// LastEvent returns the cursor behind the newest event.
func (j *Journal) LastEvent() (uint64, error) {
	var last uint64
	err := j.view(func(tx *bbolt.Tx) error {
		last = tx.Bucket(bucketEvents).Sequence()
		return nil
	})
	return last, err
}

// event fills in what the record only refers to.
func (j *Journal) event(tx *bbolt.Tx, e event) (Event, error) {
	known := Event{Kind: e.Kind, Slice: e.Slice, At: e.At, Since: e.Since}
	if e.Operation != 0 {
		r, err := j.operationAt(tx, e.Operation)
		if err != nil {
			return known, err
		}
		known.Operation = r.Operation.ID
	}
	var cells area
	var err error
	switch e.Kind {
	case EventWrote:
		slice, e := j.slice(tx, e.Operation, e.Slice)
		if e != nil || slice == nil {
			return known, damaged(kindEvent, "its slice is missing")
		}
		cells = slice.wrote
	case EventGap:
	default:
		if cells, err = areaOf(e.Mask); err != nil {
			return known, damaged(kindEvent, "mask")
		}
	}
	known.Cells = cells.mask()
	return known, nil
}
