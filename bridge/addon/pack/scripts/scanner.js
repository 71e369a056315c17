// Reading a box of cells exactly, in y, z, x order, as runs of equal cells.
//
// The game answers "is there anything but this permutation in that box" natively; so a box is asked
// about as a whole, then by halves – layers, rows, parts of a row – and only what is really mixed is
// read cell by cell. The question does not see the water layer, nor block entities, so only
// permutations that have neither are asked about.

import { BlockVolume } from "@minecraft/server";
import { hasContents } from "./entities.js";
import { kindOf, UNLOADED } from "./kinds.js";

/** Parts of a row up to this length are read cell by cell. */
const LEAF = 16;
/** After so many questions that did not help, only one of eight is still asked about parts of rows. */
const PATIENCE = 6;

/**
 * What takes the runs. A method that returns false ends the scan before the cells it was told about.
 * @typedef {object} Sink
 * @property {(content: import("./kinds.js").Content, count: number) => boolean} run
 * @property {(index: number, kind: string, full: boolean) => boolean} entity
 */

/** A scan of one box that can be interrupted between any two cells. */
export class Scanner {
  /**
   * @param {import("@minecraft/server").Dimension} dimension
   * @param {import("./region.js").Box} box
   * @param {Sink} sink
   * @param {number} from index of the first cell to read
   */
  constructor(dimension, box, sink, from) {
    this.dimension = dimension;
    this.min = box.min;
    this.sx = box.max.x - box.min.x + 1;
    this.sy = box.max.y - box.min.y + 1;
    this.sz = box.max.z - box.min.z + 1;
    this.total = this.sx * this.sy * this.sz;
    this.sink = sink;
    /** Index of the next cell to read. */
    this.at = from;
    /**
     * The run at hand.
     * @type {import("./kinds.js").Content | undefined}
     */
    this.content = undefined;
    this.count = 0;
    this.stopped = false;
    this.paused = false;
    this.deadline = 0;
    this.patience = PATIENCE;
    this.skipped = 0;
    // Positions and the volume are used again and again: making objects is what costs most.
    this.here = { x: 0, y: 0, z: 0 };
    this.low = { x: 0, y: 0, z: 0 };
    this.high = { x: 0, y: 0, z: 0 };
    this.volume = new BlockVolume(this.low, this.high);
    this.findHoles(box);
  }

  /**
   * Notes which chunks are not loaded.
   * @param {import("./region.js").Box} box
   */
  findHoles({ min, max }) {
    /** @type {Set<string>} */
    this.holes = new Set();
    let chunks = 0;
    for (let cx = min.x >> 4; cx <= max.x >> 4; cx++) {
      for (let cz = min.z >> 4; cz <= max.z >> 4; cz++) {
        chunks++;
        if (!this.dimension.isChunkLoaded({ x: cx * 16, y: min.y, z: cz * 16 })) this.holes.add(`${cx},${cz}`);
      }
    }
    this.whole = this.holes.size === 0;
    this.absent = this.holes.size === chunks;
  }

  /**
   * Reads on until the deadline. Returns true when the box is read or the sink is full.
   * @param {number} deadline as of Date.now
   */
  scan(deadline) {
    this.deadline = deadline;
    this.paused = false;
    if (this.absent) this.emit(UNLOADED, this.total - this.at);
    while (this.at < this.total && !this.stopped) {
      const x = this.at % this.sx;
      const row = (this.at - x) / this.sx;
      const z = row % this.sz;
      const y = (row - z) / this.sz;
      if (x > 0) this.row(y, z, x);
      else if (z > 0) this.rows(y, z, this.sz - 1);
      else this.layers(y, this.sy - 1);
      if (this.paused) return false;
    }
    if (!this.stopped) this.flush();
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
    return !this.stopped && this.layers(y0, middle) && this.layers(middle + 1, y1);
  }

