package strict

import (
	"slices"

	"groundplan/plan/fault"
)

// Patch is one operation of a JSON Patch (RFC 6902) that corrects a request.
type Patch struct {
	Op    string `json:"op"` // add, remove, replace
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Errorf returns an invalid_request error about the value, with the details
// pointer and value.
func (v *Value) Errorf(format string, args ...any) *fault.Error {
	return v.Fault(fault.InvalidRequest, format, args...)
}

// Fault returns an error with a code about the value, with the details pointer
// and value.
func (v *Value) Fault(code fault.Code, format string, args ...any) *fault.Error {
	return fault.Errorf(code, format, args...).With("pointer", v.Pointer()).With("value", v.Excerpt())
}

// Allow adds what would have been accepted instead.
func Allow(err *fault.Error, allowed any) *fault.Error { return err.With("allowed", allowed) }

// Fix adds the change that makes the request valid, as far as this error goes.
func Fix(err *fault.Error, patch ...Patch) *fault.Error { return err.With("fix", patch) }

// Replace returns the patch that puts value in the place of v.
func (v *Value) Replace(value any) Patch {
	return Patch{Op: "replace", Path: v.Pointer(), Value: value}
}

// Remove returns the patch that takes v out of its parent.
func (v *Value) Remove() Patch { return Patch{Op: "remove", Path: v.Pointer()} }

// Add returns the patch that gives the object v one more key.
func (v *Value) Add(key string, value any) Patch {
	return Patch{Op: "add", Path: v.Pointer() + "/" + escapePointer(key), Value: value}
}

// Unknown returns the error for a member that is none of the allowed keys. Its fix
// renames the key when one that is missing in the object is near, or when only one
// required key is missing, and removes it otherwise.
func (v *Value) Unknown(allowed []string, required ...string) *fault.Error {
	err := Allow(v.Errorf("unknown key %q", v.key), allowed)
	missing := func(keys []string) []string {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return v.parent.Get(key) != nil })
	}
	near := Nearest(v.key, missing(allowed))
	if needed := missing(required); len(needed) == 1 {
		near = needed[0]
	}
	if near == "" {
		return Fix(err, v.Remove())
	}
	return Fix(err, v.Remove(), v.parent.Add(near, v.Raw()))
}

// Nearest returns the word of list that is written most like word, or "" when
// none is near.
func Nearest(word string, list []string) string {
	best, least := "", len(word)/2+1
	for _, candidate := range list {
		if d := distance(word, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance of the lower-cased words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if lower(a[i]) != lower(b[j]) {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{cost, row[j] + 1, diagonal + 1})
		}
	}
	return row[len(b)]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
