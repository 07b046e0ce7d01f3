// Signing and verifying texts, and what is looked for in those that nobody has signed: node texts.mjs <sizes> [--quick].
// Prints JSON.
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

/** Of the texts below. */
const UNSIGNED = 4 << 20
/** What a text repeats that costs the search for what its reader does not see. */
const repeated = {
  prose: line,
  'lines of `{`': '{\n',
  'lines of a Cyrillic А': 'А\n',
  'Katakana dashes without a line break': 'ー',
  'lines that resemble markers': '-----BEGIN SX SIGNATUR\n',
}

/** CPU milliseconds of a look at each text, and how many times as long as at prose. */
async function looking() {
  const texts = Object.entries(repeated).map(([name, unit]) => {
    const bytes = Buffer.alloc(UNSIGNED - (UNSIGNED % Buffer.byteLength(unit)), unit)
    const look = async () => {
      if ((await simple.verifyText(bytes)).status !== 'missing_signature') throw new Error('The text is not unsigned.')
    }
    return [name, look]
  })
  const rates = await race(Object.fromEntries(texts), pace)
  return Object.entries(rates).map(([name, rate]) => ({
    name,
    time: summary(rate.map((each) => 1000 / each)).median,
    timesProse: summary(rate.map((each, at) => rates.prose[at] / each)),
  }))
}

const results = []
for (const size of sizes) {
  const text = contract(size)
  const signed = await simple.signText(text)
  const rates = await race({ sign: () => simple.signText(text), verify: () => verify(signed) }, pace)
  const median = (rate) => summary(rate.map((each) => 1000 / each)).median
  results.push({ size, sign: median(rates.sign), verify: median(rates.verify) })
}
console.log(JSON.stringify({ sizes: results, unsigned: await looking() }))
await simple.close()
