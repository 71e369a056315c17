package block_test

import (
	"slices"
	"testing"

	"groundplan/plan/block"
	"groundplan/plan/fault"
)

func TestTheRunningGamesIDsHaveTheLastWord(t *testing.T) {
	all := load(t, block.Profile60)
	ids := slices.DeleteFunc(all.IDs(), func(id string) bool { return id == "minecraft:poplar_planks" || id == "minecraft:sulfur" })
	r := all.Narrow(append(ids, "other:thing", "tomorrow"))

	if _, err := r.Parse("poplar_planks"); fault.CodeOf(err) != fault.UnsupportedBlock {
		t.Errorf("a block that the game lacks: %v", err)
	}
	if r.Has("minecraft:poplar_planks") || !all.Has("minecraft:poplar_planks") || !r.Has("minecraft:stone") {
		t.Error("Has does not follow the game")
	}
	if got, err := r.Parse("minecraft:oak_stairs[minecraft:corner=none,upside_down_bit=false,weirdo_direction=0]"); err != nil || !r.Has(got) {
		t.Errorf("a block that the game has: %s, %v", got, err)
	}
	if tr := r.Translate("minecraft:sulfur"); tr.Quality != block.Unmapped || tr.State != "" || tr.Note == "" {
		t.Errorf("a translation to a block that the game lacks: %+v", tr)
	}
	if _, err := r.Describe("sulfur"); fault.CodeOf(err) != fault.UnsupportedBlock {
		t.Errorf("described: %v", err)
	}
	f, err := r.Search(block.Query{Text: "poplar_planks"})
	if err != nil || f.Total != 0 {
		t.Errorf("found: %+v, %v", f, err)
	}
	if before, err := all.Search(block.Query{Text: "poplar_planks"}); err != nil || before.Total != 1 || before.Version == f.Version {
		t.Errorf("the whole registry: %+v, %v", before, err)
	}
	if len(r.IDs()) != len(all.IDs())-2 {
		t.Errorf("%d ids of %d", len(r.IDs()), len(all.IDs()))
	}
	if more := all.More(append(ids, "other:thing", "tomorrow")); !slices.Equal(more, []string{"other:thing", "minecraft:tomorrow"}) {
		t.Errorf("more: %v", more)
	}
}
