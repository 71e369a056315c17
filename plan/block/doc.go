// Package block has the blocks of Minecraft: canonical Bedrock states, the
// registry of every state, translation from and to Java, rotation, mirroring and
// physics classes.
package block
