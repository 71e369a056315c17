// The boxes that requests name.

import { world } from "@minecraft/server";
import { ErrorCode, REGION_CELLS } from "./constants.js";
import { RequestError } from "./router.js";

/** @typedef {{x: number, y: number, z: number}} Cell */
/** @typedef {{min: Cell, max: Cell}} Box */

/** The outermost cells of a world. */
const EDGE = 30000000;

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
  const box = { min: cellOf(payload.min, "min"), max: cellOf(payload.max, "max") };
  checkBox(box, heights(dimension));
  checkSize(cellsOf(box));
  return box;
}

/**
 * Reads the boxes of a request: the one from min to max, and more, each with the offset of its lowest
 * corner from min and its size. Returns them and how many cells they have together.
 * @param {import("@minecraft/server").Dimension} dimension
 * @param {Record<string, any>} payload
 */
export function boxesOf(dimension, payload) {
  const first = boxOf(dimension, payload);
  const boxes = [first];
  const more = payload.more ?? [];
  if (!Array.isArray(more) || more.length % 6 !== 0 || !more.every(Number.isInteger)) {
    throw new RequestError(ErrorCode.invalidRequest, "more must have six integers for each box");
  }
  const range = heights(dimension);
  let cells = cellsOf(first);
  for (let i = 0; i < more.length; i += 6) {
    const min = { x: first.min.x + more[i], y: first.min.y + more[i + 1], z: first.min.z + more[i + 2] };
    const box = { min, max: { x: min.x + more[i + 3] - 1, y: min.y + more[i + 4] - 1, z: min.z + more[i + 5] - 1 } };
    checkBox(box, range);
    cells += cellsOf(box);
    boxes.push(box);
  }
  checkSize(cells);
  return { boxes, cells };
}

/**
 * Throws unless there is such a box in the world.
 * @param {Box} box
 * @param {{min: number, max: number}} range
 */
function checkBox({ min, max }, range) {
  if (min.x > max.x || min.y > max.y || min.z > max.z) {
    throw new RequestError(ErrorCode.invalidRequest, "min is above max");
  }
  if (min.x < -EDGE || min.z < -EDGE || max.x > EDGE || max.z > EDGE) {
    throw new RequestError(ErrorCode.invalidRequest, "x and z must be within ±30,000,000");
  }
  if (min.y < range.min || max.y > range.max) {
    throw new RequestError(ErrorCode.capabilityFailed, `y must be within ${range.min} and ${range.max}`);
  }
}

/**
 * Returns how many cells a box has.
 * @param {Box} box
 */
export function cellsOf({ min, max }) {
  return (max.x - min.x + 1) * (max.y - min.y + 1) * (max.z - min.z + 1);
}

/** @param {number} cells */
function checkSize(cells) {
  if (cells > REGION_CELLS) {
    throw new RequestError(ErrorCode.invalidRequest, `${cells} cells in one request, at most ${REGION_CELLS}`);
  }
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {Cell}
 */
function cellOf(value, name) {
  if (!Array.isArray(value) || value.length !== 3 || !value.every(Number.isInteger)) {
    throw new RequestError(ErrorCode.invalidRequest, `${name} must be three integers`);
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
