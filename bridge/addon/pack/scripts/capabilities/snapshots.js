// get_player_snapshot and get_inventory_snapshot: the baseline of mcbews.

import { world } from "@minecraft/server";
import { ErrorCode } from "../constants.js";
import { RequestError } from "../router.js";

/**
 * Returns the player that a request means: @s, which is also the default, is the one whose game sent it.
 * @param {unknown} target
 * @param {import("@minecraft/server").Entity | undefined} source
 * @returns {import("@minecraft/server").Player}
 */
function playerOf(target, source) {
  const players = world.getAllPlayers();
  const player = target === undefined || target === "@s" ? players.find((p) => p.id === source?.id) : players.find((p) => p.name === target);
  if (!player) throw new RequestError(ErrorCode.capabilityFailed, `no player ${target ?? "@s"}`);
  return player;
}

/** @param {number} n */
function rounded(n) {
  return Math.round(n * 1000) / 1000;
}

/** @param {{x: number, y: number, z: number}} v */
function vector({ x, y, z }) {
  return { x: rounded(x), y: rounded(y), z: rounded(z) };
}

/** @type {import("../router.js").Capability} */
export function playerSnapshot({ target }, { source }) {
  const player = playerOf(target, source);
  const health = player.getComponent("minecraft:health");
  const rotation = player.getRotation();
  return {
    name: player.name,
    id: player.id,
    dimension: player.dimension.id.replace(/^minecraft:/, ""),
    position: vector(player.location),
    look: { pitch: rounded(rotation.x), yaw: rounded(rotation.y), direction: vector(player.getViewDirection()) },
    game_mode: player.getGameMode(),
    health: health ? { current: health.currentValue, max: health.effectiveMax } : null,
    level: player.level,
    selected_slot: player.selectedSlotIndex,
    flying: player.isFlying,
    sneaking: player.isSneaking,
  };
}

/** @type {import("../router.js").Capability} */
export function inventorySnapshot({ target }, { source }) {
  const player = playerOf(target, source);
  const container = player.getComponent("minecraft:inventory")?.container;
  if (!container) throw new RequestError(ErrorCode.capabilityFailed, `${player.name} has no inventory`);
  const items = [];
  for (let slot = 0; slot < container.size; slot++) {
    const stack = container.getItem(slot);
    if (stack) items.push({ slot, ...itemOf(stack) });
  }
  return { name: player.name, size: container.size, selected_slot: player.selectedSlotIndex, items };
}

/** @param {import("@minecraft/server").ItemStack} stack */
function itemOf(stack) {
  const durability = stack.getComponent("minecraft:durability");
  const enchantments = stack.getComponent("minecraft:enchantable")?.getEnchantments() ?? [];
  const lore = stack.getLore();
  return {
    item: stack.typeId,
    count: stack.amount,
    ...(stack.nameTag ? { name: stack.nameTag } : {}),
    ...(lore.length > 0 ? { lore } : {}),
    ...(durability ? { damage: durability.damage, max_damage: durability.maxDurability } : {}),
    ...(enchantments.length > 0 ? { enchantments: enchantments.map((e) => ({ id: e.type.id, level: e.level })) } : {}),
  };
}
