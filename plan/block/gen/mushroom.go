package main

// faces sets huge_mushroom_bits for the faces that show the cap (or the bark, of
// a stem). Bedrock has few combinations: none (0), all (14; a stem's 15), a stem's
// four sides (10), and the top with the sides of a corner, an edge or the middle
// of a cap (1 to 9, rows from north-west). Every other combination becomes the
// nearest of these, chosen so that turning the block turns the choice: opposite
// sides cancel out.
func (t *target) faces(values map[string]string) {
	on := func(face string) int { return b2i(values[face] == "true") }
	sides := on("north") + on("east") + on("south") + on("west")
	all := sides + on("up") + on("down")
	var bits int
	var exact bool
	switch {
	case all == 0:
		bits, exact = 0, true
	case t.id == "mushroom_stem":
		bits, exact = 15, all == 6
		if on("up")+on("down") == 0 {
			bits, exact = 10, sides == 4
		}
	case sides == 4:
		bits, exact = 14, all == 6
	default:
		row, col := 1+on("south")-on("north"), 1+on("east")-on("west")
		bits = 1 + 3*row + col
		exact = on("up") == 1 && on("down") == 0 && on("north")*on("south") == 0 && on("east")*on("west") == 0
	}
	t.states["huge_mushroom_bits"] = itoa(bits)
	if !exact {
		t.note = note{quality: "approximate", text: "this combination of faces"}
	}
}
