// The boxes that requests name.

import { world } from "@minecraft/server";
import { ErrorCode, REGION_CELLS } from "./constants.js";
import { RequestError } from "./router.js";

/** @typedef {{x: number, y: number, z: number}} Cell */
/** @typedef {{min: Cell, max: Cell}} Box */

const DIMENSIONS = ["overworld", "nether", "the_end"];

/** @type {Map<string, import("@minecraft/server").Dimension>} */
const dimensions = new Map();

/**
 * Returns the dimension of a name.
 * @param {unknown} name
 */
export function dimensionOf(name) {
  if (typeof name !== "string" || !DIMENSIONS.includes(name)) {
    throw new RequestError(ErrorCode.invalidRequest, `no dimension ${name}`);
  }
  let dimension = dimensions.get(name);
  if (!dimension) {
    dimension = world.getDimension(name);
    dimensions.set(name, dimension);
  }
  return dimension;
}

/** Returns the names of the dimensions. */
export function dimensionNames() {
  return DIMENSIONS;
}

/**
 * Returns the lowest and the highest y of a dimension. The engine's range ends above the highest cell.
 * @param {import("@minecraft/server").Dimension} dimension
 */
export function heights(dimension) {
  const { min, max } = dimension.heightRange;
  return { min, max: (max - min) % 16 === 0 ? max - 1 : max };
}

/**
 * Reads the box of a request.
 * @param {import("@minecraft/server").Dimension} dimension
 * @param {Record<string, any>} payload
 * @returns {Box}
 */
export function boxOf(dimension, payload) {
  const min = cellOf(payload.min, "min");
  const max = cellOf(payload.max, "max");
  if (min.x > max.x || min.y > max.y || min.z > max.z) {
    throw new RequestError(ErrorCode.invalidRequest, "min is above max");
  }
  const cells = (max.x - min.x + 1) * (max.y - min.y + 1) * (max.z - min.z + 1);
  if (cells > REGION_CELLS) {
    throw new RequestError(ErrorCode.invalidRequest, `${cells} cells in one box, at most ${REGION_CELLS}`);
  }
  const range = heights(dimension);
  if (min.y < range.min || max.y > range.max) {
    throw new RequestError(ErrorCode.capabilityFailed, `y must be within ${range.min} and ${range.max}`);
  }
  return { min, max };
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {Cell}
 */
function cellOf(value, name) {
  if (!Array.isArray(value) || value.length !== 3 || !value.every((n) => Number.isInteger(n) && Math.abs(n) <= 30000000)) {
    throw new RequestError(ErrorCode.invalidRequest, `${name} must be three integers within ±30,000,000`);
  }
  return { x: value[0], y: value[1], z: value[2] };
}

/**
 * Reads the index that a page starts at.
 * @param {unknown} value
 * @param {number} count how many there are
 */
export function pageOf(value, count) {
  const page = value ?? 0;
  if (!Number.isInteger(page) || /** @type {number} */ (page) < 0 || /** @type {number} */ (page) >= count) {
    throw new RequestError(ErrorCode.invalidRequest, `page must be within 0 and ${count - 1}`);
  }
  return /** @type {number} */ (page);
}
