package embedded

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
)

// subprotocol is what a game offers that can encrypt the link.
const subprotocol = "com.microsoft.minecraft.wsencrypt"

// stream is one direction of AES-256-CFB8, written apart from the bridge's so
// that each finds the other's mistakes.
type stream struct {
	block cipher.Block
	tail  []byte // the last sixteen bytes of ciphertext, then those of the message at hand
}

// keystream masks data in place; the ciphertext goes on from tail. With seal the
// data are plain before, otherwise after.
func (s *stream) keystream(data []byte, seal bool) {
	s.tail = append(s.tail, make([]byte, len(data))...)
	cipherText := s.tail[aes.BlockSize:]
	if !seal {
		copy(cipherText, data)
	}
	var mask [aes.BlockSize]byte
	for i := range data {
		s.block.Encrypt(mask[:], s.tail[i:i+aes.BlockSize])
		data[i] ^= mask[0]
		if seal {
			cipherText[i] = data[i]
		}
	}
	copy(s.tail, s.tail[len(data):])
	s.tail = s.tail[:aes.BlockSize]
}

func (s *stream) seal(data []byte) { s.keystream(data, true) }
func (s *stream) open(data []byte) { s.keystream(data, false) }

// exchange is the game's half of the handshake: given the server's public key and
// salt, it returns both directions and the public key to answer with.
func exchange(public, salt string) (in, out *stream, answer string, err error) {
	der, err := base64.StdEncoding.DecodeString(public)
	if err != nil {
		return nil, nil, "", err
	}
	grains, err := base64.StdEncoding.DecodeString(salt)
	if err != nil {
		return nil, nil, "", err
	}
	if len(grains) != 16 {
		return nil, nil, "", errors.New("the salt must have 16 bytes")
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, nil, "", err
	}
	convertible, ok := parsed.(interface {
		ECDH() (*ecdh.PublicKey, error)
	})
	if !ok {
		return nil, nil, "", errors.New("not a key of an elliptic curve")
	}
	theirs, err := convertible.ECDH()
	if err != nil {
		return nil, nil, "", err
	}
	ours, err := ecdh.P384().GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, "", err
	}
	secret, err := ours.ECDH(theirs)
	if err != nil {
		return nil, nil, "", err
	}
	own, err := x509.MarshalPKIXPublicKey(ours.PublicKey())
	if err != nil {
		return nil, nil, "", err
	}
	key := sha256.Sum256(append(grains, secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, nil, "", err
	}
	start := func() *stream { return &stream{block: block, tail: append([]byte(nil), key[:aes.BlockSize]...)} }
	return start(), start(), base64.StdEncoding.EncodeToString(own), nil
}
