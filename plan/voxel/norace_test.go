//go:build !race

package voxel_test

// raced is set when the race detector slows everything down.
const raced = false
