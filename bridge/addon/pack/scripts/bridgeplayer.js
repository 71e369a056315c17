// The simulated player that speaks for this pack: what it tells itself reaches the service as a
// PlayerMessage of the connected client, and nobody else sees it.

import { GameMode, system, world } from "@minecraft/server";
import { spawnSimulatedPlayer } from "@minecraft/server-gametest";
import { BRIDGE_PLAYER } from "./constants.js";

/** Far from everything, so that it neither loads chunks of a build nor meets anybody. */
const PLACE = { x: 300000, y: 100, z: 300000 };
const CHECK_TICKS = 600;

/** @type {import("@minecraft/server-gametest").SimulatedPlayer | undefined} */
let player;
/** @type {Array<() => void>} */
const waiting = [];

function spawn() {
  if (player?.isValid) return player;
  try {
    player = spawnSimulatedPlayer({ dimension: world.getDimension("overworld"), ...PLACE }, BRIDGE_PLAYER, GameMode.Creative);
  } catch (error) {
    player = undefined;
    console.warn(`groundplan: cannot spawn ${BRIDGE_PLAYER}: ${error}`);
  }
  return player;
}

/** Spawns the player as soon as the world allows it and looks after it from then on. */
export function keepBridgePlayer() {
  const attempt = () => {
    if (!spawn()) {
      system.runTimeout(attempt, 20);
      return;
    }
    for (const call of waiting.splice(0)) call();
  };
  system.run(attempt);
  system.runInterval(spawn, CHECK_TICKS);
}

/** Reports whether the player can speak. */
export function isReady() {
  return player !== undefined && player.isValid;
}

/**
 * Calls back when the player can speak for the first time.
 * @param {() => void} call
 */
export function whenReady(call) {
  if (isReady()) call();
  else waiting.push(call);
}

/**
 * Says the lines, in order. Throws when the player cannot be had or the game refuses a line.
 * @param {string[]} lines
 */
export function say(lines) {
  const speaker = player?.isValid ? player : spawn();
  if (!speaker) throw new Error(`${BRIDGE_PLAYER} is not in the world`);
  for (const line of lines) speaker.runCommand(`tell @s ${line}`);
}