  /**
   * @param {number} y
   * @param {number} z0
   * @param {number} z1
   * @returns {boolean} whether to go on
   */
  rows(y, z0, z1) {
    if (z0 === z1) return this.row(y, z0, 0);
    if (this.uniform(0, y, z0, this.sx - 1, y, z1)) return true;
    const middle = (z0 + z1) >> 1;
    return !this.stopped && this.rows(y, z0, middle) && this.rows(y, middle + 1, z1);
  }

  /**
   * @param {number} y
   * @param {number} z
   * @param {number} x0
   * @returns {boolean} whether to go on
   */
  row(y, z, x0) {
    if (this.whole) return this.part(y, z, x0, this.sx - 1);
    const chunkZ = (this.min.z + z) >> 4;
    while (x0 < this.sx) {
      const chunkX = (this.min.x + x0) >> 4;
      const end = Math.min(chunkX * 16 + 15 - this.min.x, this.sx - 1);
      const hole = this.holes.has(`${chunkX},${chunkZ}`);
      if (!(hole ? this.emit(UNLOADED, end - x0 + 1) : this.part(y, z, x0, end))) return false;
      x0 = end + 1;
    }
    return true;
  }

  /**
   * @param {number} y
   * @param {number} z
   * @param {number} x0
   * @param {number} x1
   * @returns {boolean} whether to go on
   */
  part(y, z, x0, x1) {
    if (x1 - x0 < LEAF) return this.cells(y, z, x0, x1);
    if ((this.patience > 0 || (++this.skipped & 7) === 0) && this.uniform(x0, y, z, x1, y, z)) return true;
    const middle = (x0 + x1) >> 1;
    return !this.stopped && this.part(y, z, x0, middle) && this.part(y, z, middle + 1, x1);
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
    if (!kind.plain) return false;
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
    return this.emit(kind.dry, (x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1));
  }

  /**
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
    const { dimension, here, min, sink } = this;
    let { content, count } = this;
    here.y = min.y + y;
    here.z = min.z + z;
    const first = min.x + x0;
    const last = min.x + x1;
    /** @type {import("@minecraft/server").BlockPermutation | undefined} */
    let plain; // of the cell before, if it says everything
    for (let x = first; x <= last; x++) {
      here.x = x;
      const block = dimension.getBlock(here);
      /** @type {import("./kinds.js").Content | undefined} */
      let found = UNLOADED;
      if (block) {
        const { permutation } = block;
        if (permutation === plain) {
          count++;
          continue;
        }
        const kind = kindOf(permutation);
        if (kind.plain) {
          plain = permutation;
          found = kind.dry;
        } else {
          plain = undefined;
          found = this.special(block, kind, this.at + x - first);
        }
      } else {
        plain = undefined;
      }
      if (found === content && found !== undefined) {
        count++;
        continue;
      }
      if (found === undefined || (content !== undefined && !sink.run(content, count))) {
        this.content = content;
        this.count = count;
        this.at += x - first;
        if (found === undefined) this.flush();
        this.stopped = true;
        return false;
      }
      content = found;
      count = 1;
    }
    this.content = content;
    this.count = count;
    this.at += x1 - x0 + 1;
    return true;
  }

  /**
   * Returns what a cell holds whose permutation does not tell everything; undefined when the sink has no
   * room for its block entity.
   * @param {import("@minecraft/server").Block} block
   * @param {import("./kinds.js").Kind} kind
   * @param {number} index
   */
  special(block, kind, index) {
    if (kind.entity !== "" && !this.sink.entity(index, kind.entity, hasContents(block, kind.entity))) return undefined;
    return kind.water && block.isWaterlogged ? kind.wet : kind.dry;
  }

  /**
   * @param {import("./kinds.js").Content} content
   * @param {number} count
   */
  emit(content, count) {
    if (content !== this.content) {
      if (!this.flush()) return false;
      this.content = content;
    }
    this.count += count;
    this.at += count;
    return true;
  }

  flush() {
    if (this.content === undefined) return true;
    if (!this.sink.run(this.content, this.count)) {
      this.stopped = true;
      return false;
    }
    this.content = undefined;
    this.count = 0;
    return true;
  }

  /** Index of the first cell that the sink has not taken. */
  get taken() {
    return this.at - this.count;
  }
}
