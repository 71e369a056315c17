package journal

import (
	"go.etcd.io/bbolt"
)

// Stats counts what a journal has.
type Stats struct {
	Path       string `json:"path"`
	Version    int    `json:"version"`
	Created    string `json:"created"`     // RFC 3339
	FileBytes  int64  `json:"file_bytes"`  // size of the file
	FreeBytes  int64  `json:"free_bytes"`  // of it, pages that are free for what comes
	UsedBytes  int64  `json:"used_bytes"`  // of keys, values and what bbolt needs to find them
	Plans      int    `json:"plans"`       // kept now
	Fresh      int    `json:"fresh_plans"` // of them, never started
	FreshCells int    `json:"fresh_cells"` // cells of those
	Operations int    `json:"operations"`  // ever recorded
	Unfinished int    `json:"unfinished"`  // of them, not final
	Slices     int    `json:"slices"`
	Sections   int    `json:"owned_sections"`   // sections with an owner known
	Doubted    int    `json:"doubted_sections"` // of them, those that somebody may have edited unseen
	Parts      int    `json:"parts"`
	Decisions  int    `json:"decisions"`
	Events     int    `json:"events"` // in the feed
}

// Stats counts what the journal has. It looks at every page of keys, so that it
// costs a moment for a big journal.
func (j *Journal) Stats() (Stats, error) {
	s := Stats{Path: j.path, Version: Version}
	err := j.view(func(tx *bbolt.Tx) error {
		s.Created = string(tx.Bucket(bucketMeta).Get(metaCreated))
		s.FileBytes = tx.Size()
		s.FreeBytes = int64(j.db.Stats().FreePageN+j.db.Stats().PendingPageN) * int64(j.db.Info().PageSize)
		for count, name := range map[*int][]byte{
			&s.Plans: bucketPlans, &s.Operations: bucketOperations, &s.Unfinished: bucketOpen, &s.Slices: bucketSlices,
			&s.Parts: bucketParts, &s.Decisions: bucketDecisions, &s.Events: bucketEvents,
		} {
			*count = tx.Bucket(name).Stats().KeyN
		}
		for _, name := range buckets() {
			used := tx.Bucket(name).Stats()
			s.UsedBytes += int64(used.LeafInuse + used.BranchInuse)
		}
		for _, value := range entries(tx.Bucket(bucketFresh)) {
			_, cells := readFresh(value)
			s.Fresh, s.FreshCells = s.Fresh+1, s.FreshCells+cells
		}
		for count, name := range map[*int][]byte{&s.Sections: bucketOwners, &s.Doubted: bucketMarks} {
			b := tx.Bucket(name)
			for dimension := range entries(b) {
				*count += b.Bucket(dimension).Stats().KeyN
			}
		}
		return nil
	})
	return s, err
}
