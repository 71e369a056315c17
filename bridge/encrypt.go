package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"groundplan/plan"
)

// encryptTimeout is how long a game may take for its half of the key exchange.
const encryptTimeout = 5 * time.Second

// encrypt makes the link an encrypted one: first in the way of today's games,
// with a frame of its own kind, then in that of older ones, with a command.
// Nothing else is sent between the request and its answer.
func (s *session) encrypt(ctx context.Context) error {
	h, err := newHandshake()
	if err != nil {
		return err
	}
	public, salt, err := h.offer()
	if err != nil {
		return err
	}
	c := s.begin()
	c.raw = appendEncryptFrame(nil, c.id, public, salt)
	c.exchange = h
	s.probe(ctx, c, encryptTimeout)
	if c.kind == plan.Answered || ctx.Err() != nil {
		return c.encrypted()
	}
	c = s.begin()
	c.exchange = h
	c.line = fmt.Appendf(c.line, "enableencryption %q %q cfb8", public, salt)
	s.probe(ctx, c, encryptTimeout)
	return c.encrypted()
}

// encrypted returns why a key exchange failed, nil when it did not.
func (c *call) encrypted() error {
	switch err := c.commandError(); {
	case err != nil:
		return fmt.Errorf("encryption: %w", err)
	case len(c.key) == 0:
		return errors.New("encryption: the game answered without a key")
	default:
		return nil
	}
}

func appendEncryptFrame(out []byte, id uint64, public, salt string) []byte {
	out = append(out, `{"header":{"version":1,"requestId":"`...)
	out = appendUUID(out, id)
	out = append(out, `","messagePurpose":"`+purposeEncrypt+`"},"body":{"mode":"cfb8","publicKey":`...)
	out = appendQuoted(out, public, false)
	out = append(out, `,"salt":`...)
	out = appendQuoted(out, salt, false)
	return append(out, "}}"...)
}

// exchanged completes the handshake when the answer with the game's key comes in,
// before the next frame is read: it will be encrypted. The caller holds s.mu.
func (s *session) exchanged(c *call, key []byte) error {
	pair, err := c.exchange.complete(key)
	if err != nil {
		return err
	}
	c.key = append([]byte(nil), key...)
	s.cipher = pair
	return nil
}

// decrypt opens a binary frame in place.
func (s *session) decrypt(frame []byte) error {
	s.mu.Lock()
	pair := s.cipher
	s.mu.Unlock()
	if pair == nil {
		return nil
	}
	return pair.open(frame)
}
