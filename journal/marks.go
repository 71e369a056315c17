package journal

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// mark says which owned cells of one section somebody else may have edited unseen.
// It stands until the cells are compared with the world, or written, or lost.
type mark struct {
	since int64      // milliseconds since 1970: edits from then on may be missing
	cells voxel.Bits // never empty; each has an owner
}

func (m *mark) encode() []byte { return m.cells.AppendRuns(binary.AppendVarint(nil, m.since)) }

func decodeMark(payload []byte) (m mark, err error) {
	in := reader{data: payload}
	m.since = in.varint()
	if m.cells, err = in.readRuns(); err != nil || in.bad || len(in.data) > 0 || m.cells.Empty() {
		return m, damaged(kindMark, "cells")
	}
	return m, nil
}

// readMark returns the mark of a section, an empty one when there is none; b may be
// nil.
func (j *Journal) readMark(b *bbolt.Bucket, key []byte) (mark, error) {
	if b == nil {
		return mark{}, nil
	}
	record := b.Get(key)
	if record == nil {
		return mark{}, nil
	}
	payload, err := j.codec.open(kindMark, record)
	if err != nil {
		return mark{}, err
	}
	return decodeMark(payload)
}

func (j *Journal) writeMark(b *bbolt.Bucket, key []byte, m mark) error {
	if m.cells.Empty() {
		return b.Delete(key)
	}
	record, err := j.codec.seal(kindMark, m.encode())
	if err != nil {
		return err
	}
	return b.Put(key, record)
}

// lift ends the doubt about cells of a section whose stack is s now, and about those
// that nobody owns any more.
func (j *Journal) lift(b *bbolt.Bucket, key []byte, s stack, cells *voxel.Bits) error {
	m, err := j.readMark(b, key)
	if err != nil || m.cells.Empty() {
		return err
	}
	owned := s.all()
	m.cells.Subtract(cells)
	m.cells = m.cells.And(&owned)
	return j.writeMark(b, key, m)
}

// Doubt records that edits by others in a world were missed since a time
// (milliseconds since 1970; 0 means since the cursor was kept last): every cell that
// an operation owns there is in doubt until Confirm, a write or a known edit of it,
// and the feed tells of the gap. To record the same gap twice does no harm.
func (j *Journal) Doubt(worldID string, since int64) error {
	if err := checkName("world_id", worldID, true); err != nil {
		return err
	}
	return j.update("doubt", func(tx *bbolt.Tx) error {
		if since == 0 {
			last, err := j.look(tx, worldID)
			if err != nil {
				return err
			}
			since = last.At
		}
		owners := tx.Bucket(bucketOwners)
		for name := range prefixed(owners, ownersName(worldID, "")) {
			b, err := tx.Bucket(bucketMarks).CreateBucketIfNotExists(name)
			if err != nil {
				return err
			}
			for key := range entries(owners.Bucket(name)) {
				if err := j.mark(owners.Bucket(name), b, key, since); err != nil {
					return err
				}
			}
		}
		return j.addEvent(tx, event{Kind: EventGap, WorldID: worldID, At: j.o.Now().UnixMilli(), Since: since})
	})
}

// mark puts all owned cells of a section in doubt.
func (j *Journal) mark(owners, marks *bbolt.Bucket, key []byte, since int64) error {
	s, err := j.readStack(owners, key)
	if err != nil {
		return err
	}
	known, err := j.readMark(marks, key)
	if err != nil {
		return err
	}
	if !known.cells.Empty() {
		since = min(since, known.since)
	}
	return j.writeMark(marks, key, mark{since: since, cells: s.all()})
}

// Doubted returns the owned cells of a dimension that somebody may have edited
// unseen, and since when (milliseconds since 1970); without cells the time is 0.
func (j *Journal) Doubted(worldID, dimension string) (cells *voxel.Mask, since int64, err error) {
	err = j.view(func(tx *bbolt.Tx) error {
		var all area
		if all, since, err = j.marked(tx, ownersName(worldID, dimension)); err != nil {
			return err
		}
		cells = all.mask()
		return nil
	})
	return cells, since, err
}

