// Signing and verifying texts: node texts.mjs <sizes> [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { race, summary } from '../measure.mjs'

const sizes = process.argv[2].split(',').map(Number)
const pace = process.argv.includes('--quick') ? { rounds: 2, milliseconds: 5 } : { rounds: 7, milliseconds: 60 }
const place = { storage: memoryStorage(), password: randomUUID() }
await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'ed25519', ...place })

const line = 'Der Käufer zahlt 100 € binnen 14 Tagen; “as agreed”, § 3. 契約は有効です。\n'

/** Lines of a contract, in UTF-8. */
function contract(size) {
  const bytes = Buffer.from(line.repeat(Math.ceil(size / Buffer.byteLength(line))))
  return bytes.subarray(0, bytes.lastIndexOf('\n', size - 1) + 1)
}

async function verify(bytes) {
  const { valid } = await simple.verifyText(bytes)
  if (!valid) throw new Error('The text is not valid.')
}

const results = []
for (const size of sizes) {
  const text = contract(size)
  const signed = await simple.signText(text)
  const rates = await race({ sign: () => simple.signText(text), verify: () => verify(signed) }, pace)
  const median = (rate) => summary(rate.map((each) => 1000 / each)).median
  results.push({ size, sign: median(rates.sign), verify: median(rates.verify) })
}
console.log(JSON.stringify(results))
await simple.close()
