// Package script runs one Starlark script in a process of its own, the child of
// the service.
//
// Parent and child speak lines of JSON: the parent sends the script with its
// limits, the child answers with records (print, call, end), and the parent
// answers calls. A script sees nothing but its builtins: no files, no clock, no
// network. Three limits hold it (reference/mcp-server.md §5): the number of steps
// here; a watchdog here that ends the process over time or heap, because one
// builtin can take all of either without a step; and the parent, which kills.
package script
