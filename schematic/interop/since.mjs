// Makes ../since.txt: the DataVersion of the Java release that brought a block, for
// blocks newer than 1.21.1, out of npm minecraft-data (MIT): the block lists of
// Java's releases, and, for the newest release, whose list it does not have, the
// Java side of its table for Bedrock. Run it in this folder after npm ci:
// node since.mjs > ../since.txt
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const root = join(dirname(require.resolve('minecraft-data/package.json')), 'minecraft-data/data')
const read = path => JSON.parse(readFileSync(join(root, path)))
const dataVersions = new Map(read('pc/common/protocolVersions.json').map(v => [v.minecraftVersion, v.dataVersion]))
const names = version => new Set(read(`pc/${version}/blocks.json`).map(block => block.name))

console.log(`# The DataVersion since which Java has a block, from npm minecraft-data ${require('minecraft-data/package.json').version} (MIT).`)
let known = names('1.21.1')
// A list of minecraft-data may stand for the release before it with the same blocks.
for (const [list, release] of [['1.21.3', '1.21.2'], ['1.21.4', '1.21.4'], ['1.21.5', '1.21.5'], ['1.21.6', '1.21.6'], ['1.21.9', '1.21.9'], ['26.1', '26.1']]) {
  const now = names(list)
  print(release, [...now].filter(name => !known.has(name)))
  known = now
}
const newest = Object.keys(read('bedrock/1.26.30/blocksJ2B.json')).map(state => /^minecraft:([^[]+)/.exec(state)[1])
print('26.2', [...new Set(newest)].filter(name => !known.has(name)))

function print (release, added) {
  if (added.length) console.log([dataVersions.get(release), ...added.sort()].join(' '))
}
