package journal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"groundplan/plan/fault"
)

// recordVersion is the first byte of every record.
const recordVersion = 1

// Kinds of records; the second byte of each.
const (
	kindPlan      = 'P'
	kindCells     = 'C'
	kindOperation = 'O'
	kindSlice     = 'S'
	kindStack     = 'W'
	kindPart      = 'A'
	kindDecision  = 'D'
	kindEvent     = 'E'
	kindLook      = 'L'
	kindMark      = 'G'
)

// Codecs of the payload; the third byte of each record.
const (
	codecPlain = 0
	codecZstd  = 1
)

const (
	recordHead = 3 // version, kind, codec
	recordTail = 4 // checksum

	// maxPayload bounds what a record may hold once inflated, so that a
	// damaged length cannot eat the machine's memory.
	maxPayload = 32 << 20
	// worthPacking is the size below which a zstd frame costs more than it saves.
	worthPacking = 96
)

// codec seals payloads into records and opens them again. It is safe for
// concurrent use.
type codec struct {
	enc   *zstd.Encoder
	dec   *zstd.Decoder
	table *crc32.Table
}

func newCodec() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxPayload))
	if err != nil {
		return nil, err
	}
	return &codec{enc: enc, dec: dec, table: crc32.MakeTable(crc32.Castagnoli)}, nil
}

func (c *codec) close() {
	c.dec.Close()
	_ = c.enc.Close() // without a writer there is nothing to flush
}

// seal makes a record of a payload.
func (c *codec) seal(kind byte, payload []byte) ([]byte, error) {
	if len(payload) > maxPayload {
		return nil, fault.Errorf(fault.BudgetExceeded, "a journal record of %d bytes is over the limit of %d", len(payload), maxPayload)
	}
	record := make([]byte, recordHead, recordHead+len(payload)+recordTail)
	record[0], record[1], record[2] = recordVersion, kind, codecPlain
	if len(payload) >= worthPacking {
		packed := binary.AppendUvarint(record, uint64(len(payload)))
		packed = c.enc.EncodeAll(payload, packed)
		if len(packed) < recordHead+len(payload) {
			packed[2] = codecZstd
			return binary.LittleEndian.AppendUint32(packed, crc32.Checksum(packed, c.table)), nil
		}
	}
	record = append(record[:recordHead], payload...)
	return binary.LittleEndian.AppendUint32(record, crc32.Checksum(record, c.table)), nil
}

// sealJSON makes a record of a value's JSON.
func (c *codec) sealJSON(kind byte, value any) ([]byte, error) {
	payload, err := json.Marshal(value)
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "journal record: %w", err)
	}
	return c.seal(kind, payload)
}

// open returns the payload of a record. The result is never part of the record,
// which may be memory of the file.
func (c *codec) open(kind byte, record []byte) ([]byte, error) {
	if len(record) < recordHead+recordTail {
		return nil, damaged(kind, "too short")
	}
	body, sum := record[:len(record)-recordTail], record[len(record)-recordTail:]
	if crc32.Checksum(body, c.table) != binary.LittleEndian.Uint32(sum) {
		return nil, damaged(kind, "checksum")
	}
	if body[0] != recordVersion {
		return nil, fault.Errorf(fault.StorageFailed, "a journal record has version %d; this program reads up to %d", body[0], recordVersion)
	}
	if body[1] != kind {
		return nil, damaged(kind, fmt.Sprintf("kind is %q", body[1]))
	}
	payload := body[recordHead:]
	switch body[2] {
	case codecPlain:
		return append([]byte(nil), payload...), nil
	case codecZstd:
		size, n := binary.Uvarint(payload)
		if n <= 0 || size > maxPayload {
			return nil, damaged(kind, "length")
		}
		out, err := c.dec.DecodeAll(payload[n:], make([]byte, 0, min(size, 64<<10)))
		if err != nil || uint64(len(out)) != size {
			return nil, damaged(kind, "compression")
		}
		return out, nil
	default:
		return nil, damaged(kind, "codec")
	}
}

// openJSON reads a record into value.
func (c *codec) openJSON(kind byte, record []byte, value any) error {
	payload, err := c.open(kind, record)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, value); err != nil {
		return damaged(kind, "content")
	}
	return nil
}

// damaged is the error for a record that cannot be what this package wrote.
func damaged(kind byte, what string) error {
	names := map[byte]string{
		kindPlan: "plan", kindCells: "cells", kindOperation: "operation", kindSlice: "slice",
		kindStack: "ownership", kindPart: "part", kindDecision: "decision", kindEvent: "event", kindLook: "cursor", kindMark: "mark",
	}
	return fault.Errorf(fault.StorageFailed, "the journal is damaged: a record of kind %q does not decode (%s)", names[kind], what)
}

// reader takes varints off a payload and remembers the first failure.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

// bytes takes n bytes; they are part of the payload.
func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.data)) {
		r.bad, r.data = true, nil
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}
