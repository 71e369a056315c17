package block

import "strings"

// State is a Bedrock block state in canonical text (DESIGN §3): full id, every
// state listed, names sorted, values true|false|integer|word, no spaces, no
// quotes, no brackets when there are no states; waterlogged=true is written last
// as a pseudo-state, because it is a second layer.
type State string

// Air is the state of an empty cell.
const Air State = "minecraft:air"

// ID returns the block's id, such as minecraft:oak_stairs.
func (s State) ID() string {
	id, _, _ := strings.Cut(string(s), "[")
	return id
}
