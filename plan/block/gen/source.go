package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is an npm package at a pinned version. The digest is that of the
// tarball, so that a build here and a build anywhere read the same bytes.
type source struct {
	name, version, file, sha512 string
}

var (
	minecraftData = source{
		name: "minecraft-data", version: "3.119.0", file: "minecraft-data-3.119.0.tgz",
		sha512: "444968d28d91a28133a5e40ef90107cd398755380e75b6e8986418066588694d69ba9126008b506fe2e92722f61035e6a4a89c394e2cc2d055cf021669ee65e6",
	}
	vanillaData = source{
		name: "@minecraft/vanilla-data", version: "1.26.51", file: "minecraft-vanilla-data-1.26.51.tgz",
		sha512: "dd24faf9ed366a02290c46eda0a42d908970cd83201aff835241de1beaa5cd4d95b96b67fe97cdb80463b291cb77eb97002a55bf1782cfe80efcf1b955d60ff3",
	}
)

// files are the contents of a package by path, without the leading "package/".
type files map[string][]byte

// fetch returns the wanted files of the package, from the cache directory or
// else from the npm registry.
func (s source) fetch(ctx context.Context, cache string, wanted ...string) (files, error) {
	path := filepath.Join(cache, s.file)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", s.name+"@"+s.version)
		cmd.Dir = cache
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("npm pack %s@%s: %w", s.name, s.version, err)
		}
		raw, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	if sum := sha512.Sum512(raw); hex.EncodeToString(sum[:]) != s.sha512 {
		return nil, fmt.Errorf("%s is not the pinned package: sha512 %x", path, sum)
	}
	return unpack(raw, wanted)
}

func unpack(raw []byte, wanted []string) (files, error) {
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for _, w := range wanted {
		want[w] = true
	}
	out := files{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(h.Name, "package/")
		if !want[name] {
			continue
		}
		if out[name], err = io.ReadAll(tr); err != nil {
			return nil, err
		}
	}
	for _, w := range wanted {
		if out[w] == nil {
			return nil, fmt.Errorf("%s is not in the package", w)
		}
	}
	return out, nil
}
