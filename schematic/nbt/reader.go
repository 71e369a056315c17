package nbt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// MaxDepth is how deep compounds and lists may be nested, as in the game.
const MaxDepth = 512

// window is the size of a stream's buffer: twice the longest string.
const window = 1 << 17

// Limits bound what a document may cost; a field that is 0 does not bound.
type Limits struct {
	Bytes int64 // that the document may have in all
	Spare int64 // that it may have outside the arrays that the caller reads with Bulk
	Depth int   // of nesting; 0 is MaxDepth
	Tags  int   // values in all

	// Unique refuses a compound that has a name twice. Without it the caller
	// sees both.
	Unique bool
	// Text is the most bytes that a string may have.
	Text int
}

// Reader reads one document. A view that it hands out is valid until the next
// call.
type Reader struct {
	src    io.Reader // nil when buf is the whole document
	buf    []byte
	at     int   // of the next byte in buf
	base   int64 // offset of buf[0]
	limits Limits
	bulk   int64 // bytes that were read with Bulk
	depth  int
	tags   int
	order  binary.ByteOrder
	little bool
}

// NewReader returns a reader of a stream.
func NewReader(src io.Reader, limits Limits) *Reader {
	r := &Reader{src: src, buf: make([]byte, 0, window)}
	r.init(limits)
	return r
}

// NewBytes returns a reader of a document in memory; it copies nothing.
func NewBytes(document []byte, limits Limits) *Reader {
	r := &Reader{buf: document}
	r.init(limits)
	return r
}

func (r *Reader) init(limits Limits) {
	if limits.Bytes <= 0 {
		limits.Bytes = math.MaxInt64 / 2
	}
	if limits.Spare <= 0 {
		limits.Spare = math.MaxInt64 / 2
	}
	if limits.Depth <= 0 || limits.Depth > MaxDepth {
		limits.Depth = MaxDepth
	}
	if limits.Tags <= 0 {
		limits.Tags = math.MaxInt
	}
	if limits.Text <= 0 {
		limits.Text = math.MaxUint16
	}
	r.limits = limits
	r.order = binary.BigEndian
}

// LittleEndian makes the reader read the form of Bedrock.
func (r *Reader) LittleEndian() {
	r.order, r.little = binary.LittleEndian, true
}

// IsLittle reports whether the reader reads the form of Bedrock.
func (r *Reader) IsLittle() bool { return r.little }

// Offset returns the offset of the next byte.
func (r *Reader) Offset() int64 { return r.base + int64(r.at) }

// Errorf returns an Error of kind Malformed at the reader's place.
func (r *Reader) Errorf(format string, args ...any) error {
	return &Error{Offset: r.Offset(), Msg: fmt.Sprintf(format, args...)}
}

func (r *Reader) tooBig(format string, args ...any) error {
	return &Error{Kind: TooBig, Offset: r.Offset(), Msg: fmt.Sprintf(format, args...)}
}

// left returns how many bytes may still come: exactly for a document in memory,
// up to the limits for a stream.
func (r *Reader) left() int64 {
	n := r.limits.Bytes - r.Offset()
	if r.src == nil {
		n = min(n, int64(len(r.buf)-r.at))
	}
	return n
}

// spare returns how many bytes outside of bulk arrays may still come.
func (r *Reader) spare() int64 { return r.limits.Spare - (r.Offset() - r.bulk) }

// Peek returns the next n bytes without taking them; fewer when the document ends.
func (r *Reader) Peek(n int) ([]byte, error) {
	err := r.fill(n)
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Truncated && e.Err == nil {
		err = nil
	}
	return r.buf[r.at:min(r.at+n, len(r.buf))], err
}

