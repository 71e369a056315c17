package main

import (
	"fmt"
	"path/filepath"

	"groundplan/journal"
)

// journalCommand looks into the journal of a service that does not run.
type journalCommand struct {
	Check   journalCheck   `cmd:"" help:"Verify every invariant; fails on the first that is broken."`
	Explain journalExplain `cmd:"" help:"Tell what became of an operation, slice by slice."`
	Stats   journalStats   `cmd:"" help:"Count what the journal has."`
	Export  journalExport  `cmd:"" help:"Write everything as JSON lines to standard output."`
	Compact journalCompact `cmd:"" help:"Give the free pages of the file back."`
}

func (p *program) journalPath() string { return filepath.Join(p.data, "journal.db") }

// withJournal opens the journal, which must be there, looks, and closes it.
func (p *program) withJournal(look func(*journal.Journal) error) error {
	j, err := journal.Open(p.journalPath(), journal.Options{Existing: true, Log: p.log})
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

type journalExplain struct {
	Operation string `arg:"" help:"The operation's id."`
}

// Run tells an operation's story.
func (c journalExplain) Run(p *program) error {
	return p.withJournal(func(j *journal.Journal) error {
		e, err := j.Explain(c.Operation)
		if err == nil {
			_, err = fmt.Fprint(p.out, e)
		}
		return err
	})
}

type journalCompact struct{}

// Run puts a copy without free pages in the journal's place.
func (journalCompact) Run(p *program) error {
	before, after, err := journal.Shrink(p.journalPath(), journal.Options{Log: p.log})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "The journal had %d bytes and has %d now.\n", before, after)
	return err
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
