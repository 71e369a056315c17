package plan

import (
	"strings"

	"groundplan/plan/fault"
	"groundplan/plan/strict"
)

// blockError says where an error of the registry is, and adds the fix: the nearest
// text that is a state.
func (r *reader) blockError(value *strict.Value, text string, err error) error {
	f, ok := err.(*fault.Error) //nolint:errorlint // the registry's own error
	if !ok {
		f = fault.Errorf(fault.UnsupportedBlock, "%w", err)
	}
	for _, candidate := range r.corrections(text, f) {
		if _, err := r.state(candidate); err == nil {
			return locate(value, strict.Fix(f, value.Replace(candidate)))
		}
	}
	return locate(value, f)
}

// corrections returns what the text may have meant, the likeliest first. Not all of
// them are states.
func (r *reader) corrections(text string, f *fault.Error) []string {
	near, _ := f.Details["nearest"].([]string)
	wrong, inStates := f.Details["state"].(string)
	id, states, bracket := strings.Cut(text, "[")
	var out []string
	switch {
	case inStates:
		for _, word := range near {
			out = append(out, strings.Replace(text, wrong, word, 1), withValue(text, wrong, word))
		}
		out = append(out, without(text, wrong), id)
	case len(near) > 0:
		for _, other := range near[:1] {
			if bracket {
				out = append(out, other+"["+states)
			}
			out = append(out, other)
		}
	default:
		// Wrong in its form: capitals, spaces, a bracket left open.
		out = append(out, strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), " ", "_")), text+"]", id)
	}
	if r.java {
		if s, err := r.env.Registry.Parse(text); err == nil {
			if java, ok := r.env.Registry.ToJava(s); ok {
				out = append(out, java)
			}
		}
	}
	return out
}

// span returns where the value of a state stands in a text; -1 when the state does
// not.
func span(text, name string) (pair, from, to int) {
	pair = strings.Index(text, name)
	if pair < 0 {
		return -1, -1, -1
	}
	from = pair + len(name)
	for from < len(text) && strings.ContainsRune(`"=: `, rune(text[from])) {
		from++
	}
	to = from
	for to < len(text) && !strings.ContainsRune(`,]" `, rune(text[to])) {
		to++
	}
	return pair, from, to
}

// withValue returns the text with another value of a state.
func withValue(text, name, value string) string {
	_, from, to := span(text, name)
	if from < 0 {
		return text
	}
	return text[:from] + value + text[to:]
}

// without returns the text without a state.
func without(text, name string) string {
	pair, _, to := span(text, name)
	if pair < 0 {
		return text
	}
	head, tail := strings.TrimRight(text[:pair], `", `), strings.TrimLeft(text[to:], `", `)
	switch {
	case strings.HasSuffix(head, "[") && tail == "]":
		return strings.TrimSuffix(head, "[")
	case strings.HasSuffix(head, "[") || tail == "]":
		return head + tail
	default:
		return head + "," + tail
	}
}
