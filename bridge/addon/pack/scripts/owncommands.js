// What no command of the game can write. The service reaches these through run_world_command; a player
// through the command line.
//
//   groundplan:fill X Y Z X Y Z BLOCK WATER [replace BLOCK WATER]
//
// writes a block – id and states as in the game's fill, without a space between – and its water layer,
// true or false. After replace only the cells are written that hold that block: the id, the states that
// are listed, and exactly that water layer.

import { BlockPermutation } from "@minecraft/server";
import { ErrorCode, OWN } from "./constants.js";
import { parseState } from "./kinds.js";
import { boxOf } from "./region.js";
import { RequestError } from "./router.js";

/**
 * A block and its water layer.
 * @typedef {{id: string, states: Record<string, string | number | boolean>, water: boolean}} Wanted
 */

/**
 * Runs one of this pack's own commands. Returns how many cells it changed.
 * @param {import("@minecraft/server").Dimension} dimension
 * @param {string} name
 * @param {string} text its arguments
 * @returns {number}
 */
export function ownCommand(dimension, name, text) {
  if (name !== `${OWN}:fill`) throw new RequestError(ErrorCode.capabilityFailed, `no command ${name}`);
  const words = text.split(" ").filter((word) => word !== "");
  const filtered = words.length === 11 && words[8] === "replace";
  if (words.length !== 8 && !filtered) {
    throw new RequestError(ErrorCode.capabilityFailed, `${name} takes two positions, a block and its water, and a filter`);
  }
  const numbers = words.slice(0, 6).map(Number);
  return fillStates(dimension, numbers, wanted(words[6], words[7]), filtered ? wanted(words[9], words[10]) : undefined);
}

/**
 * @param {string} block
 * @param {string} water
 * @returns {Wanted}
 */
export function wanted(block, water) {
  if (water !== "true" && water !== "false") throw new Error(`water is true or false, not ${water}`);
  return { ...parseState(block), water: water === "true" };
}

/**
 * Writes a box. Throws before it writes anything when a chunk is not loaded.
 * @param {import("@minecraft/server").Dimension} dimension
 * @param {number[]} corners x, y, z of both
 * @param {Wanted} after
 * @param {Wanted | undefined} before
 */
export function fillStates(dimension, corners, after, before) {
  const [from, to] = [corners.slice(0, 3), corners.slice(3)];
  const box = boxOf(dimension, { min: from.map((n, i) => Math.min(n, to[i])), max: from.map((n, i) => Math.max(n, to[i])) });
  const permutation = BlockPermutation.resolve(after.id, /** @type {any} */ (after.states));
  const states = permutation.getAllStates();
  if (before) BlockPermutation.resolve(before.id, /** @type {any} */ (before.states));
  const blocks = [];
  for (let y = box.min.y; y <= box.max.y; y++) {
    for (let z = box.min.z; z <= box.max.z; z++) {
      for (let x = box.min.x; x <= box.max.x; x++) {
        const block = dimension.getBlock({ x, y, z });
        if (!block) throw new RequestError(ErrorCode.capabilityFailed, `the chunk at ${x},${y},${z} is not loaded`);
        if (before && (block.isWaterlogged !== before.water || !block.permutation.matches(before.id, /** @type {any} */ (before.states)))) continue;
        const same = block.permutation.matches(after.id, /** @type {any} */ (states));
        if (!same || block.isWaterlogged !== after.water) blocks.push({ block, same });
      }
    }
  }
  for (const { block, same } of blocks) {
    if (!same) block.setPermutation(permutation);
    if (block.isWaterlogged !== after.water) block.setWaterlogged(after.water);
  }
  return blocks.length;
}
