// Package addon is the behaviour pack that a Minecraft Bedrock world needs, and
// the writer of its .mcpack file.
//
// The pack is plain JavaScript in pack/, without a build step: the game loads the
// very files that stand there, and so does the embedded world. It answers the
// requests of the mcbews bridge – who the world is, what its cells hold, which of
// them somebody changed, and commands from an allow-list – and shows messages to
// players. package.json and tsconfig.json beside it check the script against the
// published typings of the game's modules; see `make addon`.
package addon
