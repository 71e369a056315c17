// The digest of cells. The service computes the same (plan/voxel, Digest); both are two lanes of 32
// bits, because a script engine has no cheap 64-bit numbers.

const P1 = 0x85ebca6b;
const P2 = 0xc2b2ae35;
const P3 = 0x9e3779b1;
const P4 = 0x27d4eb2f;

/**
 * Hashes a text of ASCII characters, byte by byte.
 * @param {string} text
 */
export function hashText(text) {
  let low = 0x811c9dc5 | 0;
  let high = P3 | 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i) & 0xff;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, P1);
    high ^= high >>> 15;
  }
  return { low, high };
}

/** The digest of runs of equal cells, in y, z, x order. The caller gives maximal runs. */
export class Digest {
  low = P3 | 0;
  high = P4 | 0;

  /**
   * @param {{low: number, high: number}} content
   * @param {number} count
   */
  add(content, count) {
    let low = Math.imul(this.low ^ content.low, P1);
    low ^= low >>> 15;
    low = Math.imul(low ^ count, P2);
    low ^= low >>> 13;
    let high = Math.imul(this.high ^ content.high ^ low, P3);
    high ^= high >>> 16;
    high = Math.imul(high ^ count, P4);
    high ^= high >>> 14;
    this.low = low;
    this.high = high;
  }

  /** Returns sixteen hexadecimal characters. */
  text() {
    const a = avalanche(this.low ^ this.high);
    const b = avalanche(Math.imul(this.high, P3) ^ a);
    return hex(b) + hex(a);
  }
}

/** @param {number} h */
function avalanche(h) {
  h ^= h >>> 16;
  h = Math.imul(h, P1);
  h ^= h >>> 13;
  h = Math.imul(h, P2);
  return h ^ (h >>> 16);
}

/** @param {number} h */
function hex(h) {
  return (h >>> 0).toString(16).padStart(8, "0");
}
