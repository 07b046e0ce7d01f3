// Memory while many signers are met, most of them seldom and some often:
// node signers.mjs <file with samples> <verifications> <between two looks>. Prints JSON.
//
// The file has a line of JSON for each signer: a document, and the key to verify it with.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const memories = []
// The core keeps its memory to itself; it is taken where the instance is made.
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, args) {
    const instance = Reflect.construct(target, args)
    memories.push(instance.exports.memory)
    return instance
  },
})
const { verifyStandalone } = await import('sx-agent/simple')

const [, , file, total, step] = process.argv
const samples = []
for await (const line of createInterface({ input: createReadStream(file) })) samples.push(JSON.parse(line))

let state = 1
/** From 0 to 1, the same numbers every time. */
function chance() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}

/** Every second time all signers in turn; in between by chance: a tenth of these by the first thousandth. */
function chosen(at) {
  if (at % 2 === 0) return (at / 2) % samples.length
  return Math.floor(samples.length * chance() ** 3)
}

function verify({ document, keys }) {
  const { valid, errors } = verifyStandalone(document, { keys })
  if (!valid) throw new Error(`${errors.join('\n')}\nIf the format has changed, remove ${file}`)
}

function look(verified) {
  globalThis.gc()
  const core = memories.reduce((bytes, memory) => bytes + memory.buffer.byteLength, 0)
  return { verified, process: process.memoryUsage.rss(), core }
}

verify(samples[0])
if (memories.length === 0) throw new Error('The memory of the core was not found.')
const looks = [look(1)]
const began = process.cpuUsage()
for (let at = 0; at < Number(total); at++) {
  verify(samples[chosen(at)])
  if ((at + 1) % Number(step) === 0) looks.push(look(at + 1))
}
const { user, system } = process.cpuUsage(began)
console.log(JSON.stringify({ looks, rate: Number(total) / ((user + system) / 1e6) }))