// fill makes at least n bytes available at r.at.
func (r *Reader) fill(n int) error {
	if len(r.buf)-r.at >= n {
		return nil
	}
	if r.src == nil {
		return &Error{Kind: Truncated, Offset: r.base + int64(len(r.buf)), Msg: "the data ends too early"}
	}
	r.base += int64(r.at)
	r.buf = r.buf[:copy(r.buf, r.buf[r.at:])]
	r.at = 0
	empty := 0
	for len(r.buf) < n {
		if r.base+int64(len(r.buf)) > r.limits.Bytes {
			return r.tooBig("the data inflates to more than %d bytes", r.limits.Bytes)
		}
		if r.spare() < 0 {
			return r.tooBig("more than %d bytes beside the blocks", r.limits.Spare)
		}
		got, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+got]
		if got == 0 && err == nil {
			if empty++; empty > 100 {
				err = io.ErrNoProgress
			}
		}
		if err == nil || len(r.buf) >= n {
			continue
		}
		e := &Error{Kind: Truncated, Offset: r.base + int64(len(r.buf)), Msg: "the data ends too early"}
		if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			e.Err = err
		}
		return e
	}
	return nil
}

// take returns the next n bytes, at most half a window.
func (r *Reader) take(n int) ([]byte, error) {
	if len(r.buf)-r.at < n {
		if err := r.fill(n); err != nil {
			return nil, err
		}
	}
	b := r.buf[r.at : r.at+n]
	r.at += n
	return b, nil
}

// Root reads the type and the name of the document's one value.
func (r *Reader) Root() (Tag, string, error) {
	t, name, err := r.head()
	return t, string(name), err
}

func (r *Reader) tag() (Tag, error) {
	if r.at < len(r.buf) {
		t := Tag(r.buf[r.at])
		if t <= LongArray {
			r.at++
			return t, nil
		}
		return 0, r.Errorf("unknown tag type %d", byte(t))
	}
	if err := r.fill(1); err != nil {
		return 0, err
	}
	return r.tag()
}

// name reads a string's length and bytes as they are.
func (r *Reader) name() ([]byte, error) {
	b, err := r.take(2)
	if err != nil {
		return nil, err
	}
	n := int(r.short(b))
	if n > r.limits.Text {
		return nil, r.tooBig("a string of %d bytes, more than %d", n, r.limits.Text)
	}
	return r.take(n)
}

func (r *Reader) short(b []byte) uint16 {
	if r.little {
		return uint16(b[0]) | uint16(b[1])<<8
	}
	return uint16(b[1]) | uint16(b[0])<<8
}

func (r *Reader) int(b []byte) uint32 {
	if r.little {
		return binary.LittleEndian.Uint32(b)
	}
	return binary.BigEndian.Uint32(b)
}

// enter goes one level deeper.
func (r *Reader) enter() error {
	r.depth++
	if r.depth > r.limits.Depth {
		return r.tooBig("nested deeper than %d levels", r.limits.Depth)
	}
	return nil
}

func (r *Reader) count(n int) error {
	r.tags += n
	if r.tags > r.limits.Tags {
		return r.tooBig("more than %d values", r.limits.Tags)
	}
	return nil
}

// unique returns the set of names of a compound, nil when none is kept.
func (r *Reader) unique() map[string]bool {
	if !r.limits.Unique {
		return nil
	}
	return map[string]bool{}
}

// field reads the type and the name of a compound's next field, and refuses a name
// that the set has; the type is End behind the last one.
func (r *Reader) field(names map[string]bool) (Tag, []byte, error) {
	t, name, err := r.head()
	if err != nil || t == End {
		return t, nil, err
	}
	if names != nil {
		if names[string(name)] {
			return t, nil, r.Errorf("the field %q stands there twice", Plain(name))
		}
		names[string(name)] = true
	}
	return t, name, r.count(1)
}

// head reads a type and, unless it is End, a name. Mostly both are in the buffer.
func (r *Reader) head() (Tag, []byte, error) {
	if b := r.buf[r.at:]; len(b) >= 3 && b[0] <= byte(LongArray) {
		if b[0] == byte(End) {
			r.at++
			return End, nil, nil
		}
		if n := int(r.short(b[1:])); n <= r.limits.Text && 3+n <= len(b) {
			r.at += 3 + n
			return Tag(b[0]), b[3 : 3+n], nil
		}
	}
	t, err := r.tag()
	if err != nil || t == End {
		return t, nil, err
	}
	name, err := r.name()
	return t, name, err
}

