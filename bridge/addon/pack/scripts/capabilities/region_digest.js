// region_digest: one digest for each section of 16×16×16 cells that a box touches, over the section's
// cells inside the box. Whoever knows what the cells should be compares digests, and reads cells only
// where they differ.

import { deadline } from "../budget.js";
import { Digest } from "../hash.js";
import { UNLOADED } from "../kinds.js";
import { boxOf, dimensionOf, pageOf } from "../region.js";
import { Runs } from "../runs.js";
import { Scanner } from "../scanner.js";

/** What stands for the digest of a section with a cell that is not loaded. */
const UNKNOWN = "-".repeat(16);
/** Digests in one answer. */
const PAGE = 1024;

/** Takes the runs of one section. */
class SectionSink {
  digest = new Digest();
  known = true;

  /** @param {import("../kinds.js").Content} content */
  enrol(content) {
    if (content === UNLOADED) this.known = false;
    return content;
  }

  /** @param {number} n */
  count(n) {
    return n;
  }

  /** @param {Array<import("../runs.js").Token | null>} tokens */
  take(tokens) {
    for (let i = 0; i < tokens.length && tokens[i] !== ""; ) {
      const content = /** @type {import("../kinds.js").Content | null} */ (tokens[i++]);
      const count = typeof tokens[i] === "number" ? Number(tokens[i++]) : 1;
      if (content) this.digest.add(content, count);
    }
    return true;
  }

  entity() {
    return true;
  }
}

/** @type {import("../router.js").Capability} */
export function* regionDigest(payload) {
  const dimension = dimensionOf(payload.dim);
  const box = boxOf(dimension, payload);
  const sections = sectionsOf(box);
  const from = pageOf(payload.page, sections.length);
  const end = Math.min(from + PAGE, sections.length);
  const digests = [];
  for (const section of sections.slice(from, end)) {
    const sink = new SectionSink();
    const runs = new Runs(sink);
    const scanner = new Scanner(dimension, runs);
    scanner.aim(section, 0, 0);
    while (!scanner.scan(deadline())) yield;
    runs.flush();
    runs.give();
    digests.push(sink.known ? sink.digest.text() : UNKNOWN);
  }
  return { from, digests: digests.join(""), next: end < sections.length ? end : -1 };
}

/**
 * Returns the parts of a box by section, in y, z, x order.
 * @param {import("../region.js").Box} box
 * @returns {import("../region.js").Box[]}
 */
function sectionsOf({ min, max }) {
  const parts = [];
  for (let y = min.y >> 4; y <= max.y >> 4; y++) {
    for (let z = min.z >> 4; z <= max.z >> 4; z++) {
      for (let x = min.x >> 4; x <= max.x >> 4; x++) {
        parts.push({
          min: { x: Math.max(min.x, x * 16), y: Math.max(min.y, y * 16), z: Math.max(min.z, z * 16) },
          max: { x: Math.min(max.x, x * 16 + 15), y: Math.min(max.y, y * 16 + 15), z: Math.min(max.z, z * 16 + 15) },
        });
      }
    }
  }
  return parts;
}
