package bridge_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/voxel"
)

func TestCallReturnsTheResultOrAFault(t *testing.T) {
	opts := bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){
		"echo":  func(payload json.RawMessage) (any, error) { return payload, nil },
		"fails": func(json.RawMessage) (any, error) { return nil, errors.New("no such target") },
	}}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		got, err := b.world.Call(b.t.Context(), "echo", map[string]string{"target": "@s"})
		if err != nil || string(got) != `{"target":"\u0040s"}` {
			b.t.Errorf("%s, %v", got, err)
		}
		if got, err := b.world.Call(b.t.Context(), "echo", nil); err != nil || string(got) != `{}` {
			b.t.Errorf("%s, %v", got, err)
		}
		if _, err := b.world.Call(b.t.Context(), "fails", nil); fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(err.Error(), "no such target") {
			b.t.Errorf("%v", err)
		}
		if _, err := b.world.Call(b.t.Context(), "other", nil); fault.CodeOf(err) != fault.UnsupportedCapability {
			b.t.Errorf("%v", err)
		}
		if info, err := b.world.Info(); err != nil || !slices.Equal(info.Missing, []string{"other"}) {
			b.t.Errorf("%+v, %v", info, err)
		}
		if _, err := b.world.Call(b.t.Context(), "echo", []int{1}); fault.CodeOf(err) != fault.InvalidRequest {
			b.t.Errorf("%v", err)
		}
	})
}

