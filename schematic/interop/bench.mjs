// Reads every .schem file of a folder with npm prismarine-schematic and prints, as
// one JSON object, the names of those it reads and the processor time that took,
// loading the library not counted. Usage: node bench.mjs FOLDER
import { createRequire } from 'node:module'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const { Schematic } = require('prismarine-schematic')
console.log = () => {} // it reports unknown blocks there

const folder = process.argv[2]
const files = readdirSync(folder).filter(name => name.endsWith('.schem'))
await Schematic.read(readFileSync(join(folder, 'SandroHc__green-cottage.schem'))) // warm up

const read = []
let milliseconds = 0
for (const name of files) {
  const data = readFileSync(join(folder, name))
  const start = process.cpuUsage()
  let schematic
  try {
    schematic = await Schematic.read(data)
  } catch {
    continue
  }
  const { user, system } = process.cpuUsage(start)
  if (!schematic.size.x) continue
  milliseconds += (user + system) / 1000
  read.push(name)
}
process.stdout.write(JSON.stringify({ read, milliseconds }) + '\n')
