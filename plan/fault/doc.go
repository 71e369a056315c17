// Package fault is the error vocabulary of groundplan.
//
// An [Error] has a [Code] for programs, a sentence for people, and the wrapped
// cause for the log. Codes are part of the protocol: they travel in answers, are
// kept in the journal with failed operations, and never change their meaning.
// The table that maps a code to an HTTP status stands in rpc; whether a call may
// simply be repeated is a property of the code and stands here.
package fault
