package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"groundplan/bridge/embedded/store"
	"groundplan/plan/voxel"
)

// TestSection3_1Overloads runs each form of each command.
func TestSection3_1Overloads(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect(
		"setblock 0 0 0 stone", 0, "setblock 0 0 0 dirt replace", 0, "setblock 0 0 0 stone destroy", 0, "setblock 0 1 0 stone keep", 0,
		`setblock 0 0 0 oak_log ["pillar_axis"="x"]`, 0, `setblock 0 0 0 oak_log ["pillar_axis"="z"] replace`, 0, `setblock 0 2 0 oak_log ["pillar_axis"="z"] keep`, 0,
		"fill 0 0 0 2 2 2 stone", 0, `fill 0 0 0 2 2 2 oak_log ["pillar_axis"="x"]`, 0, `fill 0 0 0 2 2 2 oak_log ["pillar_axis"="z"] outline`, 0,
		`fill 0 0 0 2 2 2 stone hollow`, 0, "fill 0 0 0 2 2 2 dirt destroy", 0, "fill 0 0 0 2 2 3 dirt keep", 0,
		"fill 0 0 0 2 2 2 stone replace", 0, "fill 0 0 0 2 2 2 dirt replace stone", 0, `fill 0 0 0 2 2 2 oak_log ["pillar_axis"="x"] replace dirt`, 0,
		`fill 0 0 0 2 2 2 oak_log ["pillar_axis"="y"] replace oak_log ["pillar_axis"="x"]`, 0,
		"testforblock 0 0 0 oak_log", 0, `testforblock 0 0 0 oak_log ["pillar_axis"="y"]`, 0,
		"testforblocks 0 0 0 1 1 1 1 1 1", 0, "testforblocks 0 0 0 1 1 1 1 1 1 masked", 0, "testforblocks 0 0 0 1 1 1 20 20 20 all", codeFailed,
		"clone 0 0 0 1 1 1 10 0 0", 0, "clone 0 0 0 1 1 1 11 5 0 replace", 0, "clone 0 0 0 1 1 1 12 9 0 masked", 0, "clone 0 0 0 1 1 1 0 0 3 replace force", 0,
		"clone 10 0 0 11 1 1 15 0 0 masked move", 0,
		"clone 0 0 0 1 1 1 20 0 0 filtered normal oak_log", 0, `clone 0 0 0 1 1 1 23 0 0 filtered force oak_log ["pillar_axis"="y"]`, 0,
		`clone 0 0 0 1 1 1 26 0 0 filtered move oak_log ["pillar_axis"="x"]`, codeFailed,
		"structure save a 0 0 0 1 1 1", 0, "structure save b 0 0 0 1 1 1 memory", 0, "structure save c 0 0 0 1 1 1 false disk true", 0,
		"structure load a 30 0 0", 0, "structure load a 33 0 0 90_degrees", 0, "structure load a 36 0 0 180_degrees xz", 0,
		"structure load b 39 0 0 270_degrees x block_by_block 1.5 false true true 50.0 seed", codeParse,
		"structure load b 39 0 0 270_degrees x layer_by_layer 1.5 false true true 50.0", 0,
		"structure load mystructure:c 42 0 0 0_degrees none", 0, "structure delete a", 0,
		"tickingarea add 0 0 0 15 0 15", 0, "tickingarea add 0 0 0 15 0 15 named", 0, "tickingarea add 0 0 0 15 0 15 loud true", 0,
		"tickingarea add circle 0 0 0 2", 0, "tickingarea add circle 0 0 0 2 round", 0, "tickingarea list", 0, "tickingarea list all-dimensions", 0,
		"tickingarea add 100 0 100 100 0 100 far", 0, "tickingarea remove loud", 0, "tickingarea remove 0 0 0", 0, "tickingarea remove round", codeFailed,
		"tickingarea remove far", 0, "tickingarea remove_all", codeFailed,
		"execute in nether run setblock 0 0 0 stone", 0, "execute in the_end run setblock 0 0 0 stone", 0, "execute in overworld run testforblock 0 0 0 stone", codeFailed,
		"execute if block 0 1 0 oak_log", 0, `execute unless block 0 1 0 oak_log ["pillar_axis"="x"]`, 0,
		"execute if blocks 0 0 0 1 1 1 20 0 0 all", 0, "execute if blocks 0 0 0 1 1 1 20 0 0 masked run setblock 0 9 0 stone", 0,
		"execute unless blocks 0 0 0 1 1 1 20 0 0 masked", codeFailed,
		"scriptevent some:id a message", 0,
	)
}

