// Package bridgetest plays the game's side of the bridge: a WebSocket client that
// answers commands as the game does and requests as an addon does, over TCP or
// over an in-memory network that works in a testing/synctest bubble. Its faults
// are those of the real link: lost, doubled and reordered frames, silence, pauses,
// refusals, connections that end in the middle of a message.
package bridgetest
