// Package journaltest opens journals for the tests of any package. Whatever a test
// does with a journal, the whole file is checked when the test ends.
package journaltest
