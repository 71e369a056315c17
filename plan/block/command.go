package block

import (
	"strconv"
	"strings"
)

// Command returns s as the block argument of setblock and fill: id and, in
// brackets, every state, without the water layer, which no vanilla command can
// write.
func (r *Registry) Command(s State) string {
	return command(s.ID(), s, func(string, string) bool { return true })
}

// Filter returns s as the filter of fill … replace: every state that is not
// derived. The game compares the listed states only.
func (r *Registry) Filter(s State) string {
	id := s.ID()
	return command(id, s, func(name, _ string) bool { return !derived(id, name) })
}

// Short returns s as Command does, without namespace and default states: the
// same block in fewer bytes.
func (r *Registry) Short(s State) string {
	id := s.ID()
	v := r.bedrock.byID[id]
	return command(strings.TrimPrefix(id, namespace), s, func(name, value string) bool {
		if v == nil {
			return true
		}
		p := v.find(name)
		return p == nil || p.values[p.def] != value
	})
}

func command(id string, s State, listed func(name, value string) bool) string {
	var b strings.Builder
	b.WriteString(id)
	sep := byte('[')
	for name, value := range s.All() {
		if !listed(name, value) {
			continue
		}
		b.WriteByte(sep)
		b.WriteString(strconv.Quote(name))
		b.WriteByte('=')
		if bare(value) {
			b.WriteString(value)
		} else {
			b.WriteString(strconv.Quote(value))
		}
		sep = ','
	}
	if sep == ',' {
		b.WriteByte(']')
	}
	return b.String()
}

// bare reports whether a value stands without quotes: truth values and numbers.
// No state of the game has words that look like either.
func bare(value string) bool {
	if value == "true" || value == "false" {
		return true
	}
	_, err := strconv.Atoi(value)
	return err == nil
}
