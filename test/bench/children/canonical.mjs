// Reading 1 MB of JSON strictly and writing it canonically: node canonical.mjs [--quick]. Prints JSON.
import canonicalize from 'canonicalize'
import { hashString, SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { invoice } from '../documents.mjs'
import { race, ratio, summary } from '../measure.mjs'

const pace = process.argv.includes('--quick') ? { rounds: 3, milliseconds: 40 } : { rounds: 15, milliseconds: 150 }
const text = invoice(1024 * 1024)
const options = { storage: memoryStorage(), password: crypto.randomUUID() }
await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'ed25519', ...options })
const agent = new SxAgent(options)
await agent.load()

const rates = await race(
  {
    sign: () => agent.createDocumentSync(text, null, null, true),
    hash: () => hashString(text),
    signString: () => agent.signStringSync(text),
    canonicalize: () => canonicalize(JSON.parse(text)),
    stringify: () => JSON.stringify(JSON.parse(text)),
  },
  pace,
)
// Signing is reading, writing, SHA-256 and an Ed25519 signature; the latter two can be measured alone.
const ours = rates.sign.map((rate, at) => 1 / (1 / rate - 1 / rates.hash[at] - 1 / rates.signString[at]))
const compared = { ...rates, ours }
console.log(
  JSON.stringify({
    rates: Object.fromEntries(Object.entries(compared).map(([name, rate]) => [name, summary(rate).median])),
    ratios: { ours: ratio(ours, rates.canonicalize), sign: ratio(rates.sign, rates.canonicalize) },
  }),
)