func TestSection3_1BedrockHasNoDataAndNoStore(t *testing.T) {
	_, p := begin(t, Options{})
	p.expect("data get block 0 0 0", codeParse, "execute store result score a b run list", codeParse, `setblock 0 0 0 chest{Items:[]}`, codeParse)
}

func TestSection3_2AnUnknownStateRefusesTheWholeCommand(t *testing.T) {
	w, p := begin(t, Options{})
	for _, block := range []string{`oak_log["pillar_axis"="w"]`, `oak_log["no_such"=1]`, `oak_log["pillar_axis"=1]`, `no_such_block`, "wool 3", "stone 1"} {
		p.expect("fill 0 0 0 3 3 3 "+block, codeParse, "setblock 0 0 0 "+block, codeParse, "fill 0 -64 0 3 -60 3 dirt replace "+block, codeParse,
			"testforblock 0 0 0 "+block, codeParse, "execute if block 0 0 0 "+block, codeParse)
	}
	if s := state(t, w, 0, 0, 0); s != "air" {
		t.Errorf("a refused command wrote %s", s)
	}
}

func TestSection3_2BothNameFamilies(t *testing.T) {
	w, p := begin(t, Options{})
	for id, states := range map[string]string{
		"furnace":                 `["minecraft:cardinal_direction"="east"]`,
		"oak_slab":                `["minecraft:vertical_half"="top"]`,
		"oak_stairs":              `["upside_down_bit"=true,"weirdo_direction"=1]`,
		"oak_log":                 `["pillar_axis"="x"]`,
		"ladder":                  `["facing_direction"=3]`,
		"repeating_command_block": `["conditional_bit"=true,"facing_direction"=2]`,
	} {
		p.expect("setblock 0 0 0 air", codeOrNoChange(t, w), "setblock 0 0 0 "+id+" "+states, 0, "testforblock 0 0 0 minecraft:"+id+states, 0)
	}
}

// codeOrNoChange is what emptying the cell at the origin answers.
func codeOrNoChange(t *testing.T, w *World) int {
	t.Helper()
	if state(t, w, 0, 0, 0) == "air" {
		return codeFailed
	}
	return 0
}

func TestSection3_2WaterIsALayerAndNoState(t *testing.T) {
	w, p := begin(t, Options{Derived: AsWritten})
	set := func(at int, text string) {
		t.Helper()
		if err := w.Set(store.Overworld, voxel.Pos{X: at}, text, false); err != nil {
			t.Fatal(err)
		}
	}
	wet := func(at int) bool { return strings.HasSuffix(state(t, w, at, 0, 0), "waterlogged=true]") }
	set(0, "oak_slab[waterlogged=true]")
	p.expect("testforblock 0 0 0 oak_slab", 0, `setblock 0 0 0 oak_slab["waterlogged"=true]`, codeParse)
	p.expect("structure save a 0 0 0 0 0 0", 0, "structure load a 1 0 0", 0, "clone 0 0 0 0 0 0 2 0 0", 0)
	if !wet(0) || !wet(1) || !wet(2) {
		t.Errorf("%s, a structure made %s, a clone %s", state(t, w, 0, 0, 0), state(t, w, 1, 0, 0), state(t, w, 2, 0, 0))
	}
	p.expect("groundplan:fill 3 0 0 3 0 0 oak_slab true", 0)
	for start := time.Now(); !wet(3); time.Sleep(time.Millisecond) { // a command of the script writes in the next tick
		if time.Since(start) > 10*time.Second {
			t.Fatal("the script wrote no water")
		}
	}
	p.expect("fill 0 0 0 0 0 0 oak_fence", 0)
	if wet(0) {
		t.Error("a command wrote water")
	}
}

