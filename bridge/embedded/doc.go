// Package embedded is a Minecraft Bedrock world that runs without the game.
//
// It stands where the game would stand: a WebSocket client that connects to the
// bridge, answers commands, and runs the script of the behaviour pack – the same
// files, byte for byte – in a JavaScript engine over a block store on disk. The
// host implements the part of the game's script modules that the pack uses; any
// other name fails with a message that says which. Commands do what Bedrock does
// as far as it is publicly known; every difference that we know of is written
// down in docs/EMBEDDED.md.
//
// One goroutine is the game: it alone runs commands, ticks and the script, and
// holds World.mu while it does. One more keeps the connection and reads from it,
// and one writes; a save writes its file in a fourth.
//
// Faults of the link and of the world can be switched on, all drawn from one
// seed: see Faults.
package embedded
