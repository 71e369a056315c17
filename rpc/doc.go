// Package rpc is the face of groundplan: the HTTP guard, the tokens and scopes,
// and one table of methods.
//
// The table ([Methods]) defines each method once – its name, who may call it,
// its parameters and result with their JSON Schemas, the errors it gives and
// whether it writes. POST /v1/rpc dispatches on it, the command line and the MCP
// tools are made from it, /v1/schema serves it, and docs/PROTOCOL.md is printed
// from it.
//
// A request passes, in this order: the bound of requests in flight (429), the
// Host (403), path and verb (404, 405), Origin (403), the token (403), the size
// of the body (413), JSON, the method, the role, the parameters' schema, the
// project and the principal. Everything but a success is a body
// {"ok":false,"error":{…}} with a code from plan/fault; errors.go has its HTTP
// status.
//
// Nothing here writes to the world: build_apply hands the operation to recovery.
package rpc

//go:generate go run ./gen
