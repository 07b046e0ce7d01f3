// Verifying, signing and merging agreements of many parties, compared with verifying as many documents:
// node agreements.mjs <numbers of parties> [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import { init, SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { invoice } from '../documents.mjs'
import { payloadOf } from '../jobs.mjs'
import { race, ratio, summary } from '../measure.mjs'
import { strangers } from '../strangers.mjs'

const counts = process.argv[2].split(',').map(Number)
const pace = process.argv.includes('--quick') ? { rounds: 2, milliseconds: 20 } : { rounds: 9, milliseconds: 300 }
const unsaved = { noSave: true }

// The key cache holds the keys of small agreements and not of large ones: a step, which hides how the rest grows.
await init({ keptKeys: { keys: 0 } })
const place = { storage: memoryStorage(), password: randomUUID() }
const { agent, agentId } = await SxAgent.create({ name: 'Benchmark', algorithm: 'ed25519', ...place })
const others = strangers('ed25519', Math.max(...counts) - 1)
for (const { self } of others) agent.trustAgent(self)
const text = invoice(1024)
const documents = others.map(({ signDocument }) => signDocument(text))
documents.push(agent.createDocumentSync(text, null, null, true))

/** An agreement that all parties but the agent have signed: at the same time, or each after the others. */
async function signedByOthers(count, isInTurn) {
  const parties = [agentId, ...others.slice(0, count - 1).map(({ id }) => id)].map((id, at) => {
    return { partyId: `party-${at}`, agentId: id, role: 'signer' }
  })
  const terms = { title: 'Purchase', terms: '40 pallets', termsFormat: 'text/plain', parties }
  const { raw } = await agent.createAgreementDoc(terms, unsaved)
  const proposed = await agent.proposeAgreement(raw, unsaved)
  const { agreementHash } = proposed
  const draft = { agreementHash, type: 'sign', role: 'signer', data: {} }
  const copy = JSON.parse(proposed.raw)
  let seen = [proposed.eventId]
  for (const { signEvent } of others.slice(0, count - 1)) {
    const { id, made } = signEvent({ ...draft, seen })
    copy.events.push(JSON.parse(made))
    if (isInTurn) seen = [id]
  }
  return JSON.stringify(copy)
}

/** By the work, what is done for an agreement of so many parties. */
async function jobsFor(count) {
  const [almost, inTurn] = [await signedByOthers(count, false), await signedByOthers(count, true)]
  const { raw, status } = await agent.signAgreementDoc(almost, unsaved)
  const whole = { raw, inTurn: (await agent.signAgreementDoc(inTurn, unsaved)).raw }
  if (status !== 'complete') throw new Error(`An agreement of ${count} parties is ${status}.`)
  const verify = async (copy) => {
    const { complete, have } = await agent.verifyAgreement(copy)
    if (!complete || have !== count) throw new Error(`An agreement of ${count} parties is not complete.`)
  }
  const some = documents.slice(-count)
  return {
    verify: () => verify(whole.raw),
    inTurn: () => verify(whole.inTurn),
    documents: async () => {
      for (const document of some) payloadOf(await agent.verify(document))
    },
    sign: () => agent.signAgreementDoc(almost, unsaved),
    merge: () => agent.mergeAgreements([almost, raw]),
  }
}

const milliseconds = (rates) => summary(rates.map((rate) => 1000 / rate)).median
const results = []
for (const count of counts) {
  const rates = await race(await jobsFor(count), pace)
  const works = Object.entries(rates).map(([work, all]) => [work, milliseconds(all)])
  results.push({
    count,
    ...Object.fromEntries(works),
    timesDocuments: ratio(rates.documents, rates.verify),
  })
}
console.log(JSON.stringify(results))
