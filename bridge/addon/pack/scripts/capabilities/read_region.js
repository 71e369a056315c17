// read_region: the cells of a box.

import { system } from "@minecraft/server";
import { deadline, isSpent } from "../budget.js";
import { PAGE_BYTES } from "../constants.js";
import { boxOf, dimensionOf, pageOf } from "../region.js";
import { Scanner } from "../scanner.js";

/** Room for the fixed parts of the answer. */
const ENVELOPE = 160;

/** What follows the palette's index in a run, for the counts that are common. */
const COUNTS = Array.from({ length: 65 }, (_, n) => (n < 2 ? "" : `*${n.toString(36)}`));

/**
 * One page: a palette, runs over it, and the block entities among the cells.
 * @typedef {ReturnType<typeof newPage>} Page
 */
function newPage() {
  // Closures and not fields: the engines find a variable faster than a property, and this runs once for
  // every change along a row.
  let bytes = ENVELOPE;
  /** @type {string[]} */
  const palette = [];
  /** @type {string[]} */
  const slots = [];
  /** @type {string[]} */
  const runs = [];
  // Short texts are put together before they go into the array: that is cheaper than many entries, and
  // than one text that grows.
  let tail = "";
  /** @type {Array<[number, string, 0 | 1]>} */
  const entities = [];
  const self = {
    palette,
    entities,
    /**
     * @param {import("../kinds.js").Content} content
     * @param {number} count
     */
    run(content, count) {
      const known = content.page === self;
      const slot = known ? slots[content.slot] : palette.length.toString(36);
      const text = count <= 64 ? slot + COUNTS[count] : `${slot}*${count.toString(36)}`;
      let after = bytes + text.length + 1;
      if (!known) after += content.text.length + 3;
      if (after > PAGE_BYTES) return false;
      if (!known) {
        content.page = self;
        content.slot = palette.length;
        palette.push(content.text);
        slots.push(slot);
      }
      bytes = after;
      tail += tail === "" ? text : `,${text}`;
      if (tail.length > 48) {
        runs.push(tail);
        tail = "";
      }
      return true;
    },
    /** Returns the text of all runs; nothing may be added after it. */
    text() {
      if (tail !== "") runs.push(tail);
      return runs.join(",");
    },
    /**
     * @param {number} index
     * @param {string} kind
     * @param {boolean} full
     */
    entity(index, kind, full) {
      const after = bytes + String(index).length + kind.length + 8;
      if (after > PAGE_BYTES) return false;
      bytes = after;
      entities.push([index, kind, full ? 1 : 0]);
      return true;
    },
  };
  return self;
}

/**
 * Reads what the tick allows; the rest becomes a job.
 * @type {import("../router.js").Capability}
 */
export function readRegion(payload) {
  const dimension = dimensionOf(payload.dim);
  const box = boxOf(dimension, payload);
  const page = newPage();
  const from = pageOf(payload.page, (box.max.x - box.min.x + 1) * (box.max.y - box.min.y + 1) * (box.max.z - box.min.z + 1));
  const scanner = new Scanner(dimension, box, page, from);
  if (!isSpent() && scanner.scan(deadline())) return result(scanner, page, from);
  return readOn(scanner, page, from);
}

/**
 * @param {Scanner} scanner
 * @param {Page} page
 * @param {number} from
 * @returns {Generator<void, unknown, void>}
 */
function* readOn(scanner, page, from) {
  do yield;
  while (!scanner.scan(deadline()));
  return result(scanner, page, from);
}

/**
 * @param {Scanner} scanner
 * @param {Page} page
 * @param {number} from
 */
function result(scanner, page, from) {
  const next = scanner.taken;
  return {
    from,
    palette: page.palette,
    runs: page.text(),
    next: next < scanner.total ? next : -1,
    be: page.entities.filter(([index]) => index < next),
    tick: system.currentTick,
  };
}
