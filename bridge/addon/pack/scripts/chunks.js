// Cutting a payload into chat lines.

import { BRIDGE_PREFIX, CHUNK_CODE_POINTS, COMMAND_BYTES, UI_CHAT_PREFIX } from "./constants.js";

const ascii = /^[\x00-\x7f]*$/;

/**
 * Returns the UTF-8 length of a text in bytes.
 * @param {string} text
 */
export function byteLength(text) {
  if (ascii.test(text)) return text.length;
  let bytes = 0;
  for (const point of text) bytes += pointBytes(/** @type {number} */ (point.codePointAt(0)));
  return bytes;
}

/** @param {number} point */
function pointBytes(point) {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/**
 * Returns one line.
 * @param {string} prefix
 * @param {string} id
 * @param {number} index from 1
 * @param {number} total
 * @param {string} content
 */
export function formatChunk(prefix, id, index, total, content) {
  return `${prefix}|${id}|${index}/${total}|${content}`;
}

/**
 * Cuts a payload into as few lines as fit: each line, behind the wrapper, has at most `budget` UTF-8
 * bytes, and its content at most `points` code points. A code point is never cut. An empty payload is
 * one line without content. Throws when not even one code point fits.
 * @param {string} prefix
 * @param {string} id
 * @param {string} payload
 * @param {{budget?: number, points?: number, wrapper?: string}} [limits]
 * @returns {string[]}
 */
export function chunkPayload(prefix, id, payload, limits = {}) {
  const { budget = COMMAND_BYTES, points = CHUNK_CODE_POINTS, wrapper = "tell @s " } = limits;
  // The header counts the lines, so the room for content depends on how many digits the count has. A code
  // point has at most two of the length's units, so there are no fewer lines than this.
  for (let digits = String(Math.ceil(payload.length / (2 * points))).length; ; digits++) {
    const header = byteLength(`${wrapper}${prefix}|${id}||`) + 1 + 2 * digits;
    const room = budget - header;
    if (room < 0) throw new Error(`no room for a chunk of ${prefix} in ${budget} bytes`);
    const slices = cut(payload, room, points);
    if (String(slices.length).length <= digits) {
      return slices.map((slice, i) => formatChunk(prefix, id, i + 1, slices.length, slice));
    }
  }
}

/**
 * @param {string} payload
 * @param {number} room bytes
 * @param {number} points
 * @returns {string[]}
 */
function cut(payload, room, points) {
  if (payload === "") return [""];
  if (ascii.test(payload)) {
    const step = Math.min(room, points);
    if (step < 1) throw new Error("no room for one code point");
    const slices = [];
    for (let at = 0; at < payload.length; at += step) slices.push(payload.slice(at, at + step));
    return slices;
  }
  const slices = [];
  let start = 0;
  let at = 0;
  let bytes = 0;
  let count = 0;
  while (at < payload.length) {
    const point = /** @type {number} */ (payload.codePointAt(at));
    const size = pointBytes(point);
    if (size > room || points < 1) throw new Error("no room for one code point");
    if (bytes + size > room || count === points) {
      slices.push(payload.slice(start, at));
      start = at;
      bytes = 0;
      count = 0;
    }
    bytes += size;
    count++;
    at += point > 0xffff ? 2 : 1;
  }
  slices.push(payload.slice(start));
  return slices;
}

/**
 * Cuts the answer to a request.
 * @param {string} requestId
 * @param {string} payload
 */
export function chunkBridgePayload(requestId, payload) {
  return chunkPayload(BRIDGE_PREFIX, requestId, payload);
}

/**
 * Cuts a message of the chat panel.
 * @param {string} messageId
 * @param {string} payload
 */
export function chunkUiChatPayload(messageId, payload) {
  return chunkPayload(UI_CHAT_PREFIX, messageId, payload);
}

/**
 * Returns the JSON of a value without any "@": the game replaces "@a", "@s" and the like in chat
 * arguments by players' names.
 * @param {unknown} value
 */
export function chatJson(value) {
  const text = JSON.stringify(value);
  return text.includes("@") ? text.replace(/@/g, "\\u0040") : text;
}
