// What a cell can hold, interned: every distinct content is one object, so that scanning compares
// and counts objects and never texts.

import { LiquidType } from "@minecraft/server";
import { entityKind } from "./entities.js";
import { hashText } from "./hash.js";

/**
 * One content of a cell.
 * @typedef {object} Content
 * @property {string} text canonical, without the namespace minecraft
 * @property {number} low hash of the canonical text with its namespace
 * @property {number} high
 */
/**
 * One permutation.
 * @typedef {object} Kind
 * @property {Content} dry
 * @property {Content} wet the same with the second layer full of water
 * @property {boolean} water whether the second layer can hold water
 * @property {string} entity what kind of block entity it has; "" for none
 * @property {Content | undefined} only what the cell holds, if the permutation alone says it
 * @property {import("@minecraft/server").BlockFilter} others matches every other permutation
 */

/**
 * The kinds of the permutations that were met, by object; kindOf fills it.
 * @type {Map<import("@minecraft/server").BlockPermutation, Kind>}
 */
const kinds = new Map();
/** More permutations than a region has; an engine that makes a new object each time is held to it. */
const MAX_KINDS = 4096;
/** @type {Map<string, Kind>} */
const byText = new Map();

/** What stands for a cell whose chunk is not loaded; it is never air. */
export const UNLOADED = content("?", "?");

/**
 * @param {string} text
 * @param {string} full
 * @returns {Content}
 */
function content(text, full) {
  const { low, high } = hashText(full);
  return { text, low, high };
}

/**
 * Returns the kind of a permutation. An engine that hands out one object per permutation is answered
 * from the first map; one that makes a new object each time, from the second.
 * @param {import("@minecraft/server").BlockPermutation} permutation
 * @returns {Kind}
 */
export function kindOf(permutation) {
  let kind = kinds.get(permutation);
  if (kind) return kind;
  const text = stateText(permutation);
  kind = byText.get(text);
  if (!kind) {
    kind = newKind(permutation, text);
    byText.set(text, kind);
  }
  if (kinds.size >= MAX_KINDS) kinds.clear();
  kinds.set(permutation, kind);
  return kind;
}

/**
 * @param {import("@minecraft/server").BlockPermutation} permutation
 * @param {string} full
 * @returns {Kind}
 */
function newKind(permutation, full) {
  const water = permutation.canContainLiquid(LiquidType.Water);
  const entity = entityKind(permutation);
  const wet = full.endsWith("]") ? `${full.slice(0, -1)},waterlogged=true]` : `${full}[waterlogged=true]`;
  const dry = content(short(full), full);
  return {
    dry,
    wet: content(short(wet), wet),
    water,
    entity,
    only: water || entity !== "" ? undefined : dry,
    others: { excludePermutations: [permutation] },
  };
}

/** @param {string} text */
function short(text) {
  return text.startsWith("minecraft:") ? text.slice(10) : text;
}

/**
 * Returns the canonical text of a permutation: full id, every state, names sorted.
 * @param {import("@minecraft/server").BlockPermutation} permutation
 */
export function stateText(permutation) {
  const states = permutation.getAllStates();
  const names = Object.keys(states).sort();
  const id = permutation.type.id;
  return names.length === 0 ? id : `${id}[${names.map((name) => `${name}=${states[name]}`).join(",")}]`;
}

/**
 * Reads a block as commands write it, with or without quotes.
 * @param {string} text
 * @returns {{id: string, states: Record<string, string | number | boolean>}}
 */
export function parseState(text) {
  const open = text.indexOf("[");
  const id = open < 0 ? text : text.slice(0, open);
  /** @type {Record<string, string | number | boolean>} */
  const states = {};
  const list = open < 0 ? "" : text.slice(open + 1, text.lastIndexOf("]"));
  for (const pair of list === "" ? [] : list.split(",")) {
    const [name, value] = pair.split("=").map((word) => word.trim().replace(/^"|"$/g, ""));
    if (!name || !value) throw new Error(`malformed state ${pair} in ${text}`);
    states[name] = value === "true" || (value === "false" ? false : /^-?\d+$/.test(value) ? Number(value) : value);
  }
  return { id: id.includes(":") ? id : `minecraft:${id}`, states };
}
