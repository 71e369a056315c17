package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

// FuzzRecord gives hostile bytes to everything that reads a record: whatever the
// checksum lets pass must be read or refused, in bounded memory, and what is read
// must survive being written again.
func FuzzRecord(f *testing.F) {
	c, err := newCodec()
	must(f, err)
	f.Cleanup(c.close)
	states := []block.State{block.Air, stone, oak}
	fills := [][]plan.Fill{{{Box: box(-3, 0, 5, 9, 2, 7), Before: block.Air, After: stone}}, {{Box: box(1, 1, 1, 1, 1, 1), Before: stone, After: oak}}}
	cells := area{}
	cells.addBox(box(-20, 3, 4, 5, 6, 7))
	slice := &sliceRecord{write: cells, at: 5, done: true, wrote: area{}, wroteAt: 7}
	var some voxel.Bits
	some.Fill(5, 700)
	part, err := encodePart(plan.Part{ID: "roof", Mask: maskOf(box(0, 0, 0, 3, 3, 3))})
	must(f, err)
	for kind, payload := range map[byte][]byte{
		kindCells: encodeFills(fills, &palette{index: map[block.State]uint64{}}), kindSlice: slice.encode(),
		kindStack: stack(nil).write(3, 0, some).write(4, 3, some).encode(), kindPart: part,
		kindMark: (&mark{since: 5, cells: some}).encode(), kindLook: []byte(`{"cursor":"c","at":5}`),
		kindOperation: []byte(`{"operation":{"operation_id":"op1"}}`), kindPlan: []byte(`{"states":["minecraft:air"],"slices":3}`),
	} {
		record, err := c.seal(kind, payload)
		must(f, err)
		f.Add(record, false)
		f.Add(payload, true)
		f.Add(append(record, bytes.Repeat(payload, 40)...), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, inside bool) {
		for _, kind := range []byte{kindCells, kindSlice, kindStack, kindPart, kindPlan, kindOperation, kindDecision, kindEvent, kindLook, kindMark} {
			record := data
			if inside { // the fuzzer would never find a checksum
				var err error
				record, err = c.seal(kind, data)
				must(t, err)
			} else if len(data) > recordHead {
				record = resum(data, kind)
			}
			payload, err := c.open(kind, record)
			if err != nil {
				wantCode(t, err, fault.StorageFailed)
				continue
			}
			readPayload(t, c, kind, payload, states)
		}
	})
}

// resum makes the kind and the checksum right, so that the rest is looked at.
func resum(data []byte, kind byte) []byte {
	record := bytes.Clone(data)
	record[0], record[1] = recordVersion, kind
	sum := crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli))
	return append(record, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
}

// readPayload reads a payload, and writes and reads again what it says.
func readPayload(t *testing.T, c *codec, kind byte, payload []byte, states []block.State) {
	t.Helper()
	var again, first any
	var err error
	switch kind {
	case kindCells:
		var lists [][]plan.Fill
		if lists, err = decodeFills(payload, states); err != nil {
			break
		}
		p := &palette{index: map[block.State]uint64{}}
		encoded := encodeFills(lists, p)
		second, err := decodeFills(encoded, p.states)
		must(t, err)
		first, again = lists, second
	case kindSlice:
		var r *sliceRecord
		if r, err = decodeSlice(payload); err != nil {
			break
		}
		second, err := decodeSlice(r.encode())
		must(t, err)
		_ = r.entry("op", 0)
		first, again = r, second
	case kindStack:
		var s stack
		if s, err = decodeStack(payload); err != nil {
			break
		}
		second, err := decodeStack(s.encode())
		must(t, err)
		_ = s.broken()
		first, again = s, second
	case kindMark:
		var m mark
		if m, err = decodeMark(payload); err != nil {
			break
		}
		second, err := decodeMark(m.encode())
		must(t, err)
		first, again = m, second
	case kindPart:
		var p plan.Part
		if p, err = decodePart(payload); err != nil {
			break
		}
		encoded, err := encodePart(p)
		must(t, err)
		second, err := decodePart(encoded)
		must(t, err)
		first, again = p, second
	default:
		record, err := c.seal(kind, payload)
		must(t, err)
		for _, value := range []any{&planHead{}, &operationRecord{}, &plan.Decision{}, &event{}, &look{}} {
			if err := c.openJSON(kind, record, value); err != nil {
				wantCode(t, err, fault.StorageFailed)
			}
		}
	}
	if err != nil {
		wantCode(t, err, fault.StorageFailed)
	}
	if !reflect.DeepEqual(first, again) {
		t.Fatalf("kind %q: %v became %v", kind, first, again)
	}
}

