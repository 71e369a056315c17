// region_entities: which entities stand in a box, players aside. A schematic cannot have them, so whoever
// saves a box must know.

import { boxOf, dimensionOf } from "../region.js";

/** @type {import("../router.js").Capability} */
export function regionEntities(payload) {
  const dimension = dimensionOf(payload.dim);
  const { min, max } = boxOf(dimension, payload);
  const volume = { x: max.x - min.x, y: max.y - min.y, z: max.z - min.z };
  /** @type {Record<string, number>} */
  const entities = {};
  for (const { typeId } of dimension.getEntities({ location: min, volume, excludeTypes: ["minecraft:player"] })) {
    entities[typeId] = (entities[typeId] ?? 0) + 1;
  }
  return { entities };
}
