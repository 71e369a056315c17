// Putting text frames of the service together again.

import { byteLength } from "./chunks.js";
import { TEXT_LIMITS } from "./constants.js";

const ROLES = ["user", "assistant", "approval"];

/**
 * A frame: id of the message, index from 1, number of frames, player, role, content; conversation, title
 * and usage pass through.
 * @typedef {{id: string, i: number, n: number, p: string, r: string, c: string, cid?: string, t?: string, u?: unknown}} Frame
 */
/**
 * @typedef {object} Message
 * @property {string} id
 * @property {string} player
 * @property {string} role
 * @property {string} text
 * @property {string | undefined} conversation
 * @property {string | undefined} title
 * @property {unknown} usage
 */
/**
 * @typedef {{first: Frame, parts: Array<string | undefined>, missing: number, bytes: number, usage: unknown, at: number}} Buffer
 */

/** Frames in any order, doubled or not, within limits. */
export class Reassembly {
  /** @type {Map<string, Buffer>} */
  buffers = new Map();
  bytes = 0;

  /**
   * Takes a frame. Returns the message when it is complete; throws when the frame is wrong, and then
   * forgets the message.
   * @param {string} text
   * @param {number} now milliseconds
   * @returns {Message | undefined}
   */
  add(text, now) {
    const frame = parse(text);
    this.expire(now);
    const buffer = this.bufferOf(frame, now);
    const known = buffer.parts[frame.i - 1];
    if (known !== undefined && known !== frame.c) this.fail(frame.id, `duplicate of frame ${frame.i} differs`);
    if (frame.u !== undefined) buffer.usage = frame.u;
    if (known === undefined) {
      const size = byteLength(frame.c);
      if (buffer.bytes + size > TEXT_LIMITS.messageBytes || this.bytes + size > TEXT_LIMITS.totalBytes) {
        this.fail(frame.id, "too many bytes");
      }
      buffer.parts[frame.i - 1] = frame.c;
      buffer.missing--;
      buffer.bytes += size;
      this.bytes += size;
    }
    if (buffer.missing > 0) return undefined;
    this.forget(frame.id);
    const { first } = buffer;
    return { id: first.id, player: first.p, role: first.r, text: buffer.parts.join(""), conversation: first.cid, title: first.t, usage: buffer.usage };
  }

  /**
   * @param {Frame} frame
   * @param {number} now
   */
  bufferOf(frame, now) {
    let buffer = this.buffers.get(frame.id);
    if (!buffer) {
      if (this.buffers.size >= TEXT_LIMITS.buffers) throw new Error("too many messages at once");
      buffer = { first: frame, parts: new Array(frame.n).fill(undefined), missing: frame.n, bytes: 0, usage: undefined, at: now };
      this.buffers.set(frame.id, buffer);
      return buffer;
    }
    const { first } = buffer;
    for (const field of /** @type {const} */ (["n", "p", "r", "cid", "t"])) {
      if (first[field] !== frame[field]) this.fail(frame.id, `metadata of frame ${frame.i} differ in ${field}`);
    }
    return buffer;
  }

  /**
   * @param {string} id
   * @param {string} why
   * @returns {never}
   */
  fail(id, why) {
    this.forget(id);
    throw new Error(`message ${id}: ${why}`);
  }

  /** @param {string} id */
  forget(id) {
    this.bytes -= this.buffers.get(id)?.bytes ?? 0;
    this.buffers.delete(id);
  }

  /** @param {number} now */
  expire(now) {
    for (const [id, { at }] of this.buffers) {
      if (now - at > TEXT_LIMITS.ttl) this.forget(id);
    }
  }
}

/**
 * @param {string} text
 * @returns {Frame}
 */
function parse(text) {
  const frame = JSON.parse(text);
  if (typeof frame !== "object" || frame === null) throw new Error("a frame is an object");
  for (const field of ["id", "p", "r", "c"]) {
    if (typeof frame[field] !== "string") throw new Error(`the field ${field} of a frame is a text`);
  }
  const { i, n } = frame;
  if (!Number.isInteger(n) || n < 1 || n > TEXT_LIMITS.chunks || !Number.isInteger(i) || i < 1 || i > n) {
    throw new Error(`frame ${i} of ${n}`);
  }
  if (!ROLES.includes(frame.r)) throw new Error(`UNKNOWN_TEXT_ROLE ${frame.r}`);
  return frame;
}
