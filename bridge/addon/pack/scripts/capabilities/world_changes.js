// world_changes: what others changed, as far as the game tells scripts. Commands, fluids, growth and other
// scripts make no events; whoever must be certain reads the cells.

import { world } from "@minecraft/server";
import { session } from "./world_hello.js";

/** Changes kept; older ones are forgotten, and whoever had not asked for them is told of a gap. */
const RING = 4096;
/** Changes in one answer. */
const PAGE = 128;

/**
 * @typedef {object} Change
 * @property {[number, number, number]} pos
 * @property {string} dim
 * @property {string} kind
 * @property {string} [player]
 */

/** @type {Change[]} */
const ring = [];
/** Number of changes so far; the change of number n stands at n % RING. */
let total = 0;
const here = session.slice(0, 8);

/**
 * @param {string} kind
 * @param {{id: string}} dimension
 * @param {{x: number, y: number, z: number}} at
 * @param {string} [player]
 */
function note(kind, dimension, at, player) {
  /** @type {Change} */
  const change = { pos: [at.x, at.y, at.z], dim: dimension.id.replace(/^minecraft:/, ""), kind };
  if (player) change.player = player;
  ring[total % RING] = change;
  total++;
}

/** Listens to what players, explosions and pistons do. */
export function watchChanges() {
  const { afterEvents } = world;
  afterEvents.playerPlaceBlock.subscribe(({ block, dimension, player }) => note("place", dimension, block.location, player.name));
  afterEvents.playerBreakBlock.subscribe(({ block, dimension, player }) => note("break", dimension, block.location, player.name));
  afterEvents.blockExplode.subscribe(({ block, dimension }) => note("explosion", dimension, block.location));
  afterEvents.pistonActivate.subscribe(({ block, dimension, piston }) => {
    // It is not documented whether the locations are those before or after the move, nor which way the
    // piston's facing counts; so the cells on both sides along the axis are noted.
    const axis = axisOf(Number(block.permutation.getState("facing_direction") ?? 1));
    for (const { x, y, z } of [block.location, ...piston.getAttachedBlocksLocations()]) {
      for (const step of [0, 1, -1]) {
        note("piston", dimension, { x: x + step * axis.x, y: y + step * axis.y, z: z + step * axis.z });
      }
    }
  });
}

/** @param {number} facing */
function axisOf(facing) {
  if (facing < 2) return { x: 0, y: 1, z: 0 };
  return facing < 4 ? { x: 0, y: 0, z: 1 } : { x: 1, y: 0, z: 0 };
}

/** @type {import("../router.js").Capability} */
export function worldChanges({ cursor }) {
  const oldest = Math.max(0, total - RING);
  let start = total;
  let gap = false;
  if (typeof cursor === "string" && cursor !== "") {
    const [name, number] = cursor.split(":");
    start = name === here ? parseInt(number, 36) : -1;
    gap = !(start >= oldest && start <= total);
    if (gap) start = oldest;
  }
  const end = Math.min(total, start + PAGE);
  const changes = [];
  for (let n = start; n < end; n++) changes.push(ring[n % RING]);
  return { cursor: `${here}:${end.toString(36)}`, gap, changes, more: end < total };
}
