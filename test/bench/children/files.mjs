// Signing a large file beside hashing it: node files.mjs <file> <rounds>. Prints seconds by round, and bytes of memory.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'

const [, , path, rounds] = process.argv
const own = { storage: memoryStorage(), password: 'correct horse battery staple' }
const { agent } = await SxAgent.create({ name: 'Bench', algorithm: 'ed25519', ...own })

const sign = async (onProgress) => {
  const { raw } = await agent.signFile(path, { noSave: true, ...(onProgress && { onProgress }) })
  return JSON.parse(raw).sxFiles[0].sha256
}
const hash = async () => {
  const sum = createHash('sha256')
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) sum.update(piece)
  return sum.digest('hex')
}

await agent.signFile({ name: 'small', data: new Uint8Array(1000) }, { noSave: true })
globalThis.gc()
const before = process.memoryUsage.rss()
let most = before
await sign(() => {
  most = Math.max(most, process.memoryUsage.rss())
})

const expected = await hash()
const seconds = { sign: [], hash: [] }
for (let round = 0; round < Number(rounds); round++) {
  // In turns, and each first in every other round, so that a busy machine slows both alike.
  const order = round % 2 === 0 ? ['sign', 'hash'] : ['hash', 'sign']
  for (const name of order) {
    const start = performance.now()
    const found = await (name === 'sign' ? sign() : hash())
    seconds[name].push((performance.now() - start) / 1000)
    if (found !== expected) throw new Error(`${name} gives another hash`)
  }
}
console.log(JSON.stringify({ seconds, growth: most - before }))
