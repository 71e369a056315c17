// Reading a box of cells exactly, in y, z, x order, as runs of equal cells.
//
// The game answers "is there anything but this permutation in that box" natively; so a box is asked
// about as a whole, then by halves – layers, rows, parts of a row – and only what is really mixed is
// read cell by cell. The question does not see the water layer, nor block entities, so only
// permutations that have neither are asked about.

import { BlockVolume } from "@minecraft/server";
import { kindOf, UNLOADED } from "./kinds.js";

/** After so many questions that did not help, only one of eight is still asked about what is less than a layer. */
const PATIENCE = 6;

/** A scan of boxes, one after the other, that can be interrupted between any two cells. */
export class Scanner {
  /**
   * @param {import("@minecraft/server").Dimension} dimension
   * @param {import("./runs.js").Runs} runs what takes the cells
   */
  constructor(dimension, runs) {
    this.dimension = dimension;
    this.runs = runs;
    /** The box at hand: its lowest corner and its size. */
    this.min = { x: 0, y: 0, z: 0 };
    this.sx = 0;
    this.sy = 0;
    this.sz = 0;
    this.total = 0;
    /** How many cells the runs had before this box. */
    this.before = 0;
    /** Index of the next cell to read. */
    this.at = 0;
    this.paused = false;
    this.deadline = 0;
    this.patience = PATIENCE;
    this.skipped = 0;
    /** Whether all chunks of the box are loaded, or none. */
    this.whole = false;
    this.absent = false;
    // Positions and the volume are used again and again: making objects is what costs most.
    this.here = { x: 0, y: 0, z: 0 };
    this.low = { x: 0, y: 0, z: 0 };
    this.high = { x: 0, y: 0, z: 0 };
    this.volume = new BlockVolume(this.low, this.high);
  }

  /**
   * Turns to a box.
   * @param {import("./region.js").Box} box
   * @param {number} from index of the first cell to read
   * @param {number} before how many cells the runs have before this box
   */
  aim(box, from, before) {
    this.min = box.min;
    this.sx = box.max.x - box.min.x + 1;
    this.sy = box.max.y - box.min.y + 1;
    this.sz = box.max.z - box.min.z + 1;
    this.total = this.sx * this.sy * this.sz;
    this.before = before;
    this.at = from;
    this.patience = PATIENCE;
    this.findHoles(box);
  }

  /**
   * Notes whether all chunks are loaded, or none.
   * @param {import("./region.js").Box} box
   */
  findHoles({ min, max }) {
    const { here } = this;
    this.whole = true;
    this.absent = true;
    here.y = min.y;
    for (let cx = min.x >> 4; cx <= max.x >> 4; cx++) {
      for (let cz = min.z >> 4; cz <= max.z >> 4; cz++) {
        here.x = cx * 16;
        here.z = cz * 16;
        if (this.dimension.isChunkLoaded(here)) this.absent = false;
        else this.whole = false;
      }
    }
  }

  /**
   * Reads on until the deadline. Returns true when the box is read or the runs are full.
   * @param {number} deadline as of Date.now
   */
  scan(deadline) {
    this.deadline = deadline;
    this.paused = false;
    if (this.absent) this.emit(UNLOADED, this.total - this.at);
    while (this.at < this.total && !this.runs.full) {
      const x = this.at % this.sx;
      const row = (this.at - x) / this.sx;
      const z = row % this.sz;
      const y = (row - z) / this.sz;
      if (x > 0) this.row(y, z, x, this.sx - 1);
      else if (z > 0) this.rows(y, z, this.sz - 1);
      else this.layers(y, this.sy - 1);
      if (this.paused) return false;
    }
    return true;
  }

  /**
   * @param {number} y0
   * @param {number} y1
   * @returns {boolean} whether to go on
   */
  layers(y0, y1) {
    if (y0 === y1) return this.rows(y0, 0, this.sz - 1);
    if (this.uniform(0, y0, 0, this.sx - 1, y1, this.sz - 1)) return true;
    const middle = (y0 + y1) >> 1;
    return !this.runs.full && this.layers(y0, middle) && this.layers(middle + 1, y1);
  }

  /**
   * @param {number} y
   * @param {number} z0
   * @param {number} z1
   * @returns {boolean} whether to go on
   */
  rows(y, z0, z1) {
    if (z0 === z1) return this.row(y, z0, 0, this.sx - 1);
    if (this.hopeful()) {
      if (this.uniform(0, y, z0, this.sx - 1, y, z1)) return true;
      const middle = (z0 + z1) >> 1;
      return !this.runs.full && this.rows(y, z0, middle) && this.rows(y, middle + 1, z1);
    }
    for (let z = z0; z <= z1; z++) if (!this.row(y, z, 0, this.sx - 1)) return false;
    return true;
  }

