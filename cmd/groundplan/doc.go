// The command groundplan plans, writes and takes back structures in a Minecraft
// Bedrock world: serve runs the service, demo shows the whole way once, and the
// others are clients of a service that runs. See README.md.
//
// This package only wires: flags and configuration (config.go is the only reader
// of either), the house of a service (house.go), and one file per command.
// Results go to standard output, one line of JSON where a program may read them;
// everything else goes to standard error. The exit code is 0, 1 for a refusal or
// failure, which standard error says in one sentence, and 2 for a command line
// that is none.
package main
