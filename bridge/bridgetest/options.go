package bridgetest

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"groundplan/bridge"
)

// Options say how a Game behaves. The zero value is a game of today without
// encryption whose addon knows only world_hello.
type Options struct {
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error) // nil dials TCP
	Encrypt bool                                                              // offer encryption
	Old     bool                                                              // know only the command enableencryption
	Strip   bool                                                              // strip leading zeros of the shared secret
	Legacy  bool                                                              // events of the older generation
	Header  http.Header                                                       // of the WebSocket handshake

	Identity Identity
	// Capabilities are what the addon can do beside world_hello. An error
	// answers with CAPABILITY_FAILED or, if it is a bridge.CapabilityError, with
	// its code.
	Capabilities map[string]func(payload json.RawMessage) (any, error)
	// Commands are answers to commands that begin with the key, beside those
	// that a game knows: a status and the localised words.
	Commands map[string]func(line string) (bridge.Status, string)
	// Fault, when not nil, is asked before a request to the addon is served.
	Fault func(r bridge.Request) Fault

	NoVersion bool // refuse commands that name the version of their meaning

	Pending int           // commands that may be unanswered; 0 means 100
	Delay   time.Duration // before a command is run
	Points  int           // code points in a chunk; 0 means 256
}

// Identity is what world_hello tells.
type Identity struct {
	WorldID, Epoch, Session string
	Player                  string
	Game                    string
}

// Fault is what goes wrong with one request to the addon.
type Fault struct {
	Status    bridge.Status // the scriptevent fails with it in a commandResponse
	Error     bridge.Status // the scriptevent is refused with it in an error frame
	NoAck     bool          // the commandResponse is lost
	NoReply   bool          // the addon's answer is lost
	AckLast   bool          // the commandResponse comes after the answer
	Double    bool          // every chunk comes twice
	Reverse   bool          // the chunks come last first
	Drop      int           // that many chunks from the end are lost
	HangUp    bool          // the connection ends after the first chunk
	Sender    string        // the chunks come from somebody else
	Reply     string        // raw body of the answer instead of the capability's
	Lines     []string      // raw lines of chat instead of the answer
	Localised bool          // the failure has the words of another language
}