func TestSection3_3CoordinatesAreFlooredAndRelative(t *testing.T) {
	w, p := begin(t, Options{})
	p.expect("setblock 1.9 0.5 -0.5 stone", 0, "testforblock 1 0 -1 stone", 0, "setblock ~3 ~ ~-1 dirt", 0)
	if s := state(t, w, 3, -60, -1); s != "dirt" {
		t.Errorf("3 east and 1 north of the player is %s", s)
	}
}

func TestSection3_3FillTellsHowManyAndWhat(t *testing.T) {
	_, p := begin(t, Options{})
	if m := p.command("fill 0 0 0 3 0 0 stone"); m.Body["fillCount"] != 4.0 || m.Body["blockName"] == nil {
		t.Error(m.Body)
	}
	if m := p.command("fill 0 0 0 4 0 0 stone"); m.Body["fillCount"] != 1.0 {
		t.Error(m.Body)
	}
	for _, line := range []string{"fill 0 0 0 32 31 32 stone", "clone 0 0 0 32 31 32 100 0 0"} {
		if m := p.command(line); m.code() != codeFailed || !strings.Contains(fmt.Sprint(m.Body["statusMessage"]), "34848 > 32768") {
			t.Error(line, m.Body)
		}
	}
}

func TestSection3_3StructuresEndWithTheWorld(t *testing.T) {
	dir := t.TempDir()
	w, p := begin(t, Options{Dir: dir})
	p.expect("structure save a 0 -64 0 1 -60 1", 0, "structure load a 0 0 0", 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, p := begin(t, Options{Dir: dir})
	p.expect("structure load a 0 20 0", codeFailed)
	if s := state(t, again, 0, 0, 0); s == "air" {
		t.Error("what the structure wrote is gone, too")
	}
}

func TestSection3_4CommandsRunWhereThePlayerIs(t *testing.T) {
	w, p := begin(t, Options{})
	w.mu.Lock()
	w.player.dimension, w.player.pos = store.Nether, voxel.Pos{X: 5, Y: 5, Z: 5}
	w.mu.Unlock()
	p.expect("setblock ~ ~1 ~ stone", 0, "/setblock 0 0 0 dirt", 0)
	for pos, want := range map[voxel.Pos]string{{X: 5, Y: 6, Z: 5}: "minecraft:stone", {}: "minecraft:dirt"} {
		if s, _ := w.At(store.Nether, pos); string(s) != want {
			t.Errorf("the nether has %s at %v", s, pos)
		}
	}
	if b := p.try("run_world_command", map[string]any{"command": "setblock 0 9 0 gold_block"}); !b.OK || state(t, w, 0, 9, 0) != "gold_block" {
		t.Errorf("a script without a dimension runs in the overworld: %+v, %s", b, state(t, w, 0, 9, 0))
	}
}

func TestSection3_5WhatABlockHoldsGoesWithIt(t *testing.T) {
	w, p := begin(t, Options{})
	chest := func(x int) bool {
		e, _ := w.blocks.Dimension(store.Overworld).Entity(voxel.Pos{X: x})
		return len(e.Items) == 1
	}
	p.expect("setblock 0 0 0 chest", 0)
	if err := w.SetEntity(store.Overworld, voxel.Pos{}, store.Entity{Items: []store.Item{{ID: "minecraft:dirt", Count: 3}}}); err != nil {
		t.Fatal(err)
	}
	p.expect("clone 0 0 0 0 0 0 1 0 0", 0, "structure save a 0 0 0 0 0 0", 0, "structure load a 2 0 0", 0)
	if !chest(0) || !chest(1) || !chest(2) {
		t.Error("a clone or a structure lost what the chest holds")
	}
	p.expect("setblock 0 0 0 barrel", 0, "fill 1 0 0 2 0 0 stone", 0)
	if chest(0) || chest(1) || chest(2) {
		t.Error("what a chest held is still there")
	}
}
