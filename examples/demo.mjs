// Two agents sign, verify, trust, update and refuse real documents. Run it by `npm run demo`; a second run finds the
// agents of the first one in examples/demo-out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { SxAgent, SxError } from 'sx-agent'
import { load, quickstart, signMessage, updateDocument, verify, verifyById, verifyStandalone } from 'sx-agent/simple'
import { dataset } from './demo/dataset.mjs'
import { checkWithOpenssl, installation, opensslVersion } from './demo/openssl.mjs'
import { expect, failed, size, step, table, timed } from './demo/show.mjs'
import { rearrange, tamperings } from './demo/tamper.mjs'

const out = fileURLToPath(new URL('demo-out/', import.meta.url))
const read = (name) => readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8')
const configOf = (name) => join(out, name, 'sx.config.json')
// A generated password is kept beside the key, so that the next run opens it.
const env = { SX_SAVE_PASSWORD_FILE: 'true' }

mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'dataset.json'), `${JSON.stringify(dataset(), null, 1)}\n`)
const inputs = {
  'invoice.json': read('invoice.json'),
  'purchase-order.json': read('purchase-order.json'),
  'model-card.json': read('model-card.json'),
  'dataset.json': readFileSync(join(out, 'dataset.json'), 'utf8'),
}

/** The agent of a name and its description: created in the first run, loaded afterwards. */
async function agentOf(name, domain, algorithm) {
  const [info, ms] = await timed(() => quickstart({ name, domain, algorithm, configPath: configOf(name), env }))
  const agent = new SxAgent({ env })
  await agent.load(info.configPath)
  return { info, ms, agent }
}

/** The code that a call is refused with, or `undefined`. */
async function refusal(work) {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof SxError) return error.code
    throw error
  }
}

async function signing(agents) {
  step('Sign and verify (milliseconds)')
  const signed = {}
  const rows = Object.entries(inputs).map(([file, text]) => [file, size(text)])
  for (const { info } of agents) {
    await load(info.configPath, { env })
    for (const [at, [file, text]] of Object.entries(inputs).entries()) {
      const value = JSON.parse(text)
      const [document, signMs] = await timed(() => signMessage(value))
      const [verdict, verifyMs] = await timed(() => verify(document.raw))
      signed[file] = document
      rows[at].push(signMs, verifyMs, expect(verdict.valid && isDeepStrictEqual(verdict.data, value), true))
    }
  }
  const columns = agents.flatMap(({ info }) => [`${info.algorithm} sign`, 'verify', 'as expected'])
  table(['document', 'size', ...columns], rows)
  return signed
}

/** The buyer's view of the seller's invoice, before and after trusting the seller. */
async function trusting(buyer, seller, invoice) {
  step("Trust: the buyer looks at the seller's invoice")
  buyer.agent.untrustAgent(seller.info.agentId) // in a second run
  await load(buyer.info.configPath, { env })
  const before = await verify(invoice.raw)
  const rows = [['unknown seller', before.code, before.trusted, expect(before.code, 'UnknownSigner')]]
  rows.push(['its data', String(before.data), before.trusted, expect(before.data, undefined)])
  buyer.agent.trustAgent(seller.agent.exportAgent())
  const after = await verify(invoice.raw)
  rows.push(['after trustAgent', after.valid ? 'valid' : after.code, after.trusted, expect(after.trusted, true)])
  rows.push(['its data', after.data?.invoiceNumber, after.trusted, expect(after.data?.invoiceNumber, '2026-004417')])
  const keyDirectory = join(out, 'keys')
  mkdirSync(keyDirectory, { recursive: true })
  writeFileSync(join(keyDirectory, `${seller.info.agentId}.public.pem`), seller.agent.getPublicKey())
  const options = { keyResolution: 'local', keyDirectory }
  const alone = verifyStandalone(invoice.raw, options)
  const verdict = alone.valid ? 'valid' : alone.code
  rows.push(['verifyStandalone, with the public key alone', verdict, alone.trusted, expect(alone.valid, true)])
  table(['', 'verdict', 'trusted', 'as expected'], rows)
}

