// Import to first verify: node start.mjs <file with a sample>. Prints the milliseconds of each step as JSON.
import { readFileSync } from 'node:fs'

const { documents, keyDirectory } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const began = performance.now()
const { init, verifyStandalone } = await import('sx-agent/simple')
const imported = performance.now()
await init()
const ready = performance.now()
const { errors } = verifyStandalone(documents[0], { keyDirectory })
const done = performance.now()
if (errors.length > 0) throw new Error(errors.join('\n'))
console.log(
  JSON.stringify({ imports: imported - began, core: ready - imported, verify: done - ready, all: done - began }),
)