func (j *Journal) marked(tx *bbolt.Tx, name []byte) (all area, since int64, err error) {
	all = area{}
	b := tx.Bucket(bucketMarks).Bucket(name)
	if b == nil {
		return all, 0, nil
	}
	for key := range entries(b) {
		m, err := j.readMark(b, key)
		if err != nil {
			return nil, 0, err
		}
		section, ok := sectionOf(key)
		if !ok {
			return nil, 0, damaged(kindMark, "section")
		}
		if len(all) == 0 || m.since < since {
			since = m.since
		}
		all[section] = &m.cells
	}
	return all, since, nil
}

// Confirm ends the doubt about cells of an operation that were compared with the
// world: of the intact ones it stays the owner, of the changed ones every ownership
// ends for good, as by Disown. Cells that it does not own, that are not in doubt, or
// that an open intent covers, so that the change may be our own, are left as they
// are.
func (j *Journal) Confirm(operation string, intact, changed *voxel.Mask) error {
	kept, err := areaOfMask(intact)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "confirm: %w", err)
	}
	lost, err := areaOfMask(changed)
	if err != nil {
		return fault.Errorf(fault.InvalidRequest, "confirm: %w", err)
	}
	return j.update("confirm", func(tx *bbolt.Tx) error {
		at, r, err := j.operation(tx, operation)
		if err != nil {
			return err
		}
		doubt, err := j.doubt(tx, at, r)
		if err != nil {
			return err
		}
		kept, lost := kept.and(doubt), lost.and(doubt)
		if len(kept)+len(lost) == 0 {
			return errUnchanged
		}
		name := ownersName(r.WorldID, r.Dimension)
		owners, marks := tx.Bucket(bucketOwners).Bucket(name), tx.Bucket(bucketMarks).Bucket(name)
		for section, cells := range kept {
			s, err := j.readStack(owners, sectionKey(section))
			if err != nil {
				return err
			}
			if err := j.lift(marks, sectionKey(section), s, cells); err != nil {
				return err
			}
		}
		if len(lost) == 0 {
			return nil
		}
		return j.external(tx, r.WorldID, r.Dimension, lost)
	})
}

// doubt returns the cells of an operation that are in doubt and can be settled.
func (j *Journal) doubt(tx *bbolt.Tx, at seq, r operationRecord) (area, error) {
	all, _, err := j.marked(tx, ownersName(r.WorldID, r.Dimension))
	if err != nil || len(all) == 0 {
		return nil, err
	}
	owned, err := j.owned(tx, at, r, nil)
	if err != nil {
		return nil, err
	}
	open := area{}
	for key := range entries(tx.Bucket(bucketOpen)) {
		for _, record := range prefixed(tx.Bucket(bucketSlices), key) {
			slice, err := j.openSlice(record)
			if err != nil {
				return nil, err
			}
			if !slice.done {
				open.union(slice.write)
			}
		}
	}
	return all.and(owned).without(open), nil
}

// marks checks that each mark decodes and is about cells that have an owner.
func (c *checker) marks() error {
	for name, value := range entries(c.tx.Bucket(bucketMarks)) {
		if value != nil || bytes.Count(name, []byte{0}) != 1 {
			return broken("marks of no dimension")
		}
		owners := c.tx.Bucket(bucketOwners).Bucket(name)
		marks, _, err := c.j.marked(c.tx, name)
		if err != nil {
			return err
		}
		for section, cells := range marks {
			s, err := c.j.readStack(owners, sectionKey(section))
			if err != nil {
				return err
			}
			if owned := s.all(); !cells.Within(&owned) {
				return broken("cells of section %v are in doubt and have no owner", section.Box())
			}
		}
	}
	return nil
}