func TestChangesAreReadToTheEnd(t *testing.T) {
	opts := bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){
		bridge.CapabilityChanges: func(payload json.RawMessage) (any, error) {
			var p struct{ Cursor string }
			if err := json.Unmarshal(payload, &p); err != nil {
				return nil, err
			}
			change := func(x int) map[string]any {
				return map[string]any{"pos": []int{x, 64, 0}, "dim": "overworld", "kind": "place", "player": "Alex"}
			}
			switch p.Cursor {
			case "":
				return map[string]any{"cursor": "c0", "gap": false, "changes": []any{}, "more": false}, nil
			case "c0":
				return map[string]any{"cursor": "c1", "gap": true, "changes": []any{change(1), change(2)}, "more": true}, nil
			default:
				return map[string]any{"cursor": "c2", "gap": false, "changes": []any{change(3)}, "more": false}, nil
			}
		},
	}}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		got, err := b.world.Changes(b.t.Context(), "")
		if err != nil || got.Cursor != "c0" || len(got.List) != 0 {
			b.t.Errorf("%+v, %v", got, err)
		}
		got, err = b.world.Changes(b.t.Context(), got.Cursor)
		if err != nil || got.Cursor != "c2" || !got.Gap || len(got.List) != 3 ||
			got.List[2] != (plan.Change{Pos: voxel.Pos{X: 3, Y: 64}, Dimension: "overworld", Kind: "place", Player: "Alex"}) {
			b.t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestDigestsAreOnePerSection(t *testing.T) {
	const digest = "0123456789abcdef"
	answer := func(digests string, next any) bridgetest.Options {
		return bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){
			bridge.CapabilityDigest: func(payload json.RawMessage) (any, error) {
				var p struct{ Page int }
				if err := json.Unmarshal(payload, &p); err != nil || p.Page == 0 {
					return map[string]any{"digests": digests, "next": next}, err
				}
				return map[string]any{"digests": voxel.UnknownDigest, "next": -1}, nil
			},
		}}
	}
	box := voxel.Box{Min: voxel.Pos{X: -1}, Max: voxel.Pos{X: 16}}
	connected(t, answer(digest+digest, 2), bridge.Options{}, func(b *bench) {
		got, err := b.world.Digests(b.t.Context(), "overworld", box)
		if err != nil || !slices.Equal(got, []string{digest, digest, voxel.UnknownDigest}) {
			b.t.Errorf("%q, %v", got, err)
		}
	})
	for name, opts := range map[string]bridgetest.Options{
		"too few": answer(digest, -1), "too many": answer(strings.Repeat(digest, 4), nil), "no progress": answer(digest, 0), "not hex": answer(strings.Repeat("x", 48), -1),
		"half a digest": answer(digest[:8], -1),
	} {
		connected(t, opts, bridge.Options{}, func(b *bench) {
			if _, err := b.world.Digests(b.t.Context(), "overworld", box); fault.CodeOf(err) != fault.UnsupportedCapability {
				b.t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestPagesThatDoNotFollowAreRefused(t *testing.T) {
	for name, page := range map[string]string{
		"not a page":          `[]`,
		"from another cell":   `{"from":1,"palette":["air"],"runs":"0*7","next":null}`,
		"too short":           `{"from":0,"palette":["air"],"runs":"0*7","next":null}`,
		"too long":            `{"from":0,"palette":["air"],"runs":"0*9","next":null}`,
		"a hole":              `{"from":0,"palette":["air"],"runs":"0*4","next":5}`,
		"an overlap":          `{"from":0,"palette":["air"],"runs":"0*4","next":3}`,
		"no progress":         `{"from":0,"palette":["air"],"runs":"","next":0}`,
		"beyond the palette":  `{"from":0,"palette":["air"],"runs":"1*8","next":null}`,
		"a run of none":       `{"from":0,"palette":["air"],"runs":"0*0,0*8","next":null}`,
		"not a number":        `{"from":0,"palette":["air"],"runs":"0*-8","next":null}`,
		"a state with spaces": `{"from":0,"palette":["air x"],"runs":"0*8","next":null}`,
		"entity outside":      `{"from":0,"palette":["air"],"runs":"0*8","next":null,"be":[[8,"sign",1]]}`,
		"entity of two":       `{"from":0,"palette":["air"],"runs":"0*8","next":null,"be":[[8,"sign"]]}`,
	} {
		opts := bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){
			bridge.CapabilityRead: func(json.RawMessage) (any, error) { return json.RawMessage(page), nil },
		}}
		connected(t, opts, bridge.Options{}, func(b *bench) {
			_, err := b.world.Read(b.t.Context(), "overworld", []voxel.Box{{Max: voxel.Pos{X: 1, Y: 1, Z: 1}}})
			if fault.CodeOf(err) != fault.UnsupportedCapability {
				b.t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestBlockEntitiesAreReadWithTheirPlace(t *testing.T) {
	opts := bridgetest.Options{Capabilities: map[string]func(json.RawMessage) (any, error){
		bridge.CapabilityRead: func(json.RawMessage) (any, error) {
			return json.RawMessage(`{"from":0,"palette":["chest[minecraft:cardinal_direction=north]","?"],"runs":"0*5,1*3","next":-1,"be":[[1,"container",1],[4,"sign",0]],"tick":3}`), nil
		},
	}}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		got, err := b.world.Read(b.t.Context(), "overworld", []voxel.Box{{Min: voxel.Pos{X: 10}, Max: voxel.Pos{X: 11, Y: 1, Z: 1}}})
		if err != nil {
			b.t.Fatal(err)
		}
		want := []plan.BlockEntity{{Pos: voxel.Pos{X: 11}, Kind: "container", Full: true}, {Pos: voxel.Pos{X: 10, Y: 1}, Kind: "sign"}}
		if !slices.Equal(got.Entities, want) || got.Cells.Len() != 5 {
			b.t.Errorf("%+v, %d cells", got.Entities, got.Cells.Len())
		}
		if state, _ := got.Cells.At(voxel.Pos{X: 10}); state != "minecraft:chest[minecraft:cardinal_direction=north]" {
			b.t.Errorf("state %q", state)
		}
	})
}

func TestBlockIDsAreReadPageByPage(t *testing.T) {
	opts := bridgetest.Options{}
	pages := [][]string{{"stone", "dirt"}, {"air"}}
	hello := func(payload json.RawMessage) (any, error) {
		var p struct{ IDs *int }
		if err := json.Unmarshal(payload, &p); err != nil {
			return nil, err
		}
		if p.IDs == nil {
			return map[string]any{"protocol": 1, "world_id": "w", "world_epoch": "e", "session": "s", "dimensions": map[string]any{"overworld": plan.Heights{Max: 1}}}, nil
		}
		return map[string]any{"ids": pages[*p.IDs], "page": *p.IDs, "pages": len(pages)}, nil
	}
	opts.Capabilities = map[string]func(json.RawMessage) (any, error){bridge.CapabilityHello: hello}
	connected(t, opts, bridge.Options{}, func(b *bench) {
		got, err := b.world.IDs(b.t.Context())
		if err != nil || !slices.Equal(got, []string{"stone", "dirt", "air"}) {
			b.t.Errorf("%q, %v", got, err)
		}
	})
}
