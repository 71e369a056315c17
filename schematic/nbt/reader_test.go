package nbt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	mcnbt "github.com/Tnze/go-mc/nbt"
)

type everything struct {
	B   int8
	S   int16
	I   int32
	L   int64
	F   float32
	D   float64
	BA  []byte
	Str string
	Li  []string
	C   map[string]int32
	IA  []int32
	LA  []int64
	E   []struct{}
}

func document(tb testing.TB) []byte {
	tb.Helper()
	var out bytes.Buffer
	err := mcnbt.NewEncoder(&out).Encode(everything{
		B: -1, S: -2, I: -3, L: -4, F: 1.5, D: -2.5, BA: []byte{1, 2, 3}, Str: "text", Li: []string{"a", "bc"},
		C: map[string]int32{"x": 7}, IA: []int32{8, -9}, LA: []int64{1 << 40},
	}, "root")
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// walk reads the values of everything and returns them as text.
func walk(r *Reader) (string, error) {
	var out strings.Builder
	tag, name, err := r.Root()
	if err != nil {
		return "", err
	}
	out.WriteString(tag.String() + " " + name)
	err = r.Compound(func(name []byte, t Tag) error {
		out.WriteString(";" + string(name) + "=")
		return value(r, t, &out)
	})
	return out.String(), err
}

func value(r *Reader, t Tag, out *strings.Builder) error {
	write := func(format string, args ...any) { fmt.Fprintf(out, format, args...) }
	switch t {
	case Byte, Short, Int, Long:
		n, err := r.Number(t)
		write("%d", n)
		return err
	case Float, Double:
		n, err := r.Float(t)
		write("%g", n)
		return err
	case String:
		s, err := r.Text()
		write("%s", s)
		return err
	case IntArray:
		n, err := r.ArrayHeader(t)
		if err != nil {
			return err
		}
		ints := make([]int32, n)
		err = r.Ints(ints)
		write("%v", ints)
		return err
	case ByteArray:
		n, err := r.ArrayHeader(t)
		for n > 0 && err == nil {
			var b []byte
			b, err = r.Bulk(n)
			write("%x", b)
			n -= len(b)
		}
		return err
	case List:
		return r.List(func(_ int, t Tag) error {
			out.WriteString(",")
			return value(r, t, out)
		})
	case Compound:
		return r.Compound(func(name []byte, t Tag) error {
			out.WriteString("." + string(name))
			return value(r, t, out)
		})
	default:
		write("skipped")
		return r.Skip(t)
	}
}

const want = "compound root;B=-1;S=-2;I=-3;L=-4;F=1.5;D=-2.5;BA=010203;Str=text;Li=,a,bc;C=.x7;IA=[8 -9];LA=skipped;E="

func TestAllValuesAreReadFromBytesAndStreamsInBothOrders(t *testing.T) {
	big := document(t)
	little, err := LittleEndian(big)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Reader{
		"bytes":        NewBytes(big, Limits{}),
		"stream":       NewReader(bytes.NewReader(big), Limits{}),
		"single bytes": NewReader(iotest.OneByteReader(bytes.NewReader(big)), Limits{}),
		"with the end": NewReader(iotest.DataErrReader(bytes.NewReader(big)), Limits{}),
	} {
		if got, err := walk(r); err != nil || got != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		if n, err := r.Trailing(); n != 0 || err != nil {
			t.Errorf("%s: %d bytes follow: %v", name, n, err)
		}
	}
	r := NewBytes(little, Limits{})
	r.LittleEndian()
	if got, err := walk(r); err != nil || got != want {
		t.Errorf("little-endian: %v\n%s", err, got)
	}
}

func TestSkippingEndsWhereReadingEnds(t *testing.T) {
	data := document(t)
	r := NewReader(bytes.NewReader(append(bytes.Clone(data), 1, 2, 3)), Limits{})
	tag, _, err := r.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Skip(tag); err != nil || r.Offset() != int64(len(data)) {
		t.Errorf("skipped to %d of %d: %v", r.Offset(), len(data), err)
	}
	if n, err := r.Trailing(); n != 3 || err != nil {
		t.Errorf("%d bytes follow: %v", n, err)
	}
}

func TestEveryPrefixIsTruncated(t *testing.T) {
	data := document(t)
	for n := range data {
		for name, r := range map[string]*Reader{
			"bytes":  NewBytes(data[:n], Limits{}),
			"stream": NewReader(bytes.NewReader(data[:n]), Limits{}),
		} {
			_, err := walk(r)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind == Malformed {
				t.Fatalf("%d %s: %v", n, name, err)
			}
		}
	}
}

func TestLimitsHold(t *testing.T) {
	data := document(t)
	for name, limits := range map[string]Limits{
		"bytes": {Bytes: int64(len(data)) - 20}, "spare": {Spare: 30}, "depth": {Depth: 1}, "tags": {Tags: 5}, "text": {Text: 3},
	} {
		r := NewReader(iotest.OneByteReader(bytes.NewReader(data)), limits)
		tag, _, err := r.Root()
		if err == nil {
			err = r.Skip(tag)
		}
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != TooBig {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAStreamThatFailsSaysWhy(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(bytes.NewReader(document(t)[:9]), iotest.ErrReader(broken)), Limits{})
	if _, err := walk(r); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestErrorsNamePathAndOffset(t *testing.T) {
	_, err := walk(NewBytes([]byte("\x0a\x00\x00\x0a\x00\x01a\x09\x00\x01b\x03\xff\xff\xff\xff"), Limits{}))
	if err == nil || err.Error() != "a.b: a list of -1 elements (byte 16)" {
		t.Error(err)
	}
}

func TestModifiedUTF8ComesBack(t *testing.T) {
	for _, s := range []string{"", "plain", "näme", "a\x00b", "🏠 house", "\x00🏠\x00", "\ue000", "中文"} {
		m := Modified(s)
		if strings.ContainsRune(m, 0) || Plain([]byte(m)) != s {
			t.Errorf("%q: %q: %q", s, m, Plain([]byte(m)))
		}
	}
	if got := Plain([]byte("🏠")); got != "🏠" {
		t.Errorf("ordinary UTF-8 became %q", got)
	}
}

// FuzzReader: any bytes are walked or refused, alike from memory and in pieces,
// never costing more than they have.
func FuzzReader(f *testing.F) {
	f.Add(document(f), false)
	f.Add([]byte("\x0a\x00\x00\x09\x00\x01x\x0a\x7f\xff\xff\xff"), false)
	f.Fuzz(func(t *testing.T, data []byte, little bool) {
		limits := Limits{Bytes: 1 << 20, Spare: 1 << 20}
		var texts [2]string
		var errs [2]error
		for i, r := range []*Reader{NewBytes(data, limits), NewReader(iotest.HalfReader(bytes.NewReader(data)), limits)} {
			if little {
				r.LittleEndian()
			}
			texts[i], errs[i] = walk(r)
			if !utf8.ValidString(fmt.Sprintf("%v", errs[i])) {
				t.Fatalf("%q", errs[i])
			}
		}
		if (errs[0] == nil) != (errs[1] == nil) || errs[0] == nil && texts[0] != texts[1] {
			t.Fatalf("%q %v\n%q %v", texts[0], errs[0], texts[1], errs[1])
		}
	})
}

// FuzzModified: every valid text comes back.
func FuzzModified(f *testing.F) {
	f.Add("a\x00🏠")
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && Plain([]byte(Modified(s))) != s {
			t.Fatalf("%q", s)
		}
		Plain([]byte(s))
	})
}

func TestTagsHaveNames(t *testing.T) {
	if Compound.A() != "a compound" || IntArray.A() != "an int array" || Tag(200).String() != "tag 200" {
		t.Error(Compound.A(), IntArray.A(), Tag(200))
	}
}
