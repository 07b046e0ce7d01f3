// Import to first verify: node start.mjs <program> <file with a sample>. Prints the milliseconds of each step as JSON.
import { readFileSync } from 'node:fs'

const [, , program, file] = process.argv
const given = JSON.parse(readFileSync(file, 'utf8'))
const began = performance.now()
const { verify } = await import(`../programs/${program}.mjs`)
const imported = performance.now()
await verify(given)
const done = performance.now()
console.log(JSON.stringify({ imports: imported - began, verify: done - imported, all: done - began }))
