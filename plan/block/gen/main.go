package main

import (
	"bytes"
	"context"
	_ "embed" // the rules beside this file
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

//go:embed patches.txt
var patchesText string

//go:embed classes.txt
var classesText string

//go:embed colours.txt
var coloursText string

// output is the embedded file, from the module's root and from package block.
const output = "registry.txt.zst"

func main() {
	check := flag.Bool("check", false, "write nothing; fail when the embedded registry is not fresh")
	cache := flag.String("cache", "", "where the npm packages are kept (default: the user's cache directory)")
	text := flag.String("text", "", "also write the registry's text to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *check, *cache, *text); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, check bool, cache, textFile string) error {
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		cache = filepath.Join(base, "groundplan", "npm")
	}
	text, err := build(ctx, cache)
	if err != nil {
		return err
	}
	if textFile != "" {
		if err := os.WriteFile(textFile, []byte(text), 0o644); err != nil {
			return err
		}
	}
	packed, err := compress(text)
	if err != nil {
		return err
	}
	path, err := find()
	if err != nil {
		return err
	}
	if check {
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(old, packed) {
			return errors.New("the embedded registry is not fresh: run go generate ./plan/block")
		}
		fmt.Printf("fresh: %d bytes of text, %d compressed\n", len(text), len(packed))
		return nil
	}
	fmt.Printf("written: %d bytes of text, %d compressed\n", len(text), len(packed))
	return os.WriteFile(path, packed, 0o644)
}

// find returns where the embedded file stands: go generate runs in the package's
// directory, CI in the module's root.
func find() (string, error) {
	for _, dir := range []string{".", filepath.Join("plan", "block")} {
		if _, err := os.Stat(filepath.Join(dir, "gen", "patches.txt")); err == nil {
			return filepath.Join(dir, output), nil
		}
	}
	return "", errors.New("run in the module's root or in plan/block")
}

func compress(text string) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll([]byte(text), nil), w.Close()
}

// The files that are read besides those of profiles and old versions.
const (
	javaTable  = "minecraft-data/data/bedrock/1.26.30/blocksJ2B.json"
	javaBlocks = "minecraft-data/data/pc/26.1/blocks.json"
	javaShapes = "minecraft-data/data/pc/26.1/blockCollisionShapes.json"
	vanilla    = "lib/mojang-block.d.ts"
)

// fetch returns every file that build reads.
func fetch(ctx context.Context, cache string) (files, error) {
	wanted := []string{javaTable, javaBlocks, javaShapes, newestFile("blockCollisionShapes.json"), newestFile("items.json")}
	for _, p := range profiles {
		wanted = append(wanted, p.dir+"blockStates.json", p.dir+"blocks.json")
	}
	for _, v := range oldVersions {
		wanted = append(wanted, oldFile(v, "blockStates.json"), oldFile(v, "blocksJ2B.json"))
	}
	data, err := minecraftData.fetch(ctx, cache, wanted...)
	if err != nil {
		return nil, err
	}
	declared, err := vanillaData.fetch(ctx, cache, vanilla)
	if err != nil {
		return nil, err
	}
	data[vanilla] = declared[vanilla]
	return data, nil
}

func newestFile(name string) string { return profiles[len(profiles)-1].dir + name }

// readPalettes returns the palettes of the profiles, checked against Mojang's
// declarations.
func readPalettes(data files) ([]palette, error) {
	var palettes []palette
	for _, p := range profiles {
		pal, err := readPalette(data[p.dir+"blockStates.json"], data[p.dir+"blocks.json"])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		palettes = append(palettes, pal)
	}
	return palettes, palettes[1].checkVanilla(data[vanilla])
}

// build reads the packages and returns the registry's text.
func build(ctx context.Context, cache string) (string, error) {
	data, err := fetch(ctx, cache)
	if err != nil {
		return "", err
	}
	palettes, err := readPalettes(data)
	if err != nil {
		return "", err
	}
	blocks, err := readJava(data[javaTable], data[javaBlocks])
	if err != nil {
		return "", err
	}
	newest := palettes[len(palettes)-1]
	// Old Bedrock blocks are upgraded by the table as it is: the patches are
	// about imports from Java.
	old, err := oldBlocks(data, newest, blocks)
	if err != nil {
		return "", err
	}
	if blocks, err = patchBlocks(blocks, newest, palettes); err != nil {
		return "", err
	}
	extra, err := looks(newest, blocks, data)
	if err != nil {
		return "", err
	}
	solid, err := readSolid(data[newestFile("blocks.json")])
	if err != nil {
		return "", err
	}
	classes, err := readClasses(classesText, newest, solid)
	if err != nil {
		return "", err
	}
	return write(palettes, blocks, classes, slices.Concat(extra, writeOld(old))), nil
}

// looks returns the lines about colours, shapes, light and items.
func looks(newest palette, blocks []*javaBlock, data files) ([]string, error) {
	colours, err := readColours(coloursText, newest)
	if err != nil {
		return nil, err
	}
	order, err := readOrder(data[newestFile("blockStates.json")], newest)
	if err != nil {
		return nil, err
	}
	bedrock, err := readShapes(data[newestFile("blockCollisionShapes.json")])
	if err != nil {
		return nil, err
	}
	java, err := readShapes(data[javaShapes])
	if err != nil {
		return nil, err
	}
	shapes, err := shapeLines(newest, order, blocks, java, bedrock)
	if err != nil {
		return nil, err
	}
	items, err := itemLines(data[newestFile("blocks.json")], data[newestFile("items.json")], newest)
	return slices.Concat(colours, shapes, items), err
}

func patchBlocks(blocks []*javaBlock, newest palette, palettes []palette) ([]*javaBlock, error) {
	patches, err := readPatches(patchesText)
	if err != nil {
		return nil, err
	}
	if blocks, err = apply(patches, blocks); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if err := b.check(newest, palettes); err != nil {
			return nil, err
		}
		if err := b.checkLosses(); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}
