// Signing and verifying an image, beside C2PA: node images.mjs <format> <bytes> [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { manifests } from '../../media/manifests.mjs'
import { race, ratio, summary } from '../measure.mjs'
import { picture } from '../pictures.mjs'

const [, , format, length] = process.argv
const size = Number(length)
/** What takes seconds needs no turns to be told from noise. */
const rounds = size > 2 ** 20 ? 3 : 9
const pace = process.argv.includes('--quick') ? { rounds: 2, milliseconds: 5 } : { rounds, milliseconds: 60 }
const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
const place = { storage: memoryStorage(), password: randomUUID() }
await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'ed25519', ...place })
const c2pa = await manifests(folder)

/** What signs and what verifies, by who does it; `picture` is by the pixels alone. */
async function jobsOf(bytes) {
  const signed = await simple.signImage(bytes, null)
  const { supported } = await simple.imageCapacity(bytes)
  const verify = async (image, coverage) => {
    const result = await simple.verifyImage(image)
    if (result.coverage !== coverage || !result.valid) throw new Error(`${result.coverage} ${result.errors}`)
  }
  const sign = { file: () => simple.signImage(bytes, null) }
  const verifying = { file: () => verify(signed, 'file') }
  if (supported) {
    const robust = await simple.stripImageSignature(await simple.signImage(bytes, null, { robust: true }))
    sign.picture = () => simple.signImage(bytes, null, { robust: true })
    verifying.picture = () => verify(robust, 'pixels')
  }
  if (c2pa !== undefined) {
    const [source, theirs] = ['source', 'theirs'].map((name) => join(folder, `${name}.${format}`))
    writeFileSync(source, bytes)
    await c2pa.ask({ do: 'sign', in: source, out: theirs })
    const [state] = await c2pa.ask({ do: 'verify', in: theirs })
    if (state !== 'Valid') throw new Error(`C2PA says ${state}`)
    const elsewhere = (request) => ({ elsewhere: async (count) => count * (await c2pa.ask({ ...request, count })) })
    sign.c2pa = elsewhere({ do: 'sign', in: source })
    verifying.c2pa = elsewhere({ do: 'verify', in: theirs })
  }
  return { sign, verify: verifying }
}

const bytes = picture(format, size)
const row = { format, size, bytes: bytes.length }
try {
  for (const [work, jobs] of Object.entries(await jobsOf(bytes))) {
    const rates = await race(jobs, pace)
    const times = Object.entries(rates).map(([name, rate]) => [name, summary(rate.map((each) => 1000 / each)).median])
    const beside = rates.c2pa && ratio(rates.file, rates.c2pa)
    row[work] = { milliseconds: Object.fromEntries(times), beside }
  }
} finally {
  await c2pa?.stop()
  rmSync(folder, { recursive: true, force: true })
}
console.log(JSON.stringify(row))
await simple.close()
