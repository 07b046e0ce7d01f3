// Three companies agree on running a warehouse. Each has its own agent and its own storage; they exchange copies of the
// agreement, as files or by mail. One signs through a delegate, one declines, and an amended agreement is completed.
//
//   npm run build && node examples/three-companies.mjs
import { stdout } from 'node:process'
import { hashString, SxAgent, SxError } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'

const say = (text) => stdout.write(`${text}\n`)

/** An agent with a storage of its own, which nobody else reads. */
async function agentOf(name, algorithm) {
  const password = 'correct horse battery staple'
  const { agent } = await SxAgent.create({ name, algorithm, password, storage: memoryStorage() })
  return { agent, name, id: agent.getAgentInfo().agentId }
}

/** The code that a call is refused with. */
async function refusal(work) {
  try {
    await work
  } catch (error) {
    if (error instanceof SxError) return `${error.code}: ${error.found}`
    throw error
  }
  throw new Error('This should have been refused.')
}

const ada = await agentOf('Ada Robotics', 'ed25519')
const borealis = await agentOf('Borealis Logistics', 'pq2025')
const cobalt = await agentOf('Cobalt Insurance', 'ed25519')
const dana = await agentOf('Dana, counsel of Borealis', 'ed25519')
const auditor = await agentOf('An auditor', 'ed25519')
const everybody = [ada, borealis, cobalt, dana, auditor]

// They have compared key ids on the phone, and trust each other.
for (const one of everybody) {
  for (const other of everybody) if (one !== other) one.agent.trustAgent(other.agent.exportAgent())
}

const plan = 'Robots in hall 1, shelves in hall 2.\n'
const terms = {
  title: 'Warehouse in Kiruna',
  terms:
    '# Warehouse\n\nAda builds the robots, Borealis runs the halls, Cobalt insures both.\nLiability is limited to 1,000,000.\n',
  termsFormat: 'text/markdown',
  attachments: [{ name: 'plan.txt', mediaType: 'text/plain', size: plan.length, sha256: hashString(plan) }],
  // The insurer signs when the other two have signed.
  parties: [
    { partyId: 'ada', agentId: ada.id, role: 'signer', stage: 0, displayName: ada.name },
    { partyId: 'borealis', agentId: borealis.id, role: 'signer', stage: 0, displayName: borealis.name },
    { partyId: 'cobalt', agentId: cobalt.id, role: 'approver', stage: 1, required: true, displayName: cobalt.name },
  ],
  policy: { order: 'staged', delegation: 'document', decline: 'any-ends', signBy: '2099-12-31T00:00:00.000Z' },
}

say('The first agreement')
const draft = await ada.agent.createAgreementDoc(terms)
const proposed = await ada.agent.proposeAgreement(draft.agreementId, { note: 'As discussed on Tuesday.' })
say(`  Ada proposes it: ${proposed.status}`)

const early = await refusal(cobalt.agent.signAgreementDoc(proposed.raw))
say(`  Cobalt may not sign yet: ${early}`)

// Borealis has its counsel sign. A signed document says so.
const power = JSON.parse(
  await borealis.agent.createDocument({ attorney: dana.id, may: 'sign the warehouse agreement' }),
)
const { sxId, sxVersion, sxSha256: sha256 } = power
const document = { sxId, sxVersion, sha256 }
const delegated = await borealis.agent.delegateSigning(proposed.raw, dana.id, { document })
say(`  Borealis delegates to Dana: ${delegated.status}`)

// Dana and Ada sign at the same moment, each a copy that the other one has not seen.
const [byDana, byAda] = await Promise.all([
  dana.agent.signAgreementDoc(delegated.raw, { for: 'borealis' }),
  ada.agent.signAgreementDoc(draft.agreementId),
])
const halfway = await cobalt.agent.mergeAgreements([byDana.raw, byAda.raw])
const { status, blocked } = await cobalt.agent.verifyAgreement(halfway)
say(`  Dana and Ada sign in two places: ${status}, blocked by ${blocked.join(', ')}`)

const declined = await cobalt.agent.declineAgreement(halfway, { reason: 'The limit is too low.' })
say(`  Cobalt declines: ${declined.status}`)
const late = await refusal(ada.agent.commentOnAgreement(declined.raw, 'Is 2,000,000 enough?'))
say(`  Nothing can be added: ${late}`)

say('The amended agreement')
const better = { ...terms, terms: terms.terms.replace('1,000,000', '2,000,000') }
const { policy, ...rest } = better
const next = await ada.agent.amendAgreement(declined.raw, {
  ...rest,
  policy: { ...policy, decline: 'quorum-impossible-ends' },
})
say(`  Ada amends it: ${next.status}, less strict in ${next.loosened.join(', ')}`)

const again = await ada.agent.proposeAgreement(next.agreementId)
const one = await ada.agent.signAgreementDoc(next.agreementId)
const other = await borealis.agent.signAgreementDoc(again.raw) // this time itself
const both = await cobalt.agent.mergeAgreements([other.raw, one.raw])
const complete = await cobalt.agent.signAgreementDoc(both, { note: 'Insured from today.' })
say(`  Ada, Borealis and Cobalt sign: ${complete.status}`)

// The companies store what they have got.
for (const { agent } of [ada, borealis]) await agent.importAgreement(complete.raw)
const copies = await Promise.all([ada, borealis, cobalt].map(({ agent }) => agent.getAgreement(next.agreementId)))
say(`  All have the same bytes: ${copies.every((copy) => copy === complete.raw)}`)

say('What an auditor finds in the copies')
for (const copy of [declined.raw, complete.raw]) {
  const result = await auditor.agent.verifyAgreement(copy)
  const { links = [] } = JSON.parse(copy).terms
  const amends = links.map(({ sha256 }) => (sha256 === proposed.agreementHash ? ', amends the first one' : ''))
  say(
    `  ${result.status}${amends.join('')}: ${result.byParty.map(({ partyId, state }) => `${partyId} ${state}`).join(', ')}`,
  )
  for (const { displayName, algorithm, role } of result.certificate?.lines ?? []) {
    say(`    ${displayName}, ${role}, ${algorithm}`)
  }
}

await Promise.all(everybody.map(({ agent }) => agent.close()))
