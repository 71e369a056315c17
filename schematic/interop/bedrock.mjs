// Makes ../oldstates.txt.gz: what block states of Bedrock 1.17 to 1.26.20 that the
// game does not have any more mean, as states of Java. It inverts the tables that
// npm minecraft-data (MIT) has for each of those versions; of several Java states
// that became the same the plainest is taken. Run it in this folder after npm ci:
// node bedrock.mjs > ../oldstates.txt.gz
import { createRequire } from 'node:module'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const require = createRequire(import.meta.url)
const root = join(dirname(require.resolve('minecraft-data/package.json')), 'minecraft-data/data/bedrock')
const read = (version, file) => JSON.parse(readFileSync(join(root, version, file)))
const bare = state => state.replace(/^minecraft:/, '').replace('[]', '')

// present are the states that games of today have.
const present = new Set()
for (const version of ['1.26.30', '1.26.45', '1.26.51', '1.26.60']) {
  if (!existsSync(join(root, version, 'blockStates.json'))) continue
  for (const { name, states } of read(version, 'blockStates.json')) {
    const pairs = Object.entries(states).sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { type, value }]) => `${key}=${type === 'byte' ? value !== 0 : value}`)
    present.add(bare(name) + (pairs.length ? `[${pairs.join(',')}]` : ''))
  }
}

// plainness counts the properties that say nothing special.
const nothing = /=(false|none|straight|single|0|normal|harp|north|bottom|1|7)(?=[,\]])/g
const plainness = java => (java.match(nothing) ?? []).length + (java.includes('waterlogged=true') ? -10 : 0)

const versions = readdirSync(root).filter(v => existsSync(join(root, v, 'blocksJ2B.json')))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
const means = new Map()
for (const version of versions) {
  for (const [java, bedrock] of Object.entries(read(version, 'blocksJ2B.json'))) {
    const old = bare(bedrock)
    if (present.has(old)) continue
    const known = means.get(old)
    const better = known === undefined || plainness(java) > plainness(known) || (plainness(java) === plainness(known) && java < known)
    if (better) means.set(old, java)
  }
}
const lines = [...means].sort(([a], [b]) => (a < b ? -1 : 1)).map(([old, java]) => `${old}\t${bare(java)}`)
process.stdout.write(gzipSync(lines.join('\n') + '\n', { level: 9 }))