func TestAReceiptMayBeEmpty(t *testing.T) {
	r := &sliceRecord{write: area{}, at: 1, done: true, wrote: area{}, wroteAt: 2}
	got, err := decodeSlice(r.encode())
	must(t, err)
	if !got.done || got.wrote.len() != 0 {
		t.Errorf("it became %+v", got)
	}
}

// fillIn gives every exported field of a value something that is not its zero.
func fillIn(v reflect.Value, random *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillIn(v.Field(i), random)
			}
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <ü>", random.IntN(1e6)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(random.IntN(1000) + 1))
	case reflect.Float64:
		v.SetFloat(float64(random.IntN(1000)) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillIn(v.Index(i), random)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillIn(key, random)
		fillIn(value, random)
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*voxel.Mask]() {
			v.Set(reflect.ValueOf(maskOf(box(1, 2, 3, 4, 5, 6))))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(v.Elem(), random)
	default:
		panic(fmt.Sprintf("a field of kind %v is new to this test", v.Kind()))
	}
}

// TestEveryFieldSurvives catches a field that is added to a noun and that its
// record does not keep.
func TestEveryFieldSurvives(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	j := open(t, Options{})
	var p plan.Plan
	fillIn(reflect.ValueOf(&p).Elem(), random)
	p.UndoOf = ""
	for i := range p.Slices {
		for k := range p.Slices[i].Fills {
			at := 10*i + k
			p.Slices[i].Fills[k].Box = box(at, 0, 0, at, 5, 5)
		}
	}
	for i := range p.Kept {
		p.Kept[i].Box = box(-i, 0, 0, -i, 5, 5)
	}
	must(t, j.PutPlan(&p))
	got, err := j.Plan(p.ID)
	must(t, err)
	if !reflect.DeepEqual(*got, p) {
		t.Errorf("plan\n%+v became\n%+v", p, *got)
	}
	var op plan.Operation
	fillIn(reflect.ValueOf(&op).Elem(), random)
	op.PlanID, op.UndoOf, op.Status, op.Abandoned, op.Next, op.Written = p.ID, "", plan.RecoveryRequired, true, 0, 0
	_, err = j.Enqueue(op)
	must(t, err)
	stored, err := j.Operation(op.ID)
	must(t, err)
	if !reflect.DeepEqual(stored, op) {
		t.Errorf("operation\n%+v became\n%+v", op, stored)
	}
	var d plan.Decision
	fillIn(reflect.ValueOf(&d).Elem(), random)
	d.Operation = op.ID
	must(t, j.Decide(d, op, nil))
	decisions, err := j.Decisions()
	must(t, err)
	if len(decisions) != 1 || !reflect.DeepEqual(decisions[0], d) {
		t.Errorf("decision\n%+v became\n%+v", d, decisions)
	}
	var part plan.Part
	fillIn(reflect.ValueOf(&part).Elem(), random)
	must(t, j.PutPart(part))
	again, err := j.Part(part.Project, part.ID)
	must(t, err)
	if !reflect.DeepEqual(again, part) {
		t.Errorf("part\n%+v became\n%+v", part, again)
	}
}