// Compound reads a compound's payload and calls field for each of its fields. The
// name is a view: it holds until field reads, not longer.
func (r *Reader) Compound(field func(name []byte, t Tag) error) error {
	if err := r.enter(); err != nil {
		return err
	}
	names := r.unique()
	for {
		t, name, err := r.field(names)
		if err != nil {
			return err
		}
		if t == End {
			r.depth--
			return nil
		}
		kept := keep(name)
		n := min(len(name), len(kept))
		if err := field(name, t); err != nil {
			return Within(Plain(kept[:n]), err)
		}
	}
}

// keep copies the beginning of a name, for an error that may come after the view is
// gone. It copies what lies behind a short name, too: that is faster than to ask.
func keep(name []byte) (kept [48]byte) {
	if cap(name) >= len(kept) {
		return [48]byte(name[:len(kept)])
	}
	copy(kept[:], name)
	return kept
}

// Within adds the name of the enclosing field to the path of an Error.
func Within(name string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || name == "" {
		return err
	}
	outer := *e
	if outer.Path != "" && outer.Path[0] != '[' {
		name += "."
	}
	outer.Path = name + outer.Path
	return &outer
}

// ListHeader reads the element type and the length of a list. The length is
// checked against the bytes that may still come. Whoever calls it reads the
// elements and then calls EndList.
func (r *Reader) ListHeader() (Tag, int, error) {
	if err := r.enter(); err != nil {
		return 0, 0, err
	}
	element, err := r.tag()
	if err != nil {
		return 0, 0, err
	}
	b, err := r.take(4)
	if err != nil {
		return 0, 0, err
	}
	n := int64(int32(r.int(b)))
	switch {
	case n < 0:
		return 0, 0, r.Errorf("a list of %d elements", n)
	case n > 0 && element == End:
		return 0, 0, r.Errorf("a list of %d elements without a type", n)
	case n*minSize[element] > r.left():
		return 0, 0, r.short64("a list of %d elements", n)
	}
	return element, int(n), r.count(int(n))
}

// short64 returns the error of a stated length that the rest cannot hold.
func (r *Reader) short64(format string, n int64) error {
	kind := TooBig
	if r.src == nil && r.limits.Bytes-r.Offset() > int64(len(r.buf)-r.at) {
		kind = Truncated
	}
	return &Error{
		Kind: kind, Offset: r.Offset(),
		Msg: fmt.Sprintf(format+", more than the %d bytes that may follow", n, r.left()),
	}
}

// EndList ends what ListHeader began.
func (r *Reader) EndList() { r.depth-- }

// List reads a list's payload and calls element for each of its elements.
func (r *Reader) List(element func(i int, t Tag) error) error {
	t, n, err := r.ListHeader()
	if err != nil {
		return err
	}
	for i := range n {
		if err := element(i, t); err != nil {
			return Within(fmt.Sprintf("[%d]", i), err)
		}
	}
	r.EndList()
	return nil
}

// Text reads a string.
func (r *Reader) Text() (string, error) {
	b, err := r.name()
	if err != nil {
		return "", err
	}
	return Plain(b), nil
}

// Bytes reads a string as the bytes of the file, a view.
func (r *Reader) Bytes() ([]byte, error) { return r.name() }

// Number reads a byte, short, int or long as a signed number.
func (r *Reader) Number(t Tag) (int64, error) {
	var n int
	switch t {
	case Byte, Short, Int, Long:
		n = int(minSize[t])
	default:
		return 0, r.Errorf("%s where a whole number belongs", t.A())
	}
	b, err := r.take(n)
	if err != nil {
		return 0, err
	}
	switch t {
	case Byte:
		return int64(int8(b[0])), nil
	case Short:
		return int64(int16(r.short(b))), nil
	case Int:
		return int64(int32(r.int(b))), nil
	default:
		return int64(r.order.Uint64(b)), nil
	}
}

// Float reads a float or double.
func (r *Reader) Float(t Tag) (float64, error) {
	switch t {
	case Float:
		b, err := r.take(4)
		if err != nil {
			return 0, err
		}
		return float64(math.Float32frombits(r.int(b))), nil
	case Double:
		b, err := r.take(8)
		if err != nil {
			return 0, err
		}
		return math.Float64frombits(r.order.Uint64(b)), nil
	default:
		return 0, r.Errorf("%s where a fraction belongs", t.A())
	}
}

