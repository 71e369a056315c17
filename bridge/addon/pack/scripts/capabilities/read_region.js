// read_region: the cells of a box.

import { system } from "@minecraft/server";
import { deadline, isSpent } from "../budget.js";
import { PAGE_BYTES } from "../constants.js";
import { boxOf, dimensionOf, pageOf } from "../region.js";
import { Scanner } from "../scanner.js";

/** Room for the fixed parts of the answer, and for the runs that are not counted yet. */
const ENVELOPE = 240;
/** Runs are put together up to this length before they are counted. */
const TAIL = 64;

/** What block entities leave to the run that they are in: the longest state there is, and more. */
const RESERVE = 640;

/** What follows the palette's index in a run, for the counts that are common. */
const COUNTS = Array.from({ length: 65 }, (_, n) => (n < 2 ? "" : `*${n.toString(36)}`));

/**
 * One page: a palette, runs over it, and the block entities among the cells.
 * @typedef {ReturnType<typeof newPage>} Page
 */
function newPage() {
  // Closures and not fields, and few entries in arrays: this runs once for every change along a row, and
  // script engines find a variable faster than a property.
  let bytes = ENVELOPE;
  let tail = "";
  /** @type {string[]} */
  const palette = [];
  /** @type {string[]} */
  const runs = [];
  /** @type {Array<[number, string, 0 | 1]>} */
  const entities = [];

  /**
   * Makes room; false when there is none.
   * @param {number} n bytes
   * @param {number} [reserve] bytes that must be left
   */
  const take = (n, reserve = 0) => {
    if (bytes + n + reserve > PAGE_BYTES) return false;
    bytes += n;
    return true;
  };

  /** @param {import("../kinds.js").Content} content */
  const enrol = (content) => {
    if (!take(content.text.length + 3)) return false;
    content.page = self;
    content.code = `,${palette.length.toString(36)}`;
    palette.push(content.text);
    return true;
  };

  const self = {
    palette,
    entities,
    /**
     * @param {import("../kinds.js").Content} content
     * @param {number} count
     */
    run(content, count) {
      if (tail.length > TAIL) {
        if (!take(tail.length)) return false;
        runs.push(tail);
        tail = "";
      }
      if (content.page !== self && !enrol(content)) return false;
      tail += content.code;
      if (count > 1) tail += count <= 64 ? COUNTS[count] : `*${count.toString(36)}`;
      return true;
    },
    /**
     * @param {number} index
     * @param {string} kind
     * @param {boolean} full
     */
    entity(index, kind, full) {
      if (!take(String(index).length + kind.length + 8, RESERVE)) return false;
      entities.push([index, kind, full ? 1 : 0]);
      return true;
    },
    /** Returns the text of all runs; nothing may be added after it. */
    text() {
      runs.push(tail);
      return runs.join("").slice(1);
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
  // Those of the cells that did not fit any more; they come in order.
  while (page.entities.length > 0 && page.entities[page.entities.length - 1][0] >= next) page.entities.pop();
  return {
    from,
    palette: page.palette,
    runs: page.text(),
    next: next < scanner.total ? next : -1,
    be: page.entities,
    tick: system.currentTick,
  };
}
