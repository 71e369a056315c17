package block_test

import (
	"errors"
	"strings"
	"testing"

	"groundplan/plan/block"
	"groundplan/plan/fault"
)

func load(tb testing.TB, p block.Profile) *block.Registry {
	tb.Helper()
	r, err := block.Load(p)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestEveryNotationParsesToCanonicalText(t *testing.T) {
	r := load(t, block.Profile45)
	for in, want := range map[string]string{
		"stone":                          "minecraft:stone",
		" minecraft:stone ":              "minecraft:stone",
		"stone[]":                        "minecraft:stone",
		"STONE":                          "minecraft:stone",
		"oak_stairs":                     "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=0]",
		"oak_stairs[weirdo_direction=3]": "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=3]",
		`oak_stairs ["weirdo_direction"=3, "upside_down_bit"=true]`: "minecraft:oak_stairs[upside_down_bit=true,weirdo_direction=3]",
		`oak_stairs["weirdo_direction":3]`:                          "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=3]",
		"oak_stairs[upside_down_bit=1b]":                            "minecraft:oak_stairs[upside_down_bit=true,weirdo_direction=0]",
		"oak_stairs[waterlogged=true,weirdo_direction=1]":           "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=1,waterlogged=true]",
		"stone[waterlogged=true]":                                   "minecraft:stone[waterlogged=true]",
		"stone[waterlogged=false]":                                  "minecraft:stone",
		"furnace[cardinal_direction=north]":                         "minecraft:furnace[minecraft:cardinal_direction=north]",
		`furnace["minecraft:cardinal_direction"="east"]`:            "minecraft:furnace[minecraft:cardinal_direction=east]",
		"chest": "minecraft:chest[minecraft:cardinal_direction=north]",
	} {
		got, err := r.Parse(in)
		if err != nil || string(got) != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestAWrongStateIsAnErrorThatNamesWhatIsValid(t *testing.T) {
	r := load(t, block.Profile50)
	for in, want := range map[string]struct {
		code    fault.Code
		detail  string
		first   string
		message string
	}{
		"oak_plank":                       {fault.UnsupportedBlock, "nearest", "minecraft:oak_planks", "oak_planks"},
		"grass":                           {fault.UnsupportedBlock, "nearest", "minecraft:short_grass", "Java"},
		"oak_wood_stairs":                 {fault.UnsupportedBlock, "nearest", "minecraft:oak_stairs", ""},
		"planks":                          {fault.UnsupportedBlock, "nearest", "minecraft:oak_planks", "older versions"},
		"magma_block":                     {fault.UnsupportedBlock, "nearest", "minecraft:magma", "Java"},
		"oak_stairs[weirdo_direction=4]":  {fault.UnsupportedBlock, "allowed", "0", "0, 1, 2, 3"},
		"oak_stairs[facing=east]":         {fault.UnsupportedBlock, "allowed", "minecraft:corner", "upside_down_bit"},
		"oak_stairs[upside_down_bit=true": {fault.InvalidRequest, "", "", "bracket"},
		"oak_stairs[upside_down_bit]":     {fault.InvalidRequest, "", "", "name=value"},
		"":                                {fault.InvalidRequest, "", "", "not a block state"},
		"oak stairs":                      {fault.InvalidRequest, "", "", "not a block state"},
		strings.Repeat("x", 5000):         {fault.InvalidRequest, "", "", "bytes"},
		"snow_layer[height=1,height=2]":   {fault.InvalidRequest, "", "", "twice"},
		"stone[waterlogged=maybe]":        {fault.UnsupportedBlock, "allowed", "false", "waterlogged"},
	} {
		_, err := r.Parse(in)
		if fault.CodeOf(err) != want.code || !strings.Contains(err.Error(), want.message) {
			t.Errorf("Parse(%.40q): %v (%s), want %s with %q", in, err, fault.CodeOf(err), want.code, want.message)
			continue
		}
		if want.detail == "" {
			continue
		}
		var fe *fault.Error
		errors.As(err, &fe)
		list, _ := fe.Details[want.detail].([]string)
		if len(list) == 0 || list[0] != want.first {
			t.Errorf("Parse(%q): %s = %v, want %s first", in, want.detail, list, want.first)
		}
	}
}

func TestCommandHasEveryStateFilterTheOnesThatAreNotDerivedShortTheRest(t *testing.T) {
	r := load(t, block.Profile50)
	for _, c := range []struct{ state, command, filter, short, plain string }{
		{
			"oak_stairs[weirdo_direction=1,corner=inner_left]",
			`minecraft:oak_stairs["minecraft:corner"="inner_left","upside_down_bit"=false,"weirdo_direction"=1]`,
			`minecraft:oak_stairs["upside_down_bit"=false,"weirdo_direction"=1]`,
			`oak_stairs["minecraft:corner"="inner_left","weirdo_direction"=1]`,
			"minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=1]",
		},
		{"stone", "minecraft:stone", "minecraft:stone", "stone", "minecraft:stone"},
		{
			"oak_fence[waterlogged=true]",
			`minecraft:oak_fence["minecraft:connection_east"=false,"minecraft:connection_north"=false,"minecraft:connection_south"=false,"minecraft:connection_west"=false]`,
			"minecraft:oak_fence", "oak_fence", "minecraft:oak_fence[waterlogged=true]",
		},
		{
			"redstone_wire[redstone_signal=7]", `minecraft:redstone_wire["redstone_signal"=7]`, "minecraft:redstone_wire",
			`redstone_wire["redstone_signal"=7]`, "minecraft:redstone_wire",
		},
	} {
		s, err := r.Parse(c.state)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Command(s); got != c.command {
			t.Errorf("Command(%s) = %s", s, got)
		}
		if got := r.Filter(s); got != c.filter {
			t.Errorf("Filter(%s) = %s", s, got)
		}
		if got := r.Short(s); got != c.short {
			t.Errorf("Short(%s) = %s", s, got)
		}
		if got := r.Plain(s); string(got) != c.plain {
			t.Errorf("Plain(%s) = %s", s, got)
		}
	}
}

func TestVersionsBelongToProfiles(t *testing.T) {
	for game, want := range map[string]block.Profile{
		"1.21.60": block.Profile45, "1.26.45": block.Profile45, "1.26.50": block.Profile50, "1.26.51.1": block.Profile50,
		"1.26.60": block.Profile60, "1.27.0": block.Profile60, "26.50": block.Profile50, "26.60.23": block.Profile60, "": block.Profile45, "new": block.Profile45,
	} {
		if got := block.ProfileOf(game); got != want {
			t.Errorf("ProfileOf(%q) = %s, want %s", game, got, want)
		}
	}
	if _, err := block.Load("2.0"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("Load of no profile: %v", err)
	}
}
