package strict_test

import (
	"encoding/json"
	"strings"
	"testing"

	"groundplan/plan/fault"
	"groundplan/plan/strict"
)

type sample struct {
	Name string         `json:"name"`
	N    int            `json:"n"`
	Opt  *int           `json:"opt,omitempty"`
	List []sample       `json:"list,omitempty"`
	Any  map[string]any `json:"any,omitempty"`
}

func TestUnmarshalRefuses(t *testing.T) {
	for name, c := range map[string]struct{ in, pointer string }{
		"another case of a key":          {`{"NAME":"a"}`, "/NAME"},
		"an unknown key":                 {`{"list":[{"nam":"a"}]}`, "/list/0/nam"},
		"a key twice":                    {`{"n":1,"n":1}`, "/n"},
		"a key twice in escapes":         {`{"n":1,"\u006e":1}`, "/n"},
		"a key twice below any":          {`{"any":{"a/b":1,"a/b":2}}`, "/any/a~1b"},
		"a fraction for an integer":      {`{"n":1.0}`, "/n"},
		"an exponent for an integer":     {`{"n":1e2}`, "/n"},
		"minus nought":                   {`{"n":-0}`, "/n"},
		"an integer beyond 64 bits":      {`{"n":9223372036854775808}`, "/n"},
		"a string for an integer":        {`{"n":"1"}`, "/n"},
		"null for an integer":            {`{"n":null}`, "/n"},
		"an object for an array":         {`{"list":{}}`, "/list"},
		"text after the value":           {`{"n":1} x`, ""},
		"a second value after the first": {`{"n":1}{"n":2}`, ""},
		"broken UTF-8":                   {"{\"name\":\"\xff\"}", ""},
		"no text":                        {``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var s sample
			err := strict.Unmarshal([]byte(c.in), &s)
			if fault.CodeOf(err) != fault.InvalidRequest {
				t.Fatalf("error %v, want invalid_request", err)
			}
			var f *fault.Error
			if !asFault(err, &f) || c.pointer != "" && f.Details["pointer"] != c.pointer {
				t.Errorf("pointer %v, want %q", f.Details["pointer"], c.pointer)
			}
		})
	}
}

func asFault(err error, f **fault.Error) bool {
	e, ok := err.(*fault.Error) //nolint:errorlint // the outermost error itself is wanted
	*f = e
	return ok
}

func TestUnmarshalFillsTheValue(t *testing.T) {
	var s sample
	in := ` {"name":"a\u00e9","n":-7,"opt":null,"list":[{"n":2}],"any":{"x":[1.5,{}]}} `
	if err := strict.Unmarshal([]byte(in), &s); err != nil {
		t.Fatal(err)
	}
	if s.Name != "aé" || s.N != -7 || s.Opt != nil || len(s.List) != 1 || s.List[0].N != 2 || len(s.Any) != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestDepthIsBounded(t *testing.T) {
	if _, err := strict.Parse([]byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))); err == nil {
		t.Error("5,000 levels were accepted")
	}
}

func TestUnknownKeyIsRenamedToTheNearestMissingOne(t *testing.T) {
	var s sample
	err := strict.Unmarshal([]byte(`{"nam":"a"}`), &s)
	var f *fault.Error
	if !asFault(err, &f) {
		t.Fatalf("error %v", err)
	}
	patch, ok := f.Details["fix"].([]strict.Patch)
	if !ok || len(patch) != 2 || patch[1].Path != "/name" {
		t.Errorf("fix %v, want remove and add /name", f.Details["fix"])
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,"x\ny",null,true,{"b":{}}],"c":""}`))
	f.Add([]byte("[\"\\ud800\", 1e999]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := strict.Parse(data)
		if err != nil {
			return
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil && !strings.Contains(err.Error(), "number") {
			t.Fatalf("accepted %q, which encoding/json refuses: %v", data, err)
		}
		if again, err := strict.Parse(tree.Raw()); err != nil || again.Kind() != tree.Kind() {
			t.Fatalf("the raw text of %q does not parse again: %v", data, err)
		}
	})
}
