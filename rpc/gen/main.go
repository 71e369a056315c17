package main

import (
	"fmt"
	"os"

	"groundplan/rpc"
)

func main() {
	page, err := rpc.Page(os.DirFS("testdata/transcripts"))
	if err == nil {
		err = os.WriteFile("../docs/PROTOCOL.md", []byte(page), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
