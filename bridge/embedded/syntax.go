package embedded

import (
	"fmt"
	"strconv"
	"strings"
)

// syntaxError is a command line that the game cannot read.
type syntaxError struct{ near string }

func (e *syntaxError) Error() string { return "syntax error near " + strconv.Quote(e.near) }

func syntax(format string, args ...any) error { return &syntaxError{fmt.Sprintf(format, args...)} }

// words splits a command line. A list of states in brackets is one word, also
// when it follows an id without a space; so is a quoted text, without its quotes.
func words(line string) ([]string, error) {
	list := make([]string, 0, 12)
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case ' ':
			i++
		case '"':
			end := strings.IndexByte(line[i+1:], '"')
			if end < 0 {
				return nil, syntax("%s", line[i:])
			}
			list = append(list, line[i+1:i+1+end])
			i += end + 2
		case '[':
			end, err := bracket(line, i)
			if err != nil {
				return nil, err
			}
			list = append(list, line[i:end])
			i = end
		default:
			end := i
			for end < len(line) && line[end] != ' ' && line[end] != '[' {
				end++
			}
			list = append(list, line[i:end])
			i = end
		}
	}
	return list, nil
}

// bracket returns where the list that begins at start ends.
func bracket(line string, start int) (int, error) {
	quoted := false
	for i := start; i < len(line); i++ {
		switch line[i] {
		case '"':
			quoted = !quoted
		case ']':
			if !quoted {
				return i + 1, nil
			}
		}
	}
	return 0, syntax("%s", line[start:])
}

// parseStates reads a list of states as commands write it: names and words in
// quotes, an equals sign since 1.20.10. An empty text is an empty list.
func parseStates(text string) ([]pair, error) {
	if text == "" {
		return nil, nil
	}
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if inner == "" {
		return nil, nil
	}
	var pairs []pair
	for part := range strings.SplitSeq(inner, ",") {
		name, value, found := strings.Cut(part, "=")
		name, quoted := unquote(strings.TrimSpace(name))
		if !found || !quoted || name == "" || name == "waterlogged" {
			return nil, syntax("%s", part)
		}
		value, quoted = unquote(strings.TrimSpace(value))
		if value == "" || !quoted && !bare(value) {
			return nil, syntax("%s", part)
		}
		for _, p := range pairs {
			if p.name == name {
				return nil, syntax("%s", part)
			}
		}
		pairs = append(pairs, pair{name, value})
	}
	return pairs, nil
}

func unquote(text string) (string, bool) {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		return text[1 : len(text)-1], true
	}
	return text, false
}

// bare reports whether a value may stand without quotes.
func bare(value string) bool {
	if value == "true" || value == "false" {
		return true
	}
	_, err := strconv.Atoi(value)
	return err == nil
}

// arguments are the words of a command that are not read yet.
type arguments struct {
	list []string
	pos  int
}

func (a *arguments) more() bool { return a.pos < len(a.list) }

func (a *arguments) peek() string {
	if a.more() {
		return a.list[a.pos]
	}
	return ""
}

func (a *arguments) next() (string, error) {
	if !a.more() {
		return "", syntax("the end of the command")
	}
	a.pos++
	return a.list[a.pos-1], nil
}

// states takes a list of states, if one is next.
func (a *arguments) states() string {
	if strings.HasPrefix(a.peek(), "[") {
		a.pos++
		return a.list[a.pos-1]
	}
	return ""
}

// coordinate takes one coordinate: a number, or one relative to base.
func (a *arguments) coordinate(base int) (int, error) {
	word, err := a.next()
	if err != nil {
		return 0, err
	}
	if n, err := strconv.Atoi(word); err == nil {
		return n, nil
	}
	text, relative := strings.CutPrefix(word, "~")
	if relative && text == "" {
		return base, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number > 1e9 || number < -1e9 || number != number {
		return 0, syntax("%s", word)
	}
	floor := int(number)
	if number < float64(floor) {
		floor--
	}
	if relative {
		floor += base
	}
	return floor, nil
}
