package journal

import (
	"encoding/binary"
	"encoding/json"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// PutPart records a part in the place of the one with the same project and id.
func (j *Journal) PutPart(p plan.Part) error {
	for what, text := range map[string]string{"part_id": p.ID, "project_id": p.Project} {
		if err := checkName(what, text, what == "part_id"); err != nil {
			return err
		}
	}
	payload, err := encodePart(p)
	if err != nil {
		return err
	}
	record, err := j.codec.seal(kindPart, payload)
	if err != nil {
		return err
	}
	return j.update("put_part", func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketParts).Put(keyOf(p.Project, p.ID), record)
	})
}

func encodePart(p plan.Part) ([]byte, error) {
	head, err := json.Marshal(p)
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "part %s: %w", p.ID, err)
	}
	cells, err := areaOfMask(p.Mask)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidRequest, "part %s: %w", p.ID, err)
	}
	out := binary.AppendUvarint(nil, uint64(len(head)))
	return append(append(out, head...), cells.encode()...), nil
}

func decodePart(payload []byte) (plan.Part, error) {
	in := reader{data: payload}
	var p plan.Part
	if err := json.Unmarshal(in.bytes(in.uvarint()), &p); err != nil {
		return p, damaged(kindPart, "head")
	}
	cells, err := areaOf(in.data)
	if err != nil {
		return p, damaged(kindPart, "mask")
	}
	p.Mask = cells.mask()
	return p, nil
}

func (j *Journal) openPart(record []byte) (plan.Part, error) {
	payload, err := j.codec.open(kindPart, record)
	if err != nil {
		return plan.Part{}, err
	}
	return decodePart(payload)
}

// Parts returns the parts of a project in the order of their ids.
func (j *Journal) Parts(project string) ([]plan.Part, error) {
	var parts []plan.Part
	err := j.view(func(tx *bbolt.Tx) error {
		for _, record := range prefixed(tx.Bucket(bucketParts), keyOf(project, "")) {
			p, err := j.openPart(record)
			if err != nil {
				return err
			}
			parts = append(parts, p)
		}
		return nil
	})
	return parts, err
}

// Part returns a part; not_found when there is none.
func (j *Journal) Part(project, id string) (plan.Part, error) {
	var p plan.Part
	err := j.view(func(tx *bbolt.Tx) (err error) {
		record := tx.Bucket(bucketParts).Get(keyOf(project, id))
		if record == nil {
			return fault.Errorf(fault.NotFound, "no part %q", id)
		}
		p, err = j.openPart(record)
		return err
	})
	return p, err
}

// DeletePart removes a part; not_found when there is none.
func (j *Journal) DeletePart(project, id string) error {
	return j.update("delete_part", func(tx *bbolt.Tx) error {
		key := keyOf(project, id)
		if tx.Bucket(bucketParts).Get(key) == nil {
			return fault.Errorf(fault.NotFound, "no part %q", id)
		}
		return tx.Bucket(bucketParts).Delete(key)
	})
}
