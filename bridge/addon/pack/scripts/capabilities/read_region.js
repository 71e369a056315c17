// read_region: the cells of a box.

import { system } from "@minecraft/server";
import { deadline, isSpent } from "../budget.js";
import { PAGE_BYTES } from "../constants.js";
import { boxOf, dimensionOf, pageOf } from "../region.js";
import { Scanner } from "../scanner.js";

/** Room for the fixed parts of the answer. */
const ENVELOPE = 160;

/** One page: a palette, runs over it, and the block entities among the cells. */
class Page {
  bytes = ENVELOPE;
  /** @type {string[]} */
  palette = [];
  /** @type {string[]} */
  runs = [];
  /** @type {Array<[number, string, 0 | 1]>} */
  entities = [];

  /**
   * @param {import("../kinds.js").Content} content
   * @param {number} count
   */
  run(content, count) {
    const known = content.page === this;
    const slot = known ? content.slot : this.palette.length;
    const text = count === 1 ? slot.toString(36) : `${slot.toString(36)}*${count.toString(36)}`;
    const cost = text.length + 1 + (known ? 0 : content.text.length + 3);
    if (this.bytes + cost > PAGE_BYTES) return false;
    if (!known) {
      content.page = this;
      content.slot = slot;
      this.palette.push(content.text);
    }
    this.runs.push(text);
    this.bytes += cost;
    return true;
  }

  /**
   * @param {number} index
   * @param {string} kind
   * @param {boolean} full
   */
  entity(index, kind, full) {
    const cost = String(index).length + kind.length + 8;
    if (this.bytes + cost > PAGE_BYTES) return false;
    this.entities.push([index, kind, full ? 1 : 0]);
    this.bytes += cost;
    return true;
  }
}

/**
 * Reads what the tick allows; the rest becomes a job.
 * @type {import("../router.js").Capability}
 */
export function readRegion(payload) {
  const dimension = dimensionOf(payload.dim);
  const box = boxOf(dimension, payload);
  const page = new Page();
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
    runs: page.runs.join(","),
    next: next < scanner.total ? next : -1,
    be: page.entities.filter(([index]) => index < next),
    tick: system.currentTick,
  };
}
