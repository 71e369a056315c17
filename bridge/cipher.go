package bridge

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"sync/atomic"
)

// stream is one direction of AES-256-CFB8, the mode of the game's WebSocket: each
// byte is masked with the first byte of the encrypted last sixteen bytes of
// ciphertext. The standard library has no CFB with segments of eight bits.
type stream struct {
	block cipher.Block
	last  [aes.BlockSize]byte // the last ciphertext
	mask  [aes.BlockSize]byte // here, because a local one would be allocated
	work  []byte              // last, then the ciphertext of the message
}

func newStream(key [32]byte) stream {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // 32 bytes are a valid key
	}
	s := stream{block: block}
	copy(s.last[:], key[:aes.BlockSize])
	return s
}

// seal returns the ciphertext of plain; it is valid until the next call.
func (s *stream) seal(plain []byte) []byte {
	s.work = append(append(s.work[:0], s.last[:]...), plain...)
	for i := range plain {
		s.block.Encrypt(s.mask[:], s.work[i:i+aes.BlockSize])
		s.work[i+aes.BlockSize] ^= s.mask[0]
	}
	copy(s.last[:], s.work[len(plain):])
	return s.work[aes.BlockSize:]
}

// open decrypts data in place.
func (s *stream) open(data []byte) {
	s.work = append(append(s.work[:0], s.last[:]...), data...)
	for i := range data {
		s.block.Encrypt(s.mask[:], s.work[i:i+aes.BlockSize])
		data[i] ^= s.mask[0]
	}
	copy(s.last[:], s.work[len(data):])
}

// cipherPair is both directions of an encrypted link.
type cipherPair struct {
	in, out stream
	other   *[32]byte // the key of a peer that strips leading zeros; nil unless it differs
	sent    bool
	opened  bool // a frame was decrypted to JSON

	stripped atomic.Bool // set by open, read by seal: the peer uses the other key
	switched bool        // seal uses it too
}

// handshake is this side's half of the key exchange.
type handshake struct {
	private *ecdh.PrivateKey
	salt    [16]byte
}

func newHandshake() (*handshake, error) {
	private, err := ecdh.P384().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	h := &handshake{private: private}
	_, err = rand.Read(h.salt[:])
	return h, err
}

// offer returns public key and salt as the game takes them.
func (h *handshake) offer() (public, salt string, err error) {
	der, err := x509.MarshalPKIXPublicKey(h.private.PublicKey())
	if err != nil {
		return "", "", err
	}
	return base64.StdEncoding.EncodeToString(der), base64.StdEncoding.EncodeToString(h.salt[:]), nil
}

// complete returns the ciphers for the peer's public key.
func (h *handshake) complete(public []byte) (*cipherPair, error) {
	der, err := base64.StdEncoding.DecodeString(string(public))
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	parsed, err := parsePublicKey(der)
	if err != nil {
		return nil, err
	}
	secret, err := h.private.ECDH(parsed)
	if err != nil {
		return nil, err
	}
	return newCipherPair(h.salt, secret), nil
}

func parsePublicKey(der []byte) (*ecdh.PublicKey, error) {
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	converter, ok := parsed.(interface {
		ECDH() (*ecdh.PublicKey, error)
	})
	if !ok {
		return nil, errors.New("public key: not of an elliptic curve")
	}
	key, err := converter.ECDH()
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	if key.Curve() != ecdh.P384() {
		return nil, errors.New("public key: not of the curve P-384")
	}
	return key, nil
}

// newCipherPair derives the key. A shared secret with leading zeros is where
// implementations part: the game's other encryption and the libraries on Node
// keep all 48 bytes, others strip the zeros. The full one is used; the stripped
// one is kept for the case that the peer's first frame needs it.
func newCipherPair(salt [16]byte, secret []byte) *cipherPair {
	key := deriveKey(salt, secret)
	p := &cipherPair{in: newStream(key), out: newStream(key)}
	stripped := secret
	for len(stripped) > 1 && stripped[0] == 0 {
		stripped = stripped[1:]
	}
	if len(stripped) < len(secret) {
		other := deriveKey(salt, stripped)
		p.other = &other
	}
	return p
}

func deriveKey(salt [16]byte, secret []byte) [32]byte {
	return sha256.Sum256(append(salt[:], secret...))
}

// seal encrypts a frame; the result is valid until the next call.
func (p *cipherPair) seal(frame []byte) []byte {
	if p.stripped.Load() && !p.switched {
		// The mode synchronises itself on the last sixteen bytes of ciphertext,
		// so a peer that could not read what came before can read from here on.
		p.switched = true
		p.out.block = newStream(*p.other).block
	}
	if p.sent {
		return p.out.seal(frame)
	}
	p.sent = true
	// A peer tells the first encrypted frame from a late plain one by its first
	// character, so by chance, once in 256, it would take this one for plain.
	// White space before the JSON makes the ciphertext another.
	for _, lead := range []string{"", " ", "\n", "  ", " \n", "\n ", "\n\n"} {
		trial := p.out
		trial.work = nil
		sealed := trial.seal(append([]byte(lead), frame...))
		if !looksPlain(sealed) {
			p.out = trial
			return sealed
		}
	}
	return p.out.seal(frame)
}

// looksPlain reports whether data begins as JSON does.
func looksPlain(data []byte) bool {
	s := scanner{data: data}
	return s.peek() == '{'
}

// open decrypts a frame in place.
func (p *cipherPair) open(frame []byte) error {
	if p.opened {
		p.in.open(frame)
		return nil
	}
	sealed := append([]byte(nil), frame...)
	p.in.open(frame)
	if looksPlain(frame) {
		p.opened = true
		return nil
	}
	if p.other == nil {
		return errors.New("the first encrypted frame does not decrypt")
	}
	copy(frame, sealed)
	in := newStream(*p.other)
	in.open(frame)
	if !looksPlain(frame) {
		return errors.New("the first encrypted frame does not decrypt")
	}
	p.in, p.opened = in, true
	p.stripped.Store(true)
	return nil
}
