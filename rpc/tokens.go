package rpc

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"

	"github.com/google/renameio/v2"
)

// Role is what a token may do.
type Role string

// The roles. Admin may call everything; Agent everything that is not for admins.
const (
	Agent Role = "agent"
	Admin Role = "admin"
)

// Tokens are the bearer tokens of a data directory, kept in tokens.json with
// mode 0600. They are compared in constant time and never logged or returned.
type Tokens struct {
	Admin string `json:"admin"`
	Agent string `json:"agent"`
	// Players binds further agent tokens to one player each: player id to token.
	Players map[string]string `json:"players,omitempty"`
}

// Identity is whom a token speaks for. Player is empty for a token that is not
// bound to one player.
type Identity struct {
	Role   Role
	Player string
}

// OpenTokens reads the tokens of a file, or makes them and the file.
func OpenTokens(path string) (Tokens, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newTokens(path)
	}
	if err != nil {
		return Tokens{}, fmt.Errorf("open tokens: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return Tokens{}, fmt.Errorf("open tokens: others can read %s: %w", path, err)
		}
	}
	var t Tokens
	if err := json.Unmarshal(data, &t); err != nil {
		return Tokens{}, fmt.Errorf("open tokens: %s is not the JSON of this service", path)
	}
	return t, t.check(path)
}

func newTokens(path string) (Tokens, error) {
	t := Tokens{Admin: NewToken(), Agent: NewToken()}
	data, err := json.Marshal(t)
	if err != nil {
		return Tokens{}, err
	}
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return Tokens{}, fmt.Errorf("make tokens: %w", err)
	}
	return t, nil
}

// NewToken returns 32 random bytes in hex.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// check refuses tokens that are weak or not distinct, without showing one.
func (t Tokens) check(path string) error {
	shape := regexp.MustCompile(`^[A-Za-z0-9._~-]{32,512}$`)
	seen := map[string]bool{}
	all := []string{t.Admin, t.Agent}
	for _, token := range t.Players {
		all = append(all, token)
	}
	for _, token := range all {
		if !shape.MatchString(token) {
			return fmt.Errorf("open tokens: a token of %s is not 32 to 512 characters of A-Z a-z 0-9 . _ ~ -", path)
		}
		if seen[token] {
			return fmt.Errorf("open tokens: two tokens of %s are the same", path)
		}
		seen[token] = true
	}
	return nil
}

// Identify returns whom the token speaks for. It takes the same time whether and
// where a token differs.
func (t Tokens) Identify(token string) (Identity, bool) {
	given := sha256.Sum256([]byte(token))
	var found Identity
	ok := 0
	try := func(want string, id Identity) {
		sum := sha256.Sum256([]byte(want))
		if want != "" && subtle.ConstantTimeCompare(given[:], sum[:]) == 1 {
			found, ok = id, 1
		}
	}
	try(t.Admin, Identity{Role: Admin})
	try(t.Agent, Identity{Role: Agent})
	for player, want := range t.Players {
		try(want, Identity{Role: Agent, Player: player})
	}
	return found, ok == 1
}

// NewID returns a random UUID (version 4).
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
