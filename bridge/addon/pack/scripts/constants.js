// The names and limits of the mcbews v1 wire. The service has the same table; neither side may
// change a value alone.

export const ADDON_VERSION = "0.1.0";
export const API_VERSION = "2.6.0";
/** The version of what world_hello, read_region, region_digest, region_entities and world_changes answer. */
export const PROTOCOL = 1;

export const NAMESPACE = "mcbews";
export const BRIDGE_REQUEST = "mcbews:bridge_req";
export const TEXT_RESPONSE = "mcbews:text_resp";
export const BRIDGE_PREFIX = "MCBEWS|BRIDGE";
export const UI_CHAT_PREFIX = "MCBEWS|UI_CHAT";
export const BRIDGE_PLAYER = "MCBEWS_BRIDGE";
export const REQUEST_VERSIONS = [1, 2];

/** The namespace of this add-on's own commands and dynamic properties. */
export const OWN = "groundplan";

/** UTF-8 bytes that a command line may have. */
export const COMMAND_BYTES = 461;
/** Code points of content in one chunk. */
export const CHUNK_CODE_POINTS = 256;
/** Requests kept while the simulated player is not there yet. */
export const EARLY_REQUESTS = 64;

/** What the reassembly of text frames may hold. */
export const TEXT_LIMITS = {
  buffers: 64,
  chunks: 128,
  messageBytes: 65536,
  totalBytes: 262144,
  ttl: 30000,
};

/** UTF-8 bytes of the JSON of one page of any paged answer. */
export const PAGE_BYTES = 24 * 1024;
/** Cells that one region request may span: what the game lets one fill span. */
export const REGION_CELLS = 32768;
/** Milliseconds of one tick that this pack may use for a long read. */
export const TICK_BUDGET = 12;

/** The failures of a request, inside the answer. */
export const ErrorCode = /** @type {const} */ ({
  malformedJson: "MALFORMED_JSON",
  invalidRequest: "INVALID_REQUEST",
  unsupportedVersion: "UNSUPPORTED_VERSION",
  unsupportedCapability: "UNSUPPORTED_CAPABILITY",
  capabilityFailed: "CAPABILITY_FAILED",
  responseSendFailed: "RESPONSE_SEND_FAILED",
});
