// Package interop lets a game's side that we did not write talk to the bridge: the
// class WSClient of the npm package mcpews. Run it with bridge/interop/run; it
// needs Node and the npm registry, and skips nothing.
package interop
