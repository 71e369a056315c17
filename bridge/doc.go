// Package bridge reaches a Bedrock world: it is the WebSocket server that the
// game connects to with /connect, and the mcbews v1 protocol that our addon, or
// another implementation's, speaks behind the game.
//
// A request goes out as the command
//
//	scriptevent mcbews:bridge_req {"v":2,"request_id":"r1","capability":"…","payload":{…}}
//
// in a commandRequest frame of at most 461 bytes of command line. The game says
// in a commandResponse frame whether the command ran; the addon's answer comes
// later, or sooner, as chat of the simulated player MCBEWS_BRIDGE, cut into
// chunks that a PlayerMessage event carries each:
//
//	MCBEWS|BRIDGE|r1|1/2|{"ok":true,
//	MCBEWS|BRIDGE|r1|2/2|"result":{"name":"Steve"}}
//
// The rule of the package: the link is not the world. A request has three
// outcomes – answered, refused before it could run, unknown – and nothing here
// takes the third for the second. A socket is not a world either: it survives the
// player's walk from one world into another. So a [World] sends nothing unless
// the addon proved within the last seconds which world it is in, and each handle
// on it stops when that identity is another than the one its holder has seen.
//
// Reading the source: a frame comes in at session.read and goes out at
// session.write; [World.Run] is the way of a command; wire.go has the constants
// of the protocol; chunk.go, request.go and text.go are the pure codec.
package bridge
