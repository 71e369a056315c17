// Makes ../legacy.txt, the table of the block ids that games before 1.13 had, out
// of npm minecraft-data (MIT), pc/common/legacy.json. Run it in this folder after
// npm ci: node legacy.mjs > ../legacy.txt
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { version } = require('minecraft-data/package.json')
const { blocks } = require('minecraft-data/minecraft-data/data/pc/common/legacy.json')

const byId = new Map()
for (const [key, state] of Object.entries(blocks)) {
  const [id, data] = key.split(':').map(Number)
  if (!byId.has(id)) byId.set(id, [])
  byId.get(id).push([data, sorted(state.replace(/^minecraft:/, ''))])
}

// sorted puts the properties in alphabetical order.
function sorted (state) {
  const [, id, properties] = /^([^[]+)(?:\[(.*)\])?$/.exec(state)
  return properties ? `${id}[${properties.split(',').sort().join(',')}]` : id
}

const lines = [`# Block ids and data values of Java before 1.13, from npm minecraft-data ${version} (MIT), pc/common/legacy.json.`,
  '# A line is an id and, for each data value that it has, the value and the state of 1.13.']
for (const [id, states] of [...byId].sort((a, b) => a[0] - b[0])) {
  lines.push([id, ...states.sort((a, b) => a[0] - b[0]).map(([data, state]) => `${data}:${state}`)].join(' '))
}
console.log(lines.join('\n'))
