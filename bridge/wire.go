package bridge

import "time"

// The wire constants of mcbews v1, as the protocol's document tables them:
//
//	role                        profile field                 wire value
//	bridge request messageId    bridge_request_message_id     mcbews:bridge_req
//	text response messageId     response_message_id           mcbews:text_resp
//	bridge response prefix      bridge_response_prefix        MCBEWS|BRIDGE
//	UI chat prefix              ui_chat_prefix                MCBEWS|UI_CHAT
//	simulated player            bridge_sender                 MCBEWS_BRIDGE
//	request body version        request_version               2
const (
	RequestMessageID = "mcbews:bridge_req"
	TextMessageID    = "mcbews:text_resp"
	BridgePrefix     = "MCBEWS|BRIDGE"
	UIChatPrefix     = "MCBEWS|UI_CHAT"
	RootPrefix       = "MCBEWS|" // what every chunk of the protocol begins with
	BridgeSender     = "MCBEWS_BRIDGE"
	RequestVersion   = 2
)

// The limits of the protocol. Sizes are in bytes of UTF-8 unless they say
// otherwise.
const (
	MaxCommandLine    = 461 // a command line; measured by others on the real game, 462 failed
	MaxCodePoints     = 256 // code points of content in one chunk from the addon
	MaxTextPoints     = 400 // code points of content in one text frame to the addon
	MaxBuffers        = 64  // chunk sequences that are incomplete at one time
	MaxChunks         = 128 // chunks of one message
	MaxMessageBytes   = 64 << 10
	MaxBufferedBytes  = 256 << 10 // all incomplete messages together
	BufferTTL         = 30 * time.Second
	RequestTimeout    = 5 * time.Second
	TextDelay         = 150 * time.Millisecond // between the frames of one text
	MaxRequestIDBytes = 64                     // longer ids are not ours and are refused by the decoder

	// MaxWindow is how many commands may be unanswered; the game refuses the
	// 101st, and ten are left for the player's other tools.
	MaxWindow     = 90
	DefaultWindow = 32

	// MaxFrame is the largest WebSocket message taken from a peer.
	MaxFrame = 16 << 20
)

// The capabilities that this service asks of an addon.
const (
	CapabilityHello     = "world_hello"
	CapabilityRead      = "read_region"
	CapabilityDigest    = "region_digest"
	CapabilityEntities  = "region_entities"
	CapabilityChanges   = "world_changes"
	CapabilityCommand   = "run_world_command"
	CapabilityPlayer    = "get_player_snapshot"
	CapabilityInventory = "get_inventory_snapshot"
)

// The error codes that an addon answers with.
const (
	CodeMalformedJSON         = "MALFORMED_JSON"
	CodeInvalidRequest        = "INVALID_REQUEST"
	CodeUnsupportedVersion    = "UNSUPPORTED_VERSION"
	CodeUnsupportedCapability = "UNSUPPORTED_CAPABILITY"
	CodeCapabilityFailed      = "CAPABILITY_FAILED"
	CodeResponseSendFailed    = "RESPONSE_SEND_FAILED"
	CodeQueueFull             = "BRIDGE_NOT_READY_QUEUE_FULL"
)

// subprotocol is what a game offers that can encrypt the link.
const subprotocol = "com.microsoft.minecraft.wsencrypt"

// The purposes of the frames used here.
const (
	purposeCommand     = "commandRequest"
	purposeResponse    = "commandResponse"
	purposeError       = "error"
	purposeEvent       = "event"
	purposeSubscribe   = "subscribe"
	purposeUnsubscribe = "unsubscribe"
	purposeEncrypt     = "ws:encrypt"
)

// playerMessage is the one event subscribed to.
const playerMessage = "PlayerMessage"
