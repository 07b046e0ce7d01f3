// Hands 100 MB to a function of the simplified API, and prints a line of JSON: the code of the error or of the result,
// and by how many bytes the memory of the process grew at most.
//
//   node large.mjs <function> [values]    `values`: as a JavaScript value, not as JSON text
import { writeSync } from 'node:fs'
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'

const SIZE = 100_000_000
const [name, kind] = process.argv.slice(2)

const options = { name: 'Large', domain: 'example.com', algorithm: 'ed25519', password: 'x' }
await simple.quickstart(options)
const agent = new SxAgent({ password: 'x' })
await agent.load()
const { documentId, raw } = await simple.signMessage(1)
await simple.verify(raw)

const given = kind === 'values' ? Array(100).fill('x'.repeat(SIZE / 100)) : `{"a":"${'x'.repeat(SIZE)}"}`
Buffer.byteLength(String(given)) // makes it one piece of memory
const calls = {
  signMessage: () => simple.signMessage(given),
  updateDocument: () => simple.updateDocument(documentId, given),
  updateAgent: () => simple.updateAgent(given),
  trustAgent: () => simple.trustAgent(given),
  verify: () => simple.verify(given),
  verifySync: () => simple.verifySync(given),
  verifyStandalone: () => simple.verifyStandalone(given),
  createDocument: () => agent.createDocument(given),
  verifyDocument: () => agent.verifyDocument(given),
}

const before = process.memoryUsage.rss()
let code
try {
  const result = await calls[name]()
  code = result === false ? 'false' : (result.code ?? 'no error')
} catch (error) {
  code = error instanceof SxError ? error.code : String(error)
}
const most = Math.max(process.resourceUsage().maxRSS * 1024, process.memoryUsage.rss())
writeSync(1, `${JSON.stringify({ code, grown: most - before })}\n`)
