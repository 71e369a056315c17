// Package mcp offers the methods of rpc's table to AI agents over the Model
// Context Protocol: Streamable HTTP with one JSON response per POST, and no
// stream from server to client.
//
// The rules are those of a local service that a browser must not even notice
// (seeds/mcp-server.txt; reference/mcp-server.md §1): what is not plausibly from
// an MCP client is answered with nothing, and logged once per kind. A token comes
// in the header or in the URL, never in both. Session ids are minted and never
// recorded, so that one that outlived a restart still works; they only scope
// cancellation. GET and DELETE with a valid token get 405, because the official
// clients try them at connect.
//
// Behind that guard stands the official Go SDK's stateless JSON handler. Tools
// come from the method table; run_command and execute_code are the two that no
// RPC method has. Whose project a tool works on follows from the token.
package mcp