async function updating(seller, invoice) {
  step('Update: the seller marks the invoice as paid')
  await load(seller.info.configPath, { env })
  const { content, sxVersion } = JSON.parse(invoice.raw)
  const totals = { ...content.totals, paid: content.totals.due, due: '0.00' }
  const paid = await updateDocument(invoice.documentId, { ...content, totals, status: 'paid' })
  const { sxPreviousVersion } = JSON.parse(paid.raw)
  const latest = await verifyById(invoice.documentId)
  const first = await verifyById(`${invoice.documentId}:${sxVersion}`)
  const stale = await refusal(() => seller.agent.updateDocument(`${invoice.documentId}:${sxVersion}`, '{"late":true}'))
  const forgotten = await verifyById('00000000-0000-4000-8000-000000000000')
  table(
    ['', 'answer', 'as expected'],
    [
      ['version before it', sxPreviousVersion, expect(sxPreviousVersion, sxVersion)],
      ['verifyById, latest', latest.data?.status, expect(latest.data?.status, 'paid')],
      ['verifyById, first version', first.data?.status, expect(first.data?.status, 'issued')],
      ['verifyById, unknown id', forgotten.code, expect(forgotten.code, 'NotFound')],
      ['update of the first version', stale, expect(stale, 'VersionConflict')],
    ],
  )
}

async function tampering(buyer, invoice, other) {
  step('Tamper: the buyer refuses each of these')
  await load(buyer.info.configPath, { env })
  const rows = []
  for (const { name, code, change } of tamperings) {
    const verdict = await verify(change(invoice.raw, other.raw))
    const asExpected = expect(`${verdict.valid} ${verdict.code} ${verdict.data}`, `false ${code} undefined`)
    rows.push([name, asExpected, verdict.errors[0]?.split('. ')[0]])
  }
  const same = await verify(rearrange(invoice.raw))
  rows.push(['only rearrange its members', expect(same.valid, true), same.valid ? 'valid: the same JSON' : same.code])
  table(['', 'as expected', 'reason'], rows)
}

async function openssl({ info, agent }) {
  const version = opensslVersion()
  if (version === undefined) {
    step(`OpenSSL: SKIPPED, the program \`openssl\` 3.0 or later is not installed. ${installation}`)
    return
  }
  step(`OpenSSL ${version} looks at the files of ${info.name}`)
  const text = 'Payment received, 2357.30 EUR, invoice 2026-004417'
  const signature = await agent.signString(text)
  const password = readFileSync(join(info.keyDirectory, '.sx_password'), 'utf8')
  const { privateKeyPath } = info
  const rows = checkWithOpenssl({ privateKeyPath, publicKey: agent.getPublicKey(), password, text, signature }, out)
  table(
    ['', 'answer', 'as expected'],
    rows.map(([name, answer, wanted]) => [name, answer, expect(answer, wanted)]),
  )
}

step('Agents')
const buyer = await agentOf('buyer', 'lyre.example.com', 'pq2025')
const seller = await agentOf('seller', 'halden.example.com', 'ed25519')
table(
  ['name', 'algorithm', 'id', '', 'ms'],
  [buyer, seller].map(({ info, ms }) => [
    info.name,
    info.algorithm,
    info.agentId,
    info.created ? 'created' : 'loaded',
    ms,
  ]),
)
const { 'invoice.json': invoice, 'purchase-order.json': other } = await signing([buyer, seller])
await trusting(buyer, seller, invoice)
await updating(seller, invoice)
await tampering(buyer, invoice, other)
await openssl(seller)
step(failed() === 0 ? 'All as expected.' : `${failed()} NOT as expected.`)
process.exitCode = failed() === 0 ? 0 : 1
