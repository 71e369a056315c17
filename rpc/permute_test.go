package rpc

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"groundplan/plan"
	"groundplan/plan/fault"
)

// Every method is called with every subset of its optional parameters (or as many
// as a method's share allows), with values from inside, from the edge and from
// outside of what its schema takes. Whatever comes, the answer is a success or an
// error that the table says the method gives.
func TestPermutationsOfParametersAreAnswered(t *testing.T) {
	const share, least = 170, 5000
	s := openWorld(t)
	s.must(s.Projects.Put(s.harmless()))
	op := s.apply(ok[PlanView](s, "build_prepare", boxRecipe("stone", true, room)), "k")
	words := &words{rng: rand.New(rand.NewPCG(7, 7)), ids: []string{op.ID, op.PlanID, "none", "default"}}
	calls, good := 0, 0
	for _, m := range Methods() {
		for i := range share {
			params := words.object(m.Params, i)
			r := s.post(adminToken, `{"method":"`+m.Name+`","params":`+params+`}`)
			calls++
			switch {
			case r.OK:
				good++
			case r.status >= 500 && r.status != http.StatusServiceUnavailable, r.Error.Code == fault.Internal, !m.MayGive(r.Error.Code):
				t.Errorf("%s %s: %d %s", m.Name, params, r.status, r.body)
			}
			if strings.HasPrefix(m.Name, "project_") {
				s.must(s.Projects.Put(s.harmless()))
			}
		}
	}
	t.Logf("%d calls, %d of them succeeded", calls, good)
	if calls < least || good < calls/10 {
		t.Errorf("%d calls, %d succeeded", calls, good)
	}
}

// harmless is the default project, small enough that no call costs much.
func (s *site) harmless() plan.Project {
	p, _ := s.Projects.Get(DefaultProject)
	p.ID, p.Automation, p.Dimension, p.WorldID, p.Owner, p.Members = DefaultProject, true, "overworld", "", "", nil
	p.Region.Min.X, p.Region.Min.Y, p.Region.Min.Z = -32, -64, -32
	p.Region.Max.X, p.Region.Max.Y, p.Region.Max.Z = 31, 31, 31
	p.Policy, p.Limits = plan.Policy{}, plan.PrototypeLimits()
	return p
}

// words makes JSON of schemas.
type words struct {
	rng *rand.Rand
	ids []string
}

func (w *words) pick(list ...string) string { return list[w.rng.IntN(len(list))] }

// object makes the i-th variant of an object: the bits of i say which of its
// optional fields it has.
func (w *words) object(s *jsonschema.Schema, i int) string {
	var fields []string
	bit := 0
	for _, name := range s.PropertyOrder {
		if !slices.Contains(s.Required, name) {
			bit++
			if i>>(bit-1)&1 == 0 {
				continue
			}
		} else if w.rng.IntN(40) == 0 {
			continue // now and then something needed is missing
		}
		fields = append(fields, fmt.Sprintf("%q:%s", name, w.value(name, s.Properties[name])))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// value makes a value: mostly one that the schema takes.
func (w *words) value(name string, s *jsonschema.Schema) string {
	if w.rng.IntN(25) == 0 {
		return w.pick("null", "true", "7", "-1.5", "1e400", `"x"`, "[]", "{}", `[[[]]]`, `"\u0000"`, `"😀"`)
	}
	switch {
	case name == "recipe":
		return w.pick(`{"version":1,"operations":[]}`, `{"version":1,"operations":[{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":1,"y":1,"z":1},"block":"stone"}]}`,
			`{"version":1,"operations":[{"type":"line","from":{"x":0,"y":0,"z":0},"to":{"x":9,"y":9,"z":9},"block":"oak_stairs","hollow":1}]}`, `{}`)
	case name == "project_id" || name == "id" && len(w.ids) > 0:
		return w.pick(`"default"`, `"other"`, `"minecraft:stone"`)
	case name == "player_id":
		return w.pick(`"console"`, `"alex"`, `""`)
	case name == "wait_ms":
		return w.pick("0", "1", "30001")
	case len(s.Enum) > 0:
		one, err := json.Marshal(s.Enum[w.rng.IntN(len(s.Enum))])
		if err != nil {
			panic(err)
		}
		return string(one)
	case is(s, "object") && len(s.PropertyOrder) > 0:
		return w.object(s, w.rng.IntN(1<<10))
	case is(s, "object"):
		return w.pick(`{}`, `{"stone":"cobblestone"}`, `{"a*[":"keep"}`)
	case is(s, "array"):
		return w.list(name, s)
	case is(s, "integer"), is(s, "number"):
		return w.number(s)
	case is(s, "boolean"):
		return w.pick("true", "false")
	}
	return w.text(name)
}

func (w *words) list(name string, s *jsonschema.Schema) string {
	items := make([]string, w.rng.IntN(3))
	for i := range items {
		items[i] = w.value(name, s.Items)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (w *words) number(s *jsonschema.Schema) string {
	list := []string{"0", "1", "2", "-1", "-30"}
	if s.Minimum != nil && *s.Minimum > -1e9 {
		list = append(list, fmt.Sprint(int(*s.Minimum)))
	}
	if s.Maximum != nil && *s.Maximum < 1e9 {
		list = append(list, fmt.Sprint(int(*s.Maximum)), fmt.Sprint(int(*s.Maximum)+1))
	}
	return w.pick(list...)
}

func (w *words) text(name string) string {
	switch name {
	case "block", "state":
		return w.pick(`"stone"`, `"minecraft:air"`, `"oak_stairs[weirdo_direction=9]"`, `"nothing"`, `""`)
	case "data":
		return w.pick(`"H4sI"`, `"%"`, `""`)
	}
	return w.pick(`"`+w.ids[0]+`"`, `"`+w.ids[1]+`"`, `"none"`, `""`, `"`+strings.Repeat("y", 300)+`"`, `"../x"`, `"`+strings.Repeat("0", 64)+`"`)
}
