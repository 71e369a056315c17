package main

import (
	"fmt"
	"path/filepath"

	"groundplan/journal"
)

// journalCommand looks into the journal of a service that does not run.
type journalCommand struct {
	Check  journalCheck  `cmd:"" help:"Verify every invariant; fails on the first that is broken."`
	Stats  journalStats  `cmd:"" help:"Count what the journal has."`
	Export journalExport `cmd:"" help:"Write everything as JSON lines to standard output."`
}

func (p *program) openJournal() (*journal.Journal, error) {
	return journal.Open(filepath.Join(p.data, "journal.db"), journal.Options{Log: p.log})
}

// withJournal opens the journal, looks, and closes it.
func (p *program) withJournal(look func(*journal.Journal) error) error {
	j, err := p.openJournal()
	if err != nil {
		return err
	}
	if err := look(j); err != nil {
		_ = j.Close() // the first error is the one to tell
		return err
	}
	return j.Close()
}

type journalCheck struct{}

// Run checks the journal.
func (journalCheck) Run(p *program) error {
	return p.withJournal(func(j *journal.Journal) error {
		if err := j.Check(); err != nil {
			return err
		}
		fmt.Fprintln(p.out, "The journal is sound.")
		return nil
	})
}

type journalStats struct{}

// Run prints the counts as JSON.
func (journalStats) Run(p *program) error {
	return p.withJournal(func(j *journal.Journal) error {
		stats, err := j.Stats()
		if err == nil {
			fmt.Fprintln(p.out, encode(stats))
		}
		return err
	})
}

type journalExport struct{}

// Run exports the journal.
func (journalExport) Run(p *program) error {
	return p.withJournal(func(j *journal.Journal) error { return j.Export(p.out) })
}
