// read_region: the cells of some boxes, as if they were one row.

import { system } from "@minecraft/server";
import { deadline, isSpent } from "../budget.js";
import { PAGE_BYTES } from "../constants.js";
import { boxesOf, cellsOf, dimensionOf, pageOf } from "../region.js";
import { MAX_TOKENS, Runs } from "../runs.js";
import { Scanner } from "../scanner.js";

/** Room for the fixed parts of the answer, and for runs that are not counted yet: ",pal" and "*abc" are the longest tokens. */
const ENVELOPE = 240 + 4 * MAX_TOKENS;

/** What block entities leave to the run that they are in: the longest state there is, and more. */
const RESERVE = 640;

/** What follows the palette's index in a run, for the counts that are common. */
const COUNTS = Array.from({ length: 65 }, (_, n) => (n < 2 ? "" : `*${n.toString(36)}`));

/**
 * One page: a palette, runs over it, and the block entities among the cells.
 * @typedef {ReturnType<typeof newPage>} Page
 */
function newPage() {
  let bytes = ENVELOPE;
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

  const self = {
    palette,
    entities,
    /** @param {import("../kinds.js").Content} content */
    enrol(content) {
      if (!take(content.text.length + 3)) return null;
      palette.push(content.text);
      return `,${(palette.length - 1).toString(36)}`;
    },
    /** @param {number} n */
    count(n) {
      return n <= 64 ? COUNTS[n] : `*${n.toString(36)}`;
    },
    /** @param {Array<import("../runs.js").Token | null>} tokens */
    take(tokens) {
      const text = tokens.join("");
      runs.push(text);
      return take(text.length);
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
    /** Returns the text of all runs. */
    text() {
      return runs.join("").slice(1);
    },
  };
  return self;
}

/** Reads boxes one after the other; it can be interrupted between any two cells. */
class Reading {
  /**
   * @param {import("@minecraft/server").Dimension} dimension
   * @param {import("../region.js").Box[]} boxes
   * @param {number} from number of the first cell to read
   */
  constructor(dimension, boxes, from) {
    this.boxes = boxes;
    this.from = from;
    this.page = newPage();
    this.runs = new Runs(this.page);
    this.scanner = new Scanner(dimension, this.runs);
    this.box = 0;
    let before = 0;
    while (from - before >= cellsOf(boxes[this.box])) before += cellsOf(boxes[this.box++]);
    this.scanner.aim(boxes[this.box], from - before, before);
  }

  /**
   * Reads on until the deadline. Returns true when all is read or the page is full.
   * @param {number} deadline as of Date.now
   */
  read(deadline) {
    const { boxes, runs, scanner } = this;
    while (scanner.scan(deadline)) {
      if (runs.full || this.box === boxes.length - 1) return true;
      scanner.aim(boxes[++this.box], 0, scanner.before + scanner.total);
    }
    return false;
  }

  result() {
    const { page, from, runs, scanner } = this;
    runs.flush();
    runs.give();
    const next = scanner.before + scanner.at;
    // Those of the cells that did not fit any more; they come in order.
    while (page.entities.length > 0 && page.entities[page.entities.length - 1][0] >= next) page.entities.pop();
    const all = this.box === this.boxes.length - 1 && scanner.at === scanner.total;
    return { from, palette: page.palette, runs: page.text(), next: all ? -1 : next, be: page.entities, tick: system.currentTick };
  }
}

/**
 * Reads what the tick allows; the rest becomes a job.
 * @type {import("../router.js").Capability}
 */
export function readRegion(payload) {
  const dimension = dimensionOf(payload.dim);
  const { boxes, cells } = boxesOf(dimension, payload);
  const reading = new Reading(dimension, boxes, pageOf(payload.page, cells));
  if (!isSpent() && reading.read(deadline())) return reading.result();
  return readOn(reading);
}

/**
 * @param {Reading} reading
 * @returns {Generator<void, unknown, void>}
 */
function* readOn(reading) {
  do yield;
  while (!reading.read(deadline()));
  return reading.result();
}
