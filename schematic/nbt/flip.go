package nbt

import "encoding/binary"

// LittleEndian returns a big-endian document in the form of Bedrock.
func LittleEndian(document []byte) ([]byte, error) {
	f := flipper{Reader: NewBytes(document, Limits{}), out: make([]byte, 0, len(document))}
	tag, name, err := f.head()
	if err != nil || tag == End {
		return nil, err
	}
	f.out = append(f.out, byte(tag))
	f.text(name)
	return f.out, f.value(tag)
}

// flipper reads big-endian values and appends them the other way round.
type flipper struct {
	*Reader
	out []byte
}

// text appends a string.
func (f *flipper) text(b []byte) {
	f.out = binary.LittleEndian.AppendUint16(f.out, uint16(len(b)))
	f.out = append(f.out, b...)
}

func (f *flipper) value(t Tag) error {
	switch t {
	case Byte, Short, Int, Long, Float, Double:
		return f.numbers(1, int(minSize[t]))
	case String:
		b, err := f.name()
		f.text(b)
		return err
	case ByteArray, IntArray, LongArray:
		n, err := f.ArrayHeader(t)
		if err != nil {
			return err
		}
		f.out = binary.LittleEndian.AppendUint32(f.out, uint32(n))
		return f.numbers(n, int(elementSize(t)))
	case List:
		return f.list()
	case Compound:
		return f.compound()
	default:
		return f.Errorf("unknown tag type %d", byte(t))
	}
}

// numbers turns n numbers of a size.
func (f *flipper) numbers(n, size int) error {
	b, err := f.take(n * size)
	if err != nil {
		return err
	}
	for ; len(b) > 0; b = b[size:] {
		for i := size - 1; i >= 0; i-- {
			f.out = append(f.out, b[i])
		}
	}
	return nil
}

func (f *flipper) list() error {
	element, n, err := f.ListHeader()
	if err != nil {
		return err
	}
	f.out = append(f.out, byte(element))
	f.out = binary.LittleEndian.AppendUint32(f.out, uint32(n))
	defer f.EndList()
	if element != End && element <= Double {
		return f.numbers(n, int(minSize[element]))
	}
	for range n {
		if err := f.value(element); err != nil {
			return err
		}
	}
	return nil
}

func (f *flipper) compound() error {
	if err := f.enter(); err != nil {
		return err
	}
	for {
		t, name, err := f.field(nil)
		if err != nil {
			return err
		}
		f.out = append(f.out, byte(t))
		if t == End {
			f.depth--
			return nil
		}
		f.text(name)
		if err := f.value(t); err != nil {
			return err
		}
	}
}
