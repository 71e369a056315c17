// Runs of equal cells, as a sink writes them. Beside the sink's work this is done for every change along a
// row, so it makes nothing anew: a content is enrolled once, and tokens are written into one array.

import { hasContents } from "./entities.js";
import { kindOf } from "./kinds.js";

/** After so many tokens the sink is asked to take them; numbers below 256 are free in some engines. */
const TOKENS = 192;
/** The most tokens that the sink is given at one time: a chunk's row of a box has 16 runs of two. */
export const MAX_TOKENS = TOKENS + 2 * 16 + 4;
/** The most permutations that are remembered: an engine may make a new object each time. */
const MAX_MET = 4096;

/**
 * What takes the runs, as tokens: what the sink has made of the content, behind it its count if that is not one.
 * @typedef {object} Sink
 * @property {(content: Content) => Token | null} enrol returns the token of a content, null when there is no room for it
 * @property {(count: number) => Token} count
 * @property {(tokens: Array<Token | null>) => boolean} take takes tokens, up to the first "", always; null stands for no run. False when there is no room for more
 * @property {(index: number, kind: string, full: boolean) => boolean} entity returns false when there is no room for it
 */
/** @typedef {import("./kinds.js").Content} Content */
/** @typedef {string | number | Content} Token */
/** @typedef {import("@minecraft/server").BlockPermutation} BlockPermutation */

/** Runs on their way to a sink. */
export class Runs {
  /** @param {Sink} sink */
  constructor(sink) {
    this.sink = sink;
    /** Whether the sink has no room for more. */
    this.full = false;
    /**
     * The run at hand; null for none.
     * @type {Token | null}
     */
    this.token = null;
    this.count = 0;
    /**
     * What the sink has not taken yet, up to end; what was written there before, up to stale. An array that
     * shrinks to grow again would cost more than all else here.
     * @type {Array<Token | null>}
     */
    this.tokens = [];
    this.end = 0;
    this.stale = 0;
    /**
     * The tokens of the contents that were met.
     * @type {Map<Content, Token>}
     */
    this.enrolled = new Map();
    /**
     * The tokens of the permutations that were met and that alone say what a cell holds; null for one that does
     * with the water layer, whose tokens are in the other two.
     * @type {Map<BlockPermutation, Token | null>}
     */
    this.met = new Map();
    /** @type {Map<BlockPermutation, Token>} */
    this.dry = new Map();
    /** @type {Map<BlockPermutation, Token>} */
    this.wet = new Map();
  }

  /**
   * Returns the token of a cell that was not met yet, or has a block entity; null when the sink has no room.
   * @param {import("@minecraft/server").Block} block
   * @param {BlockPermutation} permutation
   * @param {number} index
   */
  meet(block, permutation, index) {
    const { entity, water, dry, wet } = kindOf(permutation);
    if (entity !== "" && !this.sink.entity(index, entity, hasContents(block, entity))) {
      this.full = true;
      return null;
    }
    const isWet = water && block.isWaterlogged;
    const token = this.enrol(isWet ? wet : dry);
    if (token === null || entity !== "" || this.met.size >= MAX_MET) return token;
    this.met.set(permutation, water ? null : token);
    if (water) (isWet ? this.wet : this.dry).set(permutation, token);
    return token;
  }

  /**
   * Returns the token of a content; null when the sink has no room for it.
   * @param {Content} content
   */
  enrol(content) {
    const known = this.enrolled.get(content);
    if (known !== undefined) return known;
    const token = this.sink.enrol(content);
    if (token === null) this.full = true;
    else this.enrolled.set(content, token);
    return token;
  }

  /**
   * Adds cells to the run at hand, or begins another. Returns false, and adds none, when there is no room.
   * @param {Content} content
   * @param {number} count
   */
  add(content, count) {
    if (!this.ready()) return false;
    const token = this.enrol(content);
    if (token === null) return false;
    if (token !== this.token) {
      this.flush();
      this.token = token;
    }
    this.count += count;
    return true;
  }

  /** Puts down the run at hand. */
  flush() {
    if (this.token === null) return;
    this.tokens[this.end++] = this.token;
    if (this.count > 1) this.tokens[this.end++] = this.sink.count(this.count);
    this.token = null;
    this.count = 0;
  }

  /** Gives the sink what was put down, when it is enough. Returns whether there is room for a chunk's row. */
  ready() {
    if (this.end >= TOKENS) this.give();
    return !this.full;
  }

  /** Gives the sink what was put down. */
  give() {
    const { end, stale, tokens } = this;
    for (let i = end; i < stale; i++) tokens[i] = "";
    this.stale = end;
    this.end = 0;
    if (!this.sink.take(tokens)) this.full = true;
  }
}