// ArrayHeader reads the length of an array, in elements. The length is checked
// against the bytes that may still come. Whoever calls it reads the elements with
// Bulk or Ints.
func (r *Reader) ArrayHeader(t Tag) (int, error) {
	size := elementSize(t)
	if size == 0 {
		return 0, r.Errorf("%s where an array belongs", t.A())
	}
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	n := int64(int32(r.int(b)))
	if n < 0 {
		return 0, r.Errorf("an array of %d elements", n)
	}
	if n*size > r.left() {
		return 0, r.short64("an array of %d elements", n)
	}
	return int(n), nil
}

// Bulk returns the next bytes of an array, at least one and at most n, as a view.
// They do not count against Limits.Spare.
func (r *Reader) Bulk(n int) ([]byte, error) {
	if r.at == len(r.buf) {
		if err := r.fill(1); err != nil {
			return nil, err
		}
	}
	n = min(n, len(r.buf)-r.at)
	b := r.buf[r.at : r.at+n]
	r.at += n
	r.bulk += int64(n)
	return b, nil
}

// Free tells the reader that the bytes since the offset were wanted, as those of
// Bulk are: they do not count against Limits.Spare.
func (r *Reader) Free(since int64) { r.bulk += r.Offset() - since }

// Ints reads numbers of an int array, as many as out has room for.
func (r *Reader) Ints(out []int32) error {
	for len(out) > 0 {
		n := min(len(out), window/2/4)
		b, err := r.take(4 * n)
		if err != nil {
			return err
		}
		for i := range n {
			out[i] = int32(r.int(b[4*i:]))
		}
		out = out[n:]
	}
	return nil
}

// skipCost is what a value that is skipped costs of Limits.Spare beside its bytes:
// a flood of tiny values takes longer than its bytes tell.
const skipCost = 16

// Skip passes over a payload.
func (r *Reader) Skip(t Tag) error {
	r.bulk -= skipCost
	if r.spare() < 0 {
		return r.tooBig("more than %d bytes beside the blocks", r.limits.Spare)
	}
	switch t {
	case Byte, Short, Int, Long, Float, Double:
		_, err := r.take(int(minSize[t]))
		return err
	case String:
		_, err := r.name()
		return err
	case ByteArray, IntArray, LongArray:
		n, err := r.ArrayHeader(t)
		if err != nil {
			return err
		}
		return r.discard(int64(n) * elementSize(t))
	case List:
		return r.skipList()
	case Compound:
		return r.skipCompound()
	default:
		return r.Errorf("unknown tag type %d", byte(t))
	}
}

func (r *Reader) skipList() error {
	element, n, err := r.ListHeader()
	if err != nil {
		return err
	}
	if element <= Double {
		if err := r.discard(int64(n) * minSize[element]); err != nil {
			return err
		}
		n = 0
	}
	for range n {
		if err := r.Skip(element); err != nil {
			return err
		}
	}
	r.EndList()
	return nil
}

func (r *Reader) skipCompound() error {
	if err := r.enter(); err != nil {
		return err
	}
	names := r.unique()
	for {
		t, _, err := r.field(names)
		if err != nil {
			return err
		}
		if t == End {
			r.depth--
			return nil
		}
		if err := r.Skip(t); err != nil {
			return err
		}
	}
}

// discard passes over n bytes.
func (r *Reader) discard(n int64) error {
	if n > r.spare() {
		return r.tooBig("more than %d bytes beside the blocks", r.limits.Spare)
	}
	for n > 0 {
		if r.at == len(r.buf) {
			if err := r.fill(1); err != nil {
				return err
			}
		}
		step := min(n, int64(len(r.buf)-r.at))
		r.at += int(step)
		n -= step
	}
	return nil
}

// Trailing returns how many bytes follow the document, reading to the end of the
// stream so that its checksum is seen.
func (r *Reader) Trailing() (int64, error) {
	start := r.Offset()
	for {
		r.at = len(r.buf)
		err := r.fill(1)
		if e, ok := errors.AsType[*Error](err); ok && e.Kind == Truncated && e.Err == nil {
			return r.Offset() - start, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
