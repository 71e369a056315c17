// Package strict reads JSON the way a protocol needs it.
//
// encoding/json takes METHOD for method, lets the last of two equal keys win and
// ignores what follows the value. Here keys are exact, a key may stand once,
// nothing may follow the value, integers are plain integer tokens (no 1.0, no
// 1e2), strings are valid UTF-8, and every error says where: a JSON pointer
// (RFC 6901), the value found, what is allowed, and, where one exists, the
// change that corrects it as a JSON Patch (RFC 6902).
//
// [Unmarshal] fills a Go value. [Parse] returns the tree for those who want to
// walk it themselves and to report their own errors at a [Value].
package strict
