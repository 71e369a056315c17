// world_hello: which world this is and what it knows.

import { BlockPermutation, BlockTypes, system, world } from "@minecraft/server";
import { ADDON_VERSION, API_VERSION, OWN, PAGE_BYTES, PROTOCOL } from "../constants.js";
import { Digest, hashText } from "../hash.js";
import { dimensionNames, dimensionOf, heights, pageOf } from "../region.js";

const WORLD_ID = `${OWN}:world_id`;
const WORLD_EPOCH = `${OWN}:world_epoch`;

/** Changes each time the game loads the scripts. */
export const session = uuid();

function uuid() {
  const digit = () => Math.floor(Math.random() * 16).toString(16);
  const digits = (/** @type {number} */ n) => Array.from({ length: n }, digit).join("");
  const variant = "89ab"[Math.floor(Math.random() * 4)];
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}

/**
 * Returns a UUID that stays with the world.
 * @param {string} property
 */
function kept(property) {
  const known = world.getDynamicProperty(property);
  if (typeof known === "string") return known;
  const made = uuid();
  world.setDynamicProperty(property, made);
  return made;
}

/** Starts a new epoch: what was planned for the world before does not hold any more. */
export function newEpoch() {
  const made = uuid();
  world.setDynamicProperty(WORLD_EPOCH, made);
  return made;
}

/** @type {{pages: string[][], count: number, digest: string} | undefined} */
let ids;

/** Returns the ids of all blocks of this game, without the namespace minecraft, in pages. */
function blockIds() {
  if (ids) return ids;
  const all = BlockTypes.getAll().map((type) => type.id.replace(/^minecraft:/, "")).sort();
  const digest = new Digest();
  /** @type {string[][]} */
  const pages = [[]];
  let bytes = 0;
  for (const id of all) {
    digest.add(hashText(id), 1);
    bytes += id.length + 3;
    if (bytes > PAGE_BYTES - 100) {
      pages.push([]);
      bytes = id.length + 3;
    }
    pages[pages.length - 1].push(id);
  }
  ids = { pages, count: all.length, digest: digest.text() };
  return ids;
}

/**
 * Returns the oldest version of the game that has this game's block states. Scripts are not told the
 * version itself.
 */
function gameVersion() {
  const has = (/** @type {string} */ id, /** @type {string} */ state) => state in BlockPermutation.resolve(id).getAllStates();
  if (has("minecraft:redstone_wire", "minecraft:connection_north")) return "1.26.60";
  return has("minecraft:oak_stairs", "minecraft:corner") ? "1.26.50" : "1.26.40";
}

/** @type {import("../router.js").Capability} */
export function worldHello(payload, { source }) {
  const known = blockIds();
  if (payload.ids !== undefined) {
    const page = pageOf(payload.ids, known.pages.length);
    return { ids: known.pages[page], page, pages: known.pages.length };
  }
  const player = /** @type {any} */ (source)?.name ?? source?.nameTag ?? "";
  return {
    protocol: PROTOCOL,
    addon: ADDON_VERSION,
    game: gameVersion(),
    api: API_VERSION,
    world_id: kept(WORLD_ID),
    world_epoch: kept(WORLD_EPOCH),
    session,
    player,
    dimensions: Object.fromEntries(dimensionNames().map((name) => [name, heights(dimensionOf(name))])),
    ids: { count: known.count, pages: known.pages.length, digest: known.digest },
    tick: system.currentTick,
  };
}
