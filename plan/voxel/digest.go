package voxel

import "strconv"

// UnknownDigest stands for the digest of a section that has a cell of unknown
// content.
const UnknownDigest = "----------------"

// The digest has two lanes of 32 bits, because the world's side of it is computed
// by a script engine that has no 64-bit numbers (pack/scripts/hash.js).
const (
	digestA uint32 = 0x85ebca6b
	digestB uint32 = 0xc2b2ae35
	digestC uint32 = 0x9e3779b1
	digestD uint32 = 0x27d4eb2f
)

// Digests returns the digest of each section that the box touches, in y, z, x
// order, over the section's cells inside the box: sixteen hexadecimal characters
// of the runs of equal contents, in y, z, x order. A section with an absent cell
// has UnknownDigest. Contents must be ASCII, which every state is.
func Digests(v *Volume, box Box) []string {
	hashes := make(map[ID]lanes, len(v.palette))
	var digests []string
	for key := range box.Sections() {
		digests = append(digests, v.digest(key, box.Intersect(key.Box()), hashes))
	}
	return digests
}

// Digest returns the digest of the cells of one section that lie in the box, as
// Digests does.
func Digest(v *Volume, key Section, box Box) string {
	return v.digest(key, box.Intersect(key.Box()), map[ID]lanes{})
}

// lanes are the two halves of a hash.
type lanes struct{ low, high uint32 }

func (v *Volume) digest(key Section, part Box, hashes map[ID]lanes) string {
	s := v.sections[key]
	if s == nil || !part.Valid() {
		return UnknownDigest
	}
	d := lanes{digestC, digestD}
	current, count := None, uint32(0)
	flush := func() {
		h, ok := hashes[current]
		if !ok {
			h = hashContent(v.palette[current])
			hashes[current] = h
		}
		d.add(h, count)
	}
	for y := part.Min.Y; y <= part.Max.Y; y++ {
		for z := part.Min.Z; z <= part.Max.Z; z++ {
			cell := Pos{part.Min.X, y, z}.cell()
			for range part.Max.X - part.Min.X + 1 {
				id := s.at(cell)
				cell++
				switch id {
				case None:
					return UnknownDigest
				case current:
					count++
				default:
					if count > 0 {
						flush()
					}
					current, count = id, 1
				}
			}
		}
	}
	flush()
	return d.text()
}

func hashContent(text string) lanes {
	h := lanes{0x811c9dc5, digestC}
	for i := range len(text) {
		b := uint32(text[i])
		h.low = (h.low ^ b) * 0x01000193
		h.high = (h.high ^ b) * digestA
		h.high ^= h.high >> 15
	}
	return h
}

// add takes one run into the digest.
func (d *lanes) add(content lanes, count uint32) {
	low := (d.low ^ content.low) * digestA
	low ^= low >> 15
	low = (low ^ count) * digestB
	low ^= low >> 13
	high := (d.high ^ content.high ^ low) * digestC
	high ^= high >> 16
	high = (high ^ count) * digestD
	high ^= high >> 14
	*d = lanes{low, high}
}

func (d *lanes) text() string {
	a := avalanche(d.low ^ d.high)
	b := avalanche(d.high*digestC ^ a)
	return strconv.FormatUint(1<<32|uint64(b), 16)[1:] + strconv.FormatUint(1<<32|uint64(a), 16)[1:]
}

func avalanche(h uint32) uint32 {
	h ^= h >> 16
	h *= digestA
	h ^= h >> 13
	h *= digestB
	return h ^ h>>16
}
