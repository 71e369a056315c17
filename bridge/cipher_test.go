package bridge

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"testing"
)

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The vector is CFB8-AES256 of NIST SP 800-38A, F.3.11.
func TestStreamIsCFB8(t *testing.T) {
	var s stream
	key := [32]byte(unhex(t, "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
	s = newStream(key)
	copy(s.last[:], unhex(t, "000102030405060708090a0b0c0d0e0f"))
	other := s
	plain := unhex(t, "6bc1bee22e409f96e93d7e117393172aae2d")
	want := unhex(t, "dc1f1a8520a64db55fcc8ac554844e889700")
	var got []byte
	for _, part := range [][]byte{plain[:3], plain[3:3], plain[3:]} {
		got = append(got, s.seal(part)...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("sealed %x, want %x", got, want)
	}
	other.open(got[:5])
	other.open(got[5:])
	if !bytes.Equal(got, plain) {
		t.Errorf("opened %x, want %x", got, plain)
	}
}

// pairs returns both ends of a link whose shared secret begins with a zero; the
// peer strips it or keeps it.
func pairs(salt byte, strip bool) (ours, theirs *cipherPair) {
	secret := bytes.Repeat([]byte{7}, 48)
	secret[0] = 0
	grains := [16]byte{salt}
	ours = newCipherPair(grains, secret)
	if strip {
		secret = secret[1:]
	}
	return ours, newCipherPair(grains, secret)
}

func TestASecretWithALeadingZeroIsKeptWhole(t *testing.T) {
	ours, theirs := pairs(1, false)
	for i := range 3 {
		frame := fmt.Appendf(nil, `{"frame":%d}`, i)
		sealed := bytes.Clone(theirs.seal(frame))
		if err := ours.open(sealed); err != nil || !bytes.Equal(bytes.TrimSpace(sealed), frame) {
			t.Fatalf("opened %q, %v", sealed, err)
		}
	}
}

func TestAPeerThatStripsTheLeadingZeroIsUnderstood(t *testing.T) {
	ours, theirs := pairs(1, true)
	// What was sent before the peer's first frame it cannot read.
	lost := bytes.Clone(ours.seal([]byte(`{"header":{},"body":{"lost":true}}`)))
	theirs.in.open(lost)
	for i := range 3 {
		frame := fmt.Appendf(nil, `{"frame":%d}`, i)
		sealed := bytes.Clone(theirs.seal(frame))
		if err := ours.open(sealed); err != nil || !bytes.Equal(bytes.TrimSpace(sealed), frame) {
			t.Fatalf("opened %q, %v", sealed, err)
		}
		answer := bytes.Clone(ours.seal(frame))
		theirs.in.open(answer)
		if !bytes.Equal(answer, frame) {
			t.Fatalf("the peer reads %q", answer)
		}
	}
}

func TestTheFirstFrameMustDecrypt(t *testing.T) {
	ours, _ := pairs(1, false)
	_, theirs := pairs(2, false)
	if err := ours.open(bytes.Clone(theirs.seal([]byte(`{"a":1}`)))); err == nil {
		t.Error("a frame of another key was taken")
	}
}

// A peer tells an encrypted frame from a plain one by its first character, and by
// chance the ciphertext may begin with a brace.
func TestTheFirstCiphertextNeverLooksLikeJSON(t *testing.T) {
	plain := 0
	for salt := range 256 {
		ours, theirs := pairs(byte(salt), false)
		naive := ours.out
		naive.work = nil
		if looksPlain(naive.seal([]byte(`{"a":1}`))) {
			plain++
		}
		sealed := bytes.Clone(ours.seal([]byte(`{"a":1}`)))
		if looksPlain(sealed) {
			t.Fatalf("salt %d: %x", salt, sealed)
		}
		if err := theirs.open(sealed); err != nil || string(bytes.TrimSpace(sealed)) != `{"a":1}` {
			t.Fatalf("salt %d: opened %q, %v", salt, sealed, err)
		}
	}
	t.Logf("%d of 256 first frames would have looked plain", plain)
}

func TestOnlyAKeyOfTheCurveCompletesTheHandshake(t *testing.T) {
	h, err := newHandshake()
	if err != nil {
		t.Fatal(err)
	}
	encode := func(key any) []byte {
		der, err := x509.MarshalPKIXPublicKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(base64.StdEncoding.EncodeToString(der))
	}
	curve := func(c ecdh.Curve) any {
		key, err := c.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key.PublicKey()
	}
	edwards, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string][]byte{
		"nothing": nil, "not base64": []byte("!"), "not a key": []byte("AAAA"),
		"another curve": encode(curve(ecdh.P256())), "of no curve": encode(edwards), "of a curve without coordinates": encode(curve(ecdh.X25519())),
	} {
		if _, err := h.complete(key); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := h.complete(encode(curve(ecdh.P384()))); err != nil {
		t.Error(err)
	}
	public, salt, err := h.offer()
	if err != nil || len(public) != base64.StdEncoding.EncodedLen(120) || len(salt) != base64.StdEncoding.EncodedLen(16) {
		t.Errorf("offer of %d and %d characters, %v", len(public), len(salt), err)
	}
}
