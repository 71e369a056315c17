// Reads the exports in a folder with npm prismarine-schematic, a reader by other
// people, and compares every cell with the .json file that stands beside each.
// Usage: node check.mjs FOLDER
import { createRequire } from 'node:module'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const { Schematic } = require('prismarine-schematic')

const folder = process.argv[2]
const bases = readdirSync(folder).filter(name => name.endsWith('.schem')).map(name => name.slice(0, -'.schem'.length))
if (bases.length === 0) {
  console.error(`no exports in ${folder}`)
  process.exit(1)
}

let failed = false
for (const base of bases) {
  const want = JSON.parse(readFileSync(join(folder, base + '.json')))
  const got = await Schematic.read(readFileSync(join(folder, base + '.schem')))
  const problem = compare(want, got)
  failed ||= problem !== undefined
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${base}: ${want.cells.length} cells, ${want.palette.length} states, as Java ${got.version}${problem === undefined ? '' : ': ' + problem}`)
}
process.exit(failed ? 1 : 0)

// compare returns the first difference.
function compare (want, got) {
  if (got.size.x !== want.size.x || got.size.y !== want.size.y || got.size.z !== want.size.z) {
    return `the size is ${got.size}`
  }
  const size = want.size
  const known = new Map() // pairs of wanted state and found state id that were compared
  for (let i = 0; i < want.cells.length; i++) {
    const position = got.offset.offset(i % size.x, Math.floor(i / size.x / size.z), Math.floor(i / size.x) % size.z)
    const key = want.cells[i] + ' ' + got.getBlockStateId(position)
    if (!known.has(key)) known.set(key, difference(want.palette[want.cells[i]], got.getBlock(position)))
    if (known.get(key) !== undefined) return `at ${position}: ${known.get(key)}`
  }
}

// difference compares a state with a block. prismarine-schematic reads numbers that
// do not begin at 0 wrong (its issue 82: a repeater's delay): those are left out, and
// with them, since they spill into their neighbours, the other properties of the block.
function difference (state, block) {
  const [, name, list] = /^minecraft:([^[]+)(?:\[(.*)\])?$/.exec(state)
  const states = block._properties && require('minecraft-data')('1.21.1').blocksByName[name]?.states
  if (states?.some(s => s.type === 'int' && s.values && s.values[0] !== '0')) return undefined
  if (block.name !== name) return `${block.name} instead of ${state}`
  const properties = block.getProperties()
  for (const pair of list ? list.split(',') : []) {
    const [key, value] = pair.split('=')
    if (String(properties[key]) !== value) return `${name} with ${key}=${properties[key]} instead of ${state}`
  }
  return undefined
}