func TestPlansSurviveTheirRecords(t *testing.T) {
	j := open(t, Options{CachedFills: 1, MaxFreshPlans: 1 << 20})
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.IntRange(-30_000_000, 30_000_000)
		size := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 100_000))
		state := rapid.Custom(func(t *rapid.T) block.State {
			return block.State(rapid.SampledFrom([]string{"minecraft:air", "minecraft:stone", "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=0]", "a:ü"}).Draw(t, "state"))
		})
		fill := rapid.Custom(func(t *rapid.T) plan.Fill {
			lo := voxel.Pos{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Z: coordinate.Draw(t, "z")}
			return plan.Fill{
				Box:    voxel.Box{Min: lo, Max: lo.Add(voxel.Pos{X: size.Draw(t, "sx"), Y: size.Draw(t, "sy"), Z: size.Draw(t, "sz")})},
				Before: state.Draw(t, "before"), After: state.Draw(t, "after"),
			}
		})
		n++
		p := newPlan(fmt.Sprint("p", n))
		p.ExpiresAt = 1 // makes room by itself
		for range rapid.IntRange(0, 5).Draw(t, "slices") {
			p.Slices = append(p.Slices, plan.Slice{Fills: rapid.SliceOfN(fill, 1, 8).Draw(t, "fills")})
		}
		p.Kept = rapid.SliceOfN(fill, 0, 5).Draw(t, "kept")
		head, chunks, err := j.encodePlan(p)
		if err != nil || len(chunks) > 2 {
			t.Fatal(len(head), err)
		}
		states := &palette{index: map[block.State]uint64{}}
		var lists [][]plan.Fill
		for _, s := range p.Slices {
			lists = append(lists, s.Fills)
		}
		got, err := decodeFills(encodeFills(lists, states), states.states)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(lists) {
			t.Fatalf("%v became %v (%v)", lists, got, err)
		}
	})
}

func TestMasksHaveTheFormOfVoxel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, a := voxel.NewMask(), area{}
		for range rapid.IntRange(0, 6).Draw(t, "boxes") {
			x, y, z := rapid.IntRange(-40, 40).Draw(t, "x"), rapid.IntRange(-40, 40).Draw(t, "y"), rapid.IntRange(-40, 40).Draw(t, "z")
			b := box(x, y, z, x+rapid.IntRange(0, 33).Draw(t, "dx"), y+rapid.IntRange(0, 5).Draw(t, "dy"), z+rapid.IntRange(0, 20).Draw(t, "dz"))
			m.AddBox(b)
			a.addBox(b)
		}
		want, err := m.MarshalBinary()
		if err != nil || !bytes.Equal(a.encode(), want) {
			t.Fatal("the encodings differ", err)
		}
		back, err := areaOf(want)
		if err != nil || !back.equal(a) || back.len() != m.Len() {
			t.Fatal("the mask changed", err)
		}
	})
}

func TestSectionsSortAsTheirKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.IntRange(-1<<27, 1<<27-1)
		draw := func() voxel.Section {
			return voxel.Section{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Z: coordinate.Draw(t, "z")}
		}
		a, b := draw(), draw()
		if got, want := bytes.Compare(sectionKey(a), sectionKey(b)), a.Compare(b); got != want {
			t.Fatalf("keys of %v and %v compare as %d, not %d", a, b, got, want)
		}
		if back, ok := sectionOf(sectionKey(a)); !ok || back != a {
			t.Fatalf("%v became %v", a, back)
		}
	})
}

func TestAnExportIsJSONLines(t *testing.T) {
	j := open(t, Options{})
	_, err := play(j)
	must(t, err)
	var out bytes.Buffer
	must(t, j.Export(&out))
	kinds := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var head struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		kinds[head.Kind]++
	}
	want := map[string]int{"journal": 1, "plan": 3, "operation": 3, "slice": 5, "mark": 1, "decision": 1, "event": 8}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("lines are %v, want %v", kinds, want)
	}
	full, err := os.OpenFile(filepath.Join(t.TempDir(), "out"), os.O_CREATE|os.O_RDONLY, 0o600)
	must(t, err)
	defer full.Close()
	wantCode(t, j.Export(full), fault.StorageFailed)
}