  /**
   * Reads a part of a row: what lies in one chunk cell by cell, more by halves that meet at a chunk's edge.
   * @param {number} y
   * @param {number} z
   * @param {number} x0
   * @param {number} x1
   * @returns {boolean} whether to go on
   */
  row(y, z, x0, x1) {
    const first = (this.min.x + x0) >> 4;
    const last = (this.min.x + x1) >> 4;
    if (first === last) return this.cells(y, z, x0, x1);
    if (this.hopeful() && this.uniform(x0, y, z, x1, y, z)) return true;
    const edge = ((first + last + 1) >> 1) * 16 - this.min.x;
    return !this.runs.full && this.row(y, z, x0, edge - 1) && this.row(y, z, edge, x1);
  }

  /** Reports whether it is worth to ask about a part of a layer. */
  hopeful() {
    return this.patience > 0 || (++this.skipped & 7) === 0;
  }

  /**
   * Takes a box whose cells are all equal, if the game can say so.
   * @param {number} x0
   * @param {number} y0
   * @param {number} z0
   * @param {number} x1
   * @param {number} y1
   * @param {number} z1
   */
  uniform(x0, y0, z0, x1, y1, z1) {
    const { dimension, low, high, min, volume } = this;
    if (!this.whole && (x1 > x0 + 15 || z1 > z0)) return false;
    low.x = min.x + x0;
    low.y = min.y + y0;
    low.z = min.z + z0;
    const block = dimension.getBlock(low);
    if (!block) return false;
    const kind = kindOf(block.permutation);
    if (!kind.only) return false;
    high.x = min.x + x1;
    high.y = min.y + y1;
    high.z = min.z + z1;
    volume.from = low;
    volume.to = high;
    try {
      if (dimension.containsBlock(volume, kind.others)) {
        if (this.patience > 0) this.patience--;
        return false;
      }
    } catch {
      return false; // a chunk was unloaded meanwhile: the cells will say which
    }
    this.patience = PATIENCE;
    return this.emit(kind.only, (x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1));
  }

  /**
   * Reads cells of one chunk, each from its western neighbour: that needs no position, which is what costs
   * most to hand to the game.
   * @param {number} y
   * @param {number} z
   * @param {number} x0
   * @param {number} x1
   * @returns {boolean} whether to go on
   */
  cells(y, z, x0, x1) {
    if (Date.now() > this.deadline) {
      this.paused = true;
      return false;
    }
    const { here, min, runs } = this;
    if (!runs.ready()) return false;
    here.x = min.x + x0;
    here.y = min.y + y;
    here.z = min.z + z;
    let block = this.dimension.getBlock(here);
    if (!block) return this.emit(UNLOADED, x1 - x0 + 1);
    const { met, tokens } = runs;
    let { token, count, end } = runs;
    let x = x0;
    let permutation = block.permutation;
    /** @type {import("@minecraft/server").BlockPermutation | undefined} */
    let before; // of the cell before, if it says everything
    /** @type {import("./runs.js").Token | null | undefined} */
    let found;
    for (;;) {
      if (permutation === before) {
        count++;
      } else {
        found = met.get(permutation);
        before = permutation;
        if (!found) {
          before = undefined;
          if (found === null) found = (block.isWaterlogged ? runs.wet : runs.dry).get(permutation);
          found ??= runs.meet(block, permutation, this.before + this.at + x - x0);
          if (found === null) {
            x1 = x - 1; // that was the last
            break;
          }
        }
        if (found === token) {
          count++;
        } else {
          tokens[end++] = token; // the first one is null
          if (count > 1) tokens[end++] = runs.sink.count(count);
          token = found;
          count = 1;
        }
      }
      if (x === x1) break;
      x++;
      block = /** @type {import("@minecraft/server").Block} */ (block.east()); // the chunk is loaded
      permutation = block.permutation;
    }
    runs.token = token;
    runs.count = count;
    runs.end = end;
    this.at += x1 - x0 + 1;
    return !runs.full;
  }

  /**
   * Takes cells that all hold the same.
   * @param {import("./kinds.js").Content} content
   * @param {number} count
   */
  emit(content, count) {
    if (!this.runs.add(content, count)) return false;
    this.at += count;
    return true;
  }
}
