// Block entities: the data of a block beside its states.

import { SignSide } from "@minecraft/server";

/** @type {Array<[RegExp, string]>} */
const patterns = [
  [/(^|_)(chest|barrel|shulker_box|furnace|blast_furnace|smoker|hopper|dispenser|dropper|crafter|shelf)$/, "container"],
  [/^(lit_furnace|lit_blast_furnace|lit_smoker|brewing_stand|chiseled_bookshelf)$/, "container"],
  [/_sign$/, "sign"],
  [/_banner$/, "banner"],
  [/^(frame|glow_frame)$/, "frame"],
  [/^(flower_pot|decorated_pot)$/, "pot"],
  [/^lectern$/, "lectern"],
  [/^jukebox$/, "jukebox"],
  [/^(mob_spawner|trial_spawner|vault)$/, "spawner"],
  [/command_block$|^(structure_block|jigsaw)$/, "command"],
  [/^(beehive|bee_nest)$/, "beehive"],
  [/^suspicious_(sand|gravel)$/, "loot"],
  [/cauldron$/, "cauldron"],
  [/campfire$/, "campfire"],
  [/^bed$/, "bed"],
  [/_(skull|head)$/, "skull"],
];

/** Kinds whose data only change how the block looks, and kinds that start empty. */
const harmless = new Set(["bed", "skull", "campfire"]);

/**
 * Returns what kind of block entity a permutation has; "" for none.
 * @param {import("@minecraft/server").BlockPermutation} permutation
 */
export function entityKind(permutation) {
  const id = permutation.type.id;
  const name = id.startsWith("minecraft:") ? id.slice(10) : id;
  if (name === "ender_chest" || name === "piston_head") return "";
  const found = patterns.find(([pattern]) => pattern.test(name));
  return found ? found[1] : "";
}

/**
 * Reports whether overwriting the block would lose data that cannot be written back. What the API does
 * not show counts as there.
 * @param {import("@minecraft/server").Block} block
 * @param {string} kind
 */
export function hasContents(block, kind) {
  if (harmless.has(kind)) return false;
  if (kind === "sign") {
    const sign = block.getComponent("minecraft:sign");
    return !!sign && (!!sign.getText(SignSide.Front) || !!sign.getText(SignSide.Back));
  }
  if (kind === "jukebox") return block.getComponent("minecraft:record_player")?.getRecord() !== undefined;
  if (kind === "cauldron") return block.permutation.getState("fill_level") !== 0;
  const container = block.getComponent("minecraft:inventory")?.container;
  if (container) return container.emptySlotsCount < container.size;
  if (block.typeId === "minecraft:chiseled_bookshelf") return block.permutation.getState("books_stored") !== 0;
  return true;
}
