package schematic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/schematic/nbt"
)

// spareBytes bounds what a file may hold beside its blocks – entities, metadata,
// the contents of chests – once inflated. The largest of some thousands of
// collected files has 20 MB.
const spareBytes = 48 << 20

// source is the stream of a file, from its bytes to its values.
type source struct {
	raw    *bufio.Reader // the file's bytes
	reader *nbt.Reader
	packed string // gzip, zlib or "" for neither
}

// errFileSize is what a cappedReader says at its cap.
var errFileSize = errors.New("the file is over its limit")

// cappedReader fails where a file becomes larger than allowed.
type cappedReader struct {
	src  io.Reader
	left int64
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, errFileSize
	}
	n, err := c.src.Read(p[:min(int64(len(p)), c.left+1)])
	c.left -= int64(n)
	if c.left < 0 {
		return n, errFileSize
	}
	return n, err
}

// openSource looks at the first bytes and starts to inflate.
func openSource(src io.Reader, limits plan.Limits, strict bool) (*source, error) {
	s := &source{raw: bufio.NewReaderSize(&cappedReader{src, int64(limits.AssetBytes)}, 1<<16)}
	head, err := s.raw.Peek(4)
	if len(head) < 4 {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, readFault(err, limits)
		}
		return nil, fault.Errorf(fault.UnsupportedFormat, "not a schematic: the file has only %d bytes", len(head))
	}
	inflated, err := s.inflate(head)
	if err != nil {
		return nil, err
	}
	bounds := nbt.Limits{Bytes: int64(limits.AssetInflated), Spare: spareBytes}
	if strict {
		if s.packed != "gzip" {
			return nil, fault.Errorf(fault.UnsupportedFormat, "not a gzip file")
		}
		bounds.Depth, bounds.Tags, bounds.Text, bounds.Unique = 16, 20_000, 4096, true
	}
	s.reader = nbt.NewReader(inflated, bounds)
	if err := s.detectOrder(); err != nil {
		return nil, readFault(err, limits)
	}
	return s, nil
}

// inflate returns the stream of the values behind the first bytes.
func (s *source) inflate(head []byte) (io.Reader, error) {
	switch {
	case head[0] == 0x1f && head[1] == 0x8b:
		z, err := gzip.NewReader(s.raw)
		if err != nil {
			return nil, fault.Errorf(fault.UnsupportedFormat, "not a schematic: the gzip header is broken: %w", err)
		}
		// What follows the first member is looked at afterwards: some writers
		// leave junk there, which must not fail the file.
		z.Multistream(false)
		s.packed = "gzip"
		return z, nil
	case head[0]&15 == 8 && (int(head[0])<<8|int(head[1]))%31 == 0:
		z, err := zlib.NewReader(s.raw)
		if err != nil {
			return nil, fault.Errorf(fault.UnsupportedFormat, "not a schematic: the zlib header is broken: %w", err)
		}
		s.packed = "zlib"
		return z, nil
	case head[0] == byte(nbt.Compound):
		return s.raw, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, fault.Errorf(fault.UnsupportedFormat, "not a schematic: the file is a zip archive; unpack it first")
	case head[0] == '{' || head[0] == '[':
		return nil, fault.Errorf(fault.UnsupportedFormat, "not a schematic: the file is JSON or other text")
	default:
		return nil, fault.Errorf(fault.UnsupportedFormat, "not a schematic: the file begins with bytes %x, neither gzip, zlib nor NBT", head)
	}
}

// detectOrder tells the little-endian form of Bedrock from the big-endian form of
// Java by the two lengths that a document begins with: that of the root's name and
// that of the first field's. Names are short, so one byte of a length is 0.
func (s *source) detectOrder() error {
	head, err := s.reader.Peek(6)
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return fault.Errorf(fault.UnsupportedFormat, "not a schematic: the file inflates to nothing")
	}
	if head[0] != byte(nbt.Compound) {
		if head[0] > byte(nbt.LongArray) {
			return fault.Errorf(fault.UnsupportedFormat, "not a schematic: the data begins with byte %#02x, which is no NBT", head[0])
		}
		return fault.Errorf(fault.UnsupportedFormat, "not a schematic: its root is a value of type %v instead of a compound", nbt.Tag(head[0]))
	}
	if len(head) < 6 {
		return nil
	}
	root, first := head[1:3], head[4:6]
	if root[0] != 0 && root[1] == 0 || root[0] == 0 && root[1] == 0 && first[0] != 0 && first[1] == 0 {
		s.reader.LittleEndian()
	}
	return nil
}

// finish reads to the end, so that the checksum is seen, and returns what follows
// the document as warnings.
func (s *source) finish() ([]string, error) {
	var warnings []string
	n, err := s.reader.Trailing()
	if err != nil {
		return nil, err
	}
	if n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d bytes after the end of the data were ignored", n))
	}
	if s.packed == "" {
		return warnings, nil
	}
	rest, err := io.Copy(io.Discard, s.raw)
	if err != nil {
		return nil, err
	}
	if rest > 0 {
		warnings = append(warnings, fmt.Sprintf("%d bytes after the end of the %s stream were ignored", rest, s.packed))
	}
	return warnings, nil
}

// readFault turns a failure to read into the error that a client sees.
func readFault(err error, limits plan.Limits) error {
	if _, ok := errors.AsType[*fault.Error](err); ok || err == nil {
		return err
	}
	if errors.Is(err, errFileSize) {
		return fault.Errorf(fault.BudgetExceeded, "the file has more than %d bytes", limits.AssetBytes).
			With("limit", limits.AssetBytes)
	}
	e, ok := errors.AsType[*nbt.Error](err)
	if !ok {
		return fault.Errorf(fault.UnsupportedFormat, "not a readable schematic: %w", err)
	}
	code, msg := fault.UnsupportedFormat, "not a readable schematic: "+e.Error()
	switch {
	case e.Kind == nbt.TooBig:
		code, msg = fault.BudgetExceeded, "the schematic is over a limit: "+e.Error()
	case e.Err != nil:
		msg = fmt.Sprintf("not a readable schematic: the compressed data is damaged after %d bytes: %v", e.Offset, e.Err)
	case e.Kind == nbt.Truncated:
		msg = "not a readable schematic: it is cut off: " + e.Error()
	}
	out := fault.Wrap(code, err, msg).With("offset", e.Offset)
	if e.Path != "" {
		out = out.With("path", e.Path)
	}
	return out
}
