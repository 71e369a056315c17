package bridgetest

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

// link is the game's half of an encrypted connection, written apart from the
// server's so that a mistake in one is seen by the other.
type link struct {
	block        cipher.Block
	read, write  [aes.BlockSize]byte // shift registers
	secretLength int
}

// exchange answers the server's key and salt; strip drops leading zeros of the
// shared secret, as some implementations do.
func exchange(public, salt string, strip bool) (*link, string, error) {
	der, err := base64.StdEncoding.DecodeString(public)
	if err != nil {
		return nil, "", err
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, "", err
	}
	converter, ok := parsed.(interface {
		ECDH() (*ecdh.PublicKey, error)
	})
	if !ok {
		return nil, "", errors.New("not an elliptic key")
	}
	theirs, err := converter.ECDH()
	if err != nil {
		return nil, "", err
	}
	ours, err := ecdh.P384().GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", err
	}
	secret, err := ours.ECDH(theirs)
	if err != nil {
		return nil, "", err
	}
	for strip && secret[0] == 0 {
		secret = secret[1:]
	}
	grains, err := base64.StdEncoding.DecodeString(salt)
	if err != nil || len(grains) != 16 {
		return nil, "", errors.New("bad salt")
	}
	own, err := x509.MarshalPKIXPublicKey(ours.PublicKey())
	if err != nil {
		return nil, "", err
	}
	key := sha256.Sum256(append(grains, secret...))
	l := &link{secretLength: len(secret)}
	if l.block, err = aes.NewCipher(key[:]); err != nil {
		return nil, "", err
	}
	copy(l.read[:], key[:])
	copy(l.write[:], key[:])
	return l, base64.StdEncoding.EncodeToString(own), nil
}

func (l *link) seal(data []byte) {
	var mask [aes.BlockSize]byte
	for i := range data {
		l.block.Encrypt(mask[:], l.write[:])
		data[i] ^= mask[0]
		copy(l.write[:], l.write[1:])
		l.write[aes.BlockSize-1] = data[i]
	}
}

func (l *link) open(data []byte) {
	var mask [aes.BlockSize]byte
	for i, c := range data {
		l.block.Encrypt(mask[:], l.read[:])
		data[i] ^= mask[0]
		copy(l.read[:], l.read[1:])
		l.read[aes.BlockSize-1] = c
	}
}
